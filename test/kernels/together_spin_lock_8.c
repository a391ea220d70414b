/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads take a lock by trying to set it, over and over. */
#define THREADS 8
#include "together_spin_lock.h"
