/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON value by value, without spaces, for documents that are too large to build in memory.
 * In an object each value has a name; in an array `name` is NULL.
 */
#ifndef RENDER_JSON_STREAM_H
#define RENDER_JSON_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_stream {
	FILE *stream;
	bool more; /* the innermost object or array has a value */
};

/* Begins an object, '{', or an array, '['; ends it, with '}' or ']'. */
void json_stream_open(struct json_stream *json, const char *name, char bracket);
void json_stream_close(struct json_stream *json, char bracket);

/* Text of any bytes is escaped as json_escape() does; NULL is null. */
void json_stream_text(struct json_stream *json, const char *name, const char *text);
void json_stream_number(struct json_stream *json, const char *name, uint64_t number);
/* Writes a number with its unit's millionths. */
void json_stream_millionths(struct json_stream *json, const char *name, uint64_t millionths);
/* Writes an index, or null for UINT32_MAX. */
void json_stream_index(struct json_stream *json, const char *name, uint32_t index);
/* Writes -1, which some formats have for no index. */
void json_stream_none(struct json_stream *json);
void json_stream_bool(struct json_stream *json, const char *name, bool value);

#endif
