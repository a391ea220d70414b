/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads read 16 MiB, over and over. */
#define THREADS 8
#define ROUNDS  3
#include "together_reads.h"
