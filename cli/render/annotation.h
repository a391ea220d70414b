/* SPDX-License-Identifier: Apache-2.0 */
/* Prints annotated functions: source and instructions, with what a recording says about them. */
#ifndef RENDER_ANNOTATION_H
#define RENDER_ANNOTATION_H

#include <plumb/annotate.h>
#include <plumb/cost.h>
#include <plumb/disasm.h>
#include <plumb/flow.h>

#include "render/json.h"
#include "render/output.h"
#include "render/pen.h"
#include "render/source_text.h"

struct annotation_view {
	const struct pen *pen;
	struct plumb_annotation *annotation;
	struct plumb_disassembler *disassembler; /* NULL: prints words */
	const struct plumb_cost_core *core;      /* whose costs to show; NULL: none */
	const char *path;                        /* of the recording */
	bool modelled;                           /* the model made the recording */
	bool incomplete;                         /* its end is missing, or could not be read */
	bool by_address;                         /* instead of by line, without source */
	bool only_lines;                         /* without instructions */
	bool filtered;        /* only samples of instructions that do what a filter asks for */
	bool by_filter;       /* a filter leaves out samples */
	bool show_samples;    /* in the list of lines */
	size_t line_limit;    /* of the list of lines */
	double percent_limit; /* the least share of a listed line, in percent */
};

/* A function to print. */
struct annotated {
	const struct annotation_view *view;
	const struct plumb_annotated_code *code;
	const struct plumb_flow *flow;   /* NULL: the code is unknown */
	const struct plumb_trips *trips; /* of each loop; NULL: unknown */
	const size_t *ranking;           /* indexes of its lines, the heaviest first */
};

void annotation_text(struct output *out, const struct annotated *function);
/* Prints the code of a function: the part of annotation_text() for lines and instructions. */
void annotation_rows(struct output *out, const struct annotated *function);
/* Prints where a line is and its text, from `column` on, and ends the line. Without `indented`, the
 * text has lost the spaces it begins with. */
void annotation_source(struct output *out, size_t column, struct source_text *texts,
		       const struct plumb_annotated_line *line, bool indented);
/* Returns whether shares are estimates, which have intervals if there are enough samples. */
bool annotation_has_intervals(const struct annotation_view *view);
/* Returns "±1.23", the half of a share's interval in percent, or "±?". Free it. */
char *annotation_interval(const struct annotation_view *view, double low, double high);
/* Returns how to print a share: large ones stand out. */
enum style annotation_style(double share);
/* Prints a function, after all that the functions have in common if it is the first. */
void annotation_json_add(struct json_list *functions, const struct annotated *function);
/* Ends what annotation_json_add() printed, if anything. */
void annotation_json_end(struct json_list *functions);

/* Writes an instruction's text, or its number without a disassembler. */
void annotation_instruction(const struct annotation_view *view,
			    const struct plumb_annotated_instruction *instruction,
			    struct plumb_disassembly *text);
/* Tells whether the interval of the line at this rank overlaps that of a neighbour. */
bool annotation_line_is_uncertain(const struct annotated *function, size_t rank);
/* Returns a line's text as "file.c:12", or "?" if it is unknown. Free it. */
char *annotation_line_name(const struct plumb_annotated_line *line);
/* Returns the path of a line's file, which is known. Free it. */
char *annotation_line_path(const struct plumb_annotated_line *line);
/* Returns how a loop ran, such as "786,432 iterations, entered once", or NULL. Free it. */
char *annotation_trips(const struct plumb_trips *trips);

#endif
