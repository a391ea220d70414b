/* SPDX-License-Identifier: Apache-2.0 */
#define NCURSES_WIDECHAR 1
#include "browser/screen.h"

#include <curses.h>
#include <locale.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/visible.h"
#include "browser/page.h"
#include "browser/search.h"

/* Knows Home and End of all terminals: many send others than those of their TERM. */
static void define_keys(void)
{
	static const struct {
		const char *sequence;
		int key;
	} keys[] = {
		{"\033[1~", KEY_HOME}, {"\033[7~", KEY_HOME}, {"\033[H", KEY_HOME},
		{"\033OH", KEY_HOME},  {"\033[4~", KEY_END},  {"\033[8~", KEY_END},
		{"\033[F", KEY_END},   {"\033OF", KEY_END},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		define_key(keys[i].sequence, keys[i].key);
}

bool screen_open(void)
{
	const char *no_color = getenv("NO_COLOR");

	/* Without a locale of UTF-8, ncurses draws the bytes of other letters one by one. */
	if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
	set_escdelay(25);
	if (!newterm(NULL, stdout, stdin))
		return false;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	define_keys();
	curs_set(0);
	if (has_colors() && !(no_color && *no_color)) {
		start_color();
		use_default_colors();
		for (int color = 0; color < 256 && color < COLORS && color + 1 < COLOR_PAIRS;
		     color++)
			init_pair((short)(color + 1), (short)color, -1);
	}
	return true;
}

void screen_close(void)
{
	if (!isendwin())
		endwin();
}

unsigned screen_width(void)
{
	return (unsigned)getmaxx(stdscr);
}

unsigned screen_height(void)
{
	return (unsigned)getmaxy(stdscr);
}

/* ---- Drawing ----------------------------------------------------------------------------------
 */

struct brush {
	attr_t attributes;
	short color; /* -1: the terminal's */
};

/* Obeys the numbers of an escape sequence "\033[1;36m". */
static void obey(struct brush *brush, const char *text, size_t length)
{
	const char *end = text + length - 1;

	if (*end != 'm')
		return;
	for (const char *at = text + 2; at <= end; at++) {
		char *after;
		unsigned long number = strtoul(at, &after, 10);

		if (number == 38 && strncmp(after, ";5;", 3) == 0) {
			unsigned long color = strtoul(after + 3, &after, 10);

			brush->color = color < 256 && (int)color < COLORS ? (short)color : -1;
		} else if (number == 0) {
			*brush = (struct brush){A_NORMAL, -1};
		} else if (number == 1) {
			brush->attributes |= A_BOLD;
		} else if (number == 2) {
			brush->attributes |= A_DIM;
		} else if (number == 4) {
			brush->attributes |= A_UNDERLINE;
		} else if (number == 7) {
			brush->attributes |= A_REVERSE;
		} else if (number >= 30 && number <= 37) {
			brush->color = (short)(number - 30);
		} else if (number == 39) {
			brush->color = -1;
		}
		at = after;
	}
}

static void put(uint32_t code, const struct brush *brush, enum screen_look look, bool highlight)
{
	wchar_t text[2] = {code == VISIBLE_INVALID ? L'?' : (wchar_t)code};
	attr_t attributes = brush->attributes;
	cchar_t cell;
	short pair = (short)(brush->color + 1);

	/* A control character would move the rest. */
	if (code < 32 || wcwidth(text[0]) < 1)
		text[0] = L'?';
	if (look == LOOK_SELECTED || look == LOOK_BAR) {
		attributes = (attributes | A_REVERSE) & ~A_DIM;
		pair = 0;
	} else if (look == LOOK_DIM) {
		attributes |= A_DIM;
	}
	if (highlight)
		attributes = look == LOOK_PLAIN ? attributes | A_REVERSE
						: (attributes & ~A_REVERSE) | A_BOLD | A_UNDERLINE;
	setcchar(&cell, text, attributes, has_colors() ? pair : 0, NULL);
	add_wch(&cell);
}

void screen_draw(unsigned y, const struct screen_line *line)
{
	const size_t width = screen_width();
	struct brush brush = {A_NORMAL, -1};
	size_t columns = 0, column = 0, wide, end;
	long found = line->wanted && *line->wanted
			     ? search_find(line->text, line->length, 0, line->wanted, &columns)
			     : -1;
	uint32_t code;

	move((int)y, 0);
	for (size_t at = 0; at < line->length;) {
		const size_t escape = page_escape(line->text + at, line->length - at);
		bool highlight;

		if (escape) {
			obey(&brush, line->text + at, escape);
			at += escape;
			continue;
		}
		at += page_character(line->text + at, line->length - at, &code, &wide);
		while (found >= 0 && column >= (size_t)found + columns)
			found = search_find(line->text, line->length, column, line->wanted,
					    &columns);
		highlight = (found >= 0 && column >= (size_t)found) ||
			    (column >= line->begin && column < line->end);
		end = column + wide;
		if (column >= line->left && end - line->left <= width && wide)
			put(code, &brush, line->look, highlight);
		else
			/* Half of a wide character is at the screen's edge. */
			for (; column < end; column++)
				if (column >= line->left && column - line->left < width)
					put(' ', &brush, line->look, highlight);
		column = end;
	}
	column = column > line->left ? column - line->left : 0;
	if (column > width) {
		move((int)y, (int)width - 1);
		put('>', &(struct brush){A_BOLD, -1}, line->look, false);
	}
	for (; column < width; column++)
		put(' ', &(struct brush){A_NORMAL, -1}, line->look, false);
}

void screen_draw_text(unsigned y, enum screen_look look, const char *text)
{
	screen_draw(y, &(struct screen_line){.text = text, .length = strlen(text), .look = look});
}

void screen_show(void)
{
	refresh();
}

#define KEY_INTERRUPT 3 /* Ctrl-C */

/*
 * Returns the next key that has arrived, or ERR. Skips the escape sequences of keys that ncurses
 * does not know: as Esc and the keys after it they would do anything.
 */
static int next_key(void)
{
	int key = getch(), next;

	if (key != KEY_ESCAPE)
		return key;
	next = getch();
	if (next == '[') {
		/* ECMA-48, 5.4: parameters, and a final byte from @ on. Linux's F1 is "\033[[A". */
		next = getch();
		if (next == '[')
			next = getch();
		while (next >= ' ' && next < '@')
			next = getch();
		return ERR;
	}
	if (next == 'O') {
		getch();
		return ERR;
	}
	if (next != ERR)
		ungetch(next);
	return key;
}

int screen_key(int descriptor, int milliseconds)
{
	struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
				 {.fd = descriptor, .events = POLLIN}};
	int key;

	/* ncurses may hold keys of a sequence that is already read. */
	nodelay(stdscr, TRUE);
	key = next_key();
	if (key != ERR)
		return key;
	poll(files, 2, milliseconds);
	key = next_key();
	/* The terminal has gone, and SIGHUP is ignored: no more keys will come. */
	if (key == ERR && files[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		return KEY_INTERRUPT;
	return key;
}

void screen_return_keys(const int *keys, size_t count)
{
	while (count-- > 0)
		ungetch(keys[count]);
}
