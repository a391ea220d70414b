/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count in two counters, with atomic additions. */
#define THREADS 2
#include "together_lines.h"
