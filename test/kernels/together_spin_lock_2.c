/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads take a lock by trying to set it, over and over. */
#define THREADS 2
#include "together_spin_lock.h"
