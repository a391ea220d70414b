/* SPDX-License-Identifier: Apache-2.0 */
#include "render/callgrind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/version.h>

#include "render/visible_write.h"
#include "symbol/symbolizer.h"
#include "tool/memory.h"

#define NONE SIZE_MAX

/* A function of a file; unknown code gets one function per file. */
struct function {
	struct plumb_symbol_file *file;
	const struct plumb_symbol *symbol;
	const char *source; /* its own source file, or NULL */
};

/* An instruction. */
struct position {
	struct plumb_symbol_file *file;
	uint64_t address; /* in the file */
	size_t function;
	const char *source; /* of the innermost inlined function */
	unsigned line;
};

/* Costs of a position, or of a position's calls of a function: its column of `costs`. */
struct entry {
	size_t position;
	size_t callee; /* NONE: its own costs */
	uint64_t calls;
};

struct event {
	const struct plumb_recorded_event *event;
	uint64_t total;
};

/* A hash table of indexes. */
struct table {
	size_t *slots;
	size_t mask, count;
};

struct callgrind {
	struct plumb_symbolizer *symbols;
	bool words;           /* instructions are words of four bytes */
	struct event *events; /* the columns of costs */
	size_t event_count, event_room;

	struct function *functions;
	struct position *positions;
	struct entry *entries;
	uint64_t *costs; /* event_room of each entry */
	size_t function_count, position_count, entry_count;
	size_t function_room, position_room, entry_room;
	struct table by_function, by_position, by_entry;
	uint64_t samples;

	/* The last sample's, which others often share. */
	int32_t pid;
	uint64_t ip, chain[PLUMB_CALLCHAIN_MAX];
	size_t depth;
	size_t mine;                       /* entry of its own costs */
	size_t calls[PLUMB_CALLCHAIN_MAX]; /* entries of the calls that led to it: see resolve() */
	size_t call_count;
	size_t call; /* entry of the last of them, if there is one */
	bool enters; /* it is the first instruction of a called function */
};

/* ---- Tables -----------------------------------------------------------------------------------
 */

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t value = (a ^ b * 0xbf58476d1ce4e5b9ull) * 0x9e3779b97f4a7c15ull;

	return value ^ value >> 29;
}

static void *grow(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 64;
	return memory_resize(array, *room, size);
}

/* Makes room for another index; `hash` gives that of one in the table. */
static void table_reserve(struct table *table, const struct callgrind *c,
			  uint64_t (*hash)(const struct callgrind *c, size_t index))
{
	size_t size = table->slots ? 2 * (table->mask + 1) : 256, *slots;

	if (table->slots && 2 * (table->count + 1) <= table->mask)
		return;
	slots = memory_resize(NULL, size, sizeof(*slots));
	for (size_t i = 0; i < size; i++)
		slots[i] = NONE;
	for (size_t i = 0; table->slots && i <= table->mask; i++) {
		size_t at;

		if (table->slots[i] == NONE)
			continue;
		at = hash(c, table->slots[i]) & (size - 1);
		while (slots[at] != NONE)
			at = (at + 1) & (size - 1);
		slots[at] = table->slots[i];
	}
	free(table->slots);
	table->slots = slots;
	table->mask = size - 1;
}

static uint64_t hash_function(const struct callgrind *c, size_t i)
{
	return mix((uintptr_t)c->functions[i].file, (uintptr_t)c->functions[i].symbol);
}

static uint64_t hash_position(const struct callgrind *c, size_t i)
{
	return mix((uintptr_t)c->positions[i].file, c->positions[i].address);
}

static uint64_t hash_entry(const struct callgrind *c, size_t i)
{
	return mix(c->entries[i].position, c->entries[i].callee);
}

/* ---- Places -----------------------------------------------------------------------------------
 */

/* Finds where an address is; code without a symbol is in a function without a name, if that is
 * known. */
static void locate(struct callgrind *c, const struct plumb_task *task, enum plumb_cpu_mode mode,
		   uint64_t ip, struct plumb_location *location)
{
	plumb_symbolizer_locate(c->symbols, task, mode, ip, location);
	if (location->file && !location->symbol)
		location->symbol = symbolizer_bounds(c->symbols, location->file, location->address);
}

static size_t find_function(struct callgrind *c, const struct plumb_location *location)
{
	const struct function wanted = {location->file, location->symbol, NULL};
	size_t at;

	table_reserve(&c->by_function, c, hash_function);
	c->functions =
		grow(c->functions, c->function_count, &c->function_room, sizeof(*c->functions));
	c->functions[c->function_count] = wanted;
	at = hash_function(c, c->function_count) & c->by_function.mask;
	for (; c->by_function.slots[at] != NONE; at = (at + 1) & c->by_function.mask) {
		const struct function *function = &c->functions[c->by_function.slots[at]];

		if (function->file == wanted.file && function->symbol == wanted.symbol)
			return c->by_function.slots[at];
	}
	c->by_function.slots[at] = c->function_count;
	c->by_function.count++;
	return c->function_count++;
}

static void find_source(struct callgrind *c, const struct plumb_location *location,
			struct position *position)
{
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];
	size_t count =
		plumb_symbolizer_source(c->symbols, location, frames, PLUMB_SOURCE_FRAMES_MAX);
	struct function *function = &c->functions[position->function];

	if (!count)
		return;
	position->source = frames[0].file;
	position->line = frames[0].line;
	if (!function->source)
		function->source = frames[count - 1].file;
}

static size_t find_position(struct callgrind *c, const struct plumb_location *location)
{
	size_t at;

	table_reserve(&c->by_position, c, hash_position);
	c->positions =
		grow(c->positions, c->position_count, &c->position_room, sizeof(*c->positions));
	c->positions[c->position_count] =
		(struct position){.file = location->file, .address = location->address};
	at = hash_position(c, c->position_count) & c->by_position.mask;
	for (; c->by_position.slots[at] != NONE; at = (at + 1) & c->by_position.mask) {
		const struct position *position = &c->positions[c->by_position.slots[at]];

		if (position->file == location->file && position->address == location->address)
			return c->by_position.slots[at];
	}
	c->positions[c->position_count].function = find_function(c, location);
	find_source(c, location, &c->positions[c->position_count]);
	c->by_position.slots[at] = c->position_count;
	c->by_position.count++;
	return c->position_count++;
}

static size_t find_entry(struct callgrind *c, size_t position, size_t callee)
{
	size_t at, before = c->entry_room;

	table_reserve(&c->by_entry, c, hash_entry);
	c->entries = grow(c->entries, c->entry_count, &c->entry_room, sizeof(*c->entries));
	if (c->entry_room != before)
		c->costs =
			memory_resize(c->costs, c->entry_room * c->event_room, sizeof(*c->costs));
	c->entries[c->entry_count] = (struct entry){.position = position, .callee = callee};
	at = hash_entry(c, c->entry_count) & c->by_entry.mask;
	for (; c->by_entry.slots[at] != NONE; at = (at + 1) & c->by_entry.mask) {
		const struct entry *entry = &c->entries[c->by_entry.slots[at]];

		if (entry->position == position && entry->callee == callee)
			return c->by_entry.slots[at];
	}
	memset(&c->costs[c->entry_count * c->event_room], 0, c->event_room * sizeof(*c->costs));
	c->by_entry.slots[at] = c->entry_count;
	c->by_entry.count++;
	return c->entry_count++;
}

/* ---- Samples ----------------------------------------------------------------------------------
 */

struct callgrind *callgrind_new(struct plumb_symbolizer *symbols, const char *arch)
{
	struct callgrind *c = memory_alloc(sizeof(*c));

	c->symbols = symbols;
	c->words = !arch || strcmp(arch, "aarch64") == 0;
	return c;
}

void callgrind_free(struct callgrind *c)
{
	if (!c)
		return;
	free(c->events);
	free(c->functions);
	free(c->positions);
	free(c->entries);
	free(c->costs);
	free(c->by_function.slots);
	free(c->by_position.slots);
	free(c->by_entry.slots);
	free(c);
}

/* Gives the costs of all entries room for more events. */
static void widen(struct callgrind *c)
{
	size_t wider = c->event_room ? 2 * c->event_room : 8;
	uint64_t *costs = memory_resize(NULL, c->entry_room * wider + 1, sizeof(*costs));

	for (size_t i = 0; i < c->entry_count; i++) {
		memset(&costs[i * wider], 0, wider * sizeof(*costs));
		memcpy(&costs[i * wider], &c->costs[i * c->event_room],
		       c->event_count * sizeof(*costs));
	}
	free(c->costs);
	c->costs = costs;
	c->event_room = wider;
	c->events = memory_resize(c->events, wider, sizeof(*c->events));
}

static size_t find_event(struct callgrind *c, const struct plumb_recorded_event *event)
{
	for (size_t i = 0; i < c->event_count; i++)
		if (c->events[i].event == event)
			return i;
	if (c->event_count == c->event_room)
		widen(c);
	c->events[c->event_count] = (struct event){.event = event};
	return c->event_count++;
}

/* Copies the user's part of a call chain, without the sample's own address. */
static size_t read_chain(const struct callgrind *c, const struct plumb_record *record,
			 const struct plumb_task *task, uint64_t *chain)
{
	struct plumb_frame frames[PLUMB_CALLCHAIN_MAX];
	const size_t count = plumb_symbolizer_callchain(c->symbols, task, record, frames);
	size_t depth = 0;

	for (size_t i = 0; i < count; i++)
		if (frames[i].mode == PLUMB_MODE_USER &&
		    (depth || frames[i].ip != record->sample.ip))
			chain[depth++] = frames[i].ip;
	return depth;
}

/* The call before a return address; for unwound chains, the address is already the call's last
 * byte.
 */
static uint64_t call_before(const struct callgrind *c, uint64_t address)
{
	return c->words ? (address - 1) & ~UINT64_C(3) : address - 1;
}

/* Returns whether the sample counts for a function already: its own, or one that called. */
static bool counts_for(const struct callgrind *c, size_t function)
{
	for (size_t i = 0; i < c->call_count; i++)
		if (c->positions[c->entries[c->calls[i]].position].function == function)
			return true;
	return c->positions[c->entries[c->mine].position].function == function;
}

/*
 * Finds the entries that a sample counts for. It counts once for each function, since readers add
 * up what a function and its calls cost: for the innermost calls, where functions are recursive.
 */
static void resolve(struct callgrind *c, const struct plumb_record *record,
		    const struct plumb_task *task)
{
	enum plumb_cpu_mode mode = plumb_record_mode(record);
	struct plumb_location location;
	size_t position, callee;

	locate(c, task, mode, c->ip, &location);
	position = find_position(c, &location);
	c->mine = find_entry(c, position, NONE);
	c->call_count = 0;
	callee = c->positions[position].function;
	c->enters = c->depth && location.symbol &&
		    location.address == plumb_symbol_start(location.symbol);
	for (size_t i = 0; i < c->depth; i++) {
		size_t entry;

		locate(c, task, PLUMB_MODE_USER, call_before(c, c->chain[i]), &location);
		position = find_position(c, &location);
		entry = find_entry(c, position, callee);
		if (i == 0)
			c->call = entry;
		if (!counts_for(c, c->positions[position].function))
			c->calls[c->call_count++] = entry;
		callee = c->positions[position].function;
	}
}

static bool counts_executions(const struct plumb_recorded_event *event)
{
	return event->name && strcmp(event->name, "exact/INST_RETIRED/") == 0;
}

void callgrind_add(struct callgrind *c, const struct plumb_record *record,
		   const struct plumb_task *task)
{
	size_t event = find_event(c, record->event), depth;
	uint64_t period = record->sample.period, chain[PLUMB_CALLCHAIN_MAX];

	depth = read_chain(c, record, task, chain);
	if (!c->samples || record->pid != c->pid || record->sample.ip != c->ip ||
	    depth != c->depth || memcmp(chain, c->chain, depth * sizeof(chain[0])) != 0) {
		c->pid = record->pid;
		c->ip = record->sample.ip;
		c->depth = depth;
		memcpy(c->chain, chain, depth * sizeof(chain[0]));
		resolve(c, record, task);
	}
	c->samples++;
	c->events[event].total += period;
	c->costs[c->mine * c->event_room + event] += period;
	for (size_t i = 0; i < c->call_count; i++)
		c->costs[c->calls[i] * c->event_room + event] += period;
	if (c->enters && counts_executions(record->event))
		c->entries[c->call].calls += period;
}

uint64_t callgrind_samples(const struct callgrind *c)
{
	return c->samples;
}

/* ---- The file ---------------------------------------------------------------------------------
 */

static const struct callgrind *sorted; /* for compare_entries() */

static const char *function_name(const struct function *function)
{
	return function->symbol ? plumb_symbol_name(function->symbol) : "???";
}

static const char *object_name(const struct function *function)
{
	return function->file ? plumb_symbol_file_name(function->file) : "???";
}

/* By object and function, then by address, own costs before calls. */
static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = &sorted->entries[*(const size_t *)a];
	const struct entry *y = &sorted->entries[*(const size_t *)b];
	const struct position *p = &sorted->positions[x->position];
	const struct position *q = &sorted->positions[y->position];

	if (p->function != q->function)
		return p->function < q->function ? -1 : 1;
	if (p->address != q->address)
		return p->address < q->address ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee == NONE || (y->callee != NONE && x->callee < y->callee) ? -1 : 1;
	return 0;
}

static void write_name(FILE *stream, const char *key, const char *name)
{
	fprintf(stream, "%s=", key);
	visible_write(stream, name, strlen(name), "");
	fputc('\n', stream);
}

static const char *source_name(const char *source)
{
	return source ? source : "???";
}

/* As in disassembly. */
static uint64_t link_address(const struct callgrind *c, struct plumb_symbol_file *file,
			     uint64_t address)
{
	const struct plumb_location location = {.file = file, .address = address};
	uint64_t linked;

	return plumb_symbolizer_link_address(c->symbols, &location, &linked) ? linked : address;
}

/* Writes costs; what is missing at the end is 0, unless they are to be `whole`. */
static void write_costs(const struct callgrind *c, FILE *stream, size_t entry, bool whole)
{
	const uint64_t *costs = &c->costs[entry * c->event_room];
	const struct position *position = &c->positions[c->entries[entry].position];
	size_t count = c->event_count;

	fprintf(stream, "0x%" PRIx64 " %u", link_address(c, position->file, position->address),
		position->line);
	while (!whole && count > 1 && !costs[count - 1])
		count--;
	for (size_t e = 0; e < count; e++)
		fprintf(stream, " %" PRIu64, costs[e]);
	fputc('\n', stream);
}

static void write_call(const struct callgrind *c, FILE *stream, size_t entry)
{
	const struct function *callee = &c->functions[c->entries[entry].callee];
	uint64_t start = callee->symbol
				 ? link_address(c, callee->file, plumb_symbol_start(callee->symbol))
				 : 0;
	/* callgrind_annotate treats the costs of 0 calls as the caller's own. */
	uint64_t calls = c->entries[entry].calls ? c->entries[entry].calls : 1;

	write_name(stream, "cob", object_name(callee));
	write_name(stream, "cfi", source_name(callee->source));
	write_name(stream, "cfn", function_name(callee));
	fprintf(stream, "calls=%" PRIu64 " 0x%" PRIx64 " 0\n", calls, start);
	write_costs(c, stream, entry, false);
}

/* Writes a function's name, or the file of a line that was inlined into it. */
static void write_place(const struct callgrind *c, FILE *stream, const struct position *position,
			const struct position *before)
{
	const struct function *function = &c->functions[position->function];
	const char *file = source_name(position->source), *last = NULL;

	if (before && before->function == position->function) {
		last = source_name(before->source);
	} else {
		fputc('\n', stream);
		write_name(stream, "ob", object_name(function));
		write_name(stream, "fl", source_name(function->source));
		write_name(stream, "fn", function_name(function));
		last = source_name(function->source);
	}
	if (strcmp(file, last) != 0)
		write_name(stream, strcmp(file, source_name(function->source)) != 0 ? "fi" : "fe",
			   file);
}

/* "exact/CPU_CYCLES/" is CPU_CYCLES; a word, in any case. */
static void write_event(FILE *stream, const struct plumb_recorded_event *event)
{
	const char *name = event->name ? event->name : "samples";
	size_t length;

	if (strncmp(name, "exact/", 6) == 0)
		name += 6;
	length = strlen(name);
	if (length > 1 && name[length - 1] == '/')
		length--;
	fputc(' ', stream);
	visible_write(stream, name, length, " :");
}

static void write_header(const struct callgrind *c, FILE *stream, const char *const *command,
			 size_t words)
{
	fputs("# callgrind format\nversion: 1\ncreator: plumb " PLUMB_VERSION "\n", stream);
	fputs("cmd:", stream);
	for (size_t i = 0; i < words; i++) {
		fputc(' ', stream);
		visible_write(stream, command[i], strlen(command[i]), "");
	}
	fputs("\npositions: instr line\nevents:", stream);
	for (size_t e = 0; e < c->event_count; e++)
		write_event(stream, c->events[e].event);
	fputs("\nsummary:", stream);
	for (size_t e = 0; e < c->event_count; e++)
		fprintf(stream, " %" PRIu64, c->events[e].total);
	fputc('\n', stream);
}

void callgrind_write(struct callgrind *c, struct output *out, const char *const *command,
		     size_t words)
{
	size_t *order = memory_resize(NULL, c->entry_count + 1, sizeof(*order));
	const struct position *before = NULL;
	bool opens;

	for (size_t i = 0; i < c->entry_count; i++)
		order[i] = i;
	sorted = c;
	qsort(order, c->entry_count, sizeof(*order), compare_entries);
	write_header(c, out->stream, command, words);
	for (size_t i = 0; i < c->entry_count; i++) {
		const struct entry *entry = &c->entries[order[i]];
		const struct position *position = &c->positions[entry->position];

		/*
		 * callgrind_annotate adds up a file's lines, and warns if none of them has an
		 * event that the summary has.
		 */
		opens = position->line &&
			(!before || !before->line || before->function != position->function ||
			 before->source != position->source);
		write_place(c, out->stream, position, before);
		before = position;
		if (entry->callee == NONE)
			write_costs(c, out->stream, order[i], opens);
		else
			write_call(c, out->stream, order[i]);
	}
	free(order);
}
