/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads read 16 MiB, over and over. */
#define THREADS 2
#define ROUNDS  3
#include "together_reads.h"
