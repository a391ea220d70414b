/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads count in two counters, with atomic additions. */
#define THREADS 8
#include "together_lines.h"
