/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count in one counter, which a mutex protects. */
#define THREADS 2
#include "together_mutex.h"
