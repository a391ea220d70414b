/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads count in one counter, which a mutex protects. */
#define THREADS 4
#include "together_mutex.h"
