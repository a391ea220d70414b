/* SPDX-License-Identifier: Apache-2.0 */
/* Another thread reads what one writes. */
#define THREADS 2
#include "together_readers.h"
