/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and prints JSON with jansson, also from text that may not be UTF-8. */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "render/output.h"

/* Makes a string, with bytes that are not UTF-8 replaced by U+FFFD; null for NULL. */
json_t *render_string(const char *text);

/* Makes a number, or null for 0, which means unknown. */
json_t *render_known(json_int_t number);
/* Makes a number, or null if it is NaN. */
json_t *render_number(double number);
/* Makes [low, high], or null: exact values have no interval, and neither have single samples. */
json_t *render_interval(double low, double high);

/* Makes an object that begins with Plumb's version, as all printed objects do. */
json_t *render_object(void);

/* Prints `value` and drops the reference to it. */
void render_json(struct output *out, json_t *value);

/*
 * Prints an object whose last member is a long list, which need not be in memory as a whole:
 * render_json_open() prints all but the list, render_json_item() adds an element to it, and
 * render_json_close() ends it and the object. Lists of such objects nest. Each drops the reference
 * to its value. Zero `list` except for `out`.
 */
struct json_list {
	struct output *out;
	unsigned depth; /* of indentation of the object */
	bool any;       /* the list has elements */
};
void render_json_open(struct json_list *list, json_t *object, const char *name);
void render_json_item(struct json_list *list, json_t *element);
/* Begins an element that is such an object itself. */
struct json_list render_json_nested(struct json_list *list);
void render_json_close(struct json_list *list);

#endif
