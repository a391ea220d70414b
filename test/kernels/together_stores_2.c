/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count, each in a counter of its own; all counters are in one line. */
#define THREADS 2
#include "together_stores.h"
