/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up samples by instruction. annotation_rank.c and annotated_code.c do the rest. */
#include "profile/annotation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "symbol/symbolizer.h"

/* 64 MiB of them, and 64 MiB of what some have by group of windows. */
#define CELLS_MAX  (1u << 20)
#define GROUPS_MAX (1u << 18)
#define SERIES_MAX 1024

#define MISPREDICT_CYCLES 10

int plumb_annotation_new(const struct plumb_annotation_options *options,
			 const struct plumb_recording *recording,
			 struct plumb_symbolizer *symbolizer, struct plumb_annotation **annotation)
{
	struct plumb_annotation_options read;
	struct plumb_annotation *made;

	*annotation = NULL;
	if (!options || !sized_read(&read, sizeof(read), options))
		return PLUMB_ERR_ARGUMENT;
	made = calloc(1, sizeof(*made));
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->options = read;
	if (!read.mispredict_cycles)
		made->options.mispredict_cycles = MISPREDICT_CYCLES;
	made->recording = recording;
	made->symbolizer = symbolizer;
	made->exact_type = plumb_profile_exact_type(recording);
	*annotation = made;
	return 0;
}

void plumb_annotation_free(struct plumb_annotation *annotation)
{
	if (!annotation)
		return;
	for (struct file_part *part = annotation->parts, *next; part; part = next) {
		next = part->next;
		free(part);
	}
	text_table_free(&annotation->texts);
	free(annotation->series);
	for (size_t i = 0; i < annotation->cell_count; i++)
		free(annotation->cells[i].groups);
	free(annotation->groups);
	free(annotation->cells);
	free(annotation->by_place.slots);
	for (size_t i = 0; i < annotation->functions_in_all; i++) {
		free(annotation->functions[i].slots);
		free(annotation->functions[i].shares);
	}
	free(annotation->functions);
	free(annotation->usual);
	loop_times_free(&annotation->times);
	free(annotation);
}

/* ---- Series ---------------------------------------------------------------------------------- */

/* Returns the index of a series, or UINT32_MAX: out of memory, or there are too many. */
static uint32_t find_series(struct plumb_annotation *annotation, const struct series *wanted)
{
	const char *name = NULL;
	struct series *grown;
	uint32_t i;

	for (i = 0; i < annotation->series_count; i++) {
		const struct series *series = &annotation->series[i];

		if (series->kind == wanted->kind && series->basis == wanted->basis &&
		    series->event == wanted->event &&
		    (!wanted->name || strcmp(series->name, wanted->name) == 0))
			return i;
	}
	if (i == SERIES_MAX)
		return UINT32_MAX;
	if (wanted->name) {
		name = text_table_keep(&annotation->texts, wanted->name);
		if (!name)
			return UINT32_MAX;
	}
	grown = reallocarray(annotation->series, i + 1, sizeof(*grown));
	if (!grown)
		return UINT32_MAX;
	annotation->series = grown;
	grown[i] = *wanted;
	grown[i].name = name;
	annotation->series_count++;
	return i;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static uint64_t hash_place(const struct plumb_symbol_file *file, uint64_t address, uint32_t series)
{
	const uint64_t words[] = {(uintptr_t)file, address, series};

	return hash_words(words, 3);
}

static uint64_t hash_cell(const void *owner, uint32_t i)
{
	const struct cell *cell = &((const struct plumb_annotation *)owner)->cells[i];

	return hash_place(cell->file, cell->address, cell->series);
}

/* Returns the cell, a new one if there is none; NULL: out of memory, or over the limit. */
static struct cell *find_cell(struct plumb_annotation *annotation,
			      const struct plumb_location *location, uint32_t series, int *error)
{
	struct index_table *table = &annotation->by_place;
	struct cell *cell;
	size_t at;

	*error = PLUMB_ERR_NO_MEMORY;
	if (!index_table_reserve(table, hash_cell, annotation))
		return NULL;
	*error = 0;
	at = hash_place(location->file, location->address, series) & table->mask;
	for (; table->slots[at] != UINT32_MAX; at = (at + 1) & table->mask) {
		cell = &annotation->cells[table->slots[at]];
		if (cell->file == location->file && cell->address == location->address &&
		    cell->series == series)
			return cell;
	}
	if (annotation->cell_count == CELLS_MAX)
		return NULL;
	if (annotation->cell_count == annotation->cell_room) {
		size_t room = annotation->cell_room ? 2 * annotation->cell_room : 1024;
		struct cell *grown = reallocarray(annotation->cells, room, sizeof(*grown));

		if (!grown) {
			*error = PLUMB_ERR_NO_MEMORY;
			return NULL;
		}
		annotation->cells = grown;
		annotation->cell_room = room;
	}
	cell = &annotation->cells[annotation->cell_count];
	*cell = (struct cell){.file = location->file,
			      .symbol = location->symbol,
			      .address = location->address,
			      .series = series};
	table->slots[at] = (uint32_t)annotation->cell_count++;
	table->count++;
	return cell;
}

/* Counts a sample in the cell of a series. Returns NULL as find_cell(). */
static struct cell *add_sample(struct plumb_annotation *annotation,
			       const struct plumb_location *location, const struct series *wanted,
			       int *error)
{
	uint32_t series = find_series(annotation, wanted);
	struct cell *cell;

	if (series == UINT32_MAX) {
		annotation->given_up++;
		*error = annotation->series_count == SERIES_MAX ? 0 : PLUMB_ERR_NO_MEMORY;
		return NULL;
	}
	cell = find_cell(annotation, location, series, error);
	if (!cell) {
		annotation->given_up += *error == 0;
		return NULL;
	}
	cell->samples += cell->samples < UINT32_MAX;
	annotation->series[series].samples++;
	return cell;
}

static int add_value(struct plumb_annotation *annotation, const struct plumb_location *location,
		     const struct series *wanted, double value)
{
	int error;
	struct cell *cell = add_sample(annotation, location, wanted, &error);

	if (cell)
		cell->sum += value;
	return error;
}

/* Notes where in a line an access began, and in which page. */
static int add_offset(struct plumb_annotation *annotation, const struct plumb_location *location,
		      uint64_t address)
{
	const struct series series = {.kind = SERIES_OFFSETS, .basis = PLUMB_BASIS_LATENCY};
	const uint32_t page = (uint32_t)(address >> REPLAY_PAGE_LOG2);
	int error;
	struct cell *cell = add_sample(annotation, location, &series, &error);

	if (!cell)
		return error;
	cell->offsets |= UINT64_C(1) << (address & 63);
	if (cell->samples == 1)
		cell->first_page = cell->last_page = page;
	cell->first_page = page < cell->first_page ? page : cell->first_page;
	cell->last_page = page > cell->last_page ? page : cell->last_page;
	return error;
}

/* ---- A part of a file ------------------------------------------------------------------------ */

/* Returns the address in the file of what is shown as `wanted`, as `address` is as `shown`. */
static uint64_t address_of(uint64_t wanted, uint64_t shown, uint64_t address)
{
	uint64_t moved;

	if (wanted < shown)
		return address > shown - wanted ? address - (shown - wanted) : 0;
	return __builtin_add_overflow(address, wanted - shown, &moved) ? UINT64_MAX : moved;
}

static struct file_part *find_part(struct plumb_annotation *annotation,
				   const struct plumb_location *location)
{
	const struct plumb_annotation_options *options = &annotation->options;
	struct file_part *part = annotation->parts;
	uint64_t shown;
	uint32_t word;

	while (part && part->file != location->file)
		part = part->next;
	if (part)
		return part;
	part = calloc(1, sizeof(*part));
	if (!part)
		return NULL;
	/* The distance is that of the segment with code, of which there is seldom another. */
	symbolizer_code(annotation->symbolizer, location->file, location->address, &word,
			sizeof(word), &shown);
	snprintf(part->name, sizeof(part->name), "0x%" PRIx64 "-0x%" PRIx64, options->part_start,
		 options->part_end);
	part->file = location->file;
	part->symbol = (struct plumb_symbol){
		.start = address_of(options->part_start, shown, location->address),
		.end = address_of(options->part_end, shown, location->address),
		.name = part->name,
	};
	part->next = annotation->parts;
	annotation->parts = part;
	return part;
}

/* Puts the part that was asked for in place of the function. Returns 0 or NO_MEMORY. */
static int locate_part(struct plumb_annotation *annotation, struct plumb_location *location)
{
	const struct file_part *part;

	if (!annotation->options.part_end || !location->file)
		return 0;
	part = find_part(annotation, location);
	if (!part)
		return PLUMB_ERR_NO_MEMORY;
	if (location->address >= part->symbol.start && location->address < part->symbol.end)
		location->symbol = &part->symbol;
	return 0;
}

/* ---- Exact profiles -------------------------------------------------------------------------- */

/* The events that say more of an instruction than where it lost slots. */
static const struct {
	const char *name;
	enum series_kind kind;
} exact_series[] = {
	{"exact/INST_RETIRED/", SERIES_EXECUTIONS},
	{"exact/L1D_CACHE_RD/", SERIES_ACCESSES},
	{"exact/L1D_CACHE_WR/", SERIES_ACCESSES},
	{"exact/L1D_CACHE_REFILL/", SERIES_MISSES},
	{"exact/BR_RETIRED/", SERIES_BRANCHES},
	{"exact/BR_MIS_PRED_RETIRED/", SERIES_MISPREDICTIONS},
};

/* Adds slots of an instruction to those of its group of windows. Returns 0 or NO_MEMORY. */
static int add_to_group(struct plumb_annotation *annotation, const struct plumb_location *location,
			unsigned group, double slots)
{
	const struct series series = {.basis = PLUMB_BASIS_SLOTS, .kind = SERIES_WINDOWS};
	const uint32_t at = find_series(annotation, &series);
	struct cell *cell = NULL;
	int error = 0;

	if (at != UINT32_MAX)
		cell = find_cell(annotation, location, at, &error);
	if (!cell || (!cell->groups && annotation->grouped_cells == GROUPS_MAX)) {
		annotation->groups_are_missing = true;
		return error;
	}
	annotation->grouped_cells += !cell->groups;
	return groups_add(&cell->groups, group, slots) ? 0 : PLUMB_ERR_NO_MEMORY;
}

/* Adds slots of an instruction, by their cause. Returns 0 or NO_MEMORY. */
static int add_slots(struct plumb_annotation *annotation, const struct plumb_samples_item *item,
		     const struct plumb_location *location, const char *cause)
{
	const struct series series = {
		.basis = PLUMB_BASIS_SLOTS, .kind = SERIES_CAUSE, .name = cause};
	const double slots = (double)profile_period(item);
	struct groups_stream stream;
	int error = 0;

	if (item->record->event->attr.sample_type & PLUMB_SAMPLE_STREAM_ID &&
	    groups_read(item->record->stream_id, &stream)) {
		groups_know(&annotation->grouping, &stream);
		error = add_to_group(annotation, location, stream.group, slots);
	}
	return error ? error : add_value(annotation, location, &series, slots);
}

static int add_exact(struct plumb_annotation *annotation, const struct plumb_samples_item *item,
		     const struct plumb_location *location)
{
	static const char slots[] = "exact/slots_";
	const char *name = item->record->event->name;
	struct series series = {.basis = PLUMB_BASIS_SLOTS};
	char cause[64];

	if (!name)
		return 0;
	if (strcmp(name, "exact/OP_RETIRED/") == 0)
		return add_slots(annotation, item, location, "retiring");
	if (strncmp(name, slots, sizeof(slots) - 1) == 0 && strlen(name) < sizeof(cause)) {
		snprintf(cause, sizeof(cause), "%s", name + sizeof(slots) - 1);
		cause[strcspn(cause, "/")] = '\0';
		return add_slots(annotation, item, location, cause);
	}
	for (size_t i = 0; i < sizeof(exact_series) / sizeof(*exact_series); i++) {
		if (strcmp(name, exact_series[i].name) != 0)
			continue;
		series.kind = exact_series[i].kind;
		return add_value(annotation, location, &series, (double)profile_period(item));
	}
	return 0;
}

/* ---- SPE records ----------------------------------------------------------------------------- */

static bool happened(const struct plumb_spe_record *spe, unsigned event)
{
	return spe->has & PLUMB_SPE_HAS_EVENTS && spe->events & PLUMB_SPE_EVENT_BIT(event);
}

/* Returns why an operation took the time from its issue to its end. */
static const char *latency_cause(const struct plumb_samples_item *item)
{
	const struct plumb_spe_record *spe = item->spe;
	const char *source = NULL;

	if (happened(spe, PLUMB_SPE_EV_TLB_WALK))
		return "TLB walk";
	if (spe->has & PLUMB_SPE_HAS_DATA_SOURCE)
		source = plumb_spe_data_source_name(item->midr, spe->data_source);
	if (source)
		return source;
	if (happened(spe, PLUMB_SPE_EV_LLC_MISS))
		return "last-level cache miss";
	if (happened(spe, PLUMB_SPE_EV_L1D_REFILL))
		return "L1D miss";
	return "execution";
}

/* Records without events do not tell. */
static bool retired(const struct plumb_spe_record *spe)
{
	return !(spe->has & PLUMB_SPE_HAS_EVENTS) || happened(spe, PLUMB_SPE_EV_RETIRED);
}

/* Counters of 12 bits, and of 16, stay at their largest value. */
static bool is_endless(uint16_t counter)
{
	return counter == 0xfff || counter == 0xffff;
}

static int add_latencies(struct plumb_annotation *annotation, const struct plumb_samples_item *item,
			 const struct plumb_location *location)
{
	const struct plumb_spe_record *spe = item->spe;
	const unsigned total = spe->counters[PLUMB_SPE_TOTAL_LATENCY];
	const bool issue_known = spe->has & PLUMB_SPE_HAS_ISSUE_LATENCY;
	const unsigned issue = issue_known ? spe->counters[PLUMB_SPE_ISSUE_LATENCY] : 0;
	struct series series = {.basis = PLUMB_BASIS_LATENCY, .kind = SERIES_TOTAL_LATENCY};
	int error;

	if (!(spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY))
		return 0;
	/* What takes no time weighs a cycle, so that it is there. */
	error = add_value(annotation, location, &series, total ? total : 1);
	series.kind = SERIES_ISSUE_LATENCY;
	if (error == 0 && issue_known)
		error = add_value(annotation, location, &series, issue);
	/* It took at least the difference since its issue. */
	series.kind = is_endless((uint16_t)total) ? SERIES_ENDLESS : SERIES_CAUSE;
	series.name = latency_cause(item);
	/* What is on the wrong path ends when its branch does. */
	if (error || !retired(spe))
		return error;
	return add_value(annotation, location, &series, total > issue ? total - issue : 1);
}

static int add_branch(struct plumb_annotation *annotation, const struct plumb_spe_record *spe,
		      const struct plumb_location *location)
{
	struct series series = {.basis = PLUMB_BASIS_LATENCY, .kind = SERIES_BRANCHES};
	bool taken = !happened(spe, PLUMB_SPE_EV_NOT_TAKEN);
	int error = add_value(annotation, location, &series, 1);

	series.kind = SERIES_TAKEN;
	if (error == 0 && taken)
		error = add_value(annotation, location, &series, 1);
	if (error || !happened(spe, PLUMB_SPE_EV_MISPREDICTED))
		return error;
	series.kind = SERIES_MISPREDICTIONS;
	error = add_value(annotation, location, &series, 1);
	series.kind = SERIES_MISPREDICTED_TAKEN;
	if (error == 0 && taken)
		error = add_value(annotation, location, &series, 1);
	series.kind = SERIES_CAUSE;
	series.name = "mispredicted";
	return error ? error
		     : add_value(annotation, location, &series,
				 annotation->options.mispredict_cycles);
}

static int add_spe(struct plumb_annotation *annotation, const struct plumb_samples_item *item,
		   const struct plumb_location *location)
{
	const struct plumb_spe_record *spe = item->spe;
	struct series series = {.basis = PLUMB_BASIS_LATENCY};
	bool missed = happened(spe, PLUMB_SPE_EV_L1D_REFILL);
	int error = loop_times_add(&annotation->times, item, location);

	if (error == 0)
		error = add_latencies(annotation, item, location);
	if (error == 0 && (missed || happened(spe, PLUMB_SPE_EV_L1D_ACCESS))) {
		series.kind = SERIES_ACCESSES;
		error = add_value(annotation, location, &series, 1);
	}
	if (error == 0 && missed) {
		series.kind = SERIES_MISSES;
		error = add_value(annotation, location, &series, 1);
	}
	if (error == 0 && retired(spe) && spe->has & PLUMB_SPE_HAS_DATA_VIRTUAL)
		error = add_offset(annotation, location, spe->addresses[PLUMB_SPE_DATA_VIRTUAL]);
	if (error == 0 && retired(spe)) {
		series.kind = SERIES_RETIRED;
		error = add_value(annotation, location, &series, 1);
	}
	if (error || !(spe->has & PLUMB_SPE_HAS_OPERATION) || spe->op_class != PLUMB_SPE_BRANCH ||
	    !happened(spe, PLUMB_SPE_EV_RETIRED))
		return error;
	return add_branch(annotation, spe, location);
}

int plumb_annotation_add(struct plumb_annotation *annotation, const struct plumb_samples_item *item)
{
	const struct plumb_record *record = item->record;
	const struct plumb_annotation_options *options = &annotation->options;
	struct plumb_location location;
	struct series series = {.kind = SERIES_WEIGHT, .basis = PLUMB_BASIS_EVENT};
	enum plumb_cpu_mode mode = plumb_record_mode(record);

	if (record->type != PLUMB_RECORD_SAMPLE)
		return plumb_symbolizer_add(annotation->symbolizer, record);
	if (!item->task || !record->event || mode == PLUMB_MODE_GUEST_KERNEL ||
	    mode == PLUMB_MODE_GUEST_USER)
		return 0;
	plumb_symbolizer_locate(annotation->symbolizer, item->task, mode, record->sample.ip,
				&location);
	if (options->wants && !options->wants(options->user, item, &location))
		return 0;
	if (locate_part(annotation, &location) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (!location.symbol && location.file)
		location.symbol =
			symbolizer_bounds(annotation->symbolizer, location.file, location.address);
	annotation->without += !location.symbol;
	if (item->spe)
		return add_spe(annotation, item, &location);
	if (annotation->exact_type && record->event->attr.type == annotation->exact_type)
		return add_exact(annotation, item, &location);
	series.event = record->event;
	series.name = record->event->name ? record->event->name : "unknown";
	return add_value(annotation, &location, &series, (double)profile_period(item));
}
