/* SPDX-License-Identifier: Apache-2.0 */
/* Three threads read what one writes. */
#define THREADS 4
#include "together_readers.h"
