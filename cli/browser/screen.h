/* SPDX-License-Identifier: Apache-2.0 */
/* Draws lines of text with colours on the terminal, by ncurses. */
#ifndef BROWSER_SCREEN_H
#define BROWSER_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#define KEY_ESCAPE 27

/* How a whole line looks. */
enum screen_look {
	LOOK_PLAIN,
	LOOK_SELECTED,
	LOOK_BAR,
	LOOK_DIM,
};

/* Returns false if the terminal cannot be used. */
bool screen_open(void);
void screen_close(void);

unsigned screen_width(void);
unsigned screen_height(void);

/*
 * Draws a line from its column `left` on. Obeys escape sequences of colours, and nothing else.
 * Highlights what search_find() finds of `wanted`, unless that is empty, and the columns from
 * `begin` to `end`. A ">" in the last column says that the line goes on.
 */
struct screen_line {
	const char *text;
	size_t length;
	size_t left;
	enum screen_look look;
	const char *wanted;
	size_t begin, end;
};
void screen_draw(unsigned y, const struct screen_line *line);
void screen_draw_text(unsigned y, enum screen_look look, const char *text);
void screen_show(void);

/*
 * Waits for a key, or until `descriptor` (or -1) is readable, or until a signal or the time is
 * over. Returns ncurses' number of the key, or -1.
 */
int screen_key(int descriptor, int milliseconds);
/* Has screen_key() return `keys` next, in their order. */
void screen_return_keys(const int *keys, size_t count);

#endif
