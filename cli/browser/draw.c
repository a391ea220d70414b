/* SPDX-License-Identifier: Apache-2.0 */
/* Draws what the browser shows: the views, a page, and the last line. */
#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "browser/screen.h"
#include "browser/state.h"
#include "tool/memory.h"
#include "tool/wrap.h"

#define HEIGHT_LEAST 6

size_t draw_height(void)
{
	return screen_height() - 2;
}

static void draw_bar(struct browser *browser)
{
	const struct browser_place *place = &browser_here(browser)->place;
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

/* Cuts a message such that `width` columns are enough, between characters. */
static void cut_message(char *text, size_t width)
{
	static const char mark[] = "..";
	const size_t length = strlen(text);
	size_t end;

	if (wrap_columns(text, length) <= width || width < sizeof(mark))
		return;
	end = wrap_fit(text, length, width - (sizeof(mark) - 1));
	text[end] = '\0';
	/* What is cut off may be one character of three bytes, or of two columns. */
	if (length - end >= sizeof(mark) - 1)
		memcpy(text + end, mark, sizeof(mark));
}

/* Cuts off the first `columns` columns of a text, or one more, and marks that. */
static void cut_beginning(char *text, size_t columns)
{
	static const char mark[] = "..";
	const size_t length = strlen(text);
	size_t begin = wrap_fit(text, length, columns + sizeof(mark) - 1);

	/* A character of two columns may be in the way. */
	if (wrap_columns(text, begin) < columns + sizeof(mark) - 1)
		begin = wrap_fit(text, length, columns + sizeof(mark));
	if (begin < sizeof(mark) - 1)
		return;
	memcpy(text, mark, sizeof(mark) - 1);
	memmove(text + sizeof(mark) - 1, text + begin, length - begin + 1);
}

void draw_status(struct browser *browser)
{
	const char *hint = browser_here(browser)->place.opened ? "Esc back  ? help " : "? help ";
	const unsigned width = screen_width();
	char *text = browser->message ? memory_copy(browser->message, strlen(browser->message))
				      : browser->client->command(browser->client->user,
								 &browser_here(browser)->place);
	size_t length;
	char *line;

	/* The way to the help is always shown. */
	if (browser->message && width > strlen(hint) + 2)
		cut_message(text, width - 2 - strlen(hint));
	length = wrap_columns(text, strlen(text));
	line = memory_format(
		" %s%*s%s", text,
		length + strlen(hint) + 2 <= width ? (int)(width - 1 - length - strlen(hint)) : 1,
		"", hint);
	length = wrap_columns(line, strlen(line));
	/* The end of a long command tells more than its beginning, other than of a message. */
	if (length > width && !browser->message)
		cut_beginning(line, length - width);
	screen_draw(screen_height() - 1,
		    &(struct screen_line){.text = line, .length = strlen(line), .look = LOOK_BAR});
	free(line);
	free(text);
}

static void draw_line(struct browser *browser, unsigned y, size_t at)
{
	const struct page_line *line = browser_line(browser, at);
	struct screen_line drawn = {.left = browser->left, .wanted = browser->wanted};
	struct mark_column column;

	if (line) {
		drawn.text = line->text;
		drawn.length = line->length;
		if (page_is_row(line) && at == browser_here(browser)->cursor)
			drawn.look = LOOK_SELECTED;
		if (line->mark && line->mark->record.kind == MARK_HEADING && browser->sorted >= 0 &&
		    page_column(line->mark, (size_t)browser->sorted, &column)) {
			drawn.begin = column.begin;
			drawn.end = column.end;
		}
	}
	screen_draw(y, &drawn);
}

void draw_page(struct browser *browser)
{
	const struct visit *visit = browser_here(browser);
	const struct page_line *first = browser_line(browser, visit->top);

	if (screen_width() < DRAW_WIDTH_LEAST || screen_height() < HEIGHT_LEAST) {
		erase();
		screen_draw_text(0, LOOK_PLAIN, "terminal too small");
		screen_show();
		return;
	}
	draw_bar(browser);
	for (unsigned y = 0; y < draw_height(); y++)
		draw_line(browser, y + 1, visit->top + y);
	/* The headings of a table stay when its rows scroll. */
	if (first && first->heading && first->heading <= visit->top)
		draw_line(browser, 1, first->heading - 1);
	draw_status(browser);
	screen_show();
}

/* ---- Help -------------------------------------------------------------------------------------
 */

#define HELP_COLUMN 22 /* where what a key does begins */

struct help {
	char **lines;
	size_t count;
};

/* Adds lines that begin with `keys`, and have `text` from a column on. */
static void add_help(struct help *help, const char *keys, size_t column, const char *text)
{
	const size_t width = screen_width();
	struct wrap_line line = {0};

	do {
		const bool any = wrap_next(&text, width > column ? width - column : 1, &line);

		help->lines = memory_resize(help->lines, help->count + 1, sizeof(*help->lines));
		help->lines[help->count++] =
			memory_format("  %-*s%.*s", (int)column - 2, keys,
				      any ? (int)line.length : 0, any ? line.at : "");
		keys = "";
	} while (*text);
}

static struct help help_of(const struct browser_client *client)
{
	static const char *const rows[][2] = {
		{"Up Down j k", "select another row"},
		{"PgUp PgDn Space b", "move by a screen"},
		{"Home End", "go to the first row, to the last"},
		{"Left Right", "move the text aside; a > marks lines that go on"},
		{"w", "show all columns, or only those that fit"},
		{"Enter", "open the function: its source and instructions"},
		{"Esc Backspace", "go back"},
		{"/ n N", "search, go to the next match, to the one before"},
		{"< > r", "sort by another column, reverse the order"},
		{"g", "show or hide call trees, below the rows"},
	};
	struct help help = {0};
	char *keys, *text;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		add_help(&help, rows[i][0], HELP_COLUMN, rows[i][1]);
	for (size_t i = 0; i < client->filter_count; i++) {
		keys = memory_format("%c", client->filters[i].key);
		text = memory_format("show only the selected row's %s", client->filters[i].name);
		add_help(&help, keys, HELP_COLUMN, text);
		free(text);
		free(keys);
	}
	keys = memory_format("%c to %c", client->views[0].key,
			     client->views[client->view_count - 1].key);
	add_help(&help, keys, HELP_COLUMN, "change the view");
	free(keys);
	add_help(&help, "a", HELP_COLUMN, "show all again");
	add_help(&help, "q", HELP_COLUMN, "leave");
	add_help(&help, "", 2, "");
	add_help(&help, "", 2,
		 "The last line shows the command that prints the same page as text.");
	return help;
}

/* Draws the help from line `top` on. Returns whether there is more below. */
static bool draw_help_from(const struct browser_client *client, size_t top)
{
	struct help help = help_of(client);
	const bool more = help.count > top + draw_height();

	erase();
	screen_draw_text(0, LOOK_BAR, " Keys");
	for (size_t y = 0; y < draw_height() && top + y < help.count; y++)
		screen_draw_text((unsigned)y + 1, LOOK_PLAIN, help.lines[top + y]);
	screen_draw_text(screen_height() - 1, LOOK_BAR,
			 more || top ? " Up and Down: scroll; other keys return"
				     : " press any key to return");
	screen_show();
	for (size_t i = 0; i < help.count; i++)
		free(help.lines[i]);
	free(help.lines);
	return more;
}

void draw_help(const struct browser *browser)
{
	size_t top = 0;
	int key;

	do {
		const bool more = draw_help_from(browser->client, top);

		key = screen_key(-1, -1);
		if (key == KEY_DOWN || key == 'j' || key == ' ' || key == KEY_NPAGE)
			top += more;
		else if (key == KEY_UP || key == 'k' || key == KEY_PPAGE)
			top -= top > 0;
		else if (key >= 0 && key != KEY_RESIZE)
			break;
	} while (!browser_is_interrupted());
	erase();
}
