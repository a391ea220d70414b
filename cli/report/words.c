/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

#include "tool/memory.h"

void report_add_words(struct report_words *words, const char *option, const char *value)
{
	if (!value)
		return;
	words->at[words->count++] = memory_copy(option, strlen(option));
	if (*value)
		words->at[words->count++] = memory_copy(value, strlen(value));
}

void report_annotate_words(struct report_words *words, const struct report_options *options)
{
	const struct reading_options *from = &options->from;

	report_add_words(words, "annotate", "");
	report_add_words(words, "--stdio", "");
	report_add_words(words, "-i", strcmp(from->input, "perf.data") == 0 ? NULL : from->input);
	report_add_words(words, "--dsos", from->chosen.dsos);
	report_add_words(words, "--tid", from->chosen.tids);
	report_add_words(words, "--pid", from->chosen.pids);
	report_add_words(words, "--cpu", from->chosen.cpus);
	report_add_words(words, "--time", from->chosen.time);
	report_add_words(words, "--symfs", from->symfs);
	report_add_words(words, "--filter", from->filter);
	report_add_words(words, "--itrace", from->itrace);
	report_add_words(words, "--core", from->core);
	report_add_words(words, "--kallsyms", from->kallsyms);
	report_add_words(words, "--vmlinux", from->vmlinux);
	report_add_words(words, "--no-demangle", from->no_demangle ? "" : NULL);
}

void report_free_words(struct report_words *words)
{
	for (int i = 0; i < words->count; i++)
		free(words->at[i]);
	words->count = 0;
}
