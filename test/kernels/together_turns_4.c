/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads pass a turn around, each waiting for it by reading the line over and over. */
#define THREADS 4
#include "together_turns.h"
