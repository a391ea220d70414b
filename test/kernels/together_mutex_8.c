/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads count in one counter, which a mutex protects. */
#define THREADS 8
#include "together_mutex.h"
