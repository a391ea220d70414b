/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions and lines of an annotated function. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/flow.h>

#include "disasm/replay.h"
#include "profile/annotation.h"
#include "profile/line_spread.h"
#include "symbol/symbolizer.h"

#define INSTRUCTIONS_MAX (1u << 20)

/* ---- Instructions ---------------------------------------------------------------------------- */

static void add_cause(struct plumb_annotated_instruction *instruction, const char *name,
		      double weight)
{
	struct plumb_annotated_cause cause = {name, weight, 0}, held;

	for (unsigned i = 0; i < instruction->cause_count; i++)
		if (strcmp(instruction->causes[i].name, name) == 0) {
			cause.weight += instruction->causes[i].weight;
			memmove(&instruction->causes[i], &instruction->causes[i + 1],
				(--instruction->cause_count - i) * sizeof(cause));
		}
	for (unsigned i = 0; i < PLUMB_ANNOTATED_CAUSES; i++) {
		if (i == instruction->cause_count) {
			instruction->causes[instruction->cause_count++] = cause;
			return;
		}
		if (instruction->causes[i].weight < cause.weight) {
			held = instruction->causes[i];
			instruction->causes[i] = cause;
			cause = held;
		}
	}
}

/* What is known of an instruction besides what is shown. */
struct known {
	double cycles;        /* from issue to completion, of all samples */
	const double *groups; /* slots by group of windows; NULL: none */
	struct replay_instruction replay;
};

/* Adds the samples of a source of data; those beyond the limit count for the last one. */
static void add_source(struct replay_instruction *replay, double samples, double cycles)
{
	struct replay_source *source;

	if (replay->source_count < REPLAY_SOURCES)
		replay->source_count++;
	source = &replay->sources[replay->source_count - 1];
	source->cycles = (source->cycles * source->samples + cycles) / (source->samples + samples);
	source->samples += samples;
}

/* Tells whether a series has the latencies of loads that hit L1D, and of what is no load. */
static bool hits(const struct series *series)
{
	return strcmp(series->name, "L1D") == 0 || strcmp(series->name, "execution") == 0;
}

static void add_cell(const struct plumb_annotation *annotation, const struct cell *cell,
		     struct plumb_annotated_instruction *instruction, struct known *known)
{
	struct replay_instruction *replay = &known->replay;
	const struct series *series = &annotation->series[cell->series];
	const bool latency = annotation->summary.basis == PLUMB_BASIS_LATENCY;
	double usual;

	if (series->basis != annotation->summary.basis)
		return;
	if (series_weighs(series, &annotation->summary)) {
		instruction->weight += cell->sum;
		if (series->basis != PLUMB_BASIS_SLOTS)
			instruction->samples += cell->samples;
		if (series->basis == PLUMB_BASIS_EVENT)
			replay->samples += cell->samples;
	}
	switch (series->kind) {
	case SERIES_WEIGHT:
		break;
	case SERIES_WINDOWS:
		known->groups = cell->groups;
		break;
	case SERIES_CAUSE:
		add_cause(instruction, series->name, cell->sum);
		if (latency)
			known->cycles += cell->sum;
		if (latency && strcmp(series->name, "mispredicted") != 0)
			add_source(replay, cell->samples, cell->sum);
		if (latency && hits(series) &&
		    cell->sum > (double)cell->samples * REPLAY_HIT_CYCLES)
			replay->held += cell->samples;
		break;
	case SERIES_ENDLESS:
		usual = fmax(cell->samples * annotation->usual[cell->series], cell->sum);
		add_cause(instruction, series->name, usual);
		known->cycles += usual;
		add_source(replay, cell->samples, usual);
		replay->endless += cell->samples;
		break;
	case SERIES_RETIRED:
		replay->samples = cell->sum;
		break;
	case SERIES_TAKEN:
		replay->taken = cell->sum;
		break;
	case SERIES_MISPREDICTED_TAKEN:
		replay->mispredicted_taken = cell->sum;
		break;
	case SERIES_EXECUTIONS:
		instruction->executions += (uint64_t)cell->sum;
		break;
	case SERIES_ACCESSES:
		instruction->accesses += (uint64_t)cell->sum;
		break;
	case SERIES_MISSES:
		instruction->misses += (uint64_t)cell->sum;
		break;
	case SERIES_BRANCHES:
		instruction->branches += (uint64_t)cell->sum;
		break;
	case SERIES_MISPREDICTIONS:
		instruction->mispredictions += (uint64_t)cell->sum;
		break;
	case SERIES_TOTAL_LATENCY:
		instruction->total_latency = cell->sum / cell->samples;
		break;
	case SERIES_OFFSETS:
		replay->offsets = cell->offsets;
		replay->first_page = cell->first_page;
		replay->pages = cell->last_page - cell->first_page + 1;
		break;
	case SERIES_ISSUE_LATENCY:
		instruction->issue_latency = cell->sum / cell->samples;
		replay->waited = instruction->issue_latency;
		break;
	}
}

/* Reads the words of the function. Without them only instructions with samples are there. */
static int read_words(const struct plumb_annotation *annotation,
		      const struct plumb_annotated_function *function,
		      struct plumb_annotated_code *code, uint64_t *virtual_start)
{
	uint64_t start = plumb_symbol_start(function->symbol);
	uint64_t size = plumb_symbol_end(function->symbol) - start;
	uint8_t *bytes;
	size_t got;

	if (size / 4 > INSTRUCTIONS_MAX)
		return PLUMB_ERR_LIMIT;
	bytes = malloc((size_t)size + 4);
	if (!bytes)
		return PLUMB_ERR_NO_MEMORY;
	got = symbolizer_code(annotation->symbolizer, function->file, start, bytes, (size_t)size,
			      virtual_start);
	code->count = got / 4;
	if (code->count) {
		code->words = calloc(code->count, sizeof(*code->words));
		/* Code is little-endian on every AArch64. */
		for (size_t i = 0; code->words && i < code->count; i++)
			code->words[i] = (uint32_t)bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
					 (uint32_t)bytes[4 * i + 2] << 16 |
					 (uint32_t)bytes[4 * i + 3] << 24;
	}
	free(bytes);
	return code->count && !code->words ? PLUMB_ERR_NO_MEMORY : 0;
}

/* Shares the function's latency among its instructions by their cycles from issue to completion. */
static void share_by_cycles(struct plumb_annotated_code *code, const struct known *known)
{
	double sum = 0;

	for (size_t i = 0; i < code->count; i++)
		sum += known[i].cycles;
	for (size_t i = 0; i < code->count && sum > 0; i++)
		code->instructions[i].weight = code->function.weight * known[i].cycles / sum;
}

/*
 * Sets the slots of each instruction to those of the replay, which takes most of the time: so it is
 * done once, and kept. As replay_function().
 */
static int replay_once(const struct plumb_annotation *annotation,
		       const struct plumb_annotated_code *code, const struct plumb_flow *flow,
		       const struct replay_instruction *replay, struct ranked *function,
		       double *slots)
{
	double *made;
	struct replay_shares *shares;
	int error = PLUMB_ERR_NO_MEMORY;

	if (!function->slots) {
		made = calloc(code->count + 1, sizeof(*made));
		shares = calloc(code->count + 1, sizeof(*shares));
		if (made && shares)
			error = replay_function(annotation->options.core, flow,
						code->instructions[0].virtual_address, code->words,
						code->count, replay, made, shares);
		if (error < 0) {
			free(made);
			free(shares);
			return error;
		}
		function->slots = made;
		function->shares = shares;
	}
	memcpy(slots, function->slots, code->count * sizeof(*slots));
	return 0;
}

/*
 * Replays the function as its samples describe it, and notes what shares their chance. As
 * replay_function(); if that cannot replay it, an instruction has its cycles from issue to
 * completion instead.
 */
static int replay_samples(const struct plumb_annotation *annotation, struct ranked *function,
			  const struct plumb_annotated_code *code, const struct known *known,
			  double *slots, struct line_spread *spread)
{
	struct replay_instruction *replay;
	struct plumb_flow *flow = NULL;
	double *timed;
	int error = PLUMB_ERR_LIMIT;

	/* Without the others, the records do not tell how often a block is executed. */
	if (!code->words || annotation->filtered)
		return error;
	replay = calloc(code->count + 1, sizeof(*replay));
	timed = calloc(code->count + 1, sizeof(*timed));
	if (!replay || !timed) {
		free(replay);
		free(timed);
		return PLUMB_ERR_NO_MEMORY;
	}
	for (size_t i = 0; i < code->count; i++) {
		const struct plumb_annotated_instruction *instruction = &code->instructions[i];

		replay[i] = known[i].replay;
		replay[i].misses = (double)instruction->misses;
		replay[i].not_taken = (double)instruction->branches - replay[i].taken;
		replay[i].mispredicted_not_taken =
			(double)instruction->mispredictions - replay[i].mispredicted_taken;
	}
	error = plumb_flow_new(code->instructions[0].address, code->words, code->count, &flow);
	if (error == 0) {
		replay_pool_loads(annotation->options.core, flow, code->words, replay);
		error = replay_share_lines(annotation->options.core, flow, code->words, replay);
		if (error == 0)
			error = replay_find_moves(annotation->options.core, flow, replay);
	}
	if (error == 0)
		error = replay_once(annotation, code, flow, replay, function, slots);
	for (size_t i = 0; error == PLUMB_ERR_LIMIT && i < code->count; i++)
		slots[i] = known[i].cycles;
	if (flow && (error == 0 || error == PLUMB_ERR_LIMIT)) {
		const int failed = loop_times_apply(&annotation->times, code, flow, slots, timed,
						    &function->ticks);

		error = failed ? failed : error;
	}
	for (size_t i = 0; error == 0 && i < code->count; i++) {
		line_spread_note(spread, i, plumb_flow_block_of(flow, i), &replay[i]);
		line_spread_note_load(spread, i, replay);
		line_spread_doubt(spread, i, &replay[i], timed[i] > 0 ? 1 - slots[i] / timed[i] : 1,
				  &function->shares[i]);
	}
	if (error == 0)
		line_spread_doubt_unseen(spread, replay, slots, timed,
					 replay_memory_slots(annotation->options.core));
	plumb_flow_free(flow);
	free(replay);
	free(timed);
	return error;
}

/*
 * Shares the function's latency among its instructions. Operations that wait in the core for others
 * have long latencies, too, and those that overlap hold nothing up: replay_function() tells what
 * each instruction costs.
 */
static int share_latencies(const struct plumb_annotation *annotation, struct ranked *function,
			   struct plumb_annotated_code *code, const struct known *known,
			   struct line_spread *spread, double *all)
{
	double *slots = calloc(code->count + 1, sizeof(*slots)), sum = 0;
	int error;

	if (!slots)
		return PLUMB_ERR_NO_MEMORY;
	error = replay_samples(annotation, function, code, known, slots, spread);
	for (size_t i = 0; i < code->count; i++)
		sum += slots[i];
	for (size_t i = 0; sum > 0 && i < code->count; i++)
		code->instructions[i].weight = code->function.weight * slots[i] / sum;
	free(slots);
	if (error == 0)
		*all = sum;
	if (error == PLUMB_ERR_LIMIT) {
		if (!(sum > 0))
			share_by_cycles(code, known);
		for (size_t i = 0; i < code->count; i++)
			line_spread_note(spread, i, (uint32_t)i, &known[i].replay);
		return 0;
	}
	return error;
}

static void begin_instruction(const struct plumb_annotated_code *code, size_t i,
			      const struct cell *next, uint64_t start, uint64_t virtual_start)
{
	struct plumb_annotated_instruction *instruction = &code->instructions[i];

	instruction->address = start + 4 * i;
	if (!code->words)
		instruction->address = next->address;
	instruction->virtual_address = instruction->address - start + virtual_start;
	instruction->word = code->words ? code->words[i] : 0;
	instruction->total_latency = instruction->issue_latency = NAN;
}

/* Sets `*slots` to those of a replay, or NaN if there is none, unless it is NULL. */
static int make_instructions(const struct plumb_annotation *annotation, struct ranked *function,
			     struct plumb_annotated_code *code, struct line_spread *spread,
			     double *slots)
{
	const struct cell *cells = annotation->cells + function->first;
	uint64_t start = plumb_symbol_start(function->public.symbol), virtual_start = start;
	int error = read_words(annotation, &function->public, code, &virtual_start);
	struct known *known;
	double all = NAN;
	size_t at = 0;

	if (error)
		return error;
	if (!code->words)
		for (size_t i = 0; i < function->count; i++)
			code->count += i == 0 || cells[i].address != cells[i - 1].address;
	code->instructions = calloc(code->count + 1, sizeof(*code->instructions));
	known = calloc(code->count + 1, sizeof(*known));
	if (!code->instructions || !known || !line_spread_new(spread, code->count)) {
		free(known);
		return PLUMB_ERR_NO_MEMORY;
	}
	for (size_t i = 0; i < code->count; i++) {
		struct plumb_annotated_instruction *instruction = &code->instructions[i];

		begin_instruction(code, i, &cells[at], start, virtual_start);
		/* Addresses between two instructions are damage. */
		while (at < function->count && cells[at].address < instruction->address)
			at++;
		for (; at < function->count && cells[at].address == instruction->address; at++)
			add_cell(annotation, &cells[at], instruction, &known[i]);
		if (annotation->summary.basis == PLUMB_BASIS_SLOTS)
			known[i].cycles = instruction->weight;
		for (unsigned c = 0; c < instruction->cause_count && known[i].cycles > 0; c++)
			instruction->causes[c].share =
				instruction->causes[c].weight / known[i].cycles;
	}
	if (annotation->summary.basis == PLUMB_BASIS_LATENCY)
		error = share_latencies(annotation, function, code, known, spread, &all);
	else
		for (size_t i = 0; i < code->count; i++)
			line_spread_note(spread, i, (uint32_t)i, &known[i].replay);
	if (annotation->groups)
		spread->grouping = &annotation->grouping;
	for (size_t i = 0; annotation->groups && i < code->count; i++)
		line_spread_note_windows(spread, i, known[i].groups);
	for (size_t i = 0; i < code->count && function->public.weight > 0; i++)
		code->instructions[i].share =
			code->instructions[i].weight / function->public.weight;
	if (slots)
		*slots = all;
	free(known);
	return error;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* The line of an instruction, on its way into the order. */
struct placed {
	struct plumb_source_frame frame;
	const char *folder;
	uint32_t rank; /* the first instruction of its function: those come in this order */
	uint32_t instruction;
};

static bool equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int compare_functions(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = compare_texts(x->frame.function, y->frame.function);

	return order ? order : x->instruction < y->instruction ? -1 : 1;
}

static int compare_places(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	order = compare_texts(x->frame.file, y->frame.file);
	if (order)
		return order;
	if (x->frame.line != y->frame.line)
		return x->frame.line < y->frame.line ? -1 : 1;
	return x->instruction < y->instruction ? -1 : 1;
}

/* Ranks functions by their first instruction; the outermost comes first of all. */
static void rank(struct placed *placed, size_t count, const char *outermost)
{
	qsort(placed, count, sizeof(*placed), compare_functions);
	for (size_t i = 0; i < count; i++) {
		if (i && equal(placed[i].frame.function, placed[i - 1].frame.function))
			placed[i].rank = placed[i - 1].rank;
		else
			placed[i].rank = equal(placed[i].frame.function, outermost)
						 ? 0
						 : placed[i].instruction + 1;
	}
	qsort(placed, count, sizeof(*placed), compare_places);
}

static void make_lines(struct plumb_annotated_code *code, const struct placed *placed)
{
	struct plumb_annotated_line *line = NULL;

	for (size_t i = 0; i < code->count; i++) {
		const struct plumb_source_frame *frame = &placed[i].frame;
		const struct plumb_annotated_instruction *instruction =
			&code->instructions[placed[i].instruction];

		if (!line || line->line != frame->line || !equal(line->file, frame->file) ||
		    !equal(line->function, frame->function)) {
			line = &code->lines[code->line_count++];
			*line = (struct plumb_annotated_line){.function = frame->function,
							      .file = frame->file,
							      .folder = placed[i].folder,
							      .line = frame->line,
							      .first = (uint32_t)i};
		}
		line->count++;
		line->weight += instruction->weight;
		line->share += instruction->share;
		line->samples += instruction->samples;
		code->order[i] = placed[i].instruction;
	}
}

/* The intervals of lines and instructions; what was counted exactly has none. */
static void find_intervals(const struct plumb_annotation *annotation,
			   struct plumb_annotated_code *code, struct line_spread *spread)
{
	if (annotation->summary.basis != PLUMB_BASIS_SLOTS)
		line_spread_sum(spread, code);
	for (size_t i = 0; i < code->line_count; i++) {
		struct plumb_annotated_line *line = &code->lines[i];
		struct estimate share = line_spread_share(spread, code, line);

		line->low = share.low;
		line->high = share.high;
		for (uint32_t k = line->first; k < line->first + line->count; k++) {
			struct plumb_annotated_instruction *instruction =
				&code->instructions[code->order[k]];

			share = line_spread_share(
				spread, code,
				&(struct plumb_annotated_line){
					.weight = instruction->weight, .first = k, .count = 1});
			instruction->low = share.low;
			instruction->high = share.high;
		}
	}
}

static int find_lines(const struct plumb_annotation *annotation, struct plumb_annotated_code *code)
{
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];
	struct placed *placed = calloc(code->count + 1, sizeof(*placed));
	const char *outermost = NULL;

	code->lines = calloc(code->count + 1, sizeof(*code->lines));
	code->order = calloc(code->count + 1, sizeof(*code->order));
	if (!placed || !code->lines || !code->order) {
		free(placed);
		return PLUMB_ERR_NO_MEMORY;
	}
	for (size_t i = 0; i < code->count; i++) {
		const struct plumb_location location = {.ip = code->instructions[i].address,
							.address = code->instructions[i].address,
							.file = code->function.file,
							.symbol = code->function.symbol};
		size_t depth = plumb_symbolizer_source(annotation->symbolizer, &location, frames,
						       PLUMB_SOURCE_FRAMES_MAX);

		placed[i].instruction = (uint32_t)i;
		if (!depth)
			continue;
		placed[i].frame = frames[0];
		placed[i].frame.column = 0;
		if (frames[0].file && frames[0].file[0] != '/')
			placed[i].folder =
				symbolizer_source_folder(annotation->symbolizer, &location);
		if (!outermost)
			outermost = frames[depth - 1].function;
	}
	rank(placed, code->count, outermost);
	make_lines(code, placed);
	free(placed);
	return 0;
}

int annotation_slots(const struct plumb_annotation *annotation, struct ranked *function,
		     double *slots)
{
	struct plumb_annotated_code code = {.function = function->public};
	struct line_spread spread = {0};
	int error = make_instructions(annotation, function, &code, &spread, slots);

	line_spread_free(&spread);
	plumb_annotated_code_free(&code);
	return error;
}

int plumb_annotation_code(struct plumb_annotation *annotation, size_t i,
			  struct plumb_annotated_code *code)
{
	struct line_spread spread = {0};
	int error;

	*code = (struct plumb_annotated_code){0};
	if (!plumb_annotation_function(annotation, i, &code->function))
		return PLUMB_ERR_ARGUMENT;
	error = make_instructions(annotation, &annotation->functions[i], code, &spread, NULL);
	if (error == 0)
		error = find_lines(annotation, code);
	if (error == 0)
		find_intervals(annotation, code, &spread);
	line_spread_free(&spread);
	return error;
}

void plumb_annotated_code_free(struct plumb_annotated_code *code)
{
	free(code->instructions);
	free(code->words);
	free(code->lines);
	free(code->order);
	*code = (struct plumb_annotated_code){0};
}
