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
	static const char replacement[] = "\xef\xbf\xbd";
	size_t length, at = 0, used = 0;
	json_t *string;
	char *copy;

	if (!text)
		return json_null();
	string = json_string(text);
	if (string)
		return string;

	/* Byte by byte: what follows a bad one may be good. */
	length = strlen(text);
	copy = memory_resize(NULL, length, sizeof(replacement));
	while (at < length) {
		size_t bytes = length - at < 4 ? length - at : 4;
		json_t *good = NULL;

		while (bytes > 0 && !(good = json_stringn(text + at, bytes)))
			bytes--;
		json_decref(good);
		if (good) {
			memcpy(copy + used, text + at, bytes);
			used += bytes;
			at += bytes;
		} else {
			memcpy(copy + used, replacement, sizeof(replacement) - 1);
			used += sizeof(replacement) - 1;
			at++;
		}
	}
	string = json_stringn(copy, used);
	free(copy);
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

void render_json(struct output *out, json_t *value)
{
	json_print(value, out->stream, JSON_INDENT(2));
	fputc('\n', out->stream);
	json_decref(value);
}
