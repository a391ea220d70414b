/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads read memory that nobody has touched before. */
#define THREADS 8
#define ROUNDS  1
#include "together_reads.h"
