/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a function: its lines of source and instructions, with what is known about each. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/annotation.h"
#include "render/cause_names.h"
#include "render/figures.h"
#include "render/fit.h"
#include "render/gutter.h"
#include "tool/join.h"
#include "tool/memory.h"
#include "tool/wrap.h"

/* A smaller share is printed as 0.00%. */
#define SHOWN_LEAST 0.00005

/* Columns that causes get at least: "backen…_load 93%". */
#define CAUSE_LEAST 16

/* Columns of instructions that stay, so that there is room for causes: "ldr     x1, [x2, #24". */
#define TEXT_LEAST 20

/* ---- Columns --------------------------------------------------------------------------------- */

enum column { SHARE, INTERVAL, COUNT, LATENCY, MISSES, MISPREDICTED, CAUSE, COST, COLUMNS };
/* What else may give way where there is no room: ends of instructions, and the gutter. */
enum { TEXT = COLUMNS, ARROWS };

struct columns {
	bool shown[COLUMNS];
	int widths[COLUMNS];
	int address;
	int text; /* of an instruction, if something comes after it */
	bool arrows;
};

static const char *const headings[COLUMNS] = {
	[SHARE] = "SHARE",   [INTERVAL] = "± 95 %",   [COUNT] = "COUNT", [LATENCY] = "LATENCY",
	[MISSES] = "MISSES", [MISPREDICTED] = "MISP", [CAUSE] = "CAUSE", [COST] = "CYCLES PORTS",
};

static const char *heading_of(const struct annotated *function, enum column column)
{
	struct plumb_annotation_summary summary;

	plumb_annotation_summary(function->view->annotation, &summary);
	if (column == COUNT && summary.basis != PLUMB_BASIS_SLOTS)
		return "SAMPLES";
	if (column == INTERVAL && function->view->pen != pen_with_lines())
		return "+- 95 %";
	return headings[column];
}

/* Expands tabs; texts have one, after the mnemonic. */
static int text_width(const struct plumb_disassembly *text)
{
	const char *tab = strchr(text->text, '\t');
	size_t mnemonic = tab ? (size_t)(tab - text->text) : strlen(text->text);

	if (!tab)
		return (int)mnemonic;
	return (int)((mnemonic < 7 ? 7 : mnemonic) + 1 + strlen(tab + 1));
}

/* Nothing, if the share is exact, or unknown and too small to be printed. */
static char *interval_of(const struct annotated *function, double share, double low, double high)
{
	const bool is_shown = share > 0 && annotation_has_intervals(function->view) &&
			      !(isnan(low) && share < SHOWN_LEAST);

	return is_shown ? annotation_interval(function->view, low, high) : memory_copy("", 0);
}

static char *cell(const struct annotated *function,
		  const struct plumb_annotated_instruction *instruction, enum column column)
{
	struct plumb_annotation_summary summary;
	struct plumb_cost cost;

	plumb_annotation_summary(function->view->annotation, &summary);
	switch (column) {
	case SHARE:
		return instruction->weight > 0 ? memory_format("%.2f%%", 100 * instruction->share)
					       : memory_copy("", 0);
	case INTERVAL:
		return interval_of(function, instruction->share, instruction->low,
				   instruction->high);
	case COUNT: {
		uint64_t count = summary.basis == PLUMB_BASIS_SLOTS ? instruction->executions
								    : instruction->samples;

		return count ? figure_count(NULL, (double)count) : memory_copy("", 0);
	}
	case LATENCY:
		return isnan(instruction->total_latency)
			       ? memory_copy("", 0)
			       : memory_format("%.1f", instruction->total_latency);
	case MISSES:
		return instruction->accesses
			       ? memory_format("%.1f%%", 100.0 * (double)instruction->misses /
								 (double)instruction->accesses)
			       : memory_copy("", 0);
	case MISPREDICTED:
		return instruction->branches
			       ? memory_format("%.1f%%",
					       100.0 * (double)instruction->mispredictions /
						       (double)instruction->branches)
			       : memory_copy("", 0);
	case CAUSE:
		if (!instruction->cause_count || instruction->weight <= 0)
			return memory_copy("", 0);
		return memory_format("%s %.0f%%", cause_shown(instruction->causes[0].name),
				     100 * instruction->causes[0].share);
	case COST:
		if (!function->view->core || !function->code->words ||
		    !plumb_cost_of(function->view->core, instruction->word, &cost))
			return memory_copy("", 0);
		return memory_format("%3u %s", cost.latency, cost.ports);
	case COLUMNS:
		break;
	}
	return memory_copy("", 0);
}

static void measure(const struct annotated *function, struct columns *columns)
{
	const struct plumb_annotated_code *code = function->code;
	char address[24];

	*columns = (struct columns){.arrows = true};
	for (size_t i = 0; i < code->count; i++) {
		const struct plumb_annotated_instruction *instruction = &code->instructions[i];
		struct plumb_disassembly text;
		int width = snprintf(address, sizeof(address), "%" PRIx64,
				     instruction->virtual_address);

		for (unsigned c = 0; c < COLUMNS; c++) {
			char *value = cell(function, instruction, c);
			int length = (int)wrap_columns(value, strlen(value));

			if (length > columns->widths[c])
				columns->widths[c] = length;
			columns->shown[c] |= length != 0;
			free(value);
		}
		if (width > columns->address)
			columns->address = width;
		annotation_instruction(function->view, instruction, &text);
		width = text_width(&text);
		/* Few instructions are longer; they push their costs to the right. */
		if (width > columns->text && width <= 36)
			columns->text = width;
	}
	for (unsigned c = 0; c < COLUMNS; c++) {
		const char *heading = heading_of(function, c);
		int length = (int)wrap_columns(heading, strlen(heading));

		if (columns->shown[c] && length > columns->widths[c])
			columns->widths[c] = length;
	}
	/* Lines of source have shares, too. */
	columns->shown[SHARE] = true;
	if (columns->widths[SHARE] < 7)
		columns->widths[SHARE] = 7;
}

static unsigned width_of(const struct columns *columns, const struct gutter *gutter)
{
	unsigned width = (unsigned)(columns->address + 2 + columns->text);

	if (columns->arrows)
		width += gutter_width(gutter);
	for (unsigned c = 0; c < COLUMNS; c++)
		if (columns->shown[c])
			width += (unsigned)columns->widths[c] + 2;
	return width;
}

/* Makes the column of causes as narrow as the others require, but not narrower than its least. */
static void fit_causes(struct columns *columns, const struct gutter *gutter, int causes,
		       unsigned width)
{
	unsigned others;

	columns->widths[CAUSE] = 0;
	others = width_of(columns, gutter);
	columns->widths[CAUSE] = causes;
	if (!columns->shown[CAUSE] || causes <= CAUSE_LEAST || others + (unsigned)causes <= width)
		return;
	columns->widths[CAUSE] = others + CAUSE_LEAST < width ? (int)(width - others) : CAUSE_LEAST;
}

/* Makes room for the least of causes at the ends of instructions, but leaves these their least. */
static void fit_text(struct columns *columns, const struct gutter *gutter, int width)
{
	const int over = (int)width_of(columns, gutter) - width;

	if (over > 0 && columns->text > TEXT_LEAST)
		columns->text =
			columns->text - over > TEXT_LEAST ? columns->text - over : TEXT_LEAST;
}

/*
 * Leaves out columns that a narrow terminal has no room for, and says which. Causes are shortened
 * before a column other than that of the costs is left out, and get what it leaves. The ends of
 * instructions and the arrows give way before causes, which are what annotations are read for.
 */
static void fit(struct output *out, const struct annotated *function, struct columns *columns,
		const struct gutter *gutter)
{
	static const uint8_t order[] = {COST, MISPREDICTED, MISSES, INTERVAL, LATENCY,
					TEXT, ARROWS,       COUNT,  CAUSE};
	const int causes = columns->widths[CAUSE];
	struct join names = {0};
	char *text;

	if (!output_is_narrow(out))
		return;
	for (size_t i = 0; i < sizeof(order); i++) {
		fit_causes(columns, gutter, causes, i ? out->width : UINT_MAX);
		if (width_of(columns, gutter) <= out->width)
			break;
		if (order[i] == TEXT) {
			fit_text(columns, gutter, (int)out->width);
		} else if (order[i] == ARROWS && columns->arrows && gutter_width(gutter)) {
			columns->arrows = false;
			join_add(&names, "ARROWS");
		} else if (order[i] < COLUMNS && columns->shown[order[i]]) {
			columns->shown[order[i]] = false;
			join_add(&names, heading_of(function, order[i]));
		}
	}
	text = join_take(&names);
	if (*text)
		output_no_room(out, 0, text);
	free(text);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A row of the display: an instruction, or a line of source. */
struct row {
	const struct plumb_annotated_instruction *instruction;
	const struct plumb_annotated_line *line;
};

/* Prints the arrows of a row, if there is room for them. Returns their columns. */
static size_t print_gutter(struct output *out, const struct columns *columns,
			   const struct gutter *gutter, size_t number)
{
	if (!columns->arrows)
		return 0;
	gutter_print(gutter, number, out);
	return gutter_width(gutter);
}

/* Prints an instruction from `column` on. */
static void print_code(struct output *out, const struct annotated *function,
		       const struct columns *columns, size_t column,
		       const struct plumb_annotated_instruction *instruction)
{
	struct plumb_disassembly text;
	const char *tab;
	char *code, *cost;
	size_t end;

	annotation_instruction(function->view, instruction, &text);
	tab = strchr(text.text, '\t');
	code = tab ? memory_format("%-7.*s %s", (int)(tab - text.text), text.text, tab + 1)
		   : memory_copy(text.text, strlen(text.text));
	end = fit_cut(out, STYLE_PLAIN, column, code, strlen(code));
	free(code);
	cost = cell(function, instruction, COST);
	if (*cost && columns->shown[COST]) {
		const int width = text_width(&text);
		const size_t blanks = width < columns->text ? (size_t)(columns->text - width) : 0;
		char *padded = memory_format("  %s", cost);

		output_spaces(out, blanks);
		fit_cut(out, STYLE_DIM, end + blanks, padded, strlen(padded));
		free(padded);
	}
	free(cost);
}

/* Returns a cause and its share, "NAME 93%", whose name is shortened to fit; the caller frees it.
 */
static char *short_cause(const struct output *out, const char *cause, size_t room)
{
	const char *share = strrchr(cause, ' ');
	char *name, *shorter, *text;

	if (!share || wrap_columns(cause, strlen(cause)) <= room || strlen(share) >= room)
		return fit_short_name(out, cause, room);
	name = memory_copy(cause, (size_t)(share - cause));
	shorter = fit_short_name(out, name, room - strlen(share));
	text = memory_format("%s%s", shorter, share);
	free(shorter);
	free(name);
	return text;
}

/* Prints the value of a column, and the blanks between it and the next. */
static void print_value(struct output *out, enum style style, const struct columns *columns,
			enum column column, const char *value)
{
	const size_t room = (size_t)columns->widths[column];
	char *fitting = column == CAUSE ? short_cause(out, value, room) : NULL;
	const char *text = fitting ? fitting : value;
	const size_t blanks = room - wrap_columns(text, strlen(text));

	output_spaces(out, column == CAUSE ? 0 : blanks);
	output_text(out, style, text);
	output_spaces(out, 2 + (column == CAUSE ? blanks : 0));
	free(fitting);
}

static void print_instruction(struct output *out, const struct annotated *function,
			      const struct columns *columns, const struct gutter *gutter,
			      size_t number, const struct row *row)
{
	const struct plumb_annotated_instruction *instruction = row->instruction;
	size_t column = (size_t)columns->address + 2;
	char *value;

	for (unsigned c = 0; c < COST; c++) {
		if (!columns->shown[c])
			continue;
		value = cell(function, instruction, c);
		print_value(out, c == SHARE ? annotation_style(instruction->share) : STYLE_PLAIN,
			    columns, c, value);
		column += (size_t)columns->widths[c] + 2;
		free(value);
	}
	column += print_gutter(out, columns, gutter, number);
	output_format(out, STYLE_DIM, "%*" PRIx64, columns->address, instruction->virtual_address);
	output_spaces(out, 2);
	if (function->code->words)
		print_code(out, function, columns, column, instruction);
	fputc('\n', out->stream);
}

static void print_line(struct output *out, const struct annotated *function,
		       const struct columns *columns, const struct gutter *gutter, size_t number,
		       const struct row *row, struct source_text *texts)
{
	const struct plumb_annotated_line *line = row->line;
	size_t width = 0;
	char *value;

	for (unsigned c = 0; c < COST; c++) {
		if (!columns->shown[c])
			continue;
		if (c == INTERVAL)
			value = interval_of(function, line->share, line->low, line->high);
		else if (c == SHARE && line->weight > 0)
			value = memory_format("%.2f%%", 100 * line->share);
		else
			value = memory_copy("", 0);
		print_value(out, c == SHARE ? annotation_style(line->share) : STYLE_PLAIN, columns,
			    c, value);
		width += (size_t)columns->widths[c] + 2;
		free(value);
	}
	width += print_gutter(out, columns, gutter, number);
	annotation_source(out, width, texts, line, true);
}

static void print_headings(struct output *out, const struct annotated *function,
			   const struct columns *columns, const struct gutter *gutter)
{
	for (unsigned c = 0; c < COST; c++) {
		if (!columns->shown[c])
			continue;
		print_value(out, STYLE_HEADING, columns, c, heading_of(function, c));
	}
	output_spaces(out, columns->arrows ? gutter_width(gutter) : 0);
	output_format(out, STYLE_HEADING, "%*s", columns->address,
		      columns->address >= 7 ? "ADDRESS" : "");
	output_format(out, STYLE_HEADING, "  %-*s", columns->shown[COST] ? columns->text : 0,
		      "INSTRUCTION");
	if (columns->shown[COST])
		output_format(out, STYLE_HEADING, "  %s", headings[COST]);
	fputc('\n', out->stream);
}

/* Lists the rows by line, each line before its instructions, or by address. */
static struct row *list_rows(const struct annotated *function, size_t *count)
{
	const struct plumb_annotated_code *code = function->code;
	struct row *rows = memory_resize(NULL, code->count + code->line_count + 1, sizeof(*rows));

	*count = 0;
	for (size_t i = 0; function->view->by_address && i < code->count; i++)
		rows[(*count)++] = (struct row){.instruction = &code->instructions[i]};
	for (size_t l = 0; !function->view->by_address && l < code->line_count; l++) {
		const struct plumb_annotated_line *line = &code->lines[l];

		rows[(*count)++] = (struct row){.line = line};
		for (uint32_t i = line->first; i < line->first + line->count; i++)
			rows[(*count)++] =
				(struct row){.instruction = &code->instructions[code->order[i]]};
	}
	return rows;
}

static struct gutter_row *gutter_rows(const struct plumb_annotated_code *code,
				      const struct row *rows, size_t count)
{
	struct gutter_row *made = memory_resize(NULL, count + 1, sizeof(*made));

	for (size_t i = 0; i < count; i++) {
		const struct plumb_annotated_instruction *instruction = rows[i].instruction;
		struct plumb_branch branch;

		made[i] = (struct gutter_row){GUTTER_NONE, GUTTER_NONE};
		if (!instruction)
			continue;
		made[i].instruction = (uint32_t)(instruction - code->instructions);
		if (!code->words)
			continue;
		branch = plumb_branch_of(instruction->address, instruction->word);
		if (branch.has_target && branch.kind != PLUMB_BRANCH_CALL &&
		    branch.target >= code->instructions[0].address &&
		    (branch.target - code->instructions[0].address) / 4 < code->count)
			made[i].target =
				(uint32_t)((branch.target - code->instructions[0].address) / 4);
	}
	return made;
}

static void print_function(struct output *out, const char *name)
{
	char *text = memory_format("In %s:", name);

	fit_name(out, STYLE_DIM, 0, 3, text);
	free(text);
}

void annotation_rows(struct output *out, const struct annotated *function)
{
	const struct plumb_annotated_code *code = function->code;
	struct source_text *texts = source_text_new();
	const char *inlined = NULL;
	struct gutter_row *drawn;
	struct gutter *gutter;
	struct columns columns;
	struct row *rows;
	size_t count;

	measure(function, &columns);
	rows = list_rows(function, &count);
	drawn = gutter_rows(code, rows, count);
	gutter = gutter_new(drawn, count, function->flow);
	fit(out, function, &columns, gutter);
	print_headings(out, function, &columns, gutter);
	for (size_t i = 0; i < count; i++) {
		const struct plumb_annotated_line *line = rows[i].line;

		if (line && line->function && (!inlined || strcmp(inlined, line->function) != 0)) {
			if (inlined ||
			    strcmp(line->function, plumb_symbol_name(code->function.symbol)) != 0)
				print_function(out, line->function);
			inlined = line->function;
		}
		if (line)
			print_line(out, function, &columns, gutter, i, &rows[i], texts);
		else
			print_instruction(out, function, &columns, gutter, i, &rows[i]);
	}
	gutter_free(gutter);
	free(drawn);
	free(rows);
	source_text_free(texts);
}
