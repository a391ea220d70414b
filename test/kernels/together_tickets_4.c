/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads take a ticket lock, each waiting for its number by reading the line over and over.
 */
#define THREADS 4
#include "together_tickets.h"
