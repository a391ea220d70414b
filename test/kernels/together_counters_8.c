/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads count beside each other in two lines. */
#define THREADS 8
#include "together_counters.h"
