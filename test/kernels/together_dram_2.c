/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads read memory that nobody has touched before. */
#define THREADS 2
#define ROUNDS  1
#include "together_reads.h"
