/* SPDX-License-Identifier: Apache-2.0 */
#include "render/gutter.h"

#include <stdlib.h>
#include <string.h>

#include "tool/memory.h"

/* Arrows beyond this many side by side are left out, and so are more deeply nested loops. */
#define LANES_MAX 6
#define DEPTH_MAX 4

/* What meets in a cell; the drawings of all combinations are below. */
enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, BOX = 4 };

struct gutter {
	const struct gutter_row *rows;
	size_t count;
	unsigned lanes, depth;
	uint8_t *cells; /* of each row and lane, the outermost lane first */
	uint8_t *heads; /* of each row: an arrow ends there */
	uint8_t *boxes; /* of each row and depth */
};

/* An arrow between two rows. */
struct arrow {
	size_t from, to;
};

static size_t top(const struct arrow *arrow)
{
	return arrow->from < arrow->to ? arrow->from : arrow->to;
}

static size_t bottom(const struct arrow *arrow)
{
	return arrow->from < arrow->to ? arrow->to : arrow->from;
}

/* Short arrows are the innermost ones. */
static int compare_arrows(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;
	size_t long_x = bottom(x) - top(x), long_y = bottom(y) - top(y);

	if (long_x != long_y)
		return long_x < long_y ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static size_t list_arrows(const struct gutter *gutter, struct arrow *arrows)
{
	size_t instructions = 0, count = 0;
	size_t *row_of;

	for (size_t i = 0; i < gutter->count; i++)
		if (gutter->rows[i].instruction != GUTTER_NONE &&
		    gutter->rows[i].instruction >= instructions)
			instructions = gutter->rows[i].instruction + 1;
	row_of = memory_resize(NULL, instructions + 1, sizeof(*row_of));
	memset(row_of, 0xff, (instructions + 1) * sizeof(*row_of));
	for (size_t i = 0; i < gutter->count; i++)
		if (gutter->rows[i].instruction != GUTTER_NONE)
			row_of[gutter->rows[i].instruction] = i;
	for (size_t i = 0; i < gutter->count; i++) {
		uint32_t target = gutter->rows[i].target;

		if (target < instructions && row_of[target] != SIZE_MAX && row_of[target] != i)
			arrows[count++] = (struct arrow){i, row_of[target]};
	}
	free(row_of);
	qsort(arrows, count, sizeof(*arrows), compare_arrows);
	return count;
}

/* Lanes are counted from the code outwards here. */
static uint8_t *cell_of(const struct gutter *gutter, size_t row, unsigned lane)
{
	return &gutter->cells[row * LANES_MAX + lane];
}

static bool is_free(const struct gutter *gutter, const struct arrow *arrow, unsigned lane)
{
	for (size_t row = top(arrow); row <= bottom(arrow); row++)
		if (*cell_of(gutter, row, lane) & (UP | DOWN))
			return false;
	return true;
}

static void draw(struct gutter *gutter, const struct arrow *arrow, unsigned lane)
{
	const size_t ends[] = {top(arrow), bottom(arrow)};

	for (size_t row = ends[0]; row <= ends[1]; row++)
		*cell_of(gutter, row, lane) |=
			(row > ends[0] ? UP : 0) | (row < ends[1] ? DOWN : 0);
	for (unsigned end = 0; end < 2; end++) {
		*cell_of(gutter, ends[end], lane) |= RIGHT;
		for (unsigned inner = 0; inner < lane; inner++)
			*cell_of(gutter, ends[end], inner) |= LEFT | RIGHT;
	}
	gutter->heads[arrow->to] = 1;
	/* The start of an arrow is drawn unless another one ends there. */
	if (!gutter->heads[arrow->from])
		gutter->heads[arrow->from] = 2;
	if (lane >= gutter->lanes)
		gutter->lanes = lane + 1;
}

static void draw_arrows(struct gutter *gutter)
{
	struct arrow *arrows = memory_resize(NULL, gutter->count + 1, sizeof(*arrows));
	size_t count = list_arrows(gutter, arrows);

	for (size_t i = 0; i < count; i++) {
		unsigned lane = 0;

		while (lane < LANES_MAX && !is_free(gutter, &arrows[i], lane))
			lane++;
		if (lane < LANES_MAX)
			draw(gutter, &arrows[i], lane);
	}
	free(arrows);
}

/* Returns the loop at `depth` (0: the outermost) that a row is in, or GUTTER_NONE. */
static uint32_t loop_at(const struct plumb_flow *flow, const struct gutter_row *row, unsigned depth)
{
	uint32_t block = row->instruction == GUTTER_NONE
				 ? PLUMB_FLOW_NONE
				 : plumb_flow_block_of(flow, row->instruction);
	struct plumb_block b;
	struct plumb_loop loop;
	uint32_t at;

	if (block == PLUMB_FLOW_NONE || !plumb_flow_block(flow, block, &b))
		return GUTTER_NONE;
	for (at = b.loop; plumb_flow_loop(flow, at, &loop) && loop.depth > depth + 1;)
		at = loop.parent;
	return plumb_flow_loop(flow, at, &loop) && loop.depth == depth + 1 ? at : GUTTER_NONE;
}

/* Finds the loop at `depth` of each row. A line of source is in a loop if both its neighbours are.
 */
static void find_loops(const struct gutter *gutter, const struct plumb_flow *flow, unsigned depth,
		       uint32_t *loops)
{
	uint32_t next = GUTTER_NONE;

	for (size_t i = gutter->count; i-- > 0;) {
		if (gutter->rows[i].instruction != GUTTER_NONE)
			next = loop_at(flow, &gutter->rows[i], depth);
		loops[i] = next;
	}
	for (size_t i = 0; i < gutter->count; i++)
		if (gutter->rows[i].instruction == GUTTER_NONE &&
		    (i == 0 || loops[i - 1] != loops[i]))
			loops[i] = GUTTER_NONE;
}

/* Draws boxes around neighbouring rows of the same loop. */
static void draw_boxes(struct gutter *gutter, const struct plumb_flow *flow)
{
	uint32_t *loops = memory_resize(NULL, gutter->count + 1, sizeof(*loops));

	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		find_loops(gutter, flow, depth, loops);
		for (size_t i = 0; i < gutter->count; i++) {
			bool up = i > 0 && loops[i - 1] == loops[i];
			bool down = i + 1 < gutter->count && loops[i + 1] == loops[i];

			if (loops[i] == GUTTER_NONE)
				continue;
			gutter->boxes[i * DEPTH_MAX + depth] =
				(uint8_t)(BOX | (up ? UP : 0) | (down ? DOWN : 0));
			gutter->depth = depth + 1;
		}
	}
	free(loops);
}

struct gutter *gutter_new(const struct gutter_row *rows, size_t count,
			  const struct plumb_flow *flow)
{
	struct gutter *gutter = memory_resize(NULL, 1, sizeof(*gutter));

	*gutter = (struct gutter){.rows = rows, .count = count};
	gutter->cells = memory_given(calloc(count + 1, LANES_MAX));
	gutter->heads = memory_given(calloc(count + 1, 1));
	gutter->boxes = memory_given(calloc(count + 1, DEPTH_MAX));
	draw_arrows(gutter);
	if (flow)
		draw_boxes(gutter, flow);
	return gutter;
}

void gutter_free(struct gutter *gutter)
{
	if (!gutter)
		return;
	free(gutter->cells);
	free(gutter->heads);
	free(gutter->boxes);
	free(gutter);
}

size_t gutter_width(const struct gutter *gutter)
{
	return gutter->depth + (gutter->depth != 0) + gutter->lanes + (gutter->lanes != 0);
}

void gutter_print(const struct gutter *gutter, size_t row, struct output *out)
{
	static const char *const lines[] = {
		[0] = " ",
		[UP] = "│",
		[DOWN] = "│",
		[UP | DOWN] = "│",
		[LEFT | RIGHT] = "─",
		[DOWN | RIGHT] = "┌",
		[UP | RIGHT] = "└",
		[UP | DOWN | RIGHT] = "├",
		[DOWN | LEFT | RIGHT] = "┬",
		[UP | LEFT | RIGHT] = "┴",
		[UP | DOWN | LEFT | RIGHT] = "┼",
	};
	static const char *const ascii[] = {
		[0] = " ",
		[UP] = "|",
		[DOWN] = "|",
		[UP | DOWN] = "|",
		[LEFT | RIGHT] = "-",
		[DOWN | RIGHT] = "+",
		[UP | RIGHT] = "+",
		[UP | DOWN | RIGHT] = "+",
		[DOWN | LEFT | RIGHT] = "+",
		[UP | LEFT | RIGHT] = "+",
		[UP | DOWN | LEFT | RIGHT] = "+",
	};
	static const char *const boxes[] = {[0] = " ",
					    [BOX] = "[",
					    [BOX | UP] = "╙",
					    [BOX | DOWN] = "╓",
					    [BOX | UP | DOWN] = "║"};
	static const char *const plain[] = {[0] = " ",
					    [BOX] = "[",
					    [BOX | UP] = "\\",
					    [BOX | DOWN] = "/",
					    [BOX | UP | DOWN] = "|"};
	const char *const *draws = out->utf8 ? lines : ascii;

	for (unsigned depth = 0; depth < gutter->depth; depth++)
		fputs((out->utf8 ? boxes : plain)[gutter->boxes[row * DEPTH_MAX + depth]],
		      out->stream);
	if (gutter->depth)
		fputc(' ', out->stream);
	for (unsigned lane = gutter->lanes; lane-- > 0;)
		fputs(draws[*cell_of(gutter, row, lane)], out->stream);
	if (!gutter->lanes)
		return;
	switch (gutter->heads[row]) {
	case 1:
		fputs(out->utf8 ? "►" : ">", out->stream);
		break;
	case 2:
		fputs(out->utf8 ? "─" : "-", out->stream);
		break;
	default:
		fputc(' ', out->stream);
	}
}
