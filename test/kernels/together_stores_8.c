/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads count, each in a counter of its own; all counters are in one line. */
#define THREADS 8
#include "together_stores.h"
