/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads count in one counter, each comparing and swapping. */
#define THREADS 4
#include "together_swaps.h"
