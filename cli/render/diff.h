/* SPDX-License-Identifier: Apache-2.0 */
/* Prints comparisons: as text for people, as JSON and CSV for programs, and for CI systems. */
#ifndef RENDER_DIFF_H
#define RENDER_DIFF_H

#include "diff/diff.h"
#include "diff/gate.h"
#include "render/output.h"

/* How changes are shown, and in which order. */
enum diff_compute { DIFF_DELTA_ABS, DIFF_DELTA, DIFF_RATIO };
enum diff_order { DIFF_BY_CHANGE, DIFF_BY_BEFORE, DIFF_BY_AFTER, DIFF_BY_THE_NAME };

/* A comparison of the first side with one of the others. */
struct diff_result {
	struct diff *diff;
	struct gate_result *gates; /* one for each limit */
};

struct diff_report {
	const struct diff_side *before;
	const struct diff_result *results;
	size_t result_count;
	size_t gate_count;
	enum diff_compute compute;
	enum diff_order order;
	size_t limit;       /* rows of a table; 0: none */
	bool all;           /* also shows what is noise or small */
	bool baseline_only; /* only what the first side has */
	const char *commit; /* of the last side, for Otava; or NULL */
};

/* Returns how many gates failed: a limit without anything to compare counts, too. */
size_t diff_failures(const struct diff_report *report);

void diff_text(struct output *out, const struct diff_report *report);
void diff_json(struct output *out, const struct diff_report *report);
void diff_markdown(struct output *out, const struct diff_report *report);
void diff_junit(struct output *out, const struct diff_report *report);
/* Prints a row for each side, as Apache Otava's CSV importer reads them. */
void diff_otava(struct output *out, const struct diff_report *report);
/* Prints a row for each change, with a line of headings. */
void diff_separated(struct output *out, const struct diff_report *report, const char *separator);

/* ---- What the printers share: diff_words.c ----------------------------------------------------
 */

/* The changes of a view that the report shows, in its order. */
struct diff_rows {
	const struct diff_change **at;
	size_t count;
	size_t same, noise, small; /* how many are left out because of that */
	size_t more;               /* ... and beyond the limit */
};
struct diff_rows diff_rows(const struct diff_report *report, const struct diff *diff,
			   enum diff_view view);

/* Each returns a text to free. */

/* "+14.0 %", "+1.7 points", "x1.14"; "new" and "gone"; without samples "> x1.6", "< -40.0 %". */
char *diff_change_text(const struct diff_report *report, const struct diff_change *change);
/* A value in its unit: "29.5", "1,234". */
char *diff_value_text(const struct diff_change *change, double value);
/* Likewise the value of a side, "< 1,234" if it has no samples; and its share: "1.20 %". */
char *diff_side_text(const struct diff_change *change, size_t s);
char *diff_share_text(const struct diff_change *change, size_t s);
/* "exact", "p 0.0002, effect +1.00", "+3.1..+9.9 %", "unknown". */
char *diff_evidence(const struct diff_change *change);
/* The name, with what it was called before, what it is inlined in, and where a line is. */
char *diff_name_text(const struct diff_change *change);
/*
 * "CPU_CYCLES +14.0 %: +13.0 % in parse_line, backend_mem, line 212". `mark` stands for the
 * arguments of templates in a long name; with NULL, names are whole.
 */
char *diff_headline(const struct diff *diff, const char *mark);
/* "cycles:2%: failed: CPU_CYCLES +14.0 %, exact". */
char *diff_gate_text(const struct gate_result *result);

/* What limits the comparison, one sentence each, ended by NULL. Free each and the list. */
char **diff_notes(const struct diff_report *report, const struct diff *diff);
void diff_notes_free(char **notes);

#endif
