/* SPDX-License-Identifier: Apache-2.0 */
/* JSON for printing: jansson, with what it lacks for text that may not be UTF-8. */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include <jansson.h>

#include "render/output.h"

/* A string, bytes that are no UTF-8 replaced by U+FFFD; null for NULL. */
json_t *render_string(const char *text);

/* null for 0, the number else: for what is 0 when unknown. */
json_t *render_known(json_int_t number);

/* A new object that begins with Plumb's version, as every object that is printed whole does. */
json_t *render_object(void);

/* Prints `value`, and gives it up. */
void render_json(struct output *out, json_t *value);

#endif
