/* SPDX-License-Identifier: Apache-2.0 */
/* The command that shows more of a finding: of the recording, or of one like it. */
#include <stdlib.h>
#include <string.h>

#include "render/findings.h"
#include "render/shell.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Returns the recording that the folder has, or NULL; free it. */
static char *recording_of(const struct findings_view *view)
{
	return view->folder && view->findings->recording
		       ? memory_format("%s/%s", view->folder, view->findings->recording)
		       : NULL;
}

/* Adds the words that show more of a recording. */
static void add_view(struct shell_line *line, const struct plumb_finding *finding, const char *path)
{
	const bool function = finding->view == PLUMB_VIEW_FUNCTION;

	shell_word(line, function ? "plumb annotate" : "plumb report");
	if (path) {
		shell_word(line, "-i");
		shell_quoted(line, path);
	}
	if (finding->view == PLUMB_VIEW_SHARING)
		shell_word(line, "--sharing");
	/* Not an option, whatever the function is called. */
	if (function && *finding->functions.at[0].name == '-')
		shell_word(line, "--");
	if (function)
		shell_quoted(line, finding->functions.at[0].name);
}

/* Adds the words that record the program again, as it was explored. */
static void add_record(struct shell_line *line, const struct findings_view *view, unsigned finding)
{
	const struct findings_again *again = view->again;

	shell_word(line, "plumb record");
	for (const char *const *option = again->options; *option; option++)
		shell_quoted(line, *option);
	if (again->without_chains && view->findings->callers[finding].count)
		shell_word(line, "-g");
	shell_word(line, "--");
	for (const char *const *word = view->findings->command; *word; word++)
		shell_quoted(line, *word);
	if (again->input) {
		shell_word(line, "<");
		shell_quoted(line, again->input);
	}
	/* plumb record returns the program's status. */
	shell_word(line, view->findings->exit_status ? ";" : "&&");
}

/* Without the recording, another one would have to be made: of a program. */
bool findings_has_more(const struct findings_view *view, unsigned finding)
{
	char *path = recording_of(view);
	const bool recorded = path != NULL;

	free(path);
	return view->findings->findings[finding].view != PLUMB_VIEW_NONE &&
	       (recorded || (view->again && view->findings->command[0]));
}

void findings_add_more(struct shell_line *line, const struct findings_view *view, unsigned finding)
{
	char *path = recording_of(view);

	if (!path)
		add_record(line, view, finding);
	add_view(line, &view->findings->findings[finding], path);
	free(path);
}

char *findings_more(const struct findings_view *view, unsigned finding)
{
	const struct common_options where = {.no_pager = true};
	struct shell_line line;
	struct output out;
	char *text = NULL;
	size_t length;
	FILE *stream;

	if (!findings_has_more(view, finding))
		return NULL;
	stream = memory_stream(&text, &length);
	output_collect(stream);
	if (output_open(&out, &where) == EXIT_FINE) {
		line = shell_line(&out, 0, 0);
		findings_add_more(&line, view, finding);
		output_close(&out, EXIT_FINE);
	}
	output_collect(NULL);
	memory_stream_close(stream, &text);
	return text;
}
