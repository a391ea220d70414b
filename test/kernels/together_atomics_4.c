/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads count in one counter, with atomic additions. */
#define THREADS 4
#include "together_atomics.h"
