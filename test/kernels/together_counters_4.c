/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads count beside each other in two lines. */
#define THREADS 4
#include "together_counters.h"
