/* SPDX-License-Identifier: Apache-2.0 */
/* Searches and sorts the rows of a page as the user asks. */
#include <ctype.h>
#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "browser/screen.h"
#include "browser/search.h"
#include "browser/sort.h"
#include "browser/state.h"
#include "tool/memory.h"

/* Says how many rows match, and their share. */
static void say_matches(struct browser *browser)
{
	const struct page_line *current = browser_selected(browser);
	double share = 0;
	const size_t count = page_matches(&browser->page, browser->wanted,
					  current ? current->mark->record.group : 0, &share);

	if (!count)
		browser_say(browser, memory_format("/%s: not found", browser->wanted));
	else if (!page_has_rows(&browser->page))
		browser_say(browser, memory_format("/%s: %zu line%s", browser->wanted, count,
						   count == 1 ? "" : "s"));
	else
		browser_say(browser, memory_format("/%s: %zu row%s with %.2f%%", browser->wanted,
						   count, count == 1 ? "" : "s", 100 * share));
}

void find_next(struct browser *browser, bool forward, bool stay)
{
	struct visit *visit = browser_here(browser);
	const size_t count = browser->page.line_count;
	const bool rows = page_has_rows(&browser->page);
	size_t at = rows ? visit->cursor : visit->top;

	if (!*browser->wanted) {
		browser_say(browser, memory_format("nothing to search for: press /"));
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
			cursor_follow(browser);
		} else {
			visit->top = at;
			cursor_move(browser, 0);
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

		draw_page(browser);
		screen_draw_text(screen_height() - 1, LOOK_BAR, shown);
		screen_show();
		free(shown);
		key = screen_key(-1, -1);
		if (key == KEY_ESCAPE || key == KEY_CONTROL('c') || browser_is_interrupted()) {
			browser_forget_interrupt();
			return false;
		}
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

void find_ask(struct browser *browser)
{
	char wanted[sizeof(browser->wanted)];

	if (!ask(browser, wanted, sizeof(wanted))) {
		browser->wanted[0] = '\0';
		browser_say(browser, NULL);
		return;
	}
	if (*wanted)
		memcpy(browser->wanted, wanted, sizeof(wanted));
	find_next(browser, true, true);
}

/* Returns how many hexadecimal digits `text` begins with. */
static size_t count_digits(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

/*
 * Returns the address of the instruction in a line of code, and sets `*digits`; NULL: there is
 * none. Two spaces and a mnemonic follow it.
 */
static const char *address_in(const char *line, size_t *digits)
{
	const char *found = NULL;

	for (const char *at = line; *at;) {
		const size_t count = count_digits(at);
		const bool begins =
			at == line || !(isalnum((unsigned char)at[-1]) || strchr(",.#_", at[-1]));

		if (count && begins && strncmp(at + count, "  ", 2) == 0 &&
		    islower((unsigned char)at[count + 2])) {
			found = at;
			*digits = count;
		}
		at += count ? count : 1;
	}
	return found;
}

/* Returns how many digits at the end two addresses have in common. */
static size_t common_digits(const char *a, size_t a_count, const char *b, size_t b_count)
{
	size_t common = 0;

	while (common < a_count && common < b_count &&
	       a[a_count - 1 - common] == b[b_count - 1 - common])
		common++;
	return common;
}

/* The lower digits of an address: the same in memory and in the file, which is loaded by pages. */
#define PAGE_DIGITS 3

/*
 * Returns the line of the instruction at an address. Code has addresses in the file: where the
 * program was loaded elsewhere, this is the line whose address ends likewise. Returns 0 if there is
 * none, or several that end so.
 */
static size_t line_of(const struct page *page, const char *address)
{
	const size_t whole = count_digits(address);
	size_t best = PAGE_DIGITS - 1, line = 0;
	bool code = false;
	char text[512];

	for (size_t at = 0; at < page->line_count; at++) {
		size_t digits, common;
		const char *found;

		page_cell(&page->lines[at], (struct mark_column){0}, text, sizeof(text));
		code = code || strcmp(text, "Code") == 0;
		found = code ? address_in(text, &digits) : NULL;
		common = found ? common_digits(found, digits, address, whole) : 0;
		/* All of the file's address is more than a part that is as long. */
		common = 2 * common + (found && common == digits);
		if (common / 2 < PAGE_DIGITS || common < best)
			continue;
		line = common > best ? at : 0;
		best = common;
	}
	return line;
}

void find_instruction(struct browser *browser)
{
	struct visit *visit = browser_here(browser);
	const char *address = visit->place.address;
	const size_t above = draw_height() / 3;

	if (!address || page_has_rows(&browser->page))
		return;
	visit->cursor = line_of(&browser->page, address + (strncmp(address, "0x", 2) ? 0 : 2));
	if (!visit->cursor)
		return;
	visit->top = visit->cursor > above ? visit->cursor - above : 0;
	cursor_move(browser, 0);
}

void find_sort(struct browser *browser, int by)
{
	const struct page_line *row = browser_selected(browser);
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
	browser_say(browser,
		    memory_format("sorted by %s%s", name, browser->reversed ? ", reversed" : ""));
}
