/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json.h"

#include <math.h>
#include <plumb/version.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "tool/memory.h"

json_t *render_string(const char *text)
{
	json_t *string = json_text(text);

	memory_given(string);
	return string;
}

json_t *render_known(json_int_t number)
{
	return number ? json_integer(number) : json_null();
}

json_t *render_number(double number)
{
	return isnan(number) ? json_null() : json_real(number);
}

json_t *render_interval(double low, double high)
{
	json_t *pair;

	if (isnan(low))
		return json_null();
	pair = json_array();
	json_add(pair, json_real(low));
	json_add(pair, json_real(high));
	return pair;
}

json_t *render_object(void)
{
	json_t *object = json_object();

	json_object_set_new(object, "plumb", json_string(plumb_version()));
	return object;
}

/* ---- Lists that are not in memory as a whole ------------------------------------------------- */

static void begin_line(struct output *out, unsigned depth)
{
	fprintf(out->stream, "\n%*s", (int)(2 * depth), "");
}

static void print_indented(struct output *out, const char *text, size_t length, unsigned depth)
{
	while (length) {
		const char *end = memchr(text, '\n', length);
		const size_t line = end ? (size_t)(end - text) : length;

		fwrite(text, 1, line, out->stream);
		if (end)
			begin_line(out, depth);
		text += line + !!end;
		length -= line + !!end;
	}
}

/* Prints a value's text without its last `less` bytes. */
static void print_value(struct output *out, json_t *value, size_t less, unsigned depth)
{
	char *text = NULL;
	size_t length = 0;
	FILE *stream = memory_stream(&text, &length);
	const int error = json_print(value, stream, JSON_INDENT(2));

	memory_stream_close(stream, &text);
	if (error || length < less)
		memory_given(NULL);
	print_indented(out, text, length - less, depth);
	free(text);
	json_decref(value);
}

void render_json_open(struct json_list *list, json_t *object, const char *name)
{
	print_value(list->out, object, strlen("\n}"), list->depth);
	fputc(',', list->out->stream);
	begin_line(list->out, list->depth + 1);
	fprintf(list->out->stream, "\"%s\": [", name);
}

static void begin_item(struct json_list *list)
{
	if (list->any)
		fputc(',', list->out->stream);
	begin_line(list->out, list->depth + 2);
	list->any = true;
}

void render_json_item(struct json_list *list, json_t *element)
{
	begin_item(list);
	print_value(list->out, element, 0, list->depth + 2);
}

struct json_list render_json_nested(struct json_list *list)
{
	begin_item(list);
	return (struct json_list){.out = list->out, .depth = list->depth + 2};
}

void render_json_close(struct json_list *list)
{
	if (list->any)
		begin_line(list->out, list->depth + 1);
	fputc(']', list->out->stream);
	begin_line(list->out, list->depth);
	fputc('}', list->out->stream);
	if (!list->depth)
		fputc('\n', list->out->stream);
}

void render_json(struct output *out, json_t *value)
{
	json_print(value, out->stream, JSON_INDENT(2));
	fputc('\n', out->stream);
	json_decref(value);
}
