/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"

static void put(void *user, const char *bytes, size_t size)
{
	fwrite(bytes, 1, size, user);
}

static void begin(struct json_stream *json, const char *name)
{
	if (json->more)
		fputc(',', json->stream);
	json->more = true;
	if (name)
		fprintf(json->stream, "\"%s\":", name);
}

void json_stream_open(struct json_stream *json, const char *name, char bracket)
{
	begin(json, name);
	fputc(bracket, json->stream);
	json->more = false;
}

void json_stream_close(struct json_stream *json, char bracket)
{
	fputc(bracket, json->stream);
	json->more = true;
}

void json_stream_text(struct json_stream *json, const char *name, const char *text)
{
	begin(json, name);
	if (!text) {
		fputs("null", json->stream);
		return;
	}
	fputc('"', json->stream);
	json_escape(text, strlen(text), put, json->stream);
	fputc('"', json->stream);
}

void json_stream_number(struct json_stream *json, const char *name, uint64_t number)
{
	begin(json, name);
	fprintf(json->stream, "%" PRIu64, number);
}

void json_stream_millionths(struct json_stream *json, const char *name, uint64_t millionths)
{
	begin(json, name);
	fprintf(json->stream, "%" PRIu64, millionths / 1000000);
	if (millionths % 1000000)
		fprintf(json->stream, ".%06" PRIu64, millionths % 1000000);
}

void json_stream_index(struct json_stream *json, const char *name, uint32_t index)
{
	if (index == UINT32_MAX)
		json_stream_text(json, name, NULL);
	else
		json_stream_number(json, name, index);
}

void json_stream_none(struct json_stream *json)
{
	begin(json, NULL);
	fputs("-1", json->stream);
}

void json_stream_bool(struct json_stream *json, const char *name, bool value)
{
	begin(json, name);
	fputs(value ? "true" : "false", json->stream);
}
