/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/jitdump.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "recording/access.h"
#include "symbol/jit_places.h"

/* "JiTD" as a number, in the writer's byte order. */
#define MAGIC       UINT32_C(0x4a695444)
#define HEADER_SIZE 40
#define RECORD_SIZE 16
/* A flag of the header: times are ticks of the machine's counter. */
#define FLAG_TICKS 1u
/* No process makes more; the rest is skipped. */
#define LOADS_MAX ((size_t)1 << 22)
#define LINES_MAX ((size_t)1 << 24)
/* Longer names are cut off. */
#define NAME_MAX_SIZE 4096
#define NO_FUNCTION   SIZE_MAX

enum record_type { CODE_LOAD, CODE_MOVE, DEBUG_INFO };

struct line {
	uint64_t address;
	const char *file;
	uint32_t line;
	uint32_t order;
};

/* A function that was generated. Its code is in the dump. */
struct function {
	uint64_t start, size; /* in memory, where it was first */
	uint64_t place;       /* in the dump */
	uint64_t number;
	size_t first_line, line_count;
	const char *name;
};

/* Where a function was put. Moving one puts it elsewhere. */
struct put {
	uint64_t start, size, time;
	uint64_t number; /* of a function that was moved */
	size_t function; /* NO_FUNCTION: unknown yet */
	size_t order;    /* newer ones have higher numbers */
	size_t loaded;   /* how many functions were, before it */
};

struct jitdump {
	struct arena strings;
	uint32_t machine;
	struct function *functions; /* in the order of their places */
	size_t function_count, function_room;
	struct put *puts; /* in the order of time */
	size_t put_count, put_room;
	struct line *lines;
	size_t line_count, line_room;
	struct jit_places *places;
	bool timed;   /* times are of the recording's clock */
	uint64_t now; /* up to which code was replaced */
};

struct reader {
	struct jitdump *dump;
	FILE *in;
	uint64_t position; /* in the file */
	uint64_t left;     /* bytes of the record */
	uint64_t time;     /* of the record */
	bool swapped, ticks;
	size_t first_line; /* lines of the next function */
	uint64_t lines_of; /* the address that the lines give for it */
};

bool jitdump_is_named(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t digits;

	if (strncmp(name, "jit-", 4) != 0)
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && strcmp(name + 4 + digits, ".dump") == 0;
}

/* ---- Reading ----------------------------------------------------------------------------------
 */

static bool get(struct reader *r, void *bytes, size_t size)
{
	if (size > r->left || fread(bytes, 1, size, r->in) != size)
		return false;
	r->left -= size;
	r->position += size;
	return true;
}

static bool get32(struct reader *r, uint32_t *value)
{
	if (!get(r, value, sizeof(*value)))
		return false;
	if (r->swapped)
		*value = __builtin_bswap32(*value);
	return true;
}

static bool get64(struct reader *r, uint64_t *value)
{
	if (!get(r, value, sizeof(*value)))
		return false;
	if (r->swapped)
		*value = __builtin_bswap64(*value);
	return true;
}

/*
 * Reads a text with its NUL, which belongs to the reader. NULL: there is no NUL. Cuts off what is
 * too long.
 */
static const char *get_text(struct reader *r, char text[NAME_MAX_SIZE])
{
	size_t length = 0;

	while (r->left > 0) {
		int c = getc_unlocked(r->in);

		if (c == EOF)
			return NULL;
		r->left--;
		r->position++;
		if (c == '\0') {
			text[length] = '\0';
			return text;
		}
		if (length + 1 < NAME_MAX_SIZE)
			text[length++] = (char)c;
	}
	return NULL;
}

static bool skip(struct reader *r)
{
	bool skipped = r->left <= INT64_MAX && fseeko(r->in, (off_t)r->left, SEEK_CUR) == 0;

	r->position += r->left;
	r->left = 0;
	return skipped;
}

/* Returns `elements`, of which there are `count`, with room for one more; NULL: out of memory. */
static void *reserve(void *elements, size_t size, size_t count, size_t *room)
{
	const size_t wanted = *room ? 2 * *room : 256;
	void *grown;

	if (count < *room)
		return elements;
	grown = reallocarray(elements, wanted, size);
	if (grown)
		*room = wanted;
	return grown;
}

static int add_put(struct reader *r, const struct put *put)
{
	struct jitdump *dump = r->dump;
	struct put *grown;

	if (dump->put_count == LOADS_MAX || put->size == 0 || put->size > UINT64_MAX - put->start)
		return 0;
	grown = reserve(dump->puts, sizeof(*grown), dump->put_count, &dump->put_room);
	if (!grown)
		return PLUMB_ERR_NO_MEMORY;
	dump->puts = grown;
	dump->puts[dump->put_count] = *put;
	dump->puts[dump->put_count].time = r->time;
	dump->puts[dump->put_count].order = dump->put_count;
	dump->puts[dump->put_count].loaded = dump->function_count;
	dump->put_count++;
	return 0;
}

static int add_function(struct reader *r, const struct function *function)
{
	struct jitdump *dump = r->dump;
	struct function *grown;
	const struct put put = {.start = function->start,
				.size = function->size,
				.number = function->number,
				.function = dump->function_count};

	if (dump->function_count == LOADS_MAX)
		return 0;
	grown = reserve(dump->functions, sizeof(*grown), dump->function_count,
			&dump->function_room);
	if (!grown)
		return PLUMB_ERR_NO_MEMORY;
	dump->functions = grown;
	dump->functions[dump->function_count++] = *function;
	return add_put(r, &put);
}

static int add_line(struct jitdump *dump, const struct line *line)
{
	struct line *grown;

	if (dump->line_count == LINES_MAX)
		return 0;
	grown = reserve(dump->lines, sizeof(*grown), dump->line_count, &dump->line_room);
	if (!grown)
		return PLUMB_ERR_NO_MEMORY;
	dump->lines = grown;
	dump->lines[dump->line_count] = *line;
	dump->lines[dump->line_count].order = (uint32_t)dump->line_count;
	dump->line_count++;
	return 0;
}

/* Each reader returns 0, NO_MEMORY, or SYNTAX if the record is cut off. */
static int read_load(struct reader *r)
{
	struct jitdump *dump = r->dump;
	struct function function = {.first_line = r->first_line};
	char text[NAME_MAX_SIZE];
	uint32_t pid, tid;
	uint64_t vma;

	if (!get32(r, &pid) || !get32(r, &tid) || !get64(r, &vma) || !get64(r, &function.start) ||
	    !get64(r, &function.size) || !get64(r, &function.number) || !get_text(r, text))
		return PLUMB_ERR_SYNTAX;
	if (r->lines_of == function.start)
		function.line_count = dump->line_count - r->first_line;
	r->first_line = dump->line_count;
	/* The code is the last part of the record. */
	if (function.size > r->left)
		return 0;
	function.place = r->position + r->left - function.size;
	function.name = arena_strdup(&dump->strings, text);
	return function.name ? add_function(r, &function) : PLUMB_ERR_NO_MEMORY;
}

/* It is clear which function that is when all of them are known. */
static int read_move(struct reader *r)
{
	struct put put = {.function = NO_FUNCTION};
	uint32_t pid, tid;
	uint64_t vma, from;

	if (!get32(r, &pid) || !get32(r, &tid) || !get64(r, &vma) || !get64(r, &from) ||
	    !get64(r, &put.start) || !get64(r, &put.size) || !get64(r, &put.number))
		return PLUMB_ERR_SYNTAX;
	return add_put(r, &put);
}

static int read_lines(struct reader *r)
{
	struct jitdump *dump = r->dump;
	const char *file = NULL;
	char text[NAME_MAX_SIZE];
	uint64_t count;
	int status = 0;

	dump->line_count = r->first_line; /* each function has one such record */
	if (!get64(r, &r->lines_of) || !get64(r, &count))
		return PLUMB_ERR_SYNTAX;
	while (status == 0 && count--) {
		struct line line;
		uint32_t discriminator;

		if (!get64(r, &line.address) || !get32(r, &line.line) ||
		    !get32(r, &discriminator) || !get_text(r, text))
			return PLUMB_ERR_SYNTAX;
		/* This name stands for the file of the line before. */
		if (strcmp(text, "\xff") != 0 && (!file || strcmp(file, text) != 0)) {
			file = arena_strdup(&dump->strings, text);
			if (!file)
				return PLUMB_ERR_NO_MEMORY;
		}
		line.file = file;
		status = add_line(dump, &line);
	}
	return status;
}

/* Returns 0, NO_MEMORY, or SYNTAX at the end and at damage. */
static int read_record(struct reader *r)
{
	uint32_t type, size;
	int status = 0;

	r->left = RECORD_SIZE;
	if (!get32(r, &type) || !get32(r, &size) || !get64(r, &r->time) || size < RECORD_SIZE)
		return PLUMB_ERR_SYNTAX;
	r->left = size - RECORD_SIZE;
	switch (type) {
	case CODE_LOAD:
		status = read_load(r);
		break;
	case CODE_MOVE:
		status = read_move(r);
		break;
	case DEBUG_INFO:
		status = read_lines(r);
		break;
	default:
		break;
	}
	if (status == 0 && !skip(r))
		status = PLUMB_ERR_SYNTAX;
	return status;
}

static int read_header(struct reader *r)
{
	uint32_t magic, version, size, padding, pid;
	uint64_t time, flags;

	r->left = HEADER_SIZE;
	if (!get32(r, &magic))
		return PLUMB_ERR_SYNTAX;
	if (magic == __builtin_bswap32(MAGIC))
		r->swapped = true;
	else if (magic != MAGIC)
		return PLUMB_ERR_SYNTAX;
	if (!get32(r, &version) || !get32(r, &size) || version != 1 || size < HEADER_SIZE ||
	    !get32(r, &r->dump->machine) || !get32(r, &padding) || !get32(r, &pid) ||
	    !get64(r, &time) || !get64(r, &flags))
		return PLUMB_ERR_SYNTAX;
	r->ticks = flags & FLAG_TICKS;
	r->left = size - HEADER_SIZE;
	return skip(r) ? 0 : PLUMB_ERR_SYNTAX;
}

/* ---- Putting in order -------------------------------------------------------------------------
 */

static int by_number(const void *a, const void *b)
{
	const struct function *one = *(const struct function *const *)a,
			      *other = *(const struct function *const *)b;

	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	return (one > other) - (one < other);
}

/* Returns the last of the first `loaded` functions with a number, or NO_FUNCTION. */
static size_t find_numbered(const struct jitdump *dump, struct function **sorted, uint64_t number,
			    size_t loaded)
{
	size_t low = 0, high = dump->function_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct function *function = sorted[middle];

		if (function->number < number ||
		    (function->number == number && function < dump->functions + loaded))
			low = middle + 1;
		else
			high = middle;
	}
	return low && sorted[low - 1]->number == number
		       ? (size_t)(sorted[low - 1] - dump->functions)
		       : NO_FUNCTION;
}

/* Code that is moved is the last that was loaded with its number. */
static int find_moved(struct jitdump *dump)
{
	struct function **sorted =
		reallocarray(NULL, dump->function_count + 1, sizeof(struct function *));

	if (!sorted)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < dump->function_count; i++)
		sorted[i] = &dump->functions[i];
	qsort((void *)sorted, dump->function_count, sizeof(struct function *), by_number);
	for (size_t i = 0; i < dump->put_count; i++) {
		struct put *put = &dump->puts[i];

		if (put->function == NO_FUNCTION)
			put->function = find_numbered(dump, sorted, put->number, put->loaded);
		if (put->function != NO_FUNCTION && put->size > dump->functions[put->function].size)
			put->size = dump->functions[put->function].size;
	}
	free((void *)sorted);
	return 0;
}

static int by_line_address(const void *a, const void *b)
{
	const struct line *one = a, *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return (one->order > other->order) - (one->order < other->order);
}

static int by_time(const void *a, const void *b)
{
	const struct put *one = a, *other = b;

	if (one->time != other->time)
		return one->time < other->time ? -1 : 1;
	return (one->order > other->order) - (one->order < other->order);
}

static int settle(struct jitdump *dump)
{
	struct jit_code *codes;
	int status;

	if (dump->put_count == 0)
		return 0;
	status = find_moved(dump);
	if (status < 0)
		return status;
	for (size_t i = 0; i < dump->function_count; i++)
		if (dump->functions[i].line_count)
			qsort(&dump->lines[dump->functions[i].first_line],
			      dump->functions[i].line_count, sizeof(*dump->lines), by_line_address);
	if (dump->timed)
		qsort(dump->puts, dump->put_count, sizeof(*dump->puts), by_time);
	codes = reallocarray(NULL, dump->put_count, sizeof(*codes));
	if (!codes)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < dump->put_count; i++)
		codes[i] = (struct jit_code){.start = dump->puts[i].start,
					     .end = dump->puts[i].start + dump->puts[i].size,
					     .time = dump->timed ? dump->puts[i].time : 0};
	status = jit_places_new(codes, dump->put_count, &dump->places);
	free(codes);
	return status;
}

/* Converts all times to the recording's clock, if that is possible. */
static void convert_times(const struct reader *r, const struct jitdump_clock *clock)
{
	struct jitdump *dump = r->dump;

	dump->timed = r->ticks ? clock->conversion != NULL : clock->monotonic;
	for (size_t i = 0; dump->timed && r->ticks && i < dump->put_count; i++)
		dump->puts[i].time = time_from_ticks(clock->conversion, dump->puts[i].time);
}

int jitdump_read(FILE *in, const struct jitdump_clock *clock, struct jitdump **dump)
{
	struct reader reader = {.in = in};
	int status;

	*dump = NULL;
	reader.dump = calloc(1, sizeof(*reader.dump));
	if (!reader.dump)
		return PLUMB_ERR_NO_MEMORY;
	status = read_header(&reader);
	if (status == 0) {
		do
			status = read_record(&reader);
		while (status == 0);
		if (status == PLUMB_ERR_SYNTAX) {
			convert_times(&reader, clock);
			status = settle(reader.dump);
		}
	}
	if (status < 0) {
		jitdump_free(reader.dump);
		return status;
	}
	*dump = reader.dump;
	return 0;
}

/* ---- Time -------------------------------------------------------------------------------------
 */

uint64_t jitdump_next_change(const struct jitdump *dump)
{
	return dump->places ? jit_places_next_change(dump->places) : UINT64_MAX;
}

void jitdump_advance(struct jitdump *dump, uint64_t time)
{
	if (time > dump->now)
		dump->now = time;
	if (dump->places)
		jit_places_advance(dump->places, time);
}

void jitdump_return(struct jitdump *dump, uint64_t time)
{
	if (!dump->places || !dump->timed || time >= dump->now)
		return;
	jit_places_rewind(dump->places);
	dump->now = 0;
	jitdump_advance(dump, time);
}

bool jitdump_lacks_times(const struct jitdump *dump)
{
	return dump->places && !dump->timed && jit_places_replace(dump->places);
}

/* ---- What is asked ----------------------------------------------------------------------------
 */

int jitdump_symbols(const struct jitdump *dump, struct symbol_table *table)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < dump->function_count; i++) {
		const struct function *function = &dump->functions[i];

		if (function->size && function->name[0])
			status = symbol_table_add(
				table,
				&(struct plumb_symbol){.start = function->place,
						       .end = function->place + function->size,
						       .name = function->name,
						       .binding = STB_GLOBAL});
	}
	return status == PLUMB_ERR_LIMIT ? 0 : status;
}

bool jitdump_locate(const struct jitdump *dump, uint64_t address, struct jitdump_place *place)
{
	struct jit_place found;
	const struct put *put;

	if (!dump->places || !jit_places_find(dump->places, address, &found))
		return false;
	put = &dump->puts[found.code];
	if (put->function == NO_FUNCTION)
		return false;
	*place = (struct jitdump_place){.place = dump->functions[put->function].place +
						 (address - put->start),
					.from = found.from,
					.to = found.to};
	return true;
}

/* Finds the function whose code is at a place in the dump. */
static const struct function *find_function(const struct jitdump *dump, uint64_t place)
{
	size_t low = 0, high = dump->function_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (dump->functions[middle].place <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low && place - dump->functions[low - 1].place < dump->functions[low - 1].size
		       ? &dump->functions[low - 1]
		       : NULL;
}

bool jitdump_address(const struct jitdump *dump, uint64_t place, uint64_t *address, uint64_t *size)
{
	const struct function *function = find_function(dump, place);

	if (!function)
		return false;
	*address = function->start + (place - function->place);
	*size = function->size - (place - function->place);
	return true;
}

bool jitdump_is_a64(const struct jitdump *dump)
{
	return dump->machine == EM_AARCH64;
}

bool jitdump_source(const struct jitdump *dump, uint64_t place, struct plumb_source_frame *frame)
{
	const struct function *function = find_function(dump, place);
	const struct line *lines;
	size_t low = 0, high;
	uint64_t address;

	if (!function || !function->line_count)
		return false;
	lines = &dump->lines[function->first_line];
	high = function->line_count;
	address = function->start + (place - function->place);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !lines[low - 1].file)
		return false;
	*frame = (struct plumb_source_frame){.function = function->name,
					     .file = lines[low - 1].file,
					     .line = lines[low - 1].line};
	return true;
}

void jitdump_free(struct jitdump *dump)
{
	if (!dump)
		return;
	jit_places_free(dump->places);
	free(dump->functions);
	free(dump->puts);
	free(dump->lines);
	arena_free(&dump->strings);
	free(dump);
}
