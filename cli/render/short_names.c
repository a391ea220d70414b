/* SPDX-License-Identifier: Apache-2.0 */
#include "render/short_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tool/memory.h"
#include "tool/wrap.h"

#define PROSE_COLUMNS 50 /* longer names in prose lose the arguments of their templates */

static bool is_in_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Tells whether a name has the word "operator" directly before `at`. */
static bool is_behind_operator(const char *name, const char *at)
{
	static const char word[] = "operator";
	const size_t length = sizeof(word) - 1;

	return (size_t)(at - name) >= length && memcmp(at - length, word, length) == 0 &&
	       (at - length == name || !is_in_identifier(at[-(ptrdiff_t)length - 1]));
}

/*
 * Tells whether the bracket at `at` begins the arguments of a template: "f<int>", "operator()<int>"
 * or "operator< <int>".
 */
static bool begins_arguments(const char *name, const char *at)
{
	const char *end = at;

	if (*at != '<' || at == name)
		return false;
	if (is_in_identifier(at[-1]))
		return !is_behind_operator(name, at);
	if (at[-1] == ' ')
		end--;
	else if (at[-1] != ')' && at[-1] != ']')
		return false;
	/* No operator has more than three characters. */
	for (size_t length = 1; length <= 3 && end > name; length++)
		if (is_in_identifier(*--end) || *end == ' ')
			return false;
		else if (is_behind_operator(name, end))
			return true;
	return false;
}

/* Returns where the arguments that begin at `at` end, at their bracket; NULL: they do not. */
static const char *end_of_arguments(const char *at)
{
	size_t depth = 0, round = 0;

	for (const char *begin = at; *at; at++) {
		round += *at == '(';
		round -= *at == ')' && round;
		if (round)
			continue;
		depth += *at == '<';
		/* Not of "->". */
		depth -= *at == '>' && !(at > begin && at[-1] == '-');
		if (!depth)
			return at;
	}
	return NULL;
}

/* Copies a name with `mark` for each list of template arguments. */
static char *replace_arguments(const char *name, const char *mark)
{
	const size_t mark_length = strlen(mark);
	/* A mark may be longer than what it stands for. */
	char *text = memory_given(malloc(strlen(name) * (1 + mark_length) + 1)), *out = text;

	for (const char *at = name; *at; at++) {
		const char *end = begins_arguments(name, at) ? end_of_arguments(at) : NULL;

		if (!end || end == at + 1) {
			*out++ = *at;
			continue;
		}
		memcpy(out, mark, mark_length);
		out += mark_length;
		at = end;
	}
	*out = '\0';
	return text;
}

char *short_name(const char *name, const char *mark)
{
	char *bracketed = memory_format("<%s>", mark), *text = replace_arguments(name, bracketed);

	free(bracketed);
	return text;
}

/* Finds the last list of arguments that is in no other. Returns false if there is none. */
static bool find_last_arguments(const char *name, const char **begin, const char **end)
{
	*begin = NULL;
	for (const char *at = name; *at; at++) {
		const char *close = begins_arguments(name, at) ? end_of_arguments(at) : NULL;

		if (!close || close == at + 1)
			continue;
		*begin = at;
		*end = close;
		at = close;
	}
	return *begin;
}

char *short_name_but_last(const char *name, const char *mark)
{
	const char *begin, *end;
	char *before, *inside, *text, *part;

	if (!find_last_arguments(name, &begin, &end))
		return memory_copy(name, strlen(name));
	part = memory_copy(name, (size_t)(begin - name));
	before = short_name(part, mark);
	free(part);
	part = memory_copy(begin + 1, (size_t)(end - begin - 1));
	inside = short_name(part, mark);
	free(part);
	text = memory_format("%s<%s%s", before, inside, end);
	free(before);
	free(inside);
	return text;
}

char *name_without_arguments(const char *name)
{
	return replace_arguments(name, "");
}

/* Returns the bracket that opens the list which ends at `end`, or NULL. */
static const char *begin_of_list(const char *name, const char *end)
{
	size_t depth = 0;

	for (const char *at = end; at >= name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (!depth)
			return at;
		if (at == name)
			break;
	}
	return NULL;
}

char *name_without_parameters(const char *name)
{
	const char *end = strrchr(name, ')');
	const char *begin = end ? begin_of_list(name, end) : NULL;

	/* What comes behind may be "const", or how the function was cloned. */
	if (!begin || begin == name || is_behind_operator(name, begin) || (end[1] && end[1] != ' '))
		return memory_copy(name, strlen(name));
	return memory_copy(name, (size_t)(begin - name));
}

char *name_in_prose(const char *name, const char *mark)
{
	const size_t length = strlen(name);

	if (wrap_columns(name, length) <= PROSE_COLUMNS)
		return memory_copy(name, length);
	return short_name(name, mark);
}

/* A name, its copy, and which it is. */
struct named {
	const char *name, *copy;
	size_t i;
};

static int by_copy(const void *a, const void *b)
{
	const struct named *one = a, *other = b;
	const int order = strcmp(one->copy, other->copy);

	return order ? order : strcmp(one->name, other->name);
}

/* Returns the end of the sorted names that look like the one at `begin`, and whether they differ.
 */
static size_t end_of_alike(const struct named *names, size_t count, size_t begin, bool *differ)
{
	size_t end = begin + 1;

	while (end < count && strcmp(names[end].copy, names[begin].copy) == 0)
		end++;
	*differ = strcmp(names[begin].name, names[end - 1].name) != 0;
	return end;
}

/* So many different names that look alike are told apart. */
#define ALIKE_MOST 32

/*
 * Gives names that look alike without arguments their last list of them. They are in order. Returns
 * false, and gives nothing, if that does not tell all apart. `copies` are those of all names.
 */
static bool tell_apart(const struct named *names, size_t count, char **copies, const char *mark)
{
	char **texts = memory_alloc(ALIKE_MOST * sizeof(*texts));
	size_t different = 0, at = 0;
	bool apart = true;

	for (size_t k = 0; k < count && apart; k++) {
		if (k && strcmp(names[k].name, names[k - 1].name) == 0)
			continue;
		apart = different < ALIKE_MOST;
		if (!apart)
			break;
		texts[different] = short_name_but_last(names[k].name, mark);
		for (size_t other = 0; other < different; other++)
			apart = apart && strcmp(texts[other], texts[different]) != 0;
		different++;
	}
	for (size_t k = 0; k < count && apart; k++) {
		at += k && strcmp(names[k].name, names[k - 1].name) != 0;
		free(copies[names[k].i]);
		copies[names[k].i] = memory_copy(texts[at], strlen(texts[at]));
	}
	for (size_t i = 0; i < different; i++)
		free(texts[i]);
	free(texts);
	return apart;
}

char **short_names(const char **cells, size_t count, size_t stride, size_t columns,
		   const char *mark)
{
	char **copies = memory_alloc((count + 1) * sizeof(*copies));
	struct named *names = memory_alloc((count + 1) * sizeof(*names));
	bool differ;

	for (size_t i = 0; i < count; i++) {
		const char *name = cells[i * stride] ? cells[i * stride] : "";

		copies[i] = short_name(name, mark);
		names[i] = (struct named){name, copies[i], i};
	}
	if (count)
		qsort(names, count, sizeof(*names), by_copy);
	for (size_t begin = 0, end; begin < count; begin = end) {
		end = end_of_alike(names, count, begin, &differ);
		if (differ && !tell_apart(names + begin, end - begin, copies, mark))
			continue;
		for (size_t k = begin; k < end; k++)
			if (wrap_columns(names[k].name, strlen(names[k].name)) > columns)
				cells[names[k].i * stride] = copies[names[k].i];
	}
	free(names);
	return copies;
}

void short_names_free(char **copies)
{
	for (size_t i = 0; copies && copies[i]; i++)
		free(copies[i]);
	free(copies);
}
