/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads meet at a barrier again and again. */
#define THREADS 4
#include "together_barrier.h"
