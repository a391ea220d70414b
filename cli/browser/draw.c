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
	const bool warns = page_warns(&browser->page);
	const char *hint = browser_here(browser)->place.opened
				   ? (warns ? "m warnings  Esc back  ? help " : "Esc back  ? help ")
				   : (warns ? "m warnings  ? help " : "? help ");
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
		if (at == browser_here(browser)->cursor &&
		    (page_is_row(line) || (at && browser_here(browser)->place.address)))
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

/* ---- Texts that the user reads and leaves -----------------------------------------------------
 */

#define HELP_COLUMN    22 /* where what a key does begins */
#define MESSAGE_INDENT 7  /* of the lines after the first one of a message, as "plumb: " */

struct reading {
	const char *title;
	char **lines;
	size_t count;
};

/* Adds lines that begin with `keys`, and have `text` from a column on. */
static void add_lines(struct reading *reading, const char *keys, size_t column, const char *text)
{
	const size_t width = screen_width();
	struct wrap_line line = {0};

	do {
		const bool any = wrap_next(&text, width > column ? width - column : 1, &line);

		reading->lines =
			memory_resize(reading->lines, reading->count + 1, sizeof(*reading->lines));
		reading->lines[reading->count++] =
			memory_format("  %-*s%.*s", (int)column - 2, keys,
				      any ? (int)line.length : 0, any ? line.at : "");
		keys = "";
	} while (*text);
}

static struct reading help_of(const struct browser *browser)
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
		{"m", "show warnings, such as files that have changed or have no symbols"},
	};
	const struct browser_client *client = browser->client;
	struct reading help = {.title = " Keys"};
	char *keys, *text;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		add_lines(&help, rows[i][0], HELP_COLUMN, rows[i][1]);
	for (size_t i = 0; i < client->filter_count; i++) {
		keys = memory_format("%c", client->filters[i].key);
		text = memory_format("show only the selected row's %s", client->filters[i].name);
		add_lines(&help, keys, HELP_COLUMN, text);
		free(text);
		free(keys);
	}
	keys = memory_format("%c to %c", client->views[0].key,
			     client->views[client->view_count - 1].key);
	add_lines(&help, keys, HELP_COLUMN, "change the view");
	free(keys);
	add_lines(&help, "a", HELP_COLUMN, "show all again");
	add_lines(&help, "q", HELP_COLUMN, "leave");
	add_lines(&help, "", 2, "");
	add_lines(&help, "", 2,
		  "The last line shows the command that prints the same page as text.");
	return help;
}

/* The warnings of the page, each with the hints below it. */
static struct reading warnings_of(const struct browser *browser)
{
	struct reading warnings = {.title = " Warnings"};
	const char *text = browser->page.message;

	while (*text) {
		const size_t length = strcspn(text, "\n"), spaces = strspn(text, " ");
		const bool hint = spaces > 0;
		const size_t begin = hint ? spaces : page_prefix(text);
		char *message = memory_copy(text + begin, length > begin ? length - begin : 0);

		if (!hint && warnings.count)
			add_lines(&warnings, "", 2, "");
		add_lines(&warnings, "", hint ? MESSAGE_INDENT : 2, message);
		free(message);
		text += length + (text[length] == '\n');
	}
	return warnings;
}

/* Draws a text from line `top` on. Returns whether there is more below. */
static bool draw_reading(const struct reading *reading, size_t top)
{
	const bool more = reading->count > top + draw_height();

	erase();
	screen_draw_text(0, LOOK_BAR, reading->title);
	for (size_t y = 0; y < draw_height() && top + y < reading->count; y++)
		screen_draw_text((unsigned)y + 1, LOOK_PLAIN, reading->lines[top + y]);
	screen_draw_text(screen_height() - 1, LOOK_BAR,
			 more || top ? " Up and Down: scroll; other keys return"
				     : " press any key to return");
	screen_show();
	return more;
}

/* Shows a text until the user has read it. It is made again for each size of the screen. */
static void read_out(const struct browser *browser,
		     struct reading (*make)(const struct browser *browser))
{
	size_t top = 0;
	int key;

	do {
		struct reading reading = make(browser);
		const bool more = draw_reading(&reading, top);

		for (size_t i = 0; i < reading.count; i++)
			free(reading.lines[i]);
		free(reading.lines);
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

void draw_help(const struct browser *browser)
{
	read_out(browser, help_of);
}

void draw_warnings(const struct browser *browser)
{
	read_out(browser, warnings_of);
}
