/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and prints JSON with jansson, also from text that may not be UTF-8. */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include <jansson.h>

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

#endif
