/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads' counters, in lines of their own. */
#define THREADS_APART (L1D_BYTES)
#include "turns.h"
