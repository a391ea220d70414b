/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/annotation.h"
#include "render/figures.h"
#include "render/gutter.h"
#include "render/source_text.h"
#include "tool/join.h"
#include "tool/memory.h"

/* ---- Shared with JSON ------------------------------------------------------------------------ */

void annotation_instruction(const struct annotation_view *view,
			    const struct plumb_annotated_instruction *instruction,
			    struct plumb_disassembly *text)
{
	if (view->disassembler) {
		plumb_disassemble(view->disassembler, instruction->virtual_address,
				  instruction->word, text);
		return;
	}
	*text = (struct plumb_disassembly){0};
	snprintf(text->text, sizeof(text->text), ".word\t0x%08" PRIx32, instruction->word);
}

char *annotation_line_name(const struct plumb_annotated_line *line)
{
	const char *slash = line->file ? strrchr(line->file, '/') : NULL;

	if (!line->file)
		return memory_copy("?", 1);
	return memory_format("%s:%u", slash ? slash + 1 : line->file, line->line);
}

bool annotation_line_is_uncertain(const struct annotated *function, size_t rank)
{
	const struct plumb_annotated_code *code = function->code;
	const struct plumb_annotated_line *line = &code->lines[function->ranking[rank]], *other;

	for (size_t k = rank ? rank - 1 : rank + 1; k <= rank + 1 && k < code->line_count; k += 2) {
		other = &code->lines[function->ranking[k]];
		if (line->low <= other->high && other->low <= line->high)
			return true;
	}
	return false;
}

char *annotation_line_path(const struct plumb_annotated_line *line)
{
	if (line->folder && line->file[0] != '/')
		return memory_format("%s/%s", line->folder, line->file);
	return memory_copy(line->file, strlen(line->file));
}

char *annotation_trips(const struct plumb_trips *trips)
{
	char *count = figure_count(NULL, (double)trips->iterations), *entries, *text;

	if (!trips->iterations && !trips->entries)
		text = memory_copy("never executed", 14);
	else if (!trips->known || !trips->entries)
		text = memory_format("%s iteration%s", count, trips->iterations == 1 ? "" : "s");
	else if (trips->entries == 1)
		text = memory_format("%s iteration%s, entered once", count,
				     trips->iterations == 1 ? "" : "s");
	else {
		entries = figure_count(NULL, (double)trips->entries);
		text = memory_format("%s iterations, entered %s times: %.1f each", count, entries,
				     (double)trips->iterations / (double)trips->entries);
		free(entries);
	}
	free(count);
	return text;
}

/* ---- Columns --------------------------------------------------------------------------------- */

enum column { SHARE, COUNT, LATENCY, MISSES, MISPREDICTED, CAUSE, COST, COLUMNS };

struct columns {
	bool shown[COLUMNS];
	int widths[COLUMNS];
	int address;
	int text; /* of an instruction, if something comes after it */
};

static const char *const headings[COLUMNS] = {
	[SHARE] = "SHARE",       [COUNT] = "COUNT", [LATENCY] = "LATENCY",   [MISSES] = "MISSES",
	[MISPREDICTED] = "MISP", [CAUSE] = "CAUSE", [COST] = "CYCLES PORTS",
};

static const char *heading_of(const struct annotated *function, enum column column)
{
	struct plumb_annotation_summary summary;

	plumb_annotation_summary(function->view->annotation, &summary);
	if (column == COUNT && summary.basis != PLUMB_BASIS_SLOTS)
		return "SAMPLES";
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
		return memory_format("%s %.0f%%", instruction->causes[0].name,
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

	*columns = (struct columns){0};
	for (size_t i = 0; i < code->count; i++) {
		const struct plumb_annotated_instruction *instruction = &code->instructions[i];
		struct plumb_disassembly text;
		int width = snprintf(address, sizeof(address), "%" PRIx64,
				     instruction->virtual_address);

		for (unsigned c = 0; c < COLUMNS; c++) {
			char *value = cell(function, instruction, c);
			int length = (int)strlen(value);

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
		int length = (int)strlen(heading_of(function, c));

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
	unsigned width = gutter_width(gutter) + (unsigned)(columns->address + 2 + columns->text);

	for (unsigned c = 0; c < COLUMNS; c++)
		if (columns->shown[c])
			width += (unsigned)columns->widths[c] + 2;
	return width;
}

/* Leaves out columns that a narrow terminal has no room for, and says which. */
static void fit(struct output *out, const struct annotated *function, struct columns *columns,
		const struct gutter *gutter)
{
	static const uint8_t order[] = {COST, MISPREDICTED, MISSES, LATENCY, CAUSE, COUNT};
	struct join names = {0};
	char *text;

	if (!output_is_narrow(out))
		return;
	for (size_t i = 0; i < sizeof(order) && width_of(columns, gutter) > out->width; i++) {
		if (!columns->shown[order[i]])
			continue;
		columns->shown[order[i]] = false;
		join_add(&names, heading_of(function, order[i]));
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

static enum style style_of(double share)
{
	return share >= 0.1 ? STYLE_BAD : share >= 0.01 ? STYLE_WARNING : STYLE_PLAIN;
}

static void print_instruction(struct output *out, const struct annotated *function,
			      const struct columns *columns, const struct gutter *gutter,
			      size_t number, const struct row *row)
{
	const struct plumb_annotated_instruction *instruction = row->instruction;
	struct plumb_disassembly text;
	const char *tab;
	char *value;

	for (unsigned c = 0; c < COST; c++) {
		if (!columns->shown[c])
			continue;
		value = cell(function, instruction, c);
		output_format(out, c == SHARE ? style_of(instruction->share) : STYLE_PLAIN,
			      c == CAUSE ? "%-*s" : "%*s", columns->widths[c], value);
		output_spaces(out, 2);
		free(value);
	}
	gutter_print(gutter, number, out);
	output_format(out, STYLE_DIM, "%*" PRIx64, columns->address, instruction->virtual_address);
	output_spaces(out, 2);
	if (function->code->words) {
		annotation_instruction(function->view, instruction, &text);
		tab = strchr(text.text, '\t');
		output_format(out, STYLE_PLAIN, "%-7.*s",
			      tab ? (int)(tab - text.text) : (int)sizeof(text.text), text.text);
		if (tab)
			output_format(out, STYLE_PLAIN, " %s", tab + 1);
		value = cell(function, instruction, COST);
		if (*value && columns->shown[COST]) {
			int width = text_width(&text);

			output_spaces(out,
				      width < columns->text ? (size_t)(columns->text - width) : 0);
			output_format(out, STYLE_DIM, "  %s", value);
		}
		free(value);
	}
	fputc('\n', out->stream);
}

/* Prints the text of a line with tabs expanded. */
static void print_source(struct output *out, struct source_text *texts,
			 const struct plumb_annotated_line *line)
{
	char *name = annotation_line_name(line), *expanded;
	size_t length = 0, used = 0;
	const char *text = NULL;

	if (line->file) {
		char *path = annotation_line_path(line);

		text = source_text_line(texts, path, line->line, &length);
		free(path);
	}
	output_format(out, STYLE_NAME, "%s", line->file ? name : "no source line is known");
	free(name);
	if (text) {
		expanded = memory_alloc(8 * length + 1);
		for (size_t i = 0; i < length; i++)
			if (text[i] == '\t')
				do
					expanded[used++] = ' ';
				while (used % 8);
			else
				expanded[used++] = text[i];
		while (used && expanded[used - 1] == ' ')
			used--;
		output_spaces(out, 2);
		output_bytes(out, STYLE_HEADING, expanded, used);
		free(expanded);
	}
	fputc('\n', out->stream);
}

static void print_line(struct output *out, const struct columns *columns,
		       const struct gutter *gutter, size_t number, const struct row *row,
		       struct source_text *texts)
{
	size_t width = 0;

	if (row->line->weight > 0)
		output_format(out, style_of(row->line->share), "%*.2f%%",
			      columns->widths[SHARE] - 1, 100 * row->line->share);
	else
		output_spaces(out, (size_t)columns->widths[SHARE]);
	for (unsigned c = SHARE + 1; c < COST; c++)
		if (columns->shown[c])
			width += (size_t)columns->widths[c] + 2;
	output_spaces(out, 2 + width);
	gutter_print(gutter, number, out);
	print_source(out, texts, row->line);
}

static void print_headings(struct output *out, const struct annotated *function,
			   const struct columns *columns, const struct gutter *gutter)
{
	for (unsigned c = 0; c < COST; c++) {
		if (!columns->shown[c])
			continue;
		output_format(out, STYLE_HEADING, c == CAUSE ? "%-*s" : "%*s", columns->widths[c],
			      heading_of(function, c));
		output_spaces(out, 2);
	}
	output_spaces(out, gutter_width(gutter));
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
	output_format(out, STYLE_DIM, "In %s:", name);
	fputc('\n', out->stream);
}

static void print_rows(struct output *out, const struct annotated *function)
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
			print_line(out, &columns, gutter, i, &rows[i], texts);
		else
			print_instruction(out, function, &columns, gutter, i, &rows[i]);
	}
	gutter_free(gutter);
	free(drawn);
	free(rows);
	source_text_free(texts);
}

/* ---- The summary ----------------------------------------------------------------------------- */

/* What a title says behind the name; the caller frees it. */
static char *title_text(const struct annotated *function)
{
	const struct annotation_view *view = function->view;
	const struct plumb_annotated_function *f = &function->code->function;
	struct plumb_annotation_summary summary;
	char *samples, *whole, *text;

	plumb_annotation_summary(view->annotation, &summary);
	samples = figure_count(NULL, (double)summary.samples);
	switch (summary.basis) {
	case PLUMB_BASIS_SLOTS:
		whole = memory_format("all slots, counted exactly by the model");
		break;
	case PLUMB_BASIS_LATENCY:
		whole = memory_format("the %s of %s SPE records%s",
				      summary.replayed ? "estimated slots" : "latency", samples,
				      view->modelled ? " of the model" : "");
		break;
	case PLUMB_BASIS_EVENT:
	case PLUMB_BASIS_NONE:
	default:
		whole = memory_format("%s samples of %s%s", samples,
				      summary.event ? summary.event : "?",
				      view->modelled ? ", by the model" : "");
		break;
	}
	text = memory_format(" in %s: %.2f%% of %s", plumb_symbol_file_name(f->file),
			     100 * f->share, whole);
	free(samples);
	free(whole);
	return text;
}

static void print_title(struct output *out, const struct annotated *function)
{
	const struct annotation_view *view = function->view;
	const char *name = plumb_symbol_name(function->code->function.symbol);
	char *text = title_text(function);

	output_text(out, STYLE_HEADING, name);
	if (out->terminal)
		output_flow(out, STYLE_PLAIN, strlen(name), 2, text);
	else
		output_text(out, STYLE_PLAIN, text);
	fputc('\n', out->stream);
	free(text);
	if (view->core)
		fprintf(out->stream, "Costs: cycles and ports of each instruction on %s\n",
			plumb_cost_core_name(view->core));
}

/* Prints what comes before a line's name in the list of lines. */
static void print_figures(struct output *out, const struct annotated *function, size_t rank)
{
	const struct plumb_annotated_line *line = &function->code->lines[function->ranking[rank]];

	output_format(out, style_of(line->share), "%6.2f%%", 100 * line->share);
	output_spaces(out, 2);
	if (!isnan(line->low)) {
		fprintf(out->stream, "%c%5.2f..%-6.2f",
			annotation_line_is_uncertain(function, rank) ? '~' : ' ', 100 * line->low,
			100 * line->high);
		output_spaces(out, 1);
	}
	if (function->view->show_samples) {
		char *samples = figure_count(NULL, (double)line->samples);

		fprintf(out->stream, "%9s", samples);
		output_spaces(out, 2);
		free(samples);
	}
}

static void print_lines(struct output *out, const struct annotated *function)
{
	const struct annotation_view *view = function->view;
	struct source_text *texts = source_text_new();
	struct plumb_annotation_summary summary;
	bool uncertain = false;

	help_section(out, "Lines");
	for (size_t i = 0; i < function->code->line_count && i < view->line_limit; i++) {
		const struct plumb_annotated_line *line =
			&function->code->lines[function->ranking[i]];

		if (line->weight <= 0 || 100 * line->share < view->percent_limit)
			break;
		print_figures(out, function, i);
		print_source(out, texts, line);
		uncertain |= annotation_line_is_uncertain(function, i);
	}
	if (uncertain)
		fputs("~ The interval overlaps that of the line above or below: either may have "
		      "the "
		      "larger share.\n",
		      out->stream);
	plumb_annotation_summary(view->annotation, &summary);
	if (summary.replayed)
		fputs("Intervals allow for the usual errors of estimated slots; some are "
		      "further off.\n",
		      out->stream);
	source_text_free(texts);
}

/* Prints "file.c:12..14" of a loop: the lines of its instructions in the header's file. */
static void print_loop_lines(struct output *out, const struct annotated *function, size_t loop,
			     const struct plumb_loop *header)
{
	const struct plumb_annotated_code *code = function->code;
	const struct plumb_annotated_line *first = NULL;
	struct plumb_block block;
	unsigned low = 0, high = 0;
	char *name;

	plumb_flow_block(function->flow, header->header, &block);
	for (size_t l = 0; l < code->line_count; l++)
		for (uint32_t i = code->lines[l].first;
		     i < code->lines[l].first + code->lines[l].count; i++) {
			const struct plumb_annotated_line *line = &code->lines[l];
			uint32_t instruction = code->order[i];

			if (!line->file ||
			    !plumb_flow_contains(function->flow, loop,
						 plumb_flow_block_of(function->flow, instruction)))
				continue;
			if (!first)
				first = line;
			if (strcmp(first->file, line->file) != 0 || !line->line)
				continue;
			low = !low || line->line < low ? line->line : low;
			high = line->line > high ? line->line : high;
		}
	if (!first)
		return;
	name = annotation_line_name(
		&(struct plumb_annotated_line){.file = first->file, .line = low});
	output_format(out, STYLE_NAME, "  %s", name);
	if (high > low)
		output_format(out, STYLE_NAME, "..%u", high);
	free(name);
}

static void print_loops(struct output *out, const struct annotated *function)
{
	const struct plumb_annotated_code *code = function->code;
	struct plumb_block block;
	struct plumb_loop loop;
	double *shares;
	size_t count = 0;

	if (!function->flow || !plumb_flow_loop(function->flow, 0, &loop))
		return;
	while (plumb_flow_loop(function->flow, count, &loop))
		count++;
	shares = memory_alloc(count * sizeof(*shares));
	for (size_t i = 0; i < code->count; i++)
		for (uint32_t b = plumb_flow_block_of(function->flow, i),
			      l = plumb_flow_block(function->flow, b, &block) ? block.loop
									      : PLUMB_FLOW_NONE;
		     plumb_flow_loop(function->flow, l, &loop); l = loop.parent)
			shares[l] += code->instructions[i].share;
	help_section(out, "Loops");
	for (size_t l = 0; plumb_flow_loop(function->flow, l, &loop); l++) {
		if (shares[l] <= 0)
			continue;
		output_format(out, style_of(shares[l]), "%6.2f%%", 100 * shares[l]);
		output_spaces(out, 2 * (size_t)loop.depth);
		plumb_flow_block(function->flow, loop.header, &block);
		fprintf(out->stream, "%" PRIx64, code->instructions[block.first].virtual_address);
		print_loop_lines(out, function, l, &loop);
		if (function->trips) {
			char *trips = annotation_trips(&function->trips[l]);

			fprintf(out->stream, "  %s", trips);
			free(trips);
		}
		fputc('\n', out->stream);
	}
	free(shares);
}

void annotation_text(struct output *out, const struct annotated *function)
{
	print_title(out, function);
	print_lines(out, function);
	if (function->view->only_lines)
		return;
	print_loops(out, function);
	help_section(out, "Code");
	print_rows(out, function);
	if (!function->code->words)
		fputs("No AArch64 code of this function can be read; these are the addresses with "
		      "samples.\n",
		      out->stream);
}
