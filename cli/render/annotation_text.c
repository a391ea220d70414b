/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/annotation.h"
#include "render/figures.h"
#include "render/fit.h"
#include "render/source_text.h"
#include "tool/memory.h"
#include "tool/wrap.h"

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

bool annotation_has_intervals(const struct annotation_view *view)
{
	struct plumb_annotation_summary summary;

	plumb_annotation_summary(view->annotation, &summary);
	return summary.windows || summary.basis != PLUMB_BASIS_SLOTS;
}

char *annotation_interval(const struct annotation_view *view, double low, double high)
{
	const char *about = view->pen->about;

	return isnan(low) ? memory_format("%s?", about)
			  : memory_format("%s%.2f", about, 50 * (high - low));
}

enum style annotation_style(double share)
{
	return share >= 0.1 ? STYLE_BAD : share >= 0.01 ? STYLE_WARNING : STYLE_PLAIN;
}

void annotation_source(struct output *out, size_t column, struct source_text *texts,
		       const struct plumb_annotated_line *line, bool indented)
{
	char *name = annotation_line_name(line), *expanded;
	const char *shown = line->file ? name : "no source line is known", *text = NULL;
	size_t length = 0, used = 0;

	if (line->file) {
		char *path = annotation_line_path(line);

		text = source_text_line(texts, path, line->line, &length);
		free(path);
	}
	column = fit_cut(out, STYLE_NAME, column, shown, strlen(shown)) + 2;
	free(name);
	if (text && (!out->terminal || column < out->width)) {
		const char *from;

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
		/* What has no room loses its indentation first. */
		from = expanded;
		while (used && *from == ' ' &&
		       (!indented ||
			(out->terminal && wrap_columns(from, used) > out->width - column)))
			from++, used--;
		output_spaces(out, 2);
		fit_cut(out, STYLE_HEADING, column, from, used);
		free(expanded);
	}
	fputc('\n', out->stream);
}

/* ---- The summary ----------------------------------------------------------------------------- */

/* What a title says behind the name; the caller frees it. */
static char *title_text(const struct annotated *function)
{
	const struct annotation_view *view = function->view;
	const struct plumb_annotated_function *f = &function->code->function;
	struct plumb_annotation_summary summary;
	char *samples, *whole, *text, *interval;

	plumb_annotation_summary(view->annotation, &summary);
	samples = figure_count(NULL, (double)summary.samples);
	switch (summary.basis) {
	case PLUMB_BASIS_SLOTS:
		whole = summary.windows
				? memory_format(
					  "all slots%s, estimated from %llu windows of the model",
					  view->filtered ? " that match" : "",
					  (unsigned long long)summary.windows)
				: memory_format("all slots%s, counted exactly by the model",
						view->filtered ? " that match" : "");
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
	interval = summary.windows || !isnan(f->low) ? annotation_interval(view, f->low, f->high)
						     : memory_copy("", 0);
	text = memory_format(" in %s: %.2f%%%s%s of %s", plumb_symbol_file_name(f->file),
			     100 * f->share, *interval ? " " : "", interval, whole);
	free(interval);
	free(samples);
	free(whole);
	return text;
}

static void print_title(struct output *out, const struct annotated *function)
{
	const struct annotation_view *view = function->view;
	const char *name = plumb_symbol_name(function->code->function.symbol);
	char *text = title_text(function);
	size_t column;

	column = fit_flow(out, STYLE_HEADING, 0, 2, name);
	fit_flow(out, STYLE_PLAIN, column, 2, text);
	fputc('\n', out->stream);
	free(text);
	if (!view->core)
		return;
	text = memory_format("Costs: cycles and ports of each instruction on %s",
			     plumb_cost_core_name(view->core));
	fit_prose(out, STYLE_PLAIN, 0, 2, text);
	free(text);
}

/* Prints what comes before a line's name in the list of lines. Returns its columns. */
static size_t print_figures(struct output *out, const struct annotated *function, size_t rank)
{
	const struct plumb_annotated_line *line = &function->code->lines[function->ranking[rank]];
	size_t column = 9;

	output_format(out, annotation_style(line->share), "%6.2f%%", 100 * line->share);
	output_spaces(out, 2);
	if (!isnan(line->low))
		column += (size_t)fprintf(out->stream, "%c%5.2f..%-6.2f ",
					  annotation_line_is_uncertain(function, rank) ? '~' : ' ',
					  100 * line->low, 100 * line->high);
	else if (annotation_has_intervals(function->view))
		column += (size_t)fprintf(out->stream, "%6s%9s", "?", "");
	if (function->view->show_samples) {
		char *samples = figure_count(NULL, (double)line->samples);

		column += (size_t)fprintf(out->stream, "%9s  ", samples);
		free(samples);
	}
	return column;
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
		annotation_source(out, print_figures(out, function, i), texts, line, false);
		uncertain |= annotation_line_is_uncertain(function, i);
	}
	if (uncertain)
		fit_prose(out, STYLE_PLAIN, 0, 2,
			  "~ The interval overlaps that of the line above or below: either may "
			  "have the larger share.");
	plumb_annotation_summary(view->annotation, &summary);
	if (summary.replayed)
		fit_prose(out, STYLE_PLAIN, 0, 0,
			  "Intervals allow for the usual errors of estimated slots; some are "
			  "further off.");
	else if (summary.basis == PLUMB_BASIS_LATENCY)
		fit_prose(out, STYLE_PLAIN, 0, 0,
			  view->by_filter
				  ? "Shares are of the latencies of records that match, which "
				    "overlap: they are not of time, and those of two filters do "
				    "not add up."
				  : "Shares are of latencies, which overlap: they are not of "
				    "time.");
	source_text_free(texts);
}

/*
 * Returns "file.c:12..14" for a loop: the lines of its instructions in the header's file. NULL:
 * they are unknown. The caller frees it.
 */
static char *loop_lines(const struct annotated *function, size_t loop,
			const struct plumb_loop *header)
{
	const struct plumb_annotated_code *code = function->code;
	const struct plumb_annotated_line *first = NULL;
	struct plumb_block block;
	unsigned low = 0, high = 0;
	char *name, *text;

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
		return NULL;
	name = annotation_line_name(
		&(struct plumb_annotated_line){.file = first->file, .line = low});
	if (high <= low)
		return name;
	text = memory_format("%s..%u", name, high);
	free(name);
	return text;
}

/* Writes more about a loop, on a terminal in lines of their own if there is no room. Takes it. */
static size_t print_more(struct output *out, enum style style, size_t column, size_t indent,
			 char *text)
{
	if (!text)
		return column;
	if (!out->terminal) {
		output_format(out, style, "  %s", text);
	} else {
		if (output_fits(out, column + 2 + wrap_columns(text, strlen(text)))) {
			output_spaces(out, 2);
			column += 2;
		} else {
			fputc('\n', out->stream);
			column = 0;
		}
		column = output_flow(out, style, column, indent, text);
	}
	free(text);
	return column;
}

static void print_loop(struct output *out, const struct annotated *function, size_t l,
		       const struct plumb_loop *loop, double share)
{
	const size_t indent = 7 + 2 * (size_t)loop->depth;
	struct plumb_block block;
	size_t column;

	output_format(out, annotation_style(share), "%6.2f%%", 100 * share);
	output_spaces(out, indent - 7);
	plumb_flow_block(function->flow, loop->header, &block);
	column =
		indent + (size_t)fprintf(out->stream, "%" PRIx64,
					 function->code->instructions[block.first].virtual_address);
	column = print_more(out, STYLE_NAME, column, indent + 2, loop_lines(function, l, loop));
	if (function->trips)
		print_more(out, STYLE_PLAIN, column, indent + 2,
			   annotation_trips(&function->trips[l]));
	fputc('\n', out->stream);
}

static void print_loops(struct output *out, const struct annotated *function)
{
	const struct plumb_annotated_code *code = function->code;
	struct plumb_block block;
	struct plumb_loop loop;
	double *shares;
	size_t count = 0;
	bool any = false;

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
	for (size_t l = 0; plumb_flow_loop(function->flow, l, &loop); l++) {
		if (shares[l] <= 0)
			continue;
		if (!any)
			help_section(out, "Loops");
		any = true;
		print_loop(out, function, l, &loop, shares[l]);
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
	annotation_rows(out, function);
	if (!function->code->words)
		fit_prose(out, STYLE_PLAIN, 0, 0,
			  "No AArch64 code of this function can be read; these are the addresses "
			  "with samples.");
}
