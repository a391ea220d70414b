/* SPDX-License-Identifier: Apache-2.0 */
/* One thread reads 16 MiB, over and over. */
#define THREADS 1
#define ROUNDS  3
#include "together_reads.h"
