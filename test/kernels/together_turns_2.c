/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads pass a turn around, each waiting for it by reading the line over and over. */
#define THREADS 2
#include "together_turns.h"
