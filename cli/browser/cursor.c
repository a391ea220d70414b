/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the cursor on a page, and the page on the screen. */
#include <curses.h>

#include "browser/screen.h"
#include "browser/state.h"

#define STEP_ASIDE 8 /* columns that an arrow key moves the text by */

void cursor_follow(struct browser *browser)
{
	struct visit *visit = browser_here(browser);
	const size_t height = draw_height(), count = browser->page.line_count;

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

void cursor_move(struct browser *browser, long by)
{
	struct visit *visit = browser_here(browser);
	const long count = (long)browser->page.line_count, step = by < 0 ? -1 : 1;
	size_t back = visit->cursor ? visit->cursor - 1 : 0;
	long at = (long)visit->cursor, left = by * step;

	if (!page_has_rows(&browser->page)) {
		const long last = count - (long)draw_height();
		long top = (long)visit->top + by;

		top = top > last ? last : top;
		visit->top = top < 0 ? 0 : (size_t)top;
		return;
	}
	/* From the text below the rows, back to the cursor. */
	if (step < 0 && visit->cursor < visit->top) {
		back = visit->top - back < (size_t)left ? visit->top - back : (size_t)left;
		visit->top -= back;
		left -= (long)back;
		if (!left)
			return;
	}
	for (long next = at + step; left && next >= 0 && next < count; next += step)
		if (page_is_row(&browser->page.lines[next])) {
			at = next;
			left--;
		}
	/* Text before the first row and after the last can be seen, too: call trees, say. */
	if (visit->cursor != (size_t)at || step < 0) {
		visit->cursor = (size_t)at;
		cursor_follow(browser);
	}
	if (left && step > 0 && count > (long)draw_height()) {
		const size_t last = (size_t)count - draw_height();

		visit->top = (size_t)left < last ? visit->top + (size_t)left : last;
		visit->top = visit->top < last ? visit->top : last;
	}
	if (left && step < 0)
		visit->top = 0;
	if (visit->cursor >= visit->top + draw_height())
		cursor_follow(browser);
}

void cursor_settle(struct browser *browser)
{
	struct visit *visit = browser_here(browser);

	if (visit->cursor >= browser->page.line_count)
		visit->cursor = 0;
	for (size_t at = visit->cursor; at < browser->page.line_count; at++)
		if (page_is_row(&browser->page.lines[at])) {
			visit->cursor = at;
			break;
		}
	if (page_has_rows(&browser->page))
		cursor_follow(browser);
	else
		cursor_move(browser, 0);
}

/* Returns the width of the widest line on the screen. */
static size_t widest_line(const struct browser *browser)
{
	const size_t top = browser->visits[browser->depth].top;
	size_t widest = 0;

	for (size_t y = 0; y < draw_height() && browser_line(browser, top + y); y++) {
		const size_t width = page_width(browser_line(browser, top + y));

		widest = width > widest ? width : widest;
	}
	return widest;
}

bool cursor_obey(struct browser *browser, int key)
{
	const long screen = (long)draw_height() - 2;

	switch (key) {
	case KEY_UP:
	case 'k':
		cursor_move(browser, -1);
		break;
	case KEY_DOWN:
	case 'j':
		cursor_move(browser, 1);
		break;
	case KEY_PPAGE:
	case 'b':
		cursor_move(browser, -screen);
		break;
	case KEY_NPAGE:
	case ' ':
		cursor_move(browser, screen);
		break;
	case KEY_HOME:
		cursor_move(browser, -(long)browser->page.line_count - 1);
		break;
	case KEY_END:
		cursor_move(browser, (long)browser->page.line_count + 1);
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
