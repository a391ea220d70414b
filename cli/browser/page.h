/* SPDX-License-Identifier: Apache-2.0 */
/* A page of the browser: what a process printed, as lines, and what they stand for. */
#ifndef BROWSER_PAGE_H
#define BROWSER_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "browser/client.h"
#include "render/marks.h"

struct page_mark {
	struct mark_record record;
	const char *fields; /* `record.size` bytes, in the page */
};

struct page_line {
	const char *text; /* with escape sequences of colours, without a newline */
	size_t length;
	const struct page_mark *mark; /* NULL: it belongs to no table */
	size_t heading;               /* the line of a row's headings plus 1; 0: none */
};

struct page {
	struct page_line *lines;
	size_t line_count;
	struct page_mark *marks;
	size_t mark_count;
	char *text, *mark_bytes; /* what lines and marks point into */
	bool silent;             /* it printed nothing: the lines are `message` */
	char *message;           /* what the process said on standard error; may be "" */
	unsigned width;          /* that it was printed for, in columns; set by load() */
	int status;              /* its exit status; 128 and more: it was ended by a signal */
};

/* A process that prints a page. */
struct page_job {
	pid_t pid;
	int alive; /* readable as soon as the process has ended */
	int text, marks, messages;
};

/* Starts printing. Returns false, with errno, if that is impossible. */
bool page_begin(struct page_job *job, const struct browser_client *client,
		const struct browser_place *place, unsigned width);
bool page_has_ended(const struct page_job *job);
/* Ends the process, and forgets what it printed. */
void page_cancel(struct page_job *job);
/*
 * Waits for the process, and makes the page; if there are only messages, of lines of `width`
 * columns. Free it with page_free().
 */
void page_finish(struct page_job *job, struct page *page, size_t width);
void page_free(struct page *page);

/* Returns whether there are warnings beside what the page shows. */
bool page_warns(const struct page *page);
/* Returns the length of the program's name before a message. */
size_t page_prefix(const char *message);

/* Returns a row's text of a key, which is not terminated, or NULL. */
const char *page_text(const struct page_mark *mark, uint32_t key, size_t *length);
/* Returns column `c` of the table that `heading` belongs to; false past the end. */
bool page_column(const struct page_mark *heading, size_t c, struct mark_column *column);
size_t page_columns(const struct page_mark *heading);

/*
 * Copies what stands in the columns from `begin` to `end` (0: to the end) of a line without its
 * colours, and without spaces around it. Returns the length, below `size`.
 */
size_t page_cell(const struct page_line *line, struct mark_column column, char *room, size_t size);

/* Returns whether a line, which may be NULL, begins a row of a table. */
bool page_is_row(const struct page_line *line);
bool page_has_rows(const struct page *page);

/* Returns how many columns a line takes. */
size_t page_width(const struct page_line *line);

/* Returns the size of the character at `text`, and sets the columns that it takes. */
size_t page_character(const char *text, size_t length, uint32_t *code, size_t *columns);

/* Returns the length of the escape sequence at `text`, or 0. */
size_t page_escape(const char *text, size_t length);

#endif
