/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads take a lock by trying to set it, over and over. */
#define THREADS 4
#include "together_spin_lock.h"
