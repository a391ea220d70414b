/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads count in one counter, each comparing and swapping. */
#define THREADS 8
#include "together_swaps.h"
