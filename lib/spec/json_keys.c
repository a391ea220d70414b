/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/json_keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/error.h>

/*
 * Values wait in `pending`, in document order, until their container closes. Then they move to
 * `nodes`, so that the children of a container are adjacent.
 */
struct scanner {
	const char *at;
	const char *end;
	const char *line_start;
	uint32_t line;
	struct json_keys *keys;
	uint32_t room;
	struct json_node *pending;
	uint32_t pending_count;
	uint32_t pending_room;
	struct {
		uint32_t self; /* index of the container in `pending` */
		bool object;
	} open[JSON_KEYS_MAX_DEPTH];
	unsigned depth;
};

/* Makes room for `more` nodes past `count`; false if out of memory. */
static bool make_room(struct json_node **nodes, uint32_t *room, uint32_t count, uint32_t more)
{
	uint32_t wanted = *room ? *room : 256;
	struct json_node *grown;

	while (wanted - count < more)
		wanted *= 2;
	if (wanted == *room)
		return true;
	grown = realloc(*nodes, wanted * sizeof(*grown));
	if (!grown)
		return false;
	*nodes = grown;
	*room = wanted;
	return true;
}

/* Compares by length and bytes, then by place. Any fixed order works for searching by name. */
static int compare_keys(const void *left, const void *right)
{
	const struct json_node *a = left, *b = right;
	int order;

	if (a->key_length != b->key_length)
		return a->key_length < b->key_length ? -1 : 1;
	order = memcmp(a->key, b->key, a->key_length);
	if (order)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

static bool same_key(const struct json_node *a, const struct json_node *b)
{
	return a->key_length == b->key_length && !memcmp(a->key, b->key, a->key_length);
}

static void sort_members(struct json_node *members, uint32_t count)
{
	if (count > 16) {
		qsort(members, count, sizeof(*members), compare_keys);
		return;
	}
	for (uint32_t i = 1; i < count; i++) {
		struct json_node moved = members[i];
		uint32_t at = i;

		for (; at > 0 && compare_keys(&members[at - 1], &moved) > 0; at--)
			members[at] = members[at - 1];
		members[at] = moved;
	}
}

/* Moves pending[from..] to their final place; returns the index of the first. */
static uint32_t settle(struct scanner *s, uint32_t from)
{
	struct json_keys *keys = s->keys;
	uint32_t first = keys->count;

	for (uint32_t i = from; i < s->pending_count; i++) {
		struct json_node *node = &keys->nodes[keys->count];

		*node = s->pending[i];
		for (uint32_t child = 0; child < node->child_count; child++)
			keys->nodes[node->children + child].parent = keys->count;
		keys->count++;
	}
	s->pending_count = from;
	return first;
}

static int close_container(struct scanner *s)
{
	uint32_t self = s->open[--s->depth].self;
	uint32_t count = s->pending_count - self - 1;
	struct json_node *children = &s->pending[self + 1];

	if (!make_room(&s->keys->nodes, &s->room, s->keys->count, count))
		return PLUMB_ERR_NO_MEMORY;
	if (s->open[s->depth].object) {
		sort_members(children, count);
		for (uint32_t i = 1; i < count; i++)
			s->keys->duplicates += same_key(&children[i - 1], &children[i]);
	}
	s->pending[self].child_count = count;
	s->pending[self].children = settle(s, self + 1);
	return 0;
}

static void skip_space(struct scanner *s)
{
	for (; s->at < s->end; s->at++) {
		if (*s->at == '\n') {
			s->line++;
			s->line_start = s->at + 1;
		} else if (*s->at != ' ' && *s->at != '\t' && *s->at != '\r') {
			break;
		}
	}
}

/* Skips a string with its opening quotation mark; false if it does not end. */
static bool skip_string(struct scanner *s, const char **text, size_t *length)
{
	const char *start = s->at + 1, *from = start;

	for (;;) {
		const char *quote = memchr(from, '"', (size_t)(s->end - from));
		const char *slash = quote;

		if (!quote)
			return false;
		while (slash > from && slash[-1] == '\\')
			slash--;
		from = quote + 1;
		if ((quote - slash) % 2 == 0) {
			*text = start;
			*length = (size_t)(quote - start);
			s->at = quote + 1;
			return true;
		}
	}
}

static bool read_hex(const char *at, const char *end, unsigned *value)
{
	if (end - at < 4)
		return false;
	*value = 0;
	for (int i = 0; i < 4; i++) {
		unsigned c = (unsigned char)at[i], digit;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (c | 0x20) - 'a' + 10;
		else
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

static char *put_utf8(char *out, unsigned code)
{
	if (code < 0x80) {
		*out++ = (char)code;
	} else if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
		*out++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*out++ = (char)(0xe0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	} else {
		*out++ = (char)(0xf0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 0x3f));
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	}
	return out;
}

/* Decodes an escape after its backslash (RFC 8259, section 7); NULL if it is invalid. */
static const char *read_escape(const char *at, const char *end, unsigned *code)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *letter;
	unsigned low;

	if (at == end)
		return NULL;
	if (*at != 'u') {
		letter = *at ? strchr(letters, *at) : NULL;
		*code = letter ? (unsigned char)meant[letter - letters] : (unsigned char)*at;
		return letter || *at == '"' || *at == '\\' || *at == '/' ? at + 1 : NULL;
	}
	if (!read_hex(at + 1, end, code))
		return NULL;
	at += 5;
	if (*code >= 0xd800 && *code < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u' &&
	    read_hex(at + 2, end, &low) && low >= 0xdc00 && low < 0xe000) {
		*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
		at += 6;
	}
	return at;
}

/* Sets the key of `node`, with escapes decoded, so that two spellings of a name are equal. */
static int set_key(struct scanner *s, struct json_node *node, const char *text, size_t length)
{
	const char *end = text + length;
	char *copy, *out;

	node->key = text;
	node->key_length = (uint32_t)length;
	if (!memchr(text, '\\', length))
		return 0;
	/* No escape is shorter than its decoded bytes. */
	copy = out = arena_alloc(&s->keys->decoded, length);
	if (!copy)
		return PLUMB_ERR_NO_MEMORY;
	while (text < end) {
		unsigned code;

		if (*text != '\\') {
			*out++ = *text++;
			continue;
		}
		text = read_escape(text + 1, end, &code);
		if (!text)
			return PLUMB_ERR_SYNTAX;
		out = put_utf8(out, code);
	}
	node->key = copy;
	node->key_length = (uint32_t)(out - copy);
	return 0;
}

static int read_key(struct scanner *s, struct json_node *node)
{
	const char *text;
	size_t length;
	int err;

	if (s->at == s->end || *s->at != '"' || !skip_string(s, &text, &length))
		return PLUMB_ERR_SYNTAX;
	err = set_key(s, node, text, length);
	if (err)
		return err;
	skip_space(s);
	if (s->at == s->end || *s->at != ':')
		return PLUMB_ERR_SYNTAX;
	s->at++;
	skip_space(s);
	return 0;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '+' || c == '-' || c == '.';
}

/* Reads the next member or element of a container; a container it opens stays open. */
static int read_value(struct scanner *s)
{
	struct json_node node = {.parent = JSON_KEYS_NONE,
				 .line = s->line,
				 .column = (uint32_t)(s->at - s->line_start) + 1};
	const char *text;
	size_t length;
	int err;

	if (s->depth && s->open[s->depth - 1].object) {
		err = read_key(s, &node);
		if (err)
			return err;
	}
	if (s->keys->count + s->pending_count >= JSON_KEYS_MAX_VALUES)
		return PLUMB_ERR_LIMIT;
	if (!make_room(&s->pending, &s->pending_room, s->pending_count, 1))
		return PLUMB_ERR_NO_MEMORY;
	s->pending[s->pending_count++] = node;
	if (s->at == s->end)
		return PLUMB_ERR_SYNTAX;
	if (*s->at == '"')
		return skip_string(s, &text, &length) ? 0 : PLUMB_ERR_SYNTAX;
	if (*s->at == '{' || *s->at == '[') {
		if (s->depth == JSON_KEYS_MAX_DEPTH)
			return PLUMB_ERR_LIMIT;
		s->open[s->depth].self = s->pending_count - 1;
		s->open[s->depth++].object = *s->at++ == '{';
		return 0;
	}
	text = s->at;
	while (s->at < s->end && is_word(*s->at))
		s->at++;
	return s->at > text ? 0 : PLUMB_ERR_SYNTAX;
}

static int scan(struct scanner *s)
{
	bool opened = false; /* the innermost container is still empty */
	int err;

	skip_space(s);
	do {
		unsigned depth = s->depth;

		if (depth && s->at < s->end && *s->at == (s->open[depth - 1].object ? '}' : ']')) {
			s->at++;
			err = close_container(s);
			opened = false;
		} else if (depth && !opened && (s->at == s->end || *s->at++ != ',')) {
			err = PLUMB_ERR_SYNTAX;
		} else {
			skip_space(s);
			err = read_value(s);
			opened = s->depth > depth;
		}
		if (err)
			return err;
		skip_space(s);
	} while (s->depth);
	if (!make_room(&s->keys->nodes, &s->room, s->keys->count, 1))
		return PLUMB_ERR_NO_MEMORY;
	s->keys->root = settle(s, 0);
	return 0;
}

int json_keys_scan(const char *text, size_t size, struct json_keys *keys)
{
	struct scanner s = {
		.at = text, .end = text + size, .line_start = text, .line = 1, .keys = keys};
	int err;

	*keys = (struct json_keys){.root = JSON_KEYS_NONE};
	if (size >= UINT32_MAX)
		return PLUMB_ERR_LIMIT;
	if (!size)
		return PLUMB_ERR_SYNTAX;
	err = scan(&s);
	free(s.pending);
	keys->depth = s.depth;
	keys->line = s.line;
	keys->column = (uint32_t)(s.at - s.line_start) + 1;
	return err;
}

void json_keys_free(struct json_keys *keys)
{
	free(keys->nodes);
	arena_free(&keys->decoded);
	*keys = (struct json_keys){.root = JSON_KEYS_NONE};
}

/* Returns the place of `wanted` among the members of object `node`, or where it would be. */
static uint32_t find_member(const struct json_keys *keys, uint32_t node,
			    const struct json_node *wanted)
{
	uint32_t low = keys->nodes[node].children, high = low + keys->nodes[node].child_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare_keys(&keys->nodes[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t json_keys_member(const struct json_keys *keys, uint32_t node, const char *name,
			  size_t length)
{
	/* Compares after every member of that name, so that the search ends behind the last one. */
	struct json_node wanted = {.key = name, .key_length = (uint32_t)length, .line = UINT32_MAX};
	uint32_t first, behind;

	if (node >= keys->count || !keys->nodes[node].child_count || length >= UINT32_MAX)
		return JSON_KEYS_NONE;
	first = keys->nodes[node].children;
	if (!keys->nodes[first].key)
		return JSON_KEYS_NONE;
	behind = find_member(keys, node, &wanted);
	if (behind == first || !same_key(&keys->nodes[behind - 1], &wanted))
		return JSON_KEYS_NONE;
	return behind - 1;
}

uint32_t json_keys_element(const struct json_keys *keys, uint32_t node, size_t index)
{
	if (node >= keys->count || index >= keys->nodes[node].child_count ||
	    keys->nodes[keys->nodes[node].children].key)
		return JSON_KEYS_NONE;
	return keys->nodes[node].children + (uint32_t)index;
}

uint32_t json_keys_first_of_name(const struct json_keys *keys, uint32_t node)
{
	struct json_node wanted = keys->nodes[node];
	uint32_t first;

	if (!wanted.key || wanted.parent == JSON_KEYS_NONE)
		return JSON_KEYS_NONE;
	wanted.line = 0; /* compares before every member of that name */
	first = find_member(keys, wanted.parent, &wanted);
	return first < node ? first : JSON_KEYS_NONE;
}
