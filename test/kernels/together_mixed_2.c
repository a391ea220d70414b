/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count in one counter together, and beside each other. */
#define THREADS 2
#include "together_mixed.h"
