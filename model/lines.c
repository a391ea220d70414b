/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <stdlib.h>

#include "memory.h"

#define SETS         2048
#define WAYS         8
#define CELLS_MAX    (1u << 20)
#define MOVES_MAX    8 /* lines that one instruction may move */
#define RECENT       256
#define PAGES_KNOWN  64
#define PAGE_LEAST   4096 /* bytes: whatever a page has, these are together */
#define ADDRESS_BITS 0x00ffffffffffffffull

/* One kind of access of one instruction to the same bytes of a line. */
struct cell {
	uint64_t pc, accesses, moves;
	uint32_t next;  /* of the line, or of the spare ones; 0: none */
	uint8_t offset; /* in the line */
	uint8_t bytes, access;
};

struct line {
	uint64_t number;   /* of the virtual line, plus one; 0: none */
	uint64_t physical; /* its number as the memory side has it */
	uint64_t used;     /* when it was used last */
	uint32_t remapped; /* memory_remapped() when `physical` was looked up */
	bool moved;        /* one that it was before has moved */
	uint32_t cells;    /* index of the first one; 0: none */
	uint32_t last;     /* if there are any: index of the last one */
	uint32_t spare;    /* index of the first one that it may have next; 0: none */
};

/* Where the memory side has the lines of a page. */
struct known_page {
	uint64_t page;  /* plus one; 0: none */
	uint64_t first; /* line */
	uint32_t remapped;
};

struct lines {
	struct memory *memory;
	unsigned line_bytes;
	uint64_t now; /* counts accesses */
	struct line *sets;
	struct cell *cells; /* [0] is none */
	uint32_t count, room;
	bool incomplete;
	struct line *recent[RECENT]; /* by number, lines that may be found there; or NULL */
	struct known_page pages[PAGES_KNOWN];
	uint64_t moved[MOVES_MAX]; /* for the instruction at hand */
	unsigned moved_count;
};

struct lines *lines_new(struct memory *memory, unsigned line_bytes)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->memory = memory;
	lines->line_bytes = line_bytes;
	lines->count = 1;
	lines->sets = calloc((size_t)SETS * WAYS, sizeof(*lines->sets));
	if (!lines->sets) {
		lines_free(lines);
		return NULL;
	}
	return lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	free(lines->sets);
	free(lines->cells);
	free(lines);
}

bool lines_incomplete(const struct lines *lines)
{
	return lines->incomplete;
}

/*
 * Forgets a line. Its cells stay for the next one there: the host need not fetch them, as it would
 * to put them into the list of free ones.
 */
static void forget(struct lines *lines, struct line *line)
{
	if (line->cells) {
		lines->cells[line->last].next = line->spare;
		line->spare = line->cells;
	}
	line->cells = 0;
	line->number = 0;
}

/* Returns an unused cell for a line, or 0 if there is no memory. */
static uint32_t new_cell(struct lines *lines, struct line *line)
{
	const uint32_t at = line->spare;

	if (at) {
		line->spare = lines->cells[at].next;
		return at;
	}
	if (lines->count >= lines->room) {
		uint32_t room = lines->room ? 2 * lines->room : 1024;
		struct cell *grown;

		if (room > CELLS_MAX)
			return 0;
		grown = realloc(lines->cells, room * sizeof(*grown));
		if (!grown)
			return 0;
		lines->cells = grown;
		lines->room = room;
	}
	return lines->count++;
}

static bool has_moved(const struct lines *lines, const struct line *line)
{
	return line->moved || memory_has_moved(lines->memory, line->physical);
}

/* Returns the line of a set that was not used longest, but since `after`; NULL if there is none. */
static struct line *oldest_after(struct line *set, uint64_t after)
{
	struct line *oldest = NULL;

	for (unsigned way = 0; way < WAYS; way++)
		if (set[way].used > after && (!oldest || set[way].used < oldest->used))
			oldest = &set[way];
	return oldest;
}

/* Returns which line of a full set should go: the oldest that has not moved, or else the oldest. */
static struct line *least_needed(const struct lines *lines, struct line *set)
{
	struct line *oldest = oldest_after(set, 0), *line = oldest;

	while (line && has_moved(lines, line))
		line = oldest_after(set, line->used);
	return line ? line : oldest;
}

/* Looks up what a line is now: its page may have been unmapped, and another be there. */
static void look_up(struct lines *lines, struct line *line)
{
	const uint64_t address = (line->number - 1) * lines->line_bytes;
	const uint64_t page = address / PAGE_LEAST;
	struct known_page *known = &lines->pages[page % PAGES_KNOWN];

	line->remapped = memory_remapped(lines->memory);
	if (known->page != page + 1 || known->remapped != line->remapped)
		*known = (struct known_page){
			page + 1, memory_line_of(lines->memory, page * PAGE_LEAST), line->remapped};
	line->physical = known->first + address % PAGE_LEAST / lines->line_bytes;
}

/* Finds a line in its set, perhaps instead of another one. */
static struct line *search_line(struct lines *lines, uint64_t number)
{
	struct line *set =
		&lines->sets[(number * 0x9e3779b97f4a7c15ull >> 40) % SETS * (size_t)WAYS];
	struct line *line = NULL;

	for (unsigned way = 0; way < WAYS; way++)
		if (set[way].number == number + 1)
			return &set[way];
	for (unsigned way = 0; way < WAYS && !line; way++)
		line = set[way].number ? NULL : &set[way];
	if (!line) {
		line = least_needed(lines, set);
		lines->incomplete |= has_moved(lines, line);
		forget(lines, line);
	}
	*line = (struct line){.number = number + 1, .spare = line->spare};
	look_up(lines, line);
	return line;
}

static struct line *find_line(struct lines *lines, uint64_t number)
{
	struct line **recent = &lines->recent[number % RECENT];

	if (!*recent || (*recent)->number != number + 1)
		*recent = search_line(lines, number);
	if ((*recent)->remapped != memory_remapped(lines->memory)) {
		(*recent)->moved = has_moved(lines, *recent);
		look_up(lines, *recent);
	}
	return *recent;
}

/* Counts an access within a line. */
static void count(struct lines *lines, uint64_t pc, enum lines_access access, uint64_t address,
		  unsigned bytes)
{
	struct line *line = find_line(lines, address / lines->line_bytes);
	const uint8_t offset = (uint8_t)(address % lines->line_bytes);
	struct cell *cell = NULL;
	uint32_t at;

	line->used = ++lines->now;
	for (at = line->cells; at; at = cell->next) {
		cell = &lines->cells[at];
		if (cell->pc == pc && cell->offset == offset && cell->bytes == bytes &&
		    cell->access == access)
			break;
	}
	if (!at) {
		at = new_cell(lines, line);
		if (!at) {
			lines->incomplete = true;
			return;
		}
		cell = &lines->cells[at];
		*cell = (struct cell){.pc = pc,
				      .next = line->cells,
				      .offset = offset,
				      .bytes = (uint8_t)bytes,
				      .access = (uint8_t)access};
		line->last = line->cells ? line->last : at;
		line->cells = at;
	}
	cell->accesses++;
	for (unsigned i = 0; i < lines->moved_count; i++)
		if (lines->moved[i] == line->physical) {
			cell->moves++;
			/* Once is enough for all accesses of the instruction. */
			lines->moved[i] = UINT64_MAX;
			return;
		}
}

void lines_accessed(struct lines *lines, uint64_t pc, enum lines_access access,
		    const struct access *first, const struct access *end)
{
	lines->moved_count = memory_take_moves(lines->memory, lines->moved, MOVES_MAX);
	while (first != end) {
		uint64_t address = first->address & ADDRESS_BITS, rest = first->bytes;

		/* Those of a pair of registers are one. */
		while (++first != end && (first->address & ADDRESS_BITS) == address + rest)
			rest += first->bytes;
		while (rest) {
			uint64_t room = lines->line_bytes - address % lines->line_bytes;
			uint64_t bytes = rest < room ? rest : room;

			count(lines, pc, access, address, (unsigned)bytes);
			address += bytes;
			rest -= bytes;
		}
	}
}

/* Tells what was counted for a line since the last time. */
static void tell_line(struct lines *lines, const struct line *line, lines_told *told, void *user)
{
	for (uint32_t at = line->cells; at; at = lines->cells[at].next) {
		struct cell *cell = &lines->cells[at];
		const struct lines_count count = {
			.pc = cell->pc,
			.address = (line->number - 1) * lines->line_bytes + cell->offset,
			.accesses = cell->accesses,
			.moves = cell->moves,
			.bytes = cell->bytes,
			.access = cell->access,
		};

		if (cell->accesses)
			told(user, &count);
		cell->accesses = cell->moves = 0;
	}
}

void lines_tell_changes(struct lines *lines, lines_told *told, void *user)
{
	for (size_t i = 0; i < (size_t)SETS * WAYS; i++) {
		const struct line *line = &lines->sets[i];

		if (line->number && has_moved(lines, line))
			tell_line(lines, line, told, user);
	}
}

void lines_tell(struct lines *lines, lines_told *told, void *user)
{
	lines_tell_changes(lines, told, user);
	for (size_t i = 0; i < (size_t)SETS * WAYS; i++)
		if (lines->sets[i].number)
			forget(lines, &lines->sets[i]);
}
