/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count in one counter, each comparing and swapping. */
#define THREADS 2
#include "together_swaps.h"
