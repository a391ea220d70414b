/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads count in one counter, with atomic additions. */
#define THREADS 8
#include "together_atomics.h"
