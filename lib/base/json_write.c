/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"

#include <plumb/error.h>

#include "base/visible.h"

bool json_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0;
}

bool json_put_text(json_t *object, const char *key, const char *text)
{
	return json_put(object, key, json_string(text ? text : ""));
}

bool json_add(json_t *array, json_t *value)
{
	return json_array_append_new(array, value) == 0;
}

bool json_add_text(json_t *array, const char *text)
{
	return json_add(array, json_string(text ? text : ""));
}

json_t *json_if(bool ok, json_t *value)
{
	if (ok)
		return value;
	json_decref(value);
	return NULL;
}

/* Puts a character that must not stand as it is. */
static void put_escaped(uint32_t code, json_put_bytes *put, void *user)
{
	char text[16];

	if (code == '"' || code == '\\')
		put(user, text, (size_t)snprintf(text, sizeof(text), "\\%c", (char)code));
	else
		/* None of those above U+FFFF has to be escaped. */
		put(user, text,
		    (size_t)snprintf(text, sizeof(text), "\\u%04x",
				     code == VISIBLE_INVALID ? 0xfffdu : code));
}

void json_escape(const char *text, size_t length, json_put_bytes *put, void *user)
{
	while (length) {
		size_t plain = 0, bytes = visible_length(text, length);
		uint32_t code;

		while (plain < bytes && text[plain] != '"' && text[plain] != '\\')
			plain++;
		if (plain)
			put(user, text, plain);
		text += plain;
		length -= plain;
		if (!length)
			return;
		bytes = visible_character(text, length, &code);
		put_escaped(code, put, user);
		text += bytes;
		length -= bytes;
	}
}

static void put_in_file(void *user, const char *bytes, size_t size)
{
	fwrite(bytes, 1, size, user);
}

/*
 * What jansson has escaped is valid UTF-8 without C0 controls in strings, and it never passes on
 * half a character. Between strings stand newlines.
 */
static int put_dumped(const char *bytes, size_t size, void *user)
{
	while (size) {
		size_t plain = visible_length(bytes, size);
		uint32_t code;

		if (plain < size && bytes[plain] == '\n')
			plain++;
		fwrite(bytes, 1, plain, user);
		bytes += plain;
		size -= plain;
		if (size && visible_length(bytes, size) == 0 && *bytes != '\n') {
			plain = visible_character(bytes, size, &code);
			put_escaped(code, put_in_file, user);
			bytes += plain;
			size -= plain;
		}
	}
	return ferror(user) ? -1 : 0;
}

int json_print(const json_t *value, FILE *out, size_t flags)
{
	if (json_dump_callback(value, put_dumped, out, flags) == 0)
		return 0;
	return ferror(out) ? PLUMB_ERR_IO : PLUMB_ERR_NO_MEMORY;
}

int json_write(const json_t *value, FILE *out)
{
	int error = json_print(value, out, JSON_INDENT(4));

	if (error)
		return error;
	return fputc('\n', out) == EOF ? PLUMB_ERR_IO : 0;
}
