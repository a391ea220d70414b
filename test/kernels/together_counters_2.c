/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count beside each other in two lines. */
#define THREADS 2
#include "together_counters.h"
