/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks as pprof's profile, https://github.com/google/pprof/blob/main/proto/profile.proto: each
 * sample has a value of each type, and labels for its thread, CPU and source of data. Written
 * message by message, so that only tables are in memory.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "render/gzip.h"
#include "render/protobuf.h"
#include "render/stacks.h"
#include "render/visible_write.h"
#include "tool/memory.h"

/* Fields of the messages. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};
enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_STR = 2 };
enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_MEMORY_START = 2,
	MAPPING_MEMORY_LIMIT = 3,
	MAPPING_FILE_OFFSET = 4,
	MAPPING_FILENAME = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILENAMES = 8,
	MAPPING_HAS_LINE_NUMBERS = 9,
	MAPPING_HAS_INLINE_FRAMES = 10,
};
enum location_field {
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
};
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum function_field {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
};

/* A mapping of a file, as the first process had it. */
struct mapping {
	struct plumb_symbol_file *file;
	uint64_t start, end, offset, weight;
	bool functions, lines;
};

struct pprof {
	const struct stacks *stacks;
	struct gzip *gzip;
	struct text_table texts; /* visible ones */
	struct code_table strings, by_mapping;
	struct mapping *mappings;
	size_t mapping_count;
	uint32_t *mapping_of; /* each code's; UINT32_MAX: none */
	struct protobuf message, nested, list;
};

/* ---- Tables -----------------------------------------------------------------------------------
 */

/* Finds or makes the number of some words. */
static uint32_t number_of(struct code_table *table, const uint64_t *words)
{
	uint32_t number;

	if (codes_find(table, words, &number) < 0)
		memory_given(NULL);
	return number - 1;
}

/* Keeps what may be shown of a text. */
static const char *keep_visible(struct pprof *p, const char *text)
{
	const size_t length = strlen(text);
	char *visible = NULL;
	const char *kept;
	size_t size;

	if (visible_length(text, length) < length) {
		FILE *stream = memory_stream(&visible, &size);

		visible_write(stream, text, length, "");
		memory_stream_close(stream, &visible);
		text = visible;
	}
	kept = text_table_keep(&p->texts, text);
	free(visible);
	if (!kept)
		memory_given(NULL);
	return kept;
}

/* Returns the index of a string, which is written if it is new; NULL is the empty one. */
static uint32_t string(struct pprof *p, const char *text)
{
	const char *kept = keep_visible(p, text ? text : "");
	const uint64_t word = (uintptr_t)kept;
	const size_t before = p->strings.count;
	const uint32_t index = number_of(&p->strings, &word);

	if (p->strings.count > before) {
		struct protobuf field = {0};

		protobuf_bytes(&field, PROFILE_STRING_TABLE, kept, strlen(kept));
		gzip_write(p->gzip, field.bytes, field.size);
		free(field.bytes);
	}
	return index;
}

/* Writes the message as a field of the profile, and empties it. */
static void write_message(struct pprof *p, enum profile_field field)
{
	struct protobuf whole = {0};

	protobuf_nested(&whole, field, &p->message);
	gzip_write(p->gzip, whole.bytes, whole.size);
	free(whole.bytes);
}

static void write_integer(struct pprof *p, enum profile_field field, uint64_t value)
{
	struct protobuf whole = {0};

	protobuf_integer(&whole, field, value);
	gzip_write(p->gzip, whole.bytes, whole.size);
	free(whole.bytes);
}

static void write_type(struct pprof *p, enum profile_field field, const char *type,
		       const char *unit)
{
	protobuf_integer(&p->message, VALUE_TYPE_TYPE, string(p, type));
	protobuf_integer(&p->message, VALUE_TYPE_UNIT, string(p, unit));
	write_message(p, field);
}

/* ---- Mappings ---------------------------------------------------------------------------------
 */

static void find_mappings(struct pprof *p)
{
	const struct stacks *s = p->stacks;
	size_t room = 0;

	p->mapping_of = memory_resize(NULL, s->code_count + 1, sizeof(*p->mapping_of));
	for (size_t i = 0; i < s->code_count; i++) {
		const struct stacks_code *code = &s->codes[i];
		const uint64_t words[] = {(uintptr_t)code->file, code->map_offset,
					  code->map_end - code->map_start};
		struct mapping *mapping;

		p->mapping_of[i] = UINT32_MAX;
		if (!code->file)
			continue;
		p->mapping_of[i] = number_of(&p->by_mapping, words);
		if (p->mapping_of[i] == p->mapping_count) {
			if (p->mapping_count == room) {
				room = room ? 2 * room : 16;
				p->mappings =
					memory_resize(p->mappings, room, sizeof(*p->mappings));
			}
			p->mappings[p->mapping_count++] = (struct mapping){
				code->file, code->map_start, code->map_end, code->map_offset,
				0,          false,           false};
		}
		mapping = &p->mappings[p->mapping_of[i]];
		mapping->functions |=
			s->functions[s->lines[code->first + code->lines - 1].function].known;
		mapping->lines |= s->lines[code->first].line > 0;
	}
	for (size_t i = 0; i < s->row_count; i++) {
		const uint32_t m = p->mapping_of[s->nodes[s->rows[i].node].item];

		if (m != UINT32_MAX)
			p->mappings[m].weight =
				add_saturating(p->mappings[m].weight, stacks_value(s, i, 0));
	}
}

static void write_mapping(struct pprof *p, size_t i)
{
	const struct mapping *mapping = &p->mappings[i];
	const char *name = plumb_symbol_file_name(mapping->file);

	protobuf_integer(&p->message, MAPPING_ID, i + 1);
	protobuf_integer(&p->message, MAPPING_MEMORY_START, mapping->start);
	protobuf_integer(&p->message, MAPPING_MEMORY_LIMIT, mapping->end);
	protobuf_integer(&p->message, MAPPING_FILE_OFFSET, mapping->offset);
	protobuf_integer(&p->message, MAPPING_FILENAME, string(p, name));
	protobuf_integer(&p->message, MAPPING_HAS_FUNCTIONS, mapping->functions);
	protobuf_integer(&p->message, MAPPING_HAS_FILENAMES, mapping->lines);
	protobuf_integer(&p->message, MAPPING_HAS_LINE_NUMBERS, mapping->lines);
	protobuf_integer(&p->message, MAPPING_HAS_INLINE_FRAMES, mapping->lines);
	write_message(p, PROFILE_MAPPING);
}

/* pprof takes the first one for the program: that is the one with the most samples. */
static void write_mappings(struct pprof *p)
{
	size_t most = 0;

	for (size_t i = 0; i < p->mapping_count; i++)
		if (p->mappings[i].weight > p->mappings[most].weight)
			most = i;
	if (p->mapping_count)
		write_mapping(p, most);
	for (size_t i = 0; i < p->mapping_count; i++)
		if (i != most)
			write_mapping(p, i);
}

/* ---- Code -------------------------------------------------------------------------------------
 */

static void write_functions(struct pprof *p)
{
	const struct stacks *s = p->stacks;

	for (size_t i = 0; i < s->function_count; i++) {
		const struct stacks_function *function = &s->functions[i];

		protobuf_integer(&p->message, FUNCTION_ID, i + 1);
		protobuf_integer(&p->message, FUNCTION_NAME, string(p, function->name));
		protobuf_integer(&p->message, FUNCTION_SYSTEM_NAME, string(p, function->name));
		protobuf_integer(&p->message, FUNCTION_FILENAME, string(p, function->source));
		write_message(p, PROFILE_FUNCTION);
	}
}

/* Addresses are those of the mapping that stands for all processes'. */
static uint64_t address_of(const struct pprof *p, size_t code)
{
	const struct stacks_code *of = &p->stacks->codes[code];
	const uint32_t m = p->mapping_of[code];

	return m == UINT32_MAX ? of->address
			       : p->mappings[m].start + (of->address - p->mappings[m].offset);
}

static void write_locations(struct pprof *p)
{
	const struct stacks *s = p->stacks;

	for (size_t i = 0; i < s->code_count; i++) {
		const struct stacks_code *code = &s->codes[i];

		protobuf_integer(&p->message, LOCATION_ID, i + 1);
		protobuf_integer(&p->message, LOCATION_MAPPING_ID, p->mapping_of[i] + UINT32_C(1));
		protobuf_integer(&p->message, LOCATION_ADDRESS, address_of(p, i));
		for (uint32_t l = 0; l < code->lines; l++) {
			const struct stacks_line *line = &s->lines[code->first + l];

			protobuf_integer(&p->nested, LINE_FUNCTION_ID,
					 line->function + UINT64_C(1));
			protobuf_integer(&p->nested, LINE_LINE, line->line);
			protobuf_nested(&p->message, LOCATION_LINE, &p->nested);
		}
		write_message(p, PROFILE_LOCATION);
	}
}

/* ---- Samples ----------------------------------------------------------------------------------
 */

static void add_label(struct pprof *p, const char *key, const char *text)
{
	protobuf_integer(&p->nested, LABEL_KEY, string(p, key));
	protobuf_integer(&p->nested, LABEL_STR, string(p, text));
	protobuf_nested(&p->message, SAMPLE_LABEL, &p->nested);
}

/* As text: pprof drops a label whose number is 0. */
static void add_number(struct pprof *p, const char *key, int32_t number)
{
	char text[16];

	if (number < 0)
		return;
	snprintf(text, sizeof(text), "%" PRId32, number);
	add_label(p, key, text);
}

static void write_samples(struct pprof *p)
{
	const struct stacks *s = p->stacks;

	for (size_t i = 0; i < s->row_count; i++) {
		const struct stacks_row *row = &s->rows[i];
		const struct stacks_thread *thread = &s->threads[row->thread];

		for (uint32_t n = row->node; n != STACKS_NONE; n = s->nodes[n].parent)
			protobuf_packed(&p->list, s->nodes[n].item + UINT64_C(1));
		protobuf_nested(&p->message, SAMPLE_LOCATION_ID, &p->list);
		for (size_t t = 0; t < s->type_count; t++) {
			const uint64_t value = stacks_value(s, i, t);

			if (stacks_shows(&s->types[t]))
				protobuf_packed(&p->list, value < INT64_MAX ? value : INT64_MAX);
		}
		protobuf_nested(&p->message, SAMPLE_VALUE, &p->list);
		add_label(p, "thread", thread->comm);
		add_number(p, "pid", thread->pid);
		add_number(p, "tid", thread->tid);
		add_number(p, "cpu", row->cpu);
		if (row->source)
			add_label(p, "data_source", row->source);
		write_message(p, PROFILE_SAMPLE);
	}
}

/* ---- The profile ------------------------------------------------------------------------------
 */

static void write_types(struct pprof *p)
{
	const struct stacks *s = p->stacks;
	const struct stacks_type *first = NULL;

	for (size_t t = 0; t < s->type_count; t++) {
		if (!stacks_shows(&s->types[t]))
			continue;
		write_type(p, PROFILE_SAMPLE_TYPE, s->types[t].name, s->types[t].unit);
		if (!first && s->types[t].main)
			first = &s->types[t];
	}
	if (!first)
		return;
	write_integer(p, PROFILE_DEFAULT_SAMPLE_TYPE, string(p, first->name));
	/* A frequency is no period, and the period of SPE records is not that of an event. */
	if (!first->exact && first->kind == STACKS_PERIOD &&
	    !(first->event->attr.flags & PLUMB_ATTR_BIT(PLUMB_ATTR_FREQ)) &&
	    first->event->attr.sample_period) {
		write_type(p, PROFILE_PERIOD_TYPE, first->name, first->unit);
		write_integer(p, PROFILE_PERIOD, first->event->attr.sample_period);
	}
}

static void write_command(struct pprof *p, const struct plumb_recording_info *info)
{
	char *text = NULL;
	size_t size;
	FILE *stream = memory_stream(&text, &size);

	fputs("recorded by:", stream);
	for (size_t i = 0; i < info->command_count; i++)
		fprintf(stream, " %s", info->command[i]);
	memory_stream_close(stream, &text);
	write_integer(p, PROFILE_COMMENT, string(p, text));
	free(text);
}

static void write_origin(struct pprof *p, const struct plumb_recording_info *info)
{
	const uint64_t from = info->first_sample_time, to = info->last_sample_time;

	if (info->wall_clock_ns && from)
		write_integer(p, PROFILE_TIME_NANOS, info->wall_clock_ns + (from - info->clock_ns));
	if (to > from)
		write_integer(p, PROFILE_DURATION_NANOS, to - from);
	if (info->command_count)
		write_command(p, info);
	if (info->cpudesc)
		write_integer(p, PROFILE_COMMENT, string(p, info->cpudesc));
}

void stacks_pprof(struct output *out, const struct stacks *stacks,
		  const struct plumb_recording_info *info)
{
	struct pprof p = {.stacks = stacks,
			  .gzip = gzip_begin(out->stream),
			  .strings = {.words = 1, .most = UINT32_MAX - 1},
			  .by_mapping = {.words = 3, .most = UINT32_MAX - 1}};

	string(&p, NULL);
	write_types(&p);
	find_mappings(&p);
	write_mappings(&p);
	write_functions(&p);
	write_locations(&p);
	write_samples(&p);
	write_origin(&p, info);
	gzip_end(p.gzip);
	text_table_free(&p.texts);
	codes_free(&p.strings);
	codes_free(&p.by_mapping);
	free(p.mappings);
	free(p.mapping_of);
	free(p.message.bytes);
	free(p.nested.bytes);
	free(p.list.bytes);
}
