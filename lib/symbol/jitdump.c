/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/jitdump.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* "JiTD" as a number, in the writer's byte order. */
#define MAGIC       UINT32_C(0x4a695444)
#define HEADER_SIZE 40
#define RECORD_SIZE 16
/* No process makes more; the rest is skipped. */
#define LOADS_MAX ((size_t)1 << 22)
#define LINES_MAX ((size_t)1 << 24)
/* Longer names are cut off. */
#define NAME_MAX_SIZE 4096

enum record_type { CODE_LOAD, CODE_MOVE, DEBUG_INFO };

struct line {
	uint64_t address;
	const char *file;
	uint32_t line;
	uint32_t order;
};

/* A function at one address. It has another address each time it was moved. */
struct load {
	uint64_t start, end;
	uint64_t moved; /* how far it is from the addresses of its lines */
	uint64_t code;  /* its number */
	size_t order;   /* newer ones have higher numbers */
	size_t first_line, line_count;
	const char *name;
};

/* Addresses, [start, end), and the newest code there. */
struct piece {
	uint64_t start, end;
	size_t load;
};

struct jitdump {
	struct arena strings;
	struct load *loads;
	size_t load_count, load_room;
	struct line *lines;
	size_t line_count, line_room;
	struct piece *pieces;
	size_t piece_count;
};

struct reader {
	struct jitdump *dump;
	FILE *in;
	uint64_t left; /* bytes of the record */
	bool swapped;
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

	r->left = 0;
	return skipped;
}

static int add_load(struct jitdump *dump, const struct load *load)
{
	if (dump->load_count == LOADS_MAX || load->end <= load->start)
		return 0;
	if (dump->load_count == dump->load_room) {
		size_t room = dump->load_room ? 2 * dump->load_room : 256;
		struct load *grown = reallocarray(dump->loads, room, sizeof(*grown));

		if (!grown)
			return PLUMB_ERR_NO_MEMORY;
		dump->loads = grown;
		dump->load_room = room;
	}
	dump->loads[dump->load_count] = *load;
	dump->loads[dump->load_count].order = dump->load_count;
	dump->load_count++;
	return 0;
}

static int add_line(struct jitdump *dump, const struct line *line)
{
	if (dump->line_count == LINES_MAX)
		return 0;
	if (dump->line_count == dump->line_room) {
		size_t room = dump->line_room ? 2 * dump->line_room : 1024;
		struct line *grown = reallocarray(dump->lines, room, sizeof(*grown));

		if (!grown)
			return PLUMB_ERR_NO_MEMORY;
		dump->lines = grown;
		dump->line_room = room;
	}
	dump->lines[dump->line_count] = *line;
	dump->lines[dump->line_count].order = (uint32_t)dump->line_count;
	dump->line_count++;
	return 0;
}

/* Each reader returns 0, NO_MEMORY, or SYNTAX if the record is cut off. */
static int read_load(struct reader *r)
{
	struct jitdump *dump = r->dump;
	struct load load = {.first_line = r->first_line};
	char text[NAME_MAX_SIZE];
	uint32_t pid, tid;
	uint64_t vma, size;

	if (!get32(r, &pid) || !get32(r, &tid) || !get64(r, &vma) || !get64(r, &load.start) ||
	    !get64(r, &size) || !get64(r, &load.code) || !get_text(r, text))
		return PLUMB_ERR_SYNTAX;
	load.end = load.start + size;
	if (r->lines_of == load.start)
		load.line_count = dump->line_count - r->first_line;
	r->first_line = dump->line_count;
	load.name = arena_strdup(&dump->strings, text);
	return load.name ? add_load(dump, &load) : PLUMB_ERR_NO_MEMORY;
}

/* The function gets its name and lines when all of them are known. */
static int read_move(struct reader *r)
{
	struct load load = {0};
	uint32_t pid, tid;
	uint64_t vma, from, size;

	if (!get32(r, &pid) || !get32(r, &tid) || !get64(r, &vma) || !get64(r, &from) ||
	    !get64(r, &load.start) || !get64(r, &size) || !get64(r, &load.code))
		return PLUMB_ERR_SYNTAX;
	load.end = load.start + size;
	return add_load(r->dump, &load);
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
	uint64_t time;
	int status = 0;

	r->left = RECORD_SIZE;
	if (!get32(r, &type) || !get32(r, &size) || !get64(r, &time) || size < RECORD_SIZE)
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
	uint32_t magic, version, size;

	r->left = HEADER_SIZE;
	if (!get32(r, &magic))
		return PLUMB_ERR_SYNTAX;
	if (magic == __builtin_bswap32(MAGIC))
		r->swapped = true;
	else if (magic != MAGIC)
		return PLUMB_ERR_SYNTAX;
	if (!get32(r, &version) || !get32(r, &size) || version != 1 || size < HEADER_SIZE)
		return PLUMB_ERR_SYNTAX;
	r->left = size - 12;
	return skip(r) ? 0 : PLUMB_ERR_SYNTAX;
}

/* ---- Putting in order -------------------------------------------------------------------------
 */

static int by_code(const void *a, const void *b)
{
	const struct load *one = *(const struct load *const *)a,
			  *other = *(const struct load *const *)b;

	if (one->code != other->code)
		return one->code < other->code ? -1 : 1;
	return (one->order > other->order) - (one->order < other->order);
}

/* Moved code keeps the name of the last code that was loaded with its number. */
static int name_moved(struct jitdump *dump)
{
	struct load **sorted = reallocarray(NULL, dump->load_count, sizeof(struct load *));
	const struct load *last = NULL;

	if (!sorted)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < dump->load_count; i++)
		sorted[i] = &dump->loads[i];
	qsort(sorted, dump->load_count, sizeof(struct load *), by_code);
	for (size_t i = 0; i < dump->load_count; i++) {
		struct load *load = sorted[i];

		if (load->name) {
			last = load;
		} else if (last && last->code == load->code) {
			load->name = last->name;
			load->first_line = last->first_line;
			load->line_count = last->line_count;
			load->moved = load->start - last->start;
		}
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

static int by_start(const void *a, const void *b)
{
	const struct load *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

/* A heap with the newest code on top. */
struct heap {
	const struct load *loads;
	size_t *at;
	size_t count;
};

static bool is_newer(const struct heap *heap, size_t a, size_t b)
{
	return heap->loads[heap->at[a]].order > heap->loads[heap->at[b]].order;
}

static void swap(struct heap *heap, size_t a, size_t b)
{
	size_t kept = heap->at[a];

	heap->at[a] = heap->at[b];
	heap->at[b] = kept;
}

static void push(struct heap *heap, size_t load)
{
	size_t i = heap->count++;

	heap->at[i] = load;
	for (; i > 0 && is_newer(heap, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(heap, i, (i - 1) / 2);
}

static void pop(struct heap *heap)
{
	size_t i = 0, newest = 0;

	heap->at[0] = heap->at[--heap->count];
	do {
		swap(heap, i, newest);
		i = newest;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++)
			if (child < heap->count && is_newer(heap, child, newest))
				newest = child;
	} while (newest != i);
}

/* Goes from the lowest address to the highest; where code overlaps, the newest wins. */
static void cut(struct jitdump *dump, struct heap *heap)
{
	uint64_t at = 0;
	size_t next = 0;

	while (next < dump->load_count || heap->count) {
		const struct load *top;
		struct piece *piece;
		uint64_t end;

		if (heap->count == 0)
			at = dump->loads[next].start;
		while (next < dump->load_count && dump->loads[next].start <= at)
			push(heap, next++);
		while (heap->count && dump->loads[heap->at[0]].end <= at)
			pop(heap);
		if (heap->count == 0)
			continue;
		top = &dump->loads[heap->at[0]];
		end = top->end;
		if (next < dump->load_count && dump->loads[next].start < end)
			end = dump->loads[next].start;
		piece = &dump->pieces[dump->piece_count];
		if (dump->piece_count && piece[-1].end == at && piece[-1].load == heap->at[0]) {
			piece[-1].end = end;
		} else {
			*piece = (struct piece){at, end, heap->at[0]};
			dump->piece_count++;
		}
		at = end;
	}
}

static int settle(struct jitdump *dump)
{
	struct heap heap = {0};
	int status;

	if (dump->load_count == 0)
		return 0;
	status = name_moved(dump);
	if (status < 0)
		return status;
	for (size_t i = 0; i < dump->load_count; i++)
		if (dump->loads[i].line_count && dump->loads[i].moved == 0)
			qsort(&dump->lines[dump->loads[i].first_line], dump->loads[i].line_count,
			      sizeof(*dump->lines), by_line_address);
	qsort(dump->loads, dump->load_count, sizeof(*dump->loads), by_start);
	/* Each of them begins and ends once. */
	dump->pieces = reallocarray(NULL, 2 * dump->load_count, sizeof(*dump->pieces));
	heap.loads = dump->loads;
	heap.at = reallocarray(NULL, dump->load_count, sizeof(*heap.at));
	if (dump->pieces && heap.at)
		cut(dump, &heap);
	else
		status = PLUMB_ERR_NO_MEMORY;
	free(heap.at);
	return status;
}

/* ---- What is asked ----------------------------------------------------------------------------
 */

int jitdump_read(FILE *in, struct jitdump **dump)
{
	struct reader reader = {.in = in};
	int status;

	*dump = NULL;
	status = read_header(&reader);
	if (status < 0)
		return status;
	reader.dump = calloc(1, sizeof(*reader.dump));
	if (!reader.dump)
		return PLUMB_ERR_NO_MEMORY;
	do
		status = read_record(&reader);
	while (status == 0);
	if (status == PLUMB_ERR_SYNTAX)
		status = settle(reader.dump);
	if (status < 0) {
		jitdump_free(reader.dump);
		return status;
	}
	*dump = reader.dump;
	return 0;
}

int jitdump_symbols(const struct jitdump *dump, struct symbol_table *table)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < dump->piece_count; i++) {
		const struct piece *piece = &dump->pieces[i];
		const char *name = dump->loads[piece->load].name;

		if (name && name[0])
			status = symbol_table_add(table,
						  &(struct plumb_symbol){.start = piece->start,
									 .end = piece->end,
									 .name = name,
									 .binding = STB_GLOBAL});
	}
	return status == PLUMB_ERR_LIMIT ? 0 : status;
}

static const struct load *find_load(const struct jitdump *dump, uint64_t address)
{
	size_t low = 0, high = dump->piece_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dump->pieces[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < dump->pieces[low - 1].end ? &dump->loads[dump->pieces[low - 1].load]
							  : NULL;
}

bool jitdump_source(const struct jitdump *dump, uint64_t address, struct plumb_source_frame *frame)
{
	const struct load *load = find_load(dump, address);
	const struct line *lines;
	size_t low = 0, high;

	if (!load || !load->line_count)
		return false;
	lines = &dump->lines[load->first_line];
	high = load->line_count;
	address -= load->moved;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !lines[low - 1].file)
		return false;
	*frame = (struct plumb_source_frame){
		.function = load->name, .file = lines[low - 1].file, .line = lines[low - 1].line};
	return true;
}

void jitdump_free(struct jitdump *dump)
{
	if (!dump)
		return;
	free(dump->loads);
	free(dump->lines);
	free(dump->pieces);
	arena_free(&dump->strings);
	free(dump);
}
