/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"

#include <math.h>
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

#define WORD_ROOM 40

/* A dump on its way to a file. jansson passes it on in pieces of any size, most of them small. */
struct dump {
	FILE *out;
	bool in_string, escaped; /* at the next byte */
	char word[WORD_ROOM]; /* outside strings: the beginning of a number, or of true or false */
	size_t length;
	char waiting[4096]; /* to be written */
	size_t wait;
	bool failed; /* to write some of it */
};

static void put_waiting(struct dump *dump)
{
	dump->failed |= fwrite(dump->waiting, 1, dump->wait, dump->out) < dump->wait;
	dump->wait = 0;
}

static void put(void *user, const char *bytes, size_t size)
{
	struct dump *dump = user;

	if (size > sizeof(dump->waiting) - dump->wait)
		put_waiting(dump);
	if (size > sizeof(dump->waiting)) {
		dump->failed |= fwrite(bytes, 1, size, dump->out) < size;
		return;
	}
	memcpy(dump->waiting + dump->wait, bytes, size);
	dump->wait += size;
}

/* The digits that a double may need to be read back as it was; with the fewer, it often is. */
#define DIGITS_LEAST 15
#define DIGITS_MOST  17

/* A real number as jansson prints it: digits, a point, and `places` more of them. */
struct decimal {
	bool negative;
	uint64_t digits;
	int count, places; /* of all digits from the first that is not 0 on; behind the point */
};

/* Returns false for other numbers, words and what has too many digits. */
static bool read_decimal(const char *text, struct decimal *decimal)
{
	bool point = false;

	*decimal = (struct decimal){.negative = *text == '-'};
	for (text += decimal->negative; *text; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9' || decimal->count == DIGITS_MOST)
			return false;
		decimal->digits = 10 * decimal->digits + (uint64_t)(*text - '0');
		decimal->count += decimal->digits != 0;
		decimal->places += point;
	}
	return point;
}

/* Writes a number of at least one place, without zeros at its end but for the one behind the point.
 */
static void write_decimal(char *text, const struct decimal *decimal)
{
	char room[WORD_ROOM], *end = room + sizeof(room), *at = end;
	uint64_t digits = decimal->digits;
	int places = decimal->places;

	for (; places > 1 && digits % 10 == 0; places--)
		digits /= 10;
	for (int i = 0; digits || i <= places; i++, digits /= 10) {
		if (i == places)
			*--at = '.';
		*--at = (char)('0' + digits % 10);
	}
	if (decimal->negative)
		*--at = '-';
	memcpy(text, at, (size_t)(end - at));
	text[end - at] = '\0';
}

/* Both a number of so many bits and such a power of ten are exact, so their quotient is the double
 * that is nearest to the decimal. */
#define EXACT_MAX (UINT64_C(1) << 53)
static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define POWERS ((int)(sizeof(powers_of_ten) / sizeof(*powers_of_ten)))

/* Rounds a number to fewer digits. Returns false if that is a tie, or nearly one; or takes another
 * digit; or leaves no place; or if the result is not exact as a quotient. */
static bool round_decimal(struct decimal *decimal, int count)
{
	uint64_t unit = 1, rest, most = 1;

	for (int i = count; i < decimal->count; i++)
		unit *= 10;
	for (int i = 0; i < count; i++)
		most *= 10;
	rest = decimal->digits % unit;
	if (unit > 1 && rest == unit / 2)
		return false;
	decimal->digits = decimal->digits / unit + (rest > unit / 2);
	decimal->places -= decimal->count - count;
	decimal->count = count;
	return decimal->digits < most && decimal->digits <= EXACT_MAX && decimal->places > 0 &&
	       decimal->places < POWERS;
}

/*
 * Writes the fewest digits as below, for the numbers of which that can be told in little time: a
 * report may have a million of them. Returns false for others.
 */
static bool shorten_quickly(const char *text, double value, char shorter[WORD_ROOM])
{
	struct decimal whole;

	if (!read_decimal(text, &whole) || whole.count - whole.places > DIGITS_LEAST)
		return false;
	for (int count = DIGITS_LEAST; count < whole.count; count++) {
		struct decimal rounded = whole;

		if (!round_decimal(&rounded, count))
			return false;
		if ((double)rounded.digits / powers_of_ten[rounded.places] == fabs(value)) {
			write_decimal(shorter, &rounded);
			return true;
		}
	}
	memcpy(shorter, text, strlen(text) + 1);
	return true;
}

static void shorten(double value, char shorter[WORD_ROOM])
{
	for (int digits = DIGITS_LEAST; digits <= DIGITS_MOST; digits++) {
		snprintf(shorter, WORD_ROOM, "%.*g", digits, value);
		if (strtod(shorter, NULL) == value)
			break;
	}
}

/*
 * Writes the word. jansson prints all digits of a real number: 0.10000000000000001. Print the
 * fewest that read back as the same.
 */
static void put_word(struct dump *dump)
{
	const char *text = dump->word;
	char shorter[WORD_ROOM], *end;
	double value;

	if (!dump->length)
		return;
	dump->word[dump->length] = '\0';
	if (!text[strcspn(text, ".eE")] ||
	    (dump->length <= DIGITS_LEAST && !text[strcspn(text, "eE")])) {
		put(dump, text, dump->length);
		dump->length = 0;
		return;
	}
	value = strtod(text, &end);
	/* In a locale with another decimal point, strtod() stops there: leave the number alone. */
	if (*end == '\0') {
		if (!shorten_quickly(text, value, shorter))
			shorten(value, shorter);
		/* It stays a real number. */
		if (!shorter[strcspn(shorter, ".e")])
			memcpy(shorter + strlen(shorter), ".0", sizeof(".0"));
		text = shorter;
	}
	put(dump, text, strlen(text));
	dump->length = 0;
}

static bool is_of_word(char byte)
{
	return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '+' ||
	       byte == 'e' || byte == 'E';
}

/* Returns how many bytes, up to `size`, can be written before a word begins or a string ends. */
static size_t skip_plain(struct dump *dump, const char *bytes, size_t size)
{
	size_t at = 0;

	for (; at < size && (dump->in_string || !is_of_word(bytes[at])); at++) {
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
static void put_plain(struct dump *dump, const char *bytes, size_t size)
{
	while (size) {
		size_t plain = visible_length(bytes, size);
		uint32_t code;

		if (plain < size && bytes[plain] == '\n')
			plain++;
		put(dump, bytes, plain);
		bytes += plain;
		size -= plain;
		if (size && visible_length(bytes, size) == 0 && *bytes != '\n') {
			plain = visible_character(bytes, size, &code);
			put_escaped(code, put, dump);
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
		put_plain(dump, bytes, plain);
		bytes += plain;
		size -= plain;
		if (size) {
			dump->word[dump->length++] = *bytes++;
			size--;
		}
	}
	return dump->failed ? -1 : 0;
}

int json_print(const json_t *value, FILE *out, size_t flags)
{
	struct dump dump = {.out = out};
	int error = json_dump_callback(value, put_dumped, &dump, flags);

	put_word(&dump);
	put_waiting(&dump);
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
