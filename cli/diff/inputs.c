/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"
#include "tool/symbols.h"

/* Counts are text; a -r of thousands of runs is some megabytes. */
#define COUNTS_MAX ((size_t)256 << 20)

/* The files of a side. */
struct files {
	char **at;
	bool *listed; /* named by the user, not found in a folder */
	size_t count;
};

static void add_file(struct files *files, char *path, bool listed)
{
	files->at = memory_resize(files->at, files->count + 1, sizeof(*files->at));
	files->listed = memory_resize(files->listed, files->count + 1, sizeof(*files->listed));
	files->at[files->count] = path;
	files->listed[files->count++] = listed;
}

static void free_files(struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->at[i]);
	free(files->at);
	free(files->listed);
}

static int refuse_empty(const char *path)
{
	complain("%s: the file is empty", path);
	return EXIT_USAGE;
}

static int cannot_read(const char *path)
{
	complain("cannot read %s: %s", path, strerror(errno));
	return EXIT_USAGE;
}

/* Adds the files of a folder, in the order of their names. */
static int add_folder(struct files *files, const char *path)
{
	struct dirent **entries;
	const int count = scandir(path, &entries, NULL, alphasort);

	if (count < 0)
		return cannot_read(path);
	for (int i = 0; i < count; i++) {
		char *file = memory_format("%s/%s", path, entries[i]->d_name);
		struct stat status;

		if (*entries[i]->d_name != '.' && stat(file, &status) == 0 &&
		    S_ISREG(status.st_mode))
			add_file(files, file, false);
		else
			free(file);
		free(entries[i]);
	}
	free(entries);
	return EXIT_FINE;
}

static int add_path(struct files *files, const char *path)
{
	struct stat status;

	if (strcmp(path, "-") == 0) {
		add_file(files, memory_copy("/dev/stdin", 10), true);
		return EXIT_FINE;
	}
	if (stat(path, &status) != 0)
		return cannot_read(path);
	if (S_ISDIR(status.st_mode))
		return add_folder(files, path);
	add_file(files, memory_copy(path, strlen(path)), true);
	return EXIT_FINE;
}

/* A file whose name has a comma is taken as it is. */
static int list_files(struct files *files, const char *operand)
{
	struct stat status;
	int result = EXIT_FINE;
	char *list, *rest, *path;

	if (stat(operand, &status) == 0 || !strchr(operand, ','))
		return add_path(files, operand);
	list = rest = memory_copy(operand, strlen(operand));
	while (result == EXIT_FINE && (path = strsep(&rest, ","))) {
		if (*path) {
			result = add_path(files, path);
		} else {
			complain("%s: a name is missing beside a comma", operand);
			result = EXIT_USAGE;
		}
	}
	free(list);
	return result;
}

/* ---- Counts -----------------------------------------------------------------------------------
 */

enum kind { KIND_COUNTS, KIND_RECORDING, KIND_OTHER, KIND_EMPTY, KIND_UNREADABLE };

/* Tells whether a name is that of counts or of a recording, so that an empty file is a lost one. */
static bool has_data_name(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (strcmp(dot, ".json") == 0 || strcmp(dot, ".data") == 0);
}

/* Tells what a file is by how it begins. */
static enum kind kind_of(const char *path)
{
	struct stat status;
	char bytes[256];
	FILE *file;
	size_t size;

	/* A pipe can be read once, and a recording is read several times. */
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return KIND_COUNTS;
	file = fopen(path, "re");
	if (!file)
		return KIND_UNREADABLE;
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (!size)
		return KIND_EMPTY;
	if (diff_is_json(bytes, size))
		return KIND_COUNTS;
	if (size >= 8 && (memcmp(bytes, "PERFILE2", 8) == 0 || memcmp(bytes, "2ELIFREP", 8) == 0))
		return KIND_RECORDING;
	return KIND_OTHER;
}

/* Tells whether JSON that was found in a folder has counts: other files may be there, too. */
static bool has_counts(const char *path, const char *bytes, size_t size)
{
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	struct diff_side *side = memory_given(diff_side_new(path));
	const int error = diff_side_add_counts(side, path, bytes, size, diagnostics);

	diff_side_free(side);
	plumb_diagnostics_free(diagnostics);
	return error != PLUMB_ERR_INVALID;
}

static int read_counts(struct diff_side *side, const char *path, bool listed)
{
	struct plumb_diagnostics *diagnostics;
	char *bytes = NULL;
	size_t size;
	int error = file_read(path, COUNTS_MAX, &bytes, &size);

	if (error == PLUMB_ERR_IO)
		return cannot_read(path);
	if (error == 0 && !size) {
		free(bytes);
		return refuse_empty(path);
	}
	diagnostics = memory_given(plumb_diagnostics_new());
	if (error == 0 && (listed || has_counts(path, bytes, size)))
		error = diff_side_add_counts(side, path, bytes, size, diagnostics);
	if (error < 0)
		complain_findings(diagnostics, path, error);
	free(bytes);
	plumb_diagnostics_free(diagnostics);
	return complain_status(error);
}

/* ---- Recordings -------------------------------------------------------------------------------
 */

static bool wants(void *user, const struct plumb_samples_item *item,
		  const struct plumb_location *location)
{
	return choice_wants(user, item->record, item->task, location);
}

static int add_pass(struct diff_side *side, const struct diff_reading_options *options,
		    struct reading *reading, enum diff_pass pass)
{
	const bool chosen = !choice_is_all(&reading->choice);
	struct diff_recording from = {
		.recording = reading->recording,
		.modelled = reading_is_modelled(reading),
		.seed = reading_seed(reading),
		.options = {.midr = reading->samples.midr,
			    .wants = chosen ? wants : NULL,
			    .user = &reading->choice,
			    .wants_by = choice_looks_at(&reading->choice)},
		.keys = options->keys,
		.key_count = options->key_count,
	};
	struct plumb_samples *samples;
	int error;

	from.symbolizer = reading_symbols(reading, options->verbose);
	from.samples = samples = reading_begin(reading);
	error = diff_side_add_recording(side, pass, &from);
	if (error == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	reading_end(reading, samples);
	if (error < 0)
		complain_findings(reading->diagnostics, reading->options->input, error);
	/* What is missing would look like a change. */
	if (error == 0 && reading_is_incomplete(reading)) {
		complain("%s: this recording is incomplete, so it cannot be compared",
			 reading->options->input);
		return EXIT_USAGE;
	}
	/* Each pass would say the same. */
	if (pass == DIFF_PASS_WHOLE)
		complain_warnings(reading->diagnostics);
	if (pass == DIFF_PASS_FUNCTIONS)
		symbols_report_gone(reading->symbols, options->from.symfs);
	return complain_status(error);
}

static int read_pass(struct diff_side *side, const struct diff_reading_options *options,
		     const char *path, enum diff_pass pass)
{
	const struct plumb_recording_options how = {.size = sizeof(how)};
	struct reading_options from = options->from;
	struct reading reading = {.options = &from};
	int status;

	from.input = path;
	reading.samples.each_record_once = true;
	status = reading_open_tasks(&reading, &how);
	if (status == EXIT_FINE)
		status = add_pass(side, options, &reading, pass);
	return reading_close(&reading, status);
}

/* Reads what is needed to decide which functions are compared, and the events of the whole. */
static int read_recording(struct diff_input *input, const struct diff_reading_options *options,
			  const char *path)
{
	diff_side_begin_run(input->side);
	input->recordings = memory_resize(input->recordings, input->recording_count + 1,
					  sizeof(*input->recordings));
	input->recordings[input->recording_count++] =
		(struct diff_input_recording){memory_copy(path, strlen(path)), input->side->run};
	return read_pass(input->side, options, path, DIFF_PASS_WHOLE);
}

int diff_input_read_code(struct diff_input *input, const struct diff_reading_options *options,
			 const struct diff_names *names)
{
	int status = EXIT_FINE;

	input->side->names = names;
	for (size_t i = 0; i < input->recording_count; i++) {
		const struct diff_input_recording *recording = &input->recordings[i];

		diff_side_return_to_run(input->side, recording->run);
		if (status == EXIT_FINE)
			status = read_pass(input->side, options, recording->path,
					   DIFF_PASS_FUNCTIONS);
		if (status == EXIT_FINE && options->lines)
			status = read_pass(input->side, options, recording->path, DIFF_PASS_LINES);
	}
	if (status == EXIT_FINE && diff_side_finish(input->side) < 0)
		memory_given(NULL);
	return status;
}

/* ---- Sides ------------------------------------------------------------------------------------
 */

static int read_file(struct diff_input *input, const struct diff_reading_options *options,
		     const struct files *files, size_t i, enum kind wanted)
{
	const char *path = files->at[i];
	const enum kind kind = kind_of(path);
	struct diff_side *side = input->side;
	struct stat status;

	if (kind == KIND_UNREADABLE)
		return wanted == KIND_COUNTS ? cannot_read(path) : EXIT_FINE;
	if (kind == KIND_EMPTY && (files->listed[i] || has_data_name(path)))
		return refuse_empty(path);
	/* What was named is counts or a recording; reading it says what is wrong with it. */
	if (kind != wanted && !(kind == KIND_OTHER && wanted == KIND_RECORDING && files->listed[i]))
		return EXIT_FINE;
	inputs_note(path, "the input");
	if (stat(path, &status) == 0 && status.st_mtime > side->time)
		side->time = status.st_mtime;
	return wanted == KIND_COUNTS ? read_counts(side, path, files->listed[i])
				     : read_recording(input, options, path);
}

int diff_input_read(const char *operand, const struct diff_reading_options *options,
		    struct diff_input *input)
{
	struct files files = {0};
	int status = list_files(&files, operand);

	*input = (struct diff_input){.side = memory_given(diff_side_new(operand))};
	/* Counts first: what they have is not taken from recordings. */
	for (enum kind kind = KIND_COUNTS; kind <= KIND_RECORDING; kind++)
		for (size_t i = 0; status == EXIT_FINE && i < files.count; i++)
			status = read_file(input, options, &files, i, kind);
	free_files(&files);
	if (status == EXIT_FINE && !input->side->run) {
		complain("%s: neither counts nor recordings are in it", operand);
		advise("plumb stat --json -o FILE writes counts, plumb record -o FILE recordings");
		status = EXIT_USAGE;
	}
	if (status != EXIT_FINE)
		diff_input_free(input);
	return status;
}

void diff_input_free(struct diff_input *input)
{
	diff_side_free(input->side);
	for (size_t i = 0; i < input->recording_count; i++)
		free(input->recordings[i].path);
	free(input->recordings);
	*input = (struct diff_input){.side = NULL};
}
