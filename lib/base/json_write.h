/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building JSON with jansson and writing it. The functions that add to a value take over the
 * reference to what they add, a NULL of a failed allocation included, and return false if it is
 * not in: a builder need only gather the answers (`ok &= json_put(...)`) and look once.
 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

bool json_put(json_t *object, const char *key, json_t *value);
bool json_put_text(json_t *object, const char *key, const char *text); /* NULL: "" */
bool json_add(json_t *array, json_t *value);
bool json_add_text(json_t *array, const char *text);

/* `value` if all went `ok`; else it is freed and NULL returned. */
json_t *json_if(bool ok, json_t *value);

/*
 * Writes `value` indented by four spaces and ended by a newline, members in the order they were
 * added. Returns 0, PLUMB_ERR_IO or PLUMB_ERR_NO_MEMORY.
 */
int json_write(const json_t *value, FILE *out);

#endif
