/* SPDX-License-Identifier: Apache-2.0 */
/* Prints tables for people: finds widths that fit, and wraps cells. */
#include <stdlib.h>
#include <string.h>

#include "render/fit.h"
#include "render/marks.h"
#include "render/pen.h"
#include "render/short_names.h"
#include "render/table.h"
#include "render/table_extras.h"
#include "render/table_rows.h"
#include "tool/join.h"
#include "tool/memory.h"
#include "tool/wrap.h"

#define NARROWEST 12 /* a wrapping column is not made narrower than this */
#define UNLIMITED (SIZE_MAX / 2)
#define TIGHTEST  4  /* but down to this where spare columns have been left out for it */
#define NAME_ROOM 18 /* what names are given before spare columns beside them are left out */

/* ---- Widths -----------------------------------------------------------------------------------
 */

static void measure_cells(const struct table *table, size_t *widths)
{
	for (size_t i = 0, c = 0; i < table->cell_count; i++) {
		const char *cell = table_shown(table->cells[i]);
		size_t columns = table->simple ? table->simple[i] : 0;

		if (!columns)
			columns = wrap_columns(cell, strlen(cell));
		if (columns > widths[c])
			widths[c] = columns;
		c = c + 1 < table->column_count ? c + 1 : 0;
	}
}

void table_measure(struct table *table)
{
	measure_cells(table, table->widest);
	table->measured = true;
}

/* Gives each column the width of its widest cell. */
static void measure(const struct table *table, size_t *widths)
{
	for (size_t c = 0; c < table->column_count; c++) {
		const char *heading = table->columns[c].heading;

		widths[c] = heading ? wrap_columns(heading, strlen(heading)) : 0;
		if (widths[c] < table->columns[c].least)
			widths[c] = table->columns[c].least;
		if (table->measured && widths[c] < table->widest[c])
			widths[c] = table->widest[c];
	}
	if (!table->measured)
		measure_cells(table, widths);
}

static bool may_wrap(const struct table_column *column, bool all)
{
	return column->wraps || column->drops || (all && !column->right);
}

/* Where a cell may be divided. */
enum division { AT_SPACES, WITHIN_NAMES, ANYWHERE, TIGHTLY, WITHIN_HEADINGS };

/* Returns the columns of the widest part of a cell, with its indent. */
static size_t widest_part(const char *cell, enum division division)
{
	size_t indent = strspn(cell, " "), widest = 0;

	for (cell += indent; *cell; cell += strspn(cell, " ")) {
		const char *part = cell;
		size_t columns;

		do
			cell++;
		while (*cell && *cell != ' ' &&
		       (division == AT_SPACES || !wrap_is_joint(part, (size_t)(cell - part))));
		columns = wrap_columns(part, (size_t)(cell - part));
		widest = columns > widest ? columns : widest;
	}
	return indent + widest;
}

/*
 * Finds how narrow each column may become. `within`: words are divided, too, where names are.
 */
static void measure_least(const struct table *table, enum division division, bool within,
			  size_t *least)
{
	for (size_t c = 0; c < table->column_count; c++)
		least[c] = division >= TIGHTLY ? TIGHTEST : NARROWEST;
	for (size_t c = 0; c < table->column_count && division == TIGHTLY; c++) {
		const char *heading = table->columns[c].heading;
		const size_t columns = heading ? widest_part(heading, AT_SPACES) : 0;

		least[c] = columns > TIGHTEST ? columns : TIGHTEST;
	}
	if (division > TIGHTLY)
		return;
	for (size_t i = 0, c = 0; i < table->cell_count; i++) {
		const bool words = table->columns[c].words;

		if (words || division < ANYWHERE) {
			const enum division at = !words   ? division
						 : within ? WITHIN_NAMES
							  : AT_SPACES;
			size_t columns = widest_part(table_shown(table->cells[i]), at);

			if (columns > least[c])
				least[c] = columns;
		}
		c = c + 1 < table->column_count ? c + 1 : 0;
	}
}

/*
 * Makes the widest of the columns that wrap narrower, a column at a time, until the row fits or all
 * are at their narrowest. With `all`, every column of text wraps. Returns whether it fits.
 */
static bool narrow(const struct table *table, size_t room, size_t *widths, bool all,
		   enum division division)
{
	size_t least[TABLE_COLUMNS_MAX] = {0}, total = 0;
	bool within = false; /* words are divided */

	for (size_t c = 0; c < table->column_count; c++)
		total += widths[c] ? widths[c] + TABLE_GAP : 0;
	room += TABLE_GAP;
	if (total > room)
		measure_least(table, division, division == TIGHTLY, least);
	for (size_t c = 0; c < table->column_count && total > room; c++)
		if (table->columns[c].words && widths[c] > least[c]) {
			total -= widths[c] - least[c];
			widths[c] = least[c];
		}
	while (total > room) {
		size_t widest = TABLE_COLUMNS_MAX, second, less;

		for (size_t c = 0; c < table->column_count; c++) {
			if (!may_wrap(&table->columns[c], all) || widths[c] <= least[c])
				continue;
			if (widest == TABLE_COLUMNS_MAX || widths[c] > widths[widest])
				widest = c;
		}
		if (widest == TABLE_COLUMNS_MAX) {
			if (within || !all || division < ANYWHERE)
				return false;
			within = true;
			measure_least(table, division, within, least);
			continue;
		}
		second = least[widest];
		for (size_t c = 0; c < table->column_count; c++)
			if (may_wrap(&table->columns[c], all) && c != widest && widths[c] > second)
				second = widths[c];
		/* Narrow it to the next widest at once, or by one if they are equal. */
		less = widths[widest] > second ? widths[widest] - second : 1;
		if (less > total - room)
			less = total - room;
		widths[widest] -= less;
		total -= less;
	}
	return true;
}

/* Adds the name of a column that is left out: with that of the one before it, if others have its
 * heading, too. */
static void add_heading(struct join *names, const struct table *table, size_t c)
{
	const char *heading = table->columns[c].heading;
	size_t alike = 0;
	char *name;

	for (size_t i = 0; heading && i < table->column_count; i++)
		alike += table->columns[i].heading &&
			 strcmp(table->columns[i].heading, heading) == 0;
	if (alike < 2 || c == 0) {
		join_add(names, heading ? heading : "");
		return;
	}
	name = memory_format("%s of %s", heading, table->columns[c - 1].heading);
	join_add(names, name);
	free(name);
}

/*
 * Chooses the spare columns that a row of `room` columns has no place for, so that names have. Adds
 * them to those that are left out already. Returns their headings, separated by commas, which the
 * caller frees; "" if there are none. `within`: words may be divided.
 */
static char *spare(const struct table *table, size_t room, bool within, bool *left_out)
{
	size_t widths[TABLE_COLUMNS_MAX] = {0}, words[TABLE_COLUMNS_MAX] = {0}, total = 0;
	bool chosen[TABLE_COLUMNS_MAX] = {false};
	struct join names = {0};

	measure(table, widths);
	measure_least(table, AT_SPACES, within, words);
	for (size_t c = 0; c < table->column_count; c++) {
		const struct table_column *column = &table->columns[c];
		const size_t name_room = column->room ? column->room : NAME_ROOM;

		if (column->words)
			widths[c] = words[c];
		else if (column->wraps && widths[c] > NARROWEST)
			widths[c] = NARROWEST;
		else if (!column->right && !column->spare && widths[c] > name_room)
			widths[c] = name_room;
		total += left_out[c] ? 0 : widths[c] + TABLE_GAP;
	}
	while (total > room + TABLE_GAP) {
		size_t next = TABLE_COLUMNS_MAX;

		for (size_t c = 0; c < table->column_count; c++)
			if (table->columns[c].spare && !left_out[c] &&
			    (next == TABLE_COLUMNS_MAX ||
			     table->columns[c].spare >= table->columns[next].spare))
				next = c;
		if (next == TABLE_COLUMNS_MAX)
			break;
		left_out[next] = chosen[next] = true;
		total -= widths[next] + TABLE_GAP;
	}
	for (size_t c = 0; c < table->column_count; c++)
		if (chosen[c])
			add_heading(&names, table, c);
	return join_take(&names);
}

/* Gives each column its width, without those that are left out, and those from `kept` on that drop.
 */
static void measure_kept(const struct table *table, size_t *widths, size_t kept,
			 const bool *left_out)
{
	measure(table, widths);
	for (size_t c = 0; c < table->column_count; c++)
		if (left_out[c] || (c >= kept && table->columns[c].drops))
			widths[c] = 0;
}

/* Finds widths that fit without the columns from `kept` on that drop; returns whether there are. */
static bool fit_kept(const struct table *table, size_t room, size_t *widths, size_t kept,
		     const bool *left_out)
{
	for (enum division division = AT_SPACES; division <= ANYWHERE; division++) {
		measure_kept(table, widths, kept, left_out);
		if (narrow(table, room, widths, false, division))
			return true;
	}
	return false;
}

/*
 * Finds widths that fit. Only where even the narrowest do not, leaves out columns that drop, the
 * last ones first; only where that is not enough, wraps names as well: `tightly` within their
 * words.
 */
static void fit(const struct table *table, size_t room, size_t *widths, const bool *left_out,
		bool tightly)
{
	size_t kept = table->column_count; /* columns after these have been left out if they drop */

	while (!fit_kept(table, room, widths, kept, left_out)) {
		while (kept > 0 && !table->columns[kept - 1].drops)
			kept--;
		if (kept == 0)
			break;
		kept--;
	}
	for (enum division division = WITHIN_NAMES;
	     kept == 0 && division <= (tightly ? WITHIN_HEADINGS : ANYWHERE); division++) {
		measure_kept(table, widths, 0, left_out);
		if (narrow(table, room, widths, true, division))
			return;
	}
}

/* ---- Rows -------------------------------------------------------------------------------------
 */

static bool has_spare(const struct table *table)
{
	for (size_t c = 0; c < table->column_count; c++)
		if (table->columns[c].spare)
			return true;
	return false;
}

/*
 * Returns the columns that cell `c` may take: those of its column, or all to the end of the line if
 * no cell follows it in the row, as in a heading.
 */
static size_t cell_room(const struct table *table, const struct output *out, size_t indent,
			const size_t *widths, const char *const *cells, size_t c)
{
	size_t start = indent;

	for (size_t next = c + 1; next < table->column_count; next++)
		if (widths[next] && cells[next][strspn(cells[next], " ")])
			return widths[c];
	for (size_t before = 0; before < c; before++)
		start += widths[before] ? widths[before] + TABLE_GAP : 0;
	return out->width > start + widths[c] ? out->width - start : widths[c];
}

/* Returns whether a column has names, which a terminal need not show in full. */
static bool has_names(const struct table_column *column)
{
	return !column->right && (column->style == STYLE_NAME || !(column->wraps || column->drops));
}

/*
 * Returns a cell that is not too tall for a terminal: a name behind branches takes one line,
 * with a mark for the outermost branches if there are many. Sets `*lead` to 0 for those. The caller
 * frees it.
 */
static char *fit_cell(const struct output *out, const struct table_column *column, const char *cell,
		      size_t *lead, size_t room)
{
	const struct pen *pen = pen_for_calls(out);
	const size_t begin = column->branches ? pen_branches(pen, cell) : 0;
	const size_t each = strlen(pen->none), most = room / 2 / each;
	const size_t count = wrap_columns(cell, begin) / each;
	const size_t lost = count > most && most ? count - most + 1 : 0;
	const size_t skipped = wrap_fit(cell, begin, lost * each);
	char *name, *text;

	if (!begin || !most)
		return fit_tall_name(out, cell + *lead, room - *lead);
	*lead = 0;
	/* At least half of it is for the name. */
	name = fit_short_name(out, cell + begin, room - each * (count - lost + (lost != 0)));
	text = memory_format("%s%.*s%s", lost ? pen->lost : "", (int)(begin - skipped),
			     cell + skipped, name);
	free(name);
	return text;
}

/* Prints one row, with as many lines as its tallest cell. */
static void print_row(const struct table *table, struct output *out, size_t indent,
		      const size_t *widths, const char *const *cells, bool heading)
{
	const char *rest[TABLE_COLUMNS_MAX];
	size_t leads[TABLE_COLUMNS_MAX] = {0}; /* a cell's own indent, which all its lines have */
	char *fitted[TABLE_COLUMNS_MAX] = {NULL};
	bool more = true, begun = false;

	for (size_t c = 0; c < table->column_count; c++) {
		leads[c] = table->columns[c].right ? 0 : strspn(cells[c], " ");
		if (leads[c] + NARROWEST > widths[c])
			leads[c] = 0;
		if (widths[c] && !heading && output_is_narrow(out) &&
		    has_names(&table->columns[c])) {
			const size_t room = cell_room(table, out, indent, widths, cells, c);

			/* What is behind branches depends on its depth alone, so that siblings
			 * align.
			 */
			if (table->columns[c].branches ||
			    wrap_columns(cells[c], strlen(cells[c])) > room)
				fitted[c] = fit_cell(out, &table->columns[c], cells[c], &leads[c],
						     room);
		}
		rest[c] = fitted[c] ? fitted[c] : cells[c] + leads[c];
	}

	while (more) {
		size_t pending = indent; /* spaces not yet written, so that no line ends with one */

		if (begun && table->mark && !heading)
			marks_more(out);
		begun = true;
		more = false;
		for (size_t c = 0; c < table->column_count; c++) {
			const struct table_column *column = &table->columns[c];
			struct wrap_line line = {0};

			if (widths[c] == 0)
				continue;
			if (!wrap_next(&rest[c],
				       cell_room(table, out, indent, widths, cells, c) - leads[c],
				       &line))
				line.length = 0;
			if (line.length > 0) {
				size_t taken = leads[c] + line.columns;
				size_t space = taken < widths[c] ? widths[c] - taken : 0;

				output_spaces(out,
					      pending + leads[c] + (column->right ? space : 0));
				output_bytes(out, heading ? STYLE_HEADING : column->style, line.at,
					     line.length);
				pending = column->right ? TABLE_GAP : space + TABLE_GAP;
			} else {
				pending += widths[c] + TABLE_GAP;
			}
			more = more || *rest[c];
		}
		fputc('\n', out->stream);
	}
	for (size_t c = 0; c < table->column_count; c++)
		free(fitted[c]);
}

static void mark_heading(const struct table *table, struct output *out, size_t indent,
			 const size_t *widths)
{
	struct mark_column columns[TABLE_COLUMNS_MAX];
	size_t count = 0;

	for (size_t c = 0; c < table->column_count; c++) {
		if (widths[c] == 0)
			continue;
		columns[count++] =
			(struct mark_column){(uint32_t)indent, (uint32_t)(indent + widths[c])};
		indent += widths[c] + TABLE_GAP;
	}
	marks_heading(out, columns, count);
}

/* Adds to names that are separated by commas. Takes the first. */
static char *add_name(char *names, const char *name)
{
	char *longer = memory_format("%s%s%s", names, *names ? ", " : "", name);

	free(names);
	return longer;
}

/* Returns whether names are given less than others before spare columns are left out. */
static bool gives_names_less(const struct table *table)
{
	for (size_t c = 0; c < table->column_count; c++)
		if (table->columns[c].room && table->columns[c].room < NARROWEST)
			return true;
	return false;
}

/* `lost` names what is left out already; "": nothing. */
static void print_fitting(const struct table *table, struct output *out, size_t indent,
			  bool *left_out, const char *lost)
{
	size_t widths[TABLE_COLUMNS_MAX] = {0};
	const char *cells[TABLE_COLUMNS_MAX];
	bool headings = false, tightly = false, simple;
	size_t room = out->width > indent ? out->width - indent : 1;
	size_t row = 0;
	char *names;

	if (output_is_narrow(out)) {
		names = spare(table, room, true, left_out);
		tightly = *names || gives_names_less(table);
		if (*lost)
			names = add_name(names, lost);
		if (*names)
			output_no_room(out, indent, names);
		free(names);
	} else if (has_spare(table)) {
		room = UNLIMITED;
	}
	fit(table, room, widths, left_out, tightly);
	for (size_t c = 0; c < table->column_count; c++) {
		cells[c] = table->columns[c].heading ? table->columns[c].heading : "";
		headings = headings || table->columns[c].heading;
	}
	simple = !table->mark && !out->color && !output_is_narrow(out);
	if (headings && table->mark)
		mark_heading(table, out, indent, widths);
	if (headings)
		print_row(table, out, indent, widths, cells, true);
	if (simple)
		row = table_print_many(table, out, indent, widths);
	for (size_t i = row * table->column_count; i + table->column_count <= table->cell_count;
	     i += table->column_count) {
		char line[TABLE_SIMPLE_ROOM];
		size_t length = 0;

		if (simple)
			length = table_write_simple(table, indent, widths, table->cells + i, line,
						    sizeof(line));
		if (length) {
			fwrite(line, 1, length, out->stream);
			continue;
		}
		for (size_t c = 0; c < table->column_count; c++)
			cells[c] = table_shown(table->cells[i + c]);
		if (table->mark)
			table->mark(table->user, out, row++);
		print_row(table, out, indent, widths, cells, false);
	}
}

/* Returns whether a row takes more columns than there are. */
static bool is_too_wide(const struct table *table, size_t room)
{
	size_t widths[TABLE_COLUMNS_MAX] = {0}, total = 0;

	measure(table, widths);
	for (size_t c = 0; c < table->column_count; c++)
		total += widths[c] + TABLE_GAP;
	return total > room + TABLE_GAP;
}

/* Returns whether spare columns have to be left out, or if not `within`, words to be divided. */
static bool is_short_of_room(const struct table *table, size_t room, bool within,
			     const bool *left_out)
{
	bool more_left_out[TABLE_COLUMNS_MAX] = {false}, any;
	char *names;

	memcpy(more_left_out, left_out, table->column_count * sizeof(*left_out));
	names = spare(table, room, within, more_left_out);
	any = *names;
	free(names);
	return any;
}

/* Copies the columns of a table, with their brief headings. */
static void take_brief_headings(struct table *table, struct table_column *columns)
{
	memcpy(columns, table->columns, table->column_count * sizeof(*columns));
	for (size_t c = 0; c < table->column_count; c++)
		if (columns[c].brief)
			columns[c].heading = columns[c].brief;
	table->columns = columns;
}

/* Returns whether all rows have the same cell in a column. */
static bool is_common(const struct table *table, size_t c)
{
	const char *first = table_shown(table->cells[c]);

	for (size_t i = c; i < table->cell_count; i += table->column_count)
		if (strcmp(table_shown(table->cells[i]), first) != 0)
			return false;
	return true;
}

/* Leaves out columns that need not be shown, because all rows have the same, and says what. */
static void leave_out_common(const struct table *table, struct output *out, size_t indent,
			     bool *left_out)
{
	struct join parts = {0};
	char *text;

	for (size_t c = 0; c < table->column_count; c++) {
		if (!table->columns[c].common || !is_common(table, c))
			continue;
		left_out[c] = true;
		text = memory_format("%s %s", table->columns[c].heading,
				     table_shown(table->cells[c]));
		join_add(&parts, text);
		free(text);
	}
	text = join_take(&parts);
	if (*text) {
		output_spaces(out, indent);
		output_text(out, STYLE_DIM, "In all rows: ");
		output_wrapped(out, STYLE_DIM, indent + strlen("In all rows: "), indent, text);
	}
	free(text);
}

/* Returns the headings of the columns that are trifling and left out from now on, for join_take().
 */
static void leave_out_trifling(const struct table *table, struct join *names, bool *left_out)
{
	for (size_t c = 0; c < table->column_count; c++) {
		if (!table->columns[c].trifling || !table->columns[c].spare || left_out[c])
			continue;
		left_out[c] = true;
		add_heading(names, table, c);
	}
}

/*
 * Makes what cells have after their first blank shorter, or cuts it off, as long as there is no
 * room for the columns. Returns the names of what is left out for that, separated by commas, which
 * the caller frees. `original` has the cells in full.
 */
static char *make_room(struct table *table, const struct table *original, struct arena *copies,
		       size_t room, bool *left_out)
{
	bool before[TABLE_COLUMNS_MAX];
	struct join names = {0};
	const char *extra;

	memcpy(before, left_out, sizeof(before));
	if (!is_short_of_room(table, room, true, left_out))
		return join_take(&names);
	if (table_shorten_extras(table, original, copies)) {
		if (is_short_of_room(table, room, true, left_out))
			leave_out_trifling(table, &names, left_out);
		if (!is_short_of_room(table, room, true, left_out))
			return join_take(&names);
		free(join_take(&names));
		names = (struct join){0};
		memcpy(left_out, before, sizeof(before));
	}
	extra = table_cut_extras(table, original, copies);
	if (extra)
		join_add(&names, extra);
	return join_take(&names);
}

static void print_table(const struct table *table, struct output *out, size_t indent)
{
	const size_t room = out->width > indent ? out->width - indent : 1;
	bool left_out[TABLE_COLUMNS_MAX] = {false};
	struct table_column brief[TABLE_COLUMNS_MAX];
	char **copies[TABLE_COLUMNS_MAX] = {NULL}, *names;
	struct table shorter = *table;
	struct arena cut = {0};

	if (!output_is_narrow(out) || !table->cell_count || !is_too_wide(table, room)) {
		print_fitting(table, out, indent, left_out, "");
		return;
	}
	shorter.measured = false;
	shorter.simple = NULL;
	shorter.cells = memory_resize(NULL, table->cell_count + 1, sizeof(*shorter.cells));
	memcpy(shorter.cells, table->cells, table->cell_count * sizeof(*shorter.cells));
	for (size_t c = 0; c < table->column_count; c++)
		if (table->columns[c].style == STYLE_NAME)
			copies[c] = short_names(
				shorter.cells + c, table->cell_count / table->column_count,
				table->column_count, SHORT_NAMES_FROM, pen_for(out)->omitted);
	leave_out_common(&shorter, out, indent, left_out);
	if (is_short_of_room(&shorter, room, false, left_out))
		take_brief_headings(&shorter, brief);
	names = make_room(&shorter, table, &cut, room, left_out);
	print_fitting(&shorter, out, indent, left_out, names);
	free(names);
	for (size_t c = 0; c < table->column_count; c++)
		short_names_free(copies[c]);
	arena_free(&cut);
	free(shorter.cells);
}

void table_print(const struct table *table, struct output *out, size_t indent)
{
	struct table plain;

	/* Simple cells have no sign that the pen lacks. */
	if (out->utf8 || (table->simple && !memchr(table->simple, 0, table->cell_count))) {
		print_table(table, out, indent);
		return;
	}
	table_copy_plain(&plain, table, pen_for(out));
	print_table(&plain, out, indent);
	table_free(&plain);
}
