/* SPDX-License-Identifier: Apache-2.0 */
/* plumb annotate: finds the function that a shortened name means. */
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "render/short_names.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define CANDIDATES_SHOWN 10
/* Of the functions that something may be inlined into, the hottest. */
#define INLINED_INTO_MAX 32

/* Tells whether a full name is what `text` means, if nothing is left out but a type before it. */
static bool ends_as(const char *name, const char *text)
{
	const size_t length = strlen(name), wanted = strlen(text);

	return length >= wanted && strcmp(name + length - wanted, text) == 0 &&
	       (length == wanted || name[length - wanted - 1] == ' ');
}

static bool means(const char *text, const char *name)
{
	static const char *const marks[] = {"", "…", ".."};
	bool found = false;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks) && !found; i++) {
		char *arguments =
			*marks[i] ? short_name(name, marks[i]) : name_without_arguments(name);
		char *bare = name_without_parameters(arguments);

		found = strcmp(arguments, text) == 0 || ends_as(bare, text);
		free(bare);
		free(arguments);
	}
	if (!found) {
		char *plain = name_without_parameters(name);

		found = ends_as(plain, text);
		free(plain);
	}
	return found;
}

static bool is_in(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

bool annotate_find_name(struct annotate_run *run)
{
	const char *text = run->options->symbol;
	struct plumb_annotated_function function;

	if (!text || run->options->part_end || run->options->place_text)
		return false;
	run->candidate_count = 0;
	for (size_t i = 0; plumb_annotation_function(run->view.annotation, i, &function) &&
			   run->candidate_count < CANDIDATES_MAX;
	     i++) {
		const char *name = plumb_symbol_name(function.symbol);

		if (means(text, name) && !is_in(name, run->candidates, run->candidate_count))
			run->candidates[run->candidate_count++] = name;
	}
	if (run->candidate_count == 1)
		run->name = run->candidates[0];
	return run->name;
}

/* Returns what a function's code has that is inlined by the requested name: its weight. -1: none.
 */
static double inlined_weight(const struct annotate_run *run, size_t i)
{
	struct plumb_annotated_code code;
	double weight = -1;

	if (plumb_annotation_code(run->view.annotation, i, &code) == 0) {
		for (size_t k = 0; k < code.line_count; k++) {
			const struct plumb_annotated_line *line = &code.lines[k];

			if (line->function && means(run->options->symbol, line->function))
				weight = (weight < 0 ? 0 : weight) + line->weight;
		}
	}
	plumb_annotated_code_free(&code);
	return weight;
}

const char *annotate_find_inlined(const struct annotate_run *run)
{
	struct plumb_annotated_function function;
	const char *name = NULL;
	double most = -1;

	for (size_t i = 0;
	     i < INLINED_INTO_MAX && plumb_annotation_function(run->view.annotation, i, &function);
	     i++) {
		const double weight = inlined_weight(run, i);

		if (weight > most) {
			most = weight;
			name = plumb_symbol_name(function.symbol);
		}
	}
	return name;
}

void annotate_complain_candidates(const struct annotate_run *run)
{
	const size_t count = run->candidate_count;

	complain("%s: '%s' may be any of %s%zu functions", run->options->from.input,
		 run->options->symbol, count == CANDIDATES_MAX ? "at least " : "", count);
	for (size_t i = 0; i < count && i < CANDIDATES_SHOWN; i++)
		advise("%s", run->candidates[i]);
	if (count > CANDIDATES_SHOWN)
		advise("... and %s%zu more", count == CANDIDATES_MAX ? "at least " : "",
		       count - CANDIDATES_SHOWN);
	advise("use one of these names, in quotes");
}
