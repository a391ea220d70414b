/* SPDX-License-Identifier: Apache-2.0 */
/* Writes numbers with a fixed number of decimal places. */
#ifndef BASE_FIXED_H
#define BASE_FIXED_H

#include <stddef.h>

#define FIXED_PLACES 3
/* Room for any number with that many places, and its NUL. */
#define FIXED_ROOM 320

/*
 * Writes `value` with 0 to FIXED_PLACES places as snprintf() does with "%.*f", to the last digit,
 * in a tenth of the time for numbers from 0 to 9,000,000,000,000. Returns the length.
 */
size_t fixed_write(char room[FIXED_ROOM], double value, int places);

/* Likewise writes it before `end`, behind at least FIXED_ROOM bytes, without a NUL. Returns where
 * it begins. */
char *fixed_write_before(char *end, double value, int places);

#endif
