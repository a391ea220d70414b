/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads read 16 MiB, over and over. */
#define THREADS 4
#define ROUNDS  3
#include "together_reads.h"
