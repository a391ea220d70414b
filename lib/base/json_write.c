/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"

#include <plumb/error.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

json_t *json_text(const char *text)
{
	size_t length, valid;
	json_t *string;
	char *copy;

	if (!text)
		return json_null();
	length = strlen(text);
	valid = visible_valid(text, length, NULL);
	/* No replacement is as short as the byte it replaces. */
	if (valid == length)
		return json_stringn_nocheck(text, length);
	copy = malloc(valid);
	if (!copy)
		return NULL;
	visible_valid(text, length, copy);
	string = json_stringn_nocheck(copy, valid);
	free(copy);
	return string;
}

bool json_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0;
}

bool json_put_text(json_t *object, const char *key, const char *text)
{
	return json_put(object, key, json_text(text ? text : ""));
}

bool json_add(json_t *array, json_t *value)
{
	return json_array_append_new(array, value) == 0;
}

bool json_add_text(json_t *array, const char *text)
{
	return json_add(array, json_text(text ? text : ""));
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

/* A dump on its way to a file. jansson passes it on in pieces of any size. */
struct dump {
	FILE *out;
	bool in_string, escaped; /* at the next byte */
	char word[40]; /* outside strings: the beginning of a number, or of true or false */
	size_t length;
};

static void put_in_file(void *user, const char *bytes, size_t size)
{
	fwrite(bytes, 1, size, user);
}

/* The digits that a double may need to be read back as it was; with the fewer, it often is. */
#define DIGITS_LEAST 15
#define DIGITS_MOST  17

/*
 * Writes the word. jansson prints all digits of a real number: 0.10000000000000001. Print the
 * fewest that read back as the same.
 */
static void put_word(struct dump *dump)
{
	const char *text = dump->word;
	char shorter[40], *end;
	double value;

	dump->word[dump->length] = '\0';
	value = strtod(text, &end);
	/* In a locale with another decimal point, strtod() stops there: leave the number alone. */
	if (dump->length && *end == '\0' && text[strcspn(text, ".eE")]) {
		for (int digits = DIGITS_LEAST; digits <= DIGITS_MOST; digits++) {
			snprintf(shorter, sizeof(shorter), "%.*g", digits, value);
			if (strtod(shorter, NULL) == value)
				break;
		}
		/* It stays a real number. */
		if (!shorter[strcspn(shorter, ".e")])
			memcpy(shorter + strlen(shorter), ".0", sizeof(".0"));
		text = shorter;
	}
	fputs(text, dump->out);
	dump->length = 0;
}

/* Returns how many bytes, up to `size`, can be written before a word begins or a string ends. */
static size_t skip_plain(struct dump *dump, const char *bytes, size_t size)
{
	size_t at = 0;

	for (; at < size && (dump->in_string || !strchr("+-.0123456789eE", bytes[at])); at++) {
		if (dump->escaped)
			dump->escaped = false;
		else if (bytes[at] == '\\')
			dump->escaped = true;
		else if (bytes[at] == '"')
			dump->in_string = !dump->in_string;
	}
	return at;
}

/*
 * What jansson has escaped is valid UTF-8 without C0 controls in strings, and it never passes on
 * half a character. Between strings stand newlines.
 */
static void put_plain(const char *bytes, size_t size, FILE *out)
{
	while (size) {
		size_t plain = visible_length(bytes, size);
		uint32_t code;

		if (plain < size && bytes[plain] == '\n')
			plain++;
		fwrite(bytes, 1, plain, out);
		bytes += plain;
		size -= plain;
		if (size && visible_length(bytes, size) == 0 && *bytes != '\n') {
			plain = visible_character(bytes, size, &code);
			put_escaped(code, put_in_file, out);
			bytes += plain;
			size -= plain;
		}
	}
}

static int put_dumped(const char *bytes, size_t size, void *user)
{
	struct dump *dump = user;

	while (size) {
		size_t plain = skip_plain(dump, bytes, size);

		if (plain || dump->length == sizeof(dump->word) - 1)
			put_word(dump);
		put_plain(bytes, plain, dump->out);
		bytes += plain;
		size -= plain;
		if (size) {
			dump->word[dump->length++] = *bytes++;
			size--;
		}
	}
	return ferror(dump->out) ? -1 : 0;
}

int json_print(const json_t *value, FILE *out, size_t flags)
{
	struct dump dump = {.out = out};
	int error = json_dump_callback(value, put_dumped, &dump, flags);

	put_word(&dump);
	if (error == 0 && !ferror(out))
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
