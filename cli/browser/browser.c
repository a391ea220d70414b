/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/browser.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browser/page.h"
#include "browser/screen.h"
#include "browser/search.h"
#include "browser/sort.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define WIDTH_LEAST  40
#define HEIGHT_LEAST 6
#define STEP_ASIDE   8  /* columns that an arrow key moves the text by */
#define DEPTH_MOST   64 /* places to go back to */

#define KEY_CONTROL(letter) ((letter)&0x1f)
#define KEY_ESCAPE          27

/* Pages are printed this wide at least: Right shows what the screen has no room for. */
#define PAGE_WIDTH 256

/* A place, and what was looked at there. */
struct visit {
	struct browser_place place;
	size_t top, cursor, left;
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
	long sorted;   /* the column, or -1 */
	bool reversed; /* smallest first */
	bool leaving;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

static struct visit *here(struct browser *browser)
{
	return &browser->visits[browser->depth];
}

static const struct page_line *line_at(const struct browser *browser, size_t at)
{
	return at < browser->page.line_count ? &browser->page.lines[at] : NULL;
}

/* Returns the line of the selected row, or NULL. */
static const struct page_line *selected(const struct browser *browser)
{
	const struct page_line *line = line_at(browser, browser->visits[browser->depth].cursor);

	return page_is_row(line) ? line : NULL;
}

static void say(struct browser *browser, char *message)
{
	free(browser->message);
	browser->message = message;
}

static size_t body_height(void)
{
	return screen_height() - 2;
}

/* ---- Places -----------------------------------------------------------------------------------
 */

static struct browser_place copy_place(const struct browser_place *place)
{
	struct browser_place copy = *place;

	if (copy.opened)
		copy.opened = memory_copy(copy.opened, strlen(copy.opened));
	for (size_t key = 0; key < BROWSER_KEYS; key++)
		if (copy.only[key])
			copy.only[key] = memory_copy(copy.only[key], strlen(copy.only[key]));
	return copy;
}

static void free_place(struct browser_place *place)
{
	free(place->opened);
	for (size_t key = 0; key < BROWSER_KEYS; key++)
		free(place->only[key]);
}

static void free_visit(struct visit *visit)
{
	free_place(&visit->place);
	page_free(&visit->page);
}

/* Goes to a place, which this takes over; the oldest is forgotten if there are too many. */
static void go(struct browser *browser, struct browser_place place)
{
	struct visit *left = here(browser);

	left->page = browser->page;
	left->sorted = browser->sorted;
	left->reversed = browser->reversed;
	left->left = browser->left;
	browser->page = (struct page){0};
	if (browser->depth + 1 == DEPTH_MOST) {
		free_visit(&browser->visits[0]);
		memmove(browser->visits, browser->visits + 1,
			browser->depth * sizeof(*browser->visits));
		browser->depth--;
	}
	browser->visits[++browser->depth] = (struct visit){.place = place};
	browser->left = 0;
}

static bool go_back(struct browser *browser)
{
	if (browser->depth == 0)
		return false;
	free_visit(here(browser));
	browser->depth--;
	page_free(&browser->page);
	browser->page = here(browser)->page;
	here(browser)->page = (struct page){0};
	browser->sorted = here(browser)->sorted;
	browser->reversed = here(browser)->reversed;
	browser->left = here(browser)->left;
	return true;
}

/* ---- Drawing ----------------------------------------------------------------------------------
 */

static void draw_bar(struct browser *browser)
{
	const struct browser_place *place = &here(browser)->place;
	const unsigned width = screen_width();
	char *text = memory_format(" ");
	size_t begin = 0, end = 0, left = 0;

	for (unsigned v = 0; v < browser->client->view_count; v++) {
		const struct browser_view *view = &browser->client->views[v];
		char *longer = memory_format("%s%c %s ", text, view->key, view->name);

		if (v == place->view && !place->opened) {
			begin = strlen(text);
			end = strlen(longer) - 1;
		}
		free(text);
		text = longer;
	}
	if (end > width)
		left = end + 1 - width;
	screen_draw(0, &(struct screen_line){.text = text,
					     .length = strlen(text),
					     .left = left,
					     .look = LOOK_BAR,
					     .begin = begin,
					     .end = end});
	free(text);
}

static void draw_status(struct browser *browser)
{
	const char *hint = "? help ";
	const unsigned width = screen_width();
	char *text = browser->message ? memory_copy(browser->message, strlen(browser->message))
				      : browser->client->command(browser->client->user,
								 &here(browser)->place);
	size_t length = strlen(text);
	char *line;

	line = memory_format(
		" %s%*s%s", text,
		length + strlen(hint) + 2 <= width ? (int)(width - 1 - length - strlen(hint)) : 1,
		"", hint);
	/* The end of a long command tells more than its beginning. */
	screen_draw(screen_height() - 1,
		    &(struct screen_line){.text = line,
					  .length = strlen(line),
					  .left = strlen(line) > width ? strlen(line) - width : 0,
					  .look = LOOK_BAR});
	free(line);
	free(text);
}

static void draw_line(struct browser *browser, unsigned y, size_t at)
{
	const struct page_line *line = line_at(browser, at);
	struct screen_line drawn = {.left = browser->left, .wanted = browser->wanted};
	struct mark_column column;

	if (line) {
		drawn.text = line->text;
		drawn.length = line->length;
		if (page_is_row(line) && at == here(browser)->cursor)
			drawn.look = LOOK_SELECTED;
		if (line->mark && line->mark->record.kind == MARK_HEADING && browser->sorted >= 0 &&
		    page_column(line->mark, (size_t)browser->sorted, &column)) {
			drawn.begin = column.begin;
			drawn.end = column.end;
		}
	}
	screen_draw(y, &drawn);
}

static void draw(struct browser *browser)
{
	const struct visit *visit = here(browser);
	const struct page_line *first = line_at(browser, visit->top);

	if (screen_width() < WIDTH_LEAST || screen_height() < HEIGHT_LEAST) {
		erase();
		screen_draw_text(0, LOOK_PLAIN, "terminal too small");
		screen_show();
		return;
	}
	draw_bar(browser);
	for (unsigned y = 0; y < body_height(); y++)
		draw_line(browser, y + 1, visit->top + y);
	/* The headings of a table stay when its rows scroll. */
	if (first && first->heading && first->heading <= visit->top)
		draw_line(browser, 1, first->heading - 1);
	draw_status(browser);
	screen_show();
}

/* ---- The cursor -------------------------------------------------------------------------------
 */

/* Scrolls so that the cursor is on the screen, below headings that stay. */
static void follow(struct browser *browser)
{
	struct visit *visit = here(browser);
	const size_t height = body_height(), count = browser->page.line_count;

	if (visit->cursor < visit->top + 1)
		visit->top = visit->cursor ? visit->cursor - 1 : 0;
	/* What stands above the first table is seen with its first rows. */
	if (visit->cursor + 1 <= height / 2)
		visit->top = 0;
	if (visit->cursor >= visit->top + height)
		visit->top = visit->cursor + 1 - height;
	if (visit->top >= count)
		visit->top = count ? count - 1 : 0;
}

/* Moves by `by` rows, or scrolls a page without rows by as many lines. */
static void move_by(struct browser *browser, long by)
{
	struct visit *visit = here(browser);
	const long count = (long)browser->page.line_count, step = by < 0 ? -1 : 1;
	long at = (long)visit->cursor, left = by * step;

	if (!page_has_rows(&browser->page)) {
		const long last = count - (long)body_height();
		long top = (long)visit->top + by;

		top = top > last ? last : top;
		visit->top = top < 0 ? 0 : (size_t)top;
		return;
	}
	for (long next = at + step; left && next >= 0 && next < count; next += step)
		if (page_is_row(&browser->page.lines[next])) {
			at = next;
			left--;
		}
	/* Text before the first row and after the last can be seen, too. */
	visit->cursor = (size_t)at;
	follow(browser);
	if (left && step > 0 && count > (long)body_height())
		visit->top = (size_t)count - body_height();
	if (left && step < 0)
		visit->top = 0;
	if (visit->cursor >= visit->top + body_height() || visit->cursor < visit->top)
		follow(browser);
}

/* Puts the cursor on the row where it was, or on the first. */
static void settle(struct browser *browser)
{
	struct visit *visit = here(browser);

	if (visit->cursor >= browser->page.line_count)
		visit->cursor = 0;
	for (size_t at = visit->cursor; at < browser->page.line_count; at++)
		if (page_is_row(&browser->page.lines[at])) {
			visit->cursor = at;
			break;
		}
	if (page_has_rows(&browser->page))
		follow(browser);
	else
		move_by(browser, 0);
}

/* ---- Loading ----------------------------------------------------------------------------------
 */

static bool is_end(int key)
{
	return key == KEY_ESCAPE || key == 'q' || key == KEY_CONTROL('c') || interrupted;
}

/* Prints the page of the present place. Returns false if that is impossible or was stopped. */
static bool load(struct browser *browser)
{
	const unsigned width = screen_width() > PAGE_WIDTH ? screen_width() : PAGE_WIDTH;
	struct page_job job;
	unsigned tenths = 0;

	if (!page_begin(&job, browser->client, &here(browser)->place, width)) {
		say(browser, memory_format("cannot start a process: %s", strerror(errno)));
		return false;
	}
	while (!page_has_ended(&job)) {
		if (is_end(screen_key(job.alive, 100))) {
			page_cancel(&job);
			interrupted = interrupted == SIGINT ? 0 : interrupted;
			say(browser, memory_format("stopped"));
			return false;
		}
		if (++tenths < 5 || page_has_ended(&job))
			continue;
		say(browser, memory_format("reading the recording: %u.%u s; Esc stops it",
					   tenths / 10, tenths % 10));
		draw_status(browser);
		screen_show();
	}
	page_free(&browser->page);
	page_finish(&job, &browser->page);
	say(browser,
	    *browser->page.message && !browser->page.silent
		    ? memory_copy(browser->page.message, strcspn(browser->page.message, "\n"))
		    : NULL);
	browser->sorted = -1;
	settle(browser);
	return true;
}

/* Shows the new place; goes back to the one before if the user stops that. */
static void load_or_return(struct browser *browser)
{
	char *message;

	if (load(browser) || interrupted)
		return;
	message = browser->message;
	browser->message = NULL;
	go_back(browser);
	say(browser, message);
	settle(browser);
}

/* ---- Searching --------------------------------------------------------------------------------
 */

/* Says how many rows match, and their share. */
static void say_matches(struct browser *browser)
{
	const struct page_line *current = selected(browser);
	double share = 0;
	const size_t count = page_matches(&browser->page, browser->wanted,
					  current ? current->mark->record.group : 0, &share);

	if (!page_has_rows(&browser->page))
		say(browser, memory_format("/%s: %zu line%s", browser->wanted, count,
					   count == 1 ? "" : "s"));
	else
		say(browser, memory_format("/%s: %zu row%s with %.2f%%", browser->wanted, count,
					   count == 1 ? "" : "s", 100 * share));
}

/* Goes to the next match after the cursor, or before it; begins again at the end. */
static void find(struct browser *browser, bool forward, bool stay)
{
	struct visit *visit = here(browser);
	const size_t count = browser->page.line_count;
	const bool rows = page_has_rows(&browser->page);
	size_t at = rows ? visit->cursor : visit->top;

	if (!*browser->wanted) {
		say(browser, memory_format("nothing to search for: press /"));
		return;
	}
	for (size_t i = 0; i <= count && count; i++) {
		if (i || !stay)
			at = forward ? (at + 1) % count : (at + count - 1) % count;
		if ((rows && !page_is_row(&browser->page.lines[at])) ||
		    !page_line_matches(&browser->page.lines[at], browser->wanted))
			continue;
		if (rows) {
			visit->cursor = at;
			follow(browser);
		} else {
			visit->top = at;
			move_by(browser, 0);
		}
		break;
	}
	say_matches(browser);
}

/* Reads a line at the bottom of the screen. Returns false if it was given up. */
static bool ask(struct browser *browser, char *room, size_t size)
{
	size_t length = 0;
	int key;

	room[0] = '\0';
	for (;;) {
		char *shown = memory_format(" /%s_", room);

		draw(browser);
		screen_draw_text(screen_height() - 1, LOOK_BAR, shown);
		screen_show();
		free(shown);
		key = screen_key(-1, -1);
		if (key == KEY_ESCAPE || key == KEY_CONTROL('c') || interrupted)
			return false;
		if (key == '\r' || key == '\n' || key == KEY_ENTER)
			return true;
		if (key == KEY_BACKSPACE || key == 127 || key == KEY_CONTROL('h')) {
			/* A whole character of UTF-8. */
			while (length && ((unsigned char)room[--length] & 0xc0) == 0x80)
				;
		} else if (key == KEY_CONTROL('u')) {
			length = 0;
		} else if (key >= ' ' && key < 256 && key != 127 && length + 1 < size) {
			room[length++] = (char)key;
		}
		room[length] = '\0';
	}
}

static void search(struct browser *browser)
{
	char wanted[sizeof(browser->wanted)];

	if (!ask(browser, wanted, sizeof(wanted))) {
		browser->wanted[0] = '\0';
		say(browser, NULL);
		return;
	}
	if (*wanted)
		memcpy(browser->wanted, wanted, sizeof(wanted));
	find(browser, true, true);
}

/* ---- Sorting ----------------------------------------------------------------------------------
 */

/* Sorts by the column `by` places to the right of the present one. */
static void choose_column(struct browser *browser, int by)
{
	const struct page_line *row = selected(browser);
	char name[64] = "";
	struct mark_column column;
	long count;

	if (!row || !row->heading)
		return;
	count = (long)page_columns(browser->page.lines[row->heading - 1].mark);
	if (!count)
		return;
	if (browser->sorted < 0)
		browser->sorted = by > 0 ? 0 : count - 1;
	else
		browser->sorted = (browser->sorted + by + count) % count;
	page_sort(&browser->page, (size_t)browser->sorted, browser->reversed);
	page_column(browser->page.lines[row->heading - 1].mark, (size_t)browser->sorted, &column);
	page_cell(&browser->page.lines[row->heading - 1], column, name, sizeof(name));
	say(browser, memory_format("sorted by %s%s", name, browser->reversed ? ", reversed" : ""));
}

/* ---- Keys -------------------------------------------------------------------------------------
 */

static char *row_text(const struct browser *browser, uint32_t key)
{
	const struct page_line *line = selected(browser);
	size_t length;
	const char *text = line ? page_text(line->mark, key, &length) : NULL;

	return text && length ? memory_copy(text, length) : NULL;
}

static void open_row(struct browser *browser)
{
	const uint8_t key = browser->client->open_key;
	struct browser_place place = here(browser)->place;
	char *text = row_text(browser, key);

	if (place.opened || !text) {
		if (!place.opened)
			say(browser, memory_format("this row has no function to open"));
		free(text);
		return;
	}
	place = copy_place(&place);
	place.opened = text;
	go(browser, place);
	load_or_return(browser);
}

static void filter_by(struct browser *browser, const struct browser_filter *filter)
{
	struct browser_place place = here(browser)->place;
	char *text = row_text(browser, filter->row_key);

	if (!text) {
		say(browser, memory_format("this row has no %s", filter->name));
		return;
	}
	place = copy_place(&place);
	free(place.only[filter->row_key]);
	place.only[filter->row_key] = text;
	go(browser, place);
	load_or_return(browser);
}

static void forget_filters(struct browser *browser)
{
	struct browser_place place = copy_place(&here(browser)->place);
	bool any = false;

	for (size_t key = 0; key < BROWSER_KEYS; key++) {
		any = any || place.only[key];
		free(place.only[key]);
		place.only[key] = NULL;
	}
	if (!any) {
		free_place(&place);
		say(browser, memory_format("there is no filter"));
		return;
	}
	go(browser, place);
	load_or_return(browser);
}

static void choose_view(struct browser *browser, unsigned view)
{
	struct browser_place place = copy_place(&here(browser)->place);

	free(place.opened);
	place.opened = NULL;
	place.view = view;
	go(browser, place);
	load_or_return(browser);
}

static void toggle_trees(struct browser *browser)
{
	struct browser_place place = copy_place(&here(browser)->place);

	place.trees = !place.trees;
	go(browser, place);
	load_or_return(browser);
}

static void help(struct browser *browser)
{
	static const char *const rows[][2] = {
		{"Up Down j k", "select another row"},
		{"PgUp PgDn Space b", "move by a screen"},
		{"Home End", "go to the first row, to the last"},
		{"Left Right", "move the text aside"},
		{"Enter", "open the function: its source and instructions"},
		{"Esc Backspace", "go back"},
		{"/ n N", "search, go to the next match, to the one before"},
		{"< > r", "sort by another column, reverse the order"},
		{"g", "show or hide call trees"},
	};
	const struct browser_client *client = browser->client;
	char *line;
	unsigned y = 0;

	erase();
	screen_draw_text(y++, LOOK_BAR, " Keys");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		line = memory_format("  %-20s%s", rows[i][0], rows[i][1]);
		screen_draw_text(y++, LOOK_PLAIN, line);
		free(line);
	}
	for (unsigned i = 0; i < client->filter_count; i++) {
		line = memory_format("  %-20cshow only the selected row's %s",
				     client->filters[i].key, client->filters[i].name);
		screen_draw_text(y++, LOOK_PLAIN, line);
		free(line);
	}
	screen_draw_text(y++, LOOK_PLAIN, "  a                   show all again");
	line = memory_format("  %c to %c              change the view", client->views[0].key,
			     client->views[client->view_count - 1].key);
	screen_draw_text(y++, LOOK_PLAIN, line);
	free(line);
	screen_draw_text(y++, LOOK_PLAIN, "  q                   leave");
	screen_draw_text(y + 1, LOOK_PLAIN,
			 "  The last line shows the command that prints the same page as text.");
	screen_draw_text(screen_height() - 1, LOOK_BAR, " press any key to return");
	screen_show();
	while (screen_key(-1, -1) < 0 && !interrupted)
		;
	erase();
}

/* Keys that lead to another place. Returns false for other keys. */
static bool visit_by(struct browser *browser, int key)
{
	const struct browser_client *client = browser->client;

	for (unsigned v = 0; v < client->view_count; v++)
		if (key == client->views[v].key) {
			choose_view(browser, v);
			return true;
		}
	for (unsigned i = 0; i < client->filter_count; i++)
		if (key == client->filters[i].key) {
			filter_by(browser, &client->filters[i]);
			return true;
		}
	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
		open_row(browser);
		break;
	case KEY_ESCAPE:
	case KEY_BACKSPACE:
	case 127:
		if (go_back(browser))
			settle(browser);
		break;
	case 'a':
		forget_filters(browser);
		break;
	case 'g':
		toggle_trees(browser);
		break;
	default:
		return false;
	}
	return true;
}

/* Returns the width of the widest line on the screen. */
static size_t widest_line(const struct browser *browser)
{
	const size_t top = browser->visits[browser->depth].top;
	size_t widest = 0;

	for (size_t y = 0; y < body_height() && line_at(browser, top + y); y++) {
		const size_t width = page_width(line_at(browser, top + y));

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* Keys that move on the page. Returns false for other keys. */
static bool move_on(struct browser *browser, int key)
{
	const long screen = (long)body_height() - 2;

	switch (key) {
	case KEY_UP:
	case 'k':
		move_by(browser, -1);
		break;
	case KEY_DOWN:
	case 'j':
		move_by(browser, 1);
		break;
	case KEY_PPAGE:
	case 'b':
		move_by(browser, -screen);
		break;
	case KEY_NPAGE:
	case ' ':
		move_by(browser, screen);
		break;
	case KEY_HOME:
		move_by(browser, -(long)browser->page.line_count - 1);
		break;
	case KEY_END:
		move_by(browser, (long)browser->page.line_count + 1);
		break;
	case KEY_LEFT:
		browser->left -= browser->left < STEP_ASIDE ? browser->left : STEP_ASIDE;
		break;
	case KEY_RIGHT:
		if (browser->left + screen_width() < widest_line(browser))
			browser->left += STEP_ASIDE;
		break;
	default:
		return false;
	}
	return true;
}

static void obey(struct browser *browser, int key)
{
	if (key != KEY_RESIZE)
		say(browser, NULL);
	if (move_on(browser, key) || visit_by(browser, key))
		return;
	switch (key) {
	case KEY_RESIZE:
		erase();
		settle(browser);
		break;
	case KEY_CONTROL('l'):
		clear();
		break;
	case '/':
		search(browser);
		break;
	case 'n':
	case 'N':
		find(browser, key == 'n', false);
		break;
	case '<':
	case '>':
		choose_column(browser, key == '>' ? 1 : -1);
		break;
	case 'r':
		browser->reversed = !browser->reversed;
		if (browser->sorted >= 0) {
			choose_column(browser, 0);
		} else {
			browser->sorted = 0;
			choose_column(browser, 0);
		}
		break;
	case '?':
	case 'h':
		help(browser);
		break;
	case 'q':
	case KEY_CONTROL('c'):
		browser->leaving = true;
		break;
	default:
		say(browser, memory_format("press ? for help"));
		break;
	}
}

/* ---- The browser ------------------------------------------------------------------------------
 */

bool browser_is_possible(const char **why)
{
	const char *term = getenv("TERM");

	*why = NULL;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		*why = "standard input and output are not a terminal";
	else if (!term || !*term || strcmp(term, "dumb") == 0)
		*why = "the terminal (TERM) is unknown";
	return !*why;
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	/* Without SA_RESTART, so that they interrupt the waiting for a key. */
	struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
}

int browser_run(const struct browser_client *client)
{
	struct browser browser = {.client = client, .sorted = -1};
	int status = EXIT_FINE;

	catch_signals();
	if (!screen_open()) {
		complain("cannot use this terminal: %s is unknown", getenv("TERM"));
		advise("use --stdio");
		return EXIT_UNABLE;
	}
	/* Without a first page there is nothing to stay for. */
	if (!load(&browser) || browser.page.silent) {
		browser.leaving = true;
		status = browser.page.status;
	}
	while (!browser.leaving && !interrupted) {
		int key;

		draw(&browser);
		key = screen_key(-1, -1);
		if (key >= 0)
			obey(&browser, key);
	}
	screen_close();
	if (browser.leaving && status != EXIT_FINE && browser.page.message)
		fprintf(stderr, "%s\n", browser.page.message);
	page_free(&browser.page);
	say(&browser, NULL);
	do
		free_visit(here(&browser));
	while (browser.depth-- > 0);
	if (interrupted) {
		signal(interrupted, SIG_DFL);
		raise(interrupted);
	}
	return status;
}
