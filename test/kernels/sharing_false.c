/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads' counters, in the same lines. */
#define THREADS_APART 8
#include "turns.h"
