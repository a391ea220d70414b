/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads take a ticket lock, each waiting for its number by reading the line over and over. */
#define THREADS 2
#include "together_tickets.h"
