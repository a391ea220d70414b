/* SPDX-License-Identifier: Apache-2.0 */
/* The page of plumb diff --html. */
#ifndef DIFF_PAGE_H
#define DIFF_PAGE_H

#include "diff/inputs.h"
#include "render/diff.h"
#include "tool/reading.h"

struct diff_page {
	const struct diff_report *report;
	const struct reading_options *from;
	const struct diff_input *inputs; /* of each side, the baseline first */
	size_t side_count;
	const struct common_options *common;
};

/*
 * Writes all changes, whatever the text leaves out, and the stacks and the source of each side that
 * has a recording. Returns an exit status, after printing an error.
 */
int diff_page_write(const struct diff_page *page, const char *path);

#endif
