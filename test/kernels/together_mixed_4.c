/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads count in one counter together, and beside each other. */
#define THREADS 4
#include "together_mixed.h"
