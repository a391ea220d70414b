/* SPDX-License-Identifier: Apache-2.0 */
/* One thread reads memory that nobody has touched before. */
#define THREADS 1
#define ROUNDS  1
#include "together_reads.h"
