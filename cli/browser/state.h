/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the browser share: its state, where it is, and the parts it is made of. */
#ifndef BROWSER_STATE_H
#define BROWSER_STATE_H

#include "browser/page.h"
#include "browser/screen.h"

#define DEPTH_MOST 64 /* places to go back to */

#define KEY_CONTROL(letter) ((letter)&0x1f)

/* A place, and what was looked at there. */
struct visit {
	struct browser_place place;
	size_t top, left;
	size_t cursor; /* the selected line; without rows, that of an instruction, or 0 */
	/* While another place is shown: its page, so that going back takes no recording. */
	struct page page;
	long sorted;
	bool reversed;
};

struct browser {
	const struct browser_client *client;
	struct visit visits[DEPTH_MOST];
	unsigned depth;
	struct page page;
	size_t left;
	char wanted[128];
	char *message;
	char *warned;  /* the warnings that were shown last; NULL: none were */
	long sorted;   /* the column, or -1 */
	bool reversed; /* smallest first */
	bool wide;     /* pages have all columns, also those that the screen has no room for */
	bool started;  /* there has been a page, to which Ctrl-C returns from another */
	bool leaving;
};

/* ---- browser.c -------------------------------------------------------------------------------
 */

struct visit *browser_here(struct browser *browser);
const struct page_line *browser_line(const struct browser *browser, size_t at);
/* Returns the line of the selected row, or NULL. */
const struct page_line *browser_selected(const struct browser *browser);
/* Takes over a message, or NULL, for the last line of the screen. */
void browser_say(struct browser *browser, char *message);
/* Whether a signal is to end the browser. */
bool browser_is_interrupted(void);
/* Takes back a Ctrl-C that has ended something else than the browser. */
void browser_forget_interrupt(void);

/* ---- places.c --------------------------------------------------------------------------------
 */

struct browser_place place_copy(const struct browser_place *place);
void place_free(struct browser_place *place);
void visit_free(struct visit *visit);
/* Goes to a place, which this takes over; the oldest is forgotten if there are too many. */
void browser_go(struct browser *browser, struct browser_place place);
/* Returns false if there is no place to go back to. */
bool browser_go_back(struct browser *browser);

/* ---- draw.c ----------------------------------------------------------------------------------
 */

/* Screens with fewer columns show nothing. */
#define DRAW_WIDTH_LEAST 40

/* Returns how many lines of a page the screen has. */
size_t draw_height(void);
void draw_page(struct browser *browser);
void draw_status(struct browser *browser);
/* Shows the keys until the user has read them. */
void draw_help(const struct browser *browser);
/* Likewise shows the warnings that came with the page. */
void draw_warnings(const struct browser *browser);

/* ---- cursor.c --------------------------------------------------------------------------------
 */

/* Scrolls so that the cursor is on the screen, below headings that stay. */
void cursor_follow(struct browser *browser);
/* Moves by `by` rows, or scrolls a page without rows by as many lines. */
void cursor_move(struct browser *browser, long by);
/* Puts the cursor on the row where it was, or on the first. */
void cursor_settle(struct browser *browser);
/* Keys that move on the page. Returns false for other keys. */
bool cursor_obey(struct browser *browser, int key);

/* ---- find.c ----------------------------------------------------------------------------------
 */

/* Goes to the next match after the cursor, or before it; begins again at the end. */
void find_next(struct browser *browser, bool forward, bool stay);
/* Asks for what to search for, and goes to the first match. */
void find_ask(struct browser *browser);
/* On a page of code, goes to the instruction that was selected before, and selects its line. */
void find_instruction(struct browser *browser);
/* Sorts by the column `by` places to the right of the present one. */
void find_sort(struct browser *browser, int by);

#endif
