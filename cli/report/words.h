/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a command line of plumb annotate, which shows what plumb report does not. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "report/report.h"

struct report_words {
	char *at[48];
	int count;
};

/* Adds an option and its value: NULL adds nothing, and "" only the option. */
void report_add_words(struct report_words *words, const char *option, const char *value);

/* Adds the plumb annotate of the same recording, and of the same samples. */
void report_annotate_words(struct report_words *words, const struct report_options *options);

void report_free_words(struct report_words *words);

#endif
