/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads pass a turn around, each waiting for it by reading the line over and over. */
#define THREADS 8
#include "together_turns.h"
