/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count in one counter, with atomic additions. */
#define THREADS 2
#include "together_atomics.h"
