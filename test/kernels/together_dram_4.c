/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads read memory that nobody has touched before. */
#define THREADS 4
#define ROUNDS  1
#include "together_reads.h"
