/* SPDX-License-Identifier: Apache-2.0 */
/* Seven threads read what one writes. */
#define THREADS 8
#include "together_readers.h"
