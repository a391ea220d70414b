/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads meet at a barrier again and again. */
#define THREADS 8
#include "together_barrier.h"
