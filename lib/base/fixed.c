/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fixed.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MANTISSA_BITS 52
#define EXPONENT_BIAS 1075 /* of the mantissa as a whole number */
/* Below it, a number is exact as a multiple of a power of two that is less than 1. */
#define LARGEST 9e12

static const uint64_t powers_of_ten[FIXED_PLACES + 1] = {1, 10, 100, 1000};

/* Returns the whole number that is nearest to `value` times `factor`; of two, the even one. */
static uint64_t round_exactly(double value, uint64_t factor)
{
	union {
		double value;
		uint64_t bits;
	} as = {value};
	const unsigned exponent = (unsigned)(as.bits >> MANTISSA_BITS);
	const uint64_t fraction = as.bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
	const uint64_t mantissa = exponent ? fraction | UINT64_C(1) << MANTISSA_BITS : fraction;
	/* At most 53 and 10 bits. */
	const uint64_t scaled = mantissa * factor;
	const unsigned shift = EXPONENT_BIAS - (exponent ? exponent : 1);
	uint64_t whole, rest, half;

	if (shift > 63)
		return 0;
	whole = scaled >> shift;
	rest = scaled & ((UINT64_C(1) << shift) - 1);
	half = UINT64_C(1) << shift >> 1;
	return whole + (rest > half || (rest == half && whole & 1));
}

/* Writes a whole number from `end` backwards, at least `digits` of them. Returns where it begins.
 */
static char *write_digits(char *end, uint64_t number, int digits)
{
	for (; number || digits > 0; number /= 10, digits--)
		*--end = (char)('0' + number % 10);
	return end;
}

char *fixed_write_before(char *end, double value, int places)
{
	uint64_t number, factor;

	if (signbit(value) || !(value < LARGEST)) {
		char text[FIXED_ROOM];
		const size_t length = (size_t)snprintf(text, sizeof(text), "%.*f", places, value);

		return memcpy(end - length, text, length);
	}
	factor = powers_of_ten[places];
	number = round_exactly(value, factor);
	if (places) {
		end = write_digits(end, number % factor, places);
		*--end = '.';
		number /= factor;
	}
	return write_digits(end, number, 1);
}

size_t fixed_write(char room[FIXED_ROOM], double value, int places)
{
	char text[FIXED_ROOM], *end = text + sizeof(text);
	const char *at = fixed_write_before(end, value, places);
	const size_t length = (size_t)(end - at);

	memcpy(room, at, length);
	room[length] = '\0';
	return length;
}
