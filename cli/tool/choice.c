/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/choice.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <plumb/profile.h>
#include <plumb/samples.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/instructions.h"
#include "symbol/symbolizer.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* No machine has more CPUs than this. */
#define CPUS_MAX 65536

#define SOFTWARE_DUMMY 9 /* PERF_COUNT_SW_DUMMY */

static void split(struct choice_list *list, const char *text)
{
	size_t room = 1;

	if (!text)
		return;
	list->text = memory_copy(text, strlen(text));
	for (const char *c = text; *c; c++)
		room += *c == ',';
	list->at = memory_resize(NULL, room, sizeof(*list->at));
	for (char *word = list->text; word;) {
		char *comma = strchr(word, ',');

		if (comma)
			*comma++ = '\0';
		if (*word)
			list->at[list->count++] = word;
		word = comma;
	}
}

static bool has_word(const struct choice_list *list, const char *word)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->at[i], word) == 0)
			return true;
	}
	return false;
}

static bool has_number(const struct choice_list *list, int32_t number)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strtol(list->at[i], NULL, 10) == number)
			return true;
	}
	return false;
}

static int split_numbers(struct choice_list *list, const char *text, const char *option)
{
	split(list, text);
	for (size_t i = 0; i < list->count; i++) {
		char *end;
		long number;

		errno = 0;
		number = strtol(list->at[i], &end, 10);
		if (*end || errno || number < -1 || number > INT32_MAX) {
			complain_value(option, list->at[i], INT32_MAX,
				       "list numbers, separated by commas");
			return EXIT_USAGE;
		}
	}
	return EXIT_FINE;
}

/* "0-3" or "5". */
static bool add_cpus(struct choice *choice, const char *word)
{
	char *end;
	unsigned long first, last;

	if (*word < '0' || *word > '9')
		return false;
	first = last = strtoul(word, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		last = strtoul(end + 1, &end, 10);
	if (*end || last < first || last >= CPUS_MAX)
		return false;
	for (; first <= last; first++)
		choice->cpus[first / 64] |= UINT64_C(1) << (first % 64);
	return true;
}

static int choose_cpus(struct choice *choice, const char *text)
{
	struct choice_list words = {0};
	bool fine = true;

	split(&words, text);
	choice->cpus = memory_alloc(CPUS_MAX / 8);
	for (size_t i = 0; fine && i < words.count; i++)
		fine = add_cpus(choice, words.at[i]);
	free(words.at);
	free(words.text);
	if (fine)
		return EXIT_FINE;
	complain_value("cpu", text, CPUS_MAX - 1, "list CPUs as in 0,2-3");
	return EXIT_USAGE;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* The times of the first and the last sample. */
struct bounds {
	uint64_t first, last;
};

static void add_time(struct bounds *bounds, uint64_t time)
{
	if (time < bounds->first)
		bounds->first = time;
	if (time > bounds->last)
		bounds->last = time;
}

static void add_batch(struct bounds *bounds, const struct plumb_samples *samples,
		      const struct plumb_samples_batch *batch)
{
	const struct plumb_record *record = batch->record;
	uint64_t time;

	if (record && record->type == PLUMB_RECORD_SAMPLE && record->has & PLUMB_RECORD_HAS_TIME)
		add_time(bounds, record->time);
	for (size_t i = 0; !record && i < batch->count; i++)
		if (plumb_samples_time(samples, &batch->spe[i], &time))
			add_time(bounds, time);
}

/* When the samples begin and end: the recording says it, or all of them must be looked at. */
static int find_bounds(const struct choice_input *input, uint64_t *first, uint64_t *last)
{
	const struct plumb_recording_info *info = plumb_recording_info(input->recording);
	const struct plumb_samples_options options = {
		.size = sizeof(options), .each_record_once = true, .order = PLUMB_ORDER_FILE};
	struct bounds bounds = {.first = UINT64_MAX};
	struct plumb_recording *again;
	const struct plumb_samples_batch *batch;
	struct plumb_samples *samples;
	const char *path = input->path;

	*first = info->first_sample_time;
	*last = info->last_sample_time;
	if (*last >= *first && *last)
		return EXIT_FINE;
	if (strcmp(path, "-") == 0 || plumb_recording_open(path, NULL, &again, NULL) < 0) {
		complain("percentages for --time require a recording that can be read twice");
		advise("save it to a file first, or use times in seconds");
		return EXIT_USAGE;
	}
	if (plumb_samples_begin(again, &options, &samples, NULL) == 0) {
		while (plumb_samples_next_batch(samples, &batch) > 0)
			add_batch(&bounds, samples, batch);
		plumb_samples_end(samples);
	}
	plumb_recording_close(again);
	*first = bounds.first <= bounds.last ? bounds.first : 0;
	*last = bounds.last;
	return EXIT_FINE;
}

static int choose_times(struct choice *choice, const char *text, const struct choice_input *input)
{
	struct time_ranges *times = &choice->times;
	uint64_t first = 0, last = 0;
	int status = EXIT_FINE;

	if (!text)
		return EXIT_FINE;
	if (plumb_profile_exact_type(input->recording)) {
		complain(
			"--time is not supported for an exact profile, which counts over the whole "
			"run");
		advise("sample the program instead, as with plumb record -e spe");
		return EXIT_USAGE;
	}
	if (times_need_bounds(text) || input->relative)
		status = find_bounds(input, &first, &last);
	if (status != EXIT_FINE)
		return status;
	if (times_parse(times, text, first, last, input->diagnostics) < 0) {
		complain_findings(input->diagnostics, "--time", PLUMB_ERR_SYNTAX);
		return EXIT_USAGE;
	}
	for (size_t i = 0; input->relative && i < times->count; i++) {
		times->at[i].start += first;
		times->at[i].end += first;
	}
	return EXIT_FINE;
}

int choice_read(struct choice *choice, const struct choice_options *options,
		const struct choice_input *input)
{
	int status;

	split(&choice->comms, options->comms);
	split(&choice->symbols, options->symbols);
	split(&choice->dsos, options->dsos);
	status = split_numbers(&choice->pids, options->pids, "pid");
	if (status == EXIT_FINE)
		status = split_numbers(&choice->tids, options->tids, "tid");
	if (status == EXIT_FINE && options->cpus)
		status = choose_cpus(choice, options->cpus);
	return status == EXIT_FINE ? choose_times(choice, options->time, input) : status;
}

bool choice_is_given(const struct choice_options *options)
{
	return options->comms || options->pids || options->tids || options->cpus || options->time ||
	       options->symbols || options->dsos;
}

bool choice_is_dummy(const struct plumb_event_attr *attr)
{
	return attr->type == PLUMB_TYPE_SOFTWARE && attr->config == SOFTWARE_DUMMY;
}

bool choice_check_event(const struct choice *choice, const struct plumb_event_attr *attr)
{
	if (!choice->cpus || attr->sample_type & PLUMB_SAMPLE_CPU || choice_is_dummy(attr))
		return true;
	complain("--cpu requires samples that record their CPU");
	advise("record with --sample-cpu, or with -a");
	return false;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Returns whether a text is what "perf-42.map" is shown as: "[JIT] tid 42". */
static bool is_generated(const char *text, size_t length, const char *base)
{
	static const char shown[] = "[JIT] tid ";
	size_t digits;

	if (strncmp(base, "perf-", 5) != 0)
		return false;
	base += 5;
	digits = strspn(base, "0123456789");
	return digits && strcmp(base + digits, ".map") == 0 &&
	       length == sizeof(shown) - 1 + digits &&
	       strncmp(text, shown, sizeof(shown) - 1) == 0 &&
	       strncmp(text + sizeof(shown) - 1, base, digits) == 0;
}

static bool is_name(const char *text, size_t length, const char *name)
{
	return strncmp(name, text, length) == 0 && !name[length];
}

/* Returns whether a text is a file's path, its name, or what it is shown as. */
static bool names_file(const char *text, size_t length, const struct plumb_symbol_file *file)
{
	const char *path = plumb_symbol_file_name(file), *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	return is_name(text, length, path) || is_name(text, length, base) ||
	       is_generated(text, length, base);
}

static bool wants_file(const struct choice_list *dsos, const struct plumb_symbol_file *file)
{
	for (size_t i = 0; file && i < dsos->count; i++)
		if (names_file(dsos->at[i], strlen(dsos->at[i]), file))
			return true;
	return false;
}

bool choice_read_place(const char *text, struct choice_place *place)
{
	const char *plus = strrchr(text, '+');
	const char *number = plus ? plus + 1 : text;
	char *end;

	if (strncmp(number, "0x", 2) != 0 || !isxdigit((unsigned char)number[2]))
		return false;
	place->file = text;
	place->length = plus ? (size_t)(plus - text) : 0;
	place->address = strtoull(number, &end, 16);
	return !*end;
}

bool choice_place_fits(const struct choice_place *place, const struct plumb_symbol_file *file)
{
	return !place->length || (file && names_file(place->file, place->length, file));
}

/*
 * Returns whether a place is that of a location, or in the same function: "FILE+0xADDRESS", as
 * plumb report shows it, is an address in the file, and "0xADDRESS" one in memory.
 */
static bool is_at(const struct choice *choice, const struct choice_place *place,
		  const struct plumb_location *location)
{
	const struct plumb_symbol *function = location->symbol;
	uint64_t address = location->ip, offset = 0, size = 1;

	if (!choice_place_fits(place, location->file))
		return false;
	if (place->length &&
	    (!choice->symbolizer ||
	     !plumb_symbolizer_link_address(choice->symbolizer, location, &address)))
		address = location->address;
	if (!function && choice->symbolizer && location->file)
		function = symbolizer_bounds(choice->symbolizer, location->file, location->address);
	if (function) {
		offset = location->address - plumb_symbol_start(function);
		size = plumb_symbol_end(function) - plumb_symbol_start(function);
	}
	return place->address - (address - offset) < (size ? size : 1);
}

static bool wants_symbol(const struct choice *choice, const struct plumb_location *location)
{
	const struct choice_list *symbols = &choice->symbols;
	struct choice_place place;

	if (location->symbol && has_word(symbols, plumb_symbol_name(location->symbol)))
		return true;
	for (size_t i = 0; i < symbols->count; i++)
		if (choice_read_place(symbols->at[i], &place) && is_at(choice, &place, location))
			return true;
	return false;
}

/* SPE records are filtered before. */
static bool wants_operation(const struct choice *choice, const struct plumb_record *record,
			    const struct plumb_location *location)
{
	struct word_operation operation;

	if (!record->event || record->event->attr.type != choice->exact_type)
		return true;
	operation = code_operation(choice->code, choice->symbolizer, location);
	return instructions_match(choice->operations, &operation);
}

void choice_add_operations(struct choice *choice, const struct plumb_spe_filter *filter,
			   uint32_t exact_type)
{
	choice->operations = filter;
	choice->exact_type = exact_type;
	choice->code = memory_alloc(sizeof(*choice->code));
}

bool choice_wants_cpu(const struct choice *choice, const struct plumb_record *record)
{
	uint32_t cpu = record->cpu;

	if (!choice->cpus || !(record->has & PLUMB_RECORD_HAS_CPU) || cpu == UINT32_MAX)
		return true;
	return cpu < CPUS_MAX && choice->cpus[cpu / 64] >> (cpu % 64) & 1;
}

unsigned choice_looks_at(const struct choice *choice)
{
	return (choice->times.count ? PLUMB_WANTS_TIME : 0) |
	       (choice_needs_location(choice) ? PLUMB_WANTS_LOCATION : 0) |
	       (choice->cpus || choice->comms.count || choice->pids.count || choice->tids.count
			? PLUMB_WANTS_THREAD
			: 0);
}

bool choice_wants(const struct choice *choice, const struct plumb_record *record,
		  const struct plumb_task *task, const struct plumb_location *location)
{
	if (record->has & PLUMB_RECORD_HAS_TIME && !times_match(&choice->times, record->time))
		return false;
	if (!choice_wants_cpu(choice, record))
		return false;
	if ((choice->comms.count && !has_word(&choice->comms, task->comm)) ||
	    (choice->pids.count && !has_number(&choice->pids, task->pid)) ||
	    (choice->tids.count && !has_number(&choice->tids, task->tid)))
		return false;
	if (choice->dsos.count && !wants_file(&choice->dsos, location->file))
		return false;
	if (choice->operations && !wants_operation(choice, record, location))
		return false;
	return !choice->symbols.count || wants_symbol(choice, location);
}

void choice_split(const struct choice *choice, struct choice *kept, struct choice *shown)
{
	const struct choice_list none = {0};

	*kept = *shown = *choice;
	kept->comms = kept->pids = kept->tids = kept->symbols = kept->dsos = none;
	shown->times.count = 0;
	shown->cpus = NULL;
	shown->operations = NULL;
}

static void free_list(struct choice_list *list)
{
	free(list->at);
	free(list->text);
}

void choice_free(struct choice *choice)
{
	free_list(&choice->comms);
	free_list(&choice->pids);
	free_list(&choice->tids);
	free_list(&choice->symbols);
	free_list(&choice->dsos);
	free(choice->cpus);
	free(choice->code);
}
