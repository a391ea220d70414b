/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the operands of plumb diff. */
#ifndef DIFF_INPUTS_H
#define DIFF_INPUTS_H

#include "diff/side.h"
#include "tool/reading.h"

struct diff_reading_options {
	struct reading_options from; /* input is set for each recording */
	const uint8_t *keys;         /* what to add samples up by; NULL: functions */
	size_t key_count;
	bool lines; /* also by line */
	bool verbose;
};

/*
 * Reads a side: a file, several with commas between them, or a folder with them. Returns an exit
 * status, after printing an error; `*result` is NULL then. `*recording` is the path of the first
 * recording of the side, which the caller frees, or NULL.
 */
int diff_inputs_read(const char *operand, const struct diff_reading_options *options,
		     struct diff_side **result, char **recording);

#endif
