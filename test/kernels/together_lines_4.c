/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads count in two counters, with atomic additions. */
#define THREADS 4
#include "together_lines.h"
