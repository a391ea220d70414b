/* SPDX-License-Identifier: Apache-2.0 */
/* plumb annotate: prints a function, and checks its files of source. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "render/source_text.h"
#include "tool/complain.h"
#include "tool/join.h"
#include "tool/memory.h"

#define FILES_NAMED 4

/* Tells whether `path` is a file, and when it was changed last. */
static bool time_of(const char *path, struct timespec *time)
{
	struct stat status;

	if (!path || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	*time = status.st_mtim;
	return true;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Remembers a file of source that cannot be read, for annotate_note_unread(). */
static void note_unread(struct annotate_run *run, const char *path)
{
	for (size_t i = 0; i < run->unread_count; i++)
		if (strcmp(run->unread[i], path) == 0)
			return;
	if (run->unread_count < FILES_CHECKED)
		run->unread[run->unread_count++] = memory_copy(path, strlen(path));
}

/* Warns if a file of source does not look like the one that the program was built from. */
static void check_source(struct annotate_run *run, const struct plumb_annotated_code *code,
			 const char *path, unsigned last_line)
{
	const char *program = plumb_symbol_file_path(run->reading.symbols, code->function.file);
	struct source_text *texts;
	struct timespec built, changed;
	size_t length;

	if (!time_of(path, &changed) || access(path, R_OK) != 0) {
		if (path && !run->options->common.json)
			note_unread(run, path);
		return;
	}
	if (time_of(program, &built) && is_later(&changed, &built)) {
		complain("%s has changed since %s was built; its lines may be wrong", path,
			 program);
		return;
	}
	texts = source_text_new();
	if (!source_text_line(texts, path, last_line, &length) &&
	    source_text_line(texts, path, 1, &length))
		complain(
			"%s has no line %u, so it has changed since %s was built; its lines may be "
			"wrong",
			path, last_line, program ? program : "the program");
	source_text_free(texts);
}

void annotate_note_unread(struct annotate_run *run)
{
	struct join names = {0};
	char *text;

	for (size_t i = 0; i < run->unread_count; i++) {
		if (i < FILES_NAMED)
			join_add(&names, run->unread[i]);
		free(run->unread[i]);
	}
	text = join_take(&names);
	if (run->unread_count > FILES_NAMED)
		complain("cannot read the source in %s and %zu more files; their lines are shown "
			 "without text",
			 text, run->unread_count - FILES_NAMED);
	else if (run->unread_count)
		complain("cannot read the source in %s; its lines are shown without text", text);
	free(text);
	run->unread_count = 0;
}

/* Checks each of the first files, by the largest number of lines that stand together. */
static void check_sources(struct annotate_run *run, const struct plumb_annotated_code *code)
{
	const char *checked[FILES_CHECKED];
	unsigned last = 0;
	size_t count = 0;

	for (size_t i = 0; i < code->line_count && count < FILES_CHECKED; i++) {
		const struct plumb_annotated_line *line = &code->lines[i];
		bool known = !line->file;
		char *path;

		last = line->line > last ? line->line : last;
		if (i + 1 < code->line_count && line->file && line[1].file &&
		    strcmp(line->file, line[1].file) == 0)
			continue;
		for (size_t k = 0; k < count && !known; k++)
			known = strcmp(checked[k], line->file) == 0;
		if (!known) {
			checked[count++] = line->file;
			path = annotation_line_path(line);
			check_source(run, code, path, last);
			free(path);
		}
		last = 0;
	}
}

static const struct plumb_annotated_code *ranked_code;

static int compare_lines(const void *a, const void *b)
{
	const struct plumb_annotated_line *x = &ranked_code->lines[*(const size_t *)a];
	const struct plumb_annotated_line *y = &ranked_code->lines[*(const size_t *)b];

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x < y ? -1 : x > y;
}

static size_t *rank_lines(const struct plumb_annotated_code *code)
{
	size_t *ranking = memory_resize(NULL, code->line_count + 1, sizeof(*ranking));

	for (size_t i = 0; i < code->line_count; i++)
		ranking[i] = i;
	ranked_code = code;
	qsort(ranking, code->line_count, sizeof(*ranking), compare_lines);
	return ranking;
}

/* Computes how often loops ran, if the profile is exact and has all instructions. */
static struct plumb_trips *count_trips(const struct annotate_run *run,
				       const struct plumb_annotated_code *code,
				       const struct plumb_flow *flow)
{
	struct plumb_annotation_summary summary;
	struct plumb_trips *trips;
	struct plumb_loop loop;
	uint64_t *executions;
	size_t count = 0;

	plumb_annotation_summary(run->view.annotation, &summary);
	/* A filter may leave out instructions of the loop. */
	if (summary.basis != PLUMB_BASIS_SLOTS || run->reading.choice.operations)
		return NULL;
	while (plumb_flow_loop(flow, count, &loop))
		count++;
	trips = memory_alloc((count + 1) * sizeof(*trips));
	executions = memory_alloc((code->count + 1) * sizeof(*executions));
	for (size_t i = 0; i < code->count; i++)
		executions[i] = code->instructions[i].executions;
	if (plumb_flow_trips(flow, executions, trips) < 0)
		memory_given(NULL);
	free(executions);
	return trips;
}

int annotate_show(struct annotate_run *run, size_t i, struct output *out,
		  struct json_list *functions)
{
	struct plumb_annotated_code code;
	struct plumb_flow *flow = NULL;
	struct annotated function = {.view = &run->view, .code = &code};
	struct plumb_trips *trips = NULL;
	size_t *ranking = NULL;
	int error = plumb_annotation_code(run->view.annotation, i, &code);

	if (error == 0 && code.words)
		error = plumb_flow_new(code.instructions[0].address, code.words, code.count, &flow);
	if (error == 0) {
		if (flow)
			trips = count_trips(run, &code, flow);
		ranking = rank_lines(&code);
		function.flow = flow;
		function.trips = trips;
		function.ranking = ranking;
		if (functions)
			annotation_json_add(functions, &function);
		else
			annotation_text(out, &function);
		if (!run->view.by_address)
			check_sources(run, &code);
	} else if (error == PLUMB_ERR_LIMIT) {
		complain("%s: this function is too large to be annotated",
			 plumb_symbol_name(code.function.symbol));
	} else {
		memory_given(NULL);
	}
	free(ranking);
	free(trips);
	plumb_flow_free(flow);
	plumb_annotated_code_free(&code);
	return complain_status(error);
}
