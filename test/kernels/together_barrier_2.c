/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads meet at a barrier again and again. */
#define THREADS 2
#include "together_barrier.h"
