/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads count, each in a counter of its own; all counters are in one line. */
#define THREADS 4
#include "together_stores.h"
