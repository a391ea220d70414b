/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds JSON with jansson and writes it. Functions that add to a value take over the reference to
 * the added value, which may be NULL after a failed allocation, and return whether it was added. So
 * a builder can collect the results (`ok &= json_put(...)`) and check once.
 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/*
 * Makes a string from text of any bytes: those that are not UTF-8 become U+FFFD; null for NULL.
 * JSON cannot have them, and jansson takes them for a lack of memory.
 */
json_t *json_text(const char *text);

bool json_put(json_t *object, const char *key, json_t *value);
bool json_add(json_t *array, json_t *value);

/* Text as for json_text(), but NULL counts as "". */
bool json_put_text(json_t *object, const char *key, const char *text);
bool json_add_text(json_t *array, const char *text);

/* Returns `value` if `ok`; otherwise frees it and returns NULL. */
json_t *json_if(bool ok, json_t *value);

/*
 * Writes text of any bytes as it stands between the quotes of a JSON string, piece by piece: calls
 * `put` for each. What a terminal must not get (visible.h) is escaped, and a byte that is not UTF-8
 * becomes U+FFFD, so that JSON is safe to look at and always valid.
 */
typedef void json_put_bytes(void *user, const char *bytes, size_t size);
void json_escape(const char *text, size_t length, json_put_bytes *put, void *user);

/*
 * Writes `value` as jansson's json_dumpf() does, with its `flags`, but escapes strings as
 * json_escape() does, and writes real numbers with the fewest digits that read back as the same.
 * Returns 0, PLUMB_ERR_IO or PLUMB_ERR_NO_MEMORY.
 */
int json_print(const json_t *value, FILE *out, size_t flags);

/*
 * Writes `value` and a newline, indented by four spaces, with members in the order they were added.
 * Returns 0, PLUMB_ERR_IO or PLUMB_ERR_NO_MEMORY.
 */
int json_write(const json_t *value, FILE *out);

#endif
