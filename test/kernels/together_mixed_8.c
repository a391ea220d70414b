/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads count in one counter together, and beside each other. */
#define THREADS 8
#include "together_mixed.h"
