/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/browser.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browser/screen.h"
#include "browser/sort.h"
#include "browser/state.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Wide pages have at least this many columns: Right shows what the screen has no room for. */
#define PAGE_WIDTH 256
/* Keys that are kept while a page loads. */
#define AHEAD_MOST 32

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

bool browser_is_interrupted(void)
{
	return interrupted != 0;
}

void browser_forget_interrupt(void)
{
	if (interrupted == SIGINT)
		interrupted = 0;
}

struct visit *browser_here(struct browser *browser)
{
	return &browser->visits[browser->depth];
}

const struct page_line *browser_line(const struct browser *browser, size_t at)
{
	return at < browser->page.line_count ? &browser->page.lines[at] : NULL;
}

const struct page_line *browser_selected(const struct browser *browser)
{
	const struct page_line *line =
		browser_line(browser, browser->visits[browser->depth].cursor);

	return page_is_row(line) ? line : NULL;
}

void browser_say(struct browser *browser, char *message)
{
	free(browser->message);
	browser->message = message;
}

/* ---- Loading ----------------------------------------------------------------------------------
 */

static bool is_end(int key)
{
	return key == KEY_ESCAPE || key == 'q' || key == KEY_CONTROL('c') || interrupted;
}

/* Returns the first line of what the process said, which the caller frees. */
static char *message_of(const struct page *page)
{
	return memory_copy(page->message, strcspn(page->message, "\n"));
}

/* Returns how many messages there are; hints below one are indented. */
static size_t count_messages(const char *text)
{
	size_t count = 0;

	while (*text) {
		count += !count || *text != ' ';
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return count;
}

/* Says the first warning, and how many more there are, unless the page before had the same. */
static void say_warnings(struct browser *browser)
{
	const struct page *page = &browser->page;
	const char *warnings = page_warns(page) ? page->message : NULL;
	const size_t begin = warnings ? strspn(warnings, " ") + page_prefix(warnings) : 0;
	const size_t more = warnings ? count_messages(warnings) - 1 : 0;

	browser_say(browser, NULL);
	if (warnings && !(browser->warned && strcmp(browser->warned, warnings) == 0))
		browser_say(browser,
			    more ? memory_format("1 of %zu: %.*s", more + 1,
						 (int)strcspn(warnings + begin, "\n"),
						 warnings + begin)
				 : memory_copy(warnings + begin, strcspn(warnings + begin, "\n")));
	free(browser->warned);
	browser->warned = warnings ? memory_copy(warnings, strlen(warnings)) : NULL;
}

static unsigned wanted_width(const struct browser *browser)
{
	return browser->wide && screen_width() < PAGE_WIDTH ? PAGE_WIDTH : screen_width();
}

/* Prints the page of the present place. Returns false if that is impossible or was stopped. */
static bool load(struct browser *browser)
{
	const unsigned width = wanted_width(browser);
	struct page page;
	struct page_job job;
	unsigned tenths = 0;
	int ahead[AHEAD_MOST] = {0};
	size_t ahead_count = 0;

	if (!page_begin(&job, browser->client, &browser_here(browser)->place, width)) {
		browser_say(browser, memory_format("cannot start a process: %s", strerror(errno)));
		return false;
	}
	while (!page_has_ended(&job)) {
		const int key = screen_key(job.alive, 100);

		if (is_end(key)) {
			page_cancel(&job);
			if (!browser->started && key == KEY_CONTROL('c'))
				interrupted = SIGINT;
			else if (browser->started)
				browser_forget_interrupt();
			browser_say(browser, memory_format("stopped"));
			browser->leaving = key == 'q';
			return false;
		}
		if (key >= 0) {
			/* It is meant for the page that comes. */
			if (ahead_count < AHEAD_MOST)
				ahead[ahead_count++] = key;
			continue;
		}
		if (++tenths < 5 || page_has_ended(&job))
			continue;
		browser_say(browser, memory_format("reading the recording: %u.%u s; Esc stops it",
						   tenths / 10, tenths % 10));
		draw_status(browser);
		screen_show();
	}
	screen_return_keys(ahead, ahead_count);
	page_finish(&job, &page, screen_width());
	page.width = width;
	page_free(&browser->page);
	browser->page = page;
	say_warnings(browser);
	browser->sorted = -1;
	cursor_settle(browser);
	find_instruction(browser);
	return true;
}

/* Returns how many rows come before the cursor. */
static size_t rows_before(const struct browser *browser)
{
	const size_t cursor = browser->visits[browser->depth].cursor;
	size_t count = 0;

	for (size_t at = 0; at < cursor && at < browser->page.line_count; at++)
		count += page_is_row(&browser->page.lines[at]);
	return count;
}

/* Returns how many columns the table of the selected row has, or 0. */
static size_t column_count(const struct browser *browser)
{
	const struct page_line *row = browser_selected(browser);

	return row && row->heading ? page_columns(browser->page.lines[row->heading - 1].mark) : 0;
}

/*
 * Prints the page again if it was printed for another width. The order stays if all columns do.
 * A page that cannot be printed again stays as it is.
 */
static void refit(struct browser *browser)
{
	const unsigned width = wanted_width(browser);
	const long sorted = browser->sorted;
	const size_t columns = column_count(browser), before = rows_before(browser);
	struct page old = browser->page;

	if (old.width == width || screen_width() < DRAW_WIDTH_LEAST)
		return;
	draw_page(browser);
	browser->page = (struct page){0};
	if (!load(browser) || (browser->page.silent && !old.silent)) {
		if (browser->page.silent)
			browser_say(browser, message_of(&browser->page));
		page_free(&browser->page);
		browser->page = old;
		browser->page.width = width;
		browser->sorted = sorted;
		return;
	}
	page_free(&old);
	browser->left = 0;
	if (sorted >= 0 && column_count(browser) == columns) {
		browser->sorted = sorted;
		page_sort(&browser->page, (size_t)sorted, browser->reversed);
	}
	browser_here(browser)->top = browser_here(browser)->cursor = 0;
	cursor_settle(browser);
	if (before)
		cursor_move(browser, (long)before);
	find_instruction(browser);
}

/* Goes back to the place before, and says why. */
static void return_with(struct browser *browser, char *message)
{
	browser_go_back(browser);
	browser_say(browser, message);
	cursor_settle(browser);
}

/* Shows the new place; goes back to the one before if the user stops that. */
static void load_or_return(struct browser *browser)
{
	if (!load(browser) && !interrupted)
		return_with(browser, memory_copy(browser->message, strlen(browser->message)));
}

/* ---- Keys -------------------------------------------------------------------------------------
 */

static char *row_text(const struct browser *browser, uint32_t key)
{
	const struct page_line *line = browser_selected(browser);
	size_t length;
	const char *text = line ? page_text(line->mark, key, &length) : NULL;

	return text && length ? memory_copy(text, length) : NULL;
}

static void open_row(struct browser *browser)
{
	const uint8_t key = browser->client->open_key;
	struct browser_place place = browser_here(browser)->place;
	char *text = row_text(browser, key);

	if (place.opened || !text) {
		if (!place.opened)
			browser_say(browser, memory_format("this row has no function to open"));
		free(text);
		return;
	}
	place = place_copy(&place);
	place.opened = text;
	place.address = row_text(browser, browser->client->address_key);
	browser_go(browser, place);
	load_or_return(browser);
}

static void filter_by(struct browser *browser, const struct browser_filter *filter)
{
	struct browser_place place = browser_here(browser)->place;
	char *text = row_text(browser, filter->row_key);

	if (!text) {
		browser_say(browser, memory_format("this row has no %s", filter->name));
		return;
	}
	place = place_copy(&place);
	free(place.only[filter->row_key]);
	place.only[filter->row_key] = text;
	browser_go(browser, place);
	load_or_return(browser);
}

static void forget_filters(struct browser *browser)
{
	struct browser_place place = place_copy(&browser_here(browser)->place);
	bool any = false;

	for (size_t key = 0; key < BROWSER_KEYS; key++) {
		any = any || place.only[key];
		free(place.only[key]);
		place.only[key] = NULL;
	}
	if (!any) {
		place_free(&place);
		browser_say(browser, memory_format("there is no filter"));
		return;
	}
	browser_go(browser, place);
	load_or_return(browser);
}

static void choose_view(struct browser *browser, unsigned view)
{
	struct browser_place place = place_copy(&browser_here(browser)->place);

	free(place.opened);
	free(place.address);
	place.opened = place.address = NULL;
	place.view = view;
	browser_go(browser, place);
	load_or_return(browser);
}

/* Notes below a table have fewer lines. */
#define LINES_BELOW_MOST 4

/* Returns how many lines come after the last row. */
static size_t lines_below(const struct page *page)
{
	size_t count = 0;

	while (count < page->line_count && !page->lines[page->line_count - 1 - count].heading)
		count++;
	return page_has_rows(page) ? count : 0;
}

static void toggle_trees(struct browser *browser)
{
	struct browser_place place = place_copy(&browser_here(browser)->place);

	place.trees = !place.trees;
	browser_go(browser, place);
	load_or_return(browser);
	/* Each other view would say the same. */
	if (browser->page.silent && browser_here(browser)->place.trees == place.trees)
		return_with(browser, message_of(&browser->page));
	else if (place.trees && lines_below(&browser->page) > LINES_BELOW_MOST && !browser->message)
		browser_say(browser, memory_format("call trees are below: press End"));
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
		if (browser_go_back(browser)) {
			cursor_settle(browser);
			refit(browser);
		}
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

static void obey(struct browser *browser, int key)
{
	if (key != KEY_RESIZE)
		browser_say(browser, NULL);
	if (cursor_obey(browser, key) || visit_by(browser, key))
		return;
	switch (key) {
	case KEY_RESIZE:
		erase();
		cursor_settle(browser);
		refit(browser);
		break;
	case KEY_CONTROL('l'):
		clear();
		break;
	case '/':
		find_ask(browser);
		break;
	case 'n':
	case 'N':
		find_next(browser, key == 'n', false);
		break;
	case '<':
	case '>':
		find_sort(browser, key == '>' ? 1 : -1);
		break;
	case 'r':
		browser->reversed = !browser->reversed;
		if (browser->sorted >= 0) {
			find_sort(browser, 0);
		} else {
			browser->sorted = 0;
			find_sort(browser, 0);
		}
		break;
	case 'w':
		browser->wide = !browser->wide;
		refit(browser);
		break;
	case 'm':
		if (page_warns(&browser->page))
			draw_warnings(browser);
		else
			browser_say(browser, memory_format("there are no warnings"));
		break;
	case '?':
	case 'h':
		draw_help(browser);
		break;
	case 'q':
	case KEY_CONTROL('c'):
		browser->leaving = true;
		break;
	default:
		browser_say(browser, memory_format("press ? for help"));
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
	browser.started = true;
	while (!browser.leaving && !interrupted) {
		int key;

		draw_page(&browser);
		key = screen_key(-1, -1);
		if (key >= 0)
			obey(&browser, key);
	}
	screen_close();
	if (browser.leaving && status != EXIT_FINE && browser.page.message)
		complain_again(browser.page.message);
	page_free(&browser.page);
	browser_say(&browser, NULL);
	free(browser.warned);
	do
		visit_free(browser_here(&browser));
	while (browser.depth-- > 0);
	if (interrupted) {
		signal(interrupted, SIG_DFL);
		raise(interrupted);
	}
	return status;
}
