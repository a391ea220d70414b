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

/* A side, and its recordings, each with the number of its run. */
struct diff_input {
	struct diff_side *side;
	struct diff_input_recording {
		char *path;
		size_t run;
	} * recordings;
	size_t recording_count;
};

/*
 * Reads a side, but not by function: a file, several with commas between them, or a folder with
 * them. Returns an exit status, after printing an error; otherwise free the input.
 */
int diff_input_read(const char *operand, const struct diff_reading_options *options,
		    struct diff_input *input);

/*
 * Reads the recordings of a side once more, by function and line, and finishes the side. `names`
 * decides which functions, and lives as long as the side; NULL: symbols. Returns an exit status,
 * after printing an error.
 */
int diff_input_read_code(struct diff_input *input, const struct diff_reading_options *options,
			 const struct diff_names *names);

void diff_input_free(struct diff_input *input);

#endif
