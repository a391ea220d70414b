/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON values after checking their types. */
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "base/text.h"
#include "spec/read_mrs.h"

static unsigned rule_of(const json_t *json)
{
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		return MEMBER_OBJECT;
	case JSON_ARRAY:
		return MEMBER_ARRAY;
	case JSON_STRING:
		return MEMBER_STRING;
	case JSON_INTEGER:
		return MEMBER_INTEGER;
	case JSON_TRUE:
	case JSON_FALSE:
		return MEMBER_BOOLEAN;
	case JSON_NULL:
		return MEMBER_NULL;
	case JSON_REAL:
		break;
	}
	return 0;
}

/* Describes a rule, such as "a string or null". */
static const char *describe_rule(unsigned rule, char *text, size_t room)
{
	static const char *const kinds[] = {"a string", "an integer", "true or false",
					    "an array", "an object",  "null"};
	size_t length = 0;

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (rule & 1u << i && length < room)
			length += (size_t)snprintf(text + length, room - length, "%s%s",
						   length ? " or " : "", kinds[i]);
	return text;
}

void read_wrong_type(struct reader *reader, const json_t *json, unsigned rule)
{
	char wanted[128], got[128];
	unsigned is = rule_of(json);

	report_add(&reader->report, finding_wrong_type, "%s instead of %s",
		   is ? describe_rule(is, got, sizeof(got)) : "a fraction",
		   describe_rule(rule, wanted, sizeof(wanted)));
	if (is == MEMBER_STRING && rule & (MEMBER_INTEGER | MEMBER_BOOLEAN))
		report_hint(&reader->report, "remove the quotation marks");
	if (rule == MEMBER_STRING && (is == MEMBER_INTEGER || is == MEMBER_BOOLEAN))
		report_hint(&reader->report, "add quotation marks");
}

static void check_member(struct reader *reader, const char *name, const json_t *value,
			 const struct member *member)
{
	char quoted[QUOTE_ROOM];

	if (!member)
		report_add(&reader->report, finding_unknown_member,
			   "unknown member \"%s\" is "
			   "ignored",
			   quote(quoted, name));
	else if (!(rule_of(value) & member->rule))
		read_wrong_type(reader, value, member->rule & MEMBER_ANY);
	else if (member->rule & MEMBER_UNREAD && !json_is_null(value))
		report_add(&reader->report, finding_unread_member, "member \"%s\" is not used",
			   name);
}

bool read_members(struct reader *reader, const json_t *json, const struct member *members,
		  size_t count)
{
	/* jansson's iterators take a non-const object, but do not change it. */
	json_t *object = (json_t *)(uintptr_t)json;
	unsigned seen = 0;

	if (!json_is_object(json)) {
		read_wrong_type(reader, json, MEMBER_OBJECT);
		return false;
	}
	for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
		const char *name = json_object_iter_key(at);
		const struct member *member = NULL;

		for (size_t i = 0; i < count && !member; i++) {
			if (strcmp(members[i].name, name) != 0)
				continue;
			member = &members[i];
			seen |= 1u << i;
		}
		report_enter(&reader->report, name);
		check_member(reader, name, json_object_iter_value(at), member);
		report_leave(&reader->report, 1);
	}
	for (size_t i = 0; i < count; i++)
		if (members[i].rule & MEMBER_REQUIRED && !(seen & 1u << i)) {
			report_enter(&reader->report, members[i].name);
			report_add(&reader->report, finding_missing_member, "\"%s\" is missing",
				   members[i].name);
			report_leave(&reader->report, 1);
		}
	return true;
}

int read_text(struct reader *reader, const json_t *object, const char *name, const char **text)
{
	const json_t *value = json_object_get(object, name);

	*text = NULL;
	if (!json_is_string(value))
		return 0;
	*text = arena_copy(reader->arena, json_string_value(value), json_string_length(value));
	return *text ? 0 : PLUMB_ERR_NO_MEMORY;
}

int read_prose(struct reader *reader, const json_t *object, const char **title,
	       const char **description)
{
	int err = read_text(reader, object, "title", title);

	return err ? err : read_text(reader, object, "description", description);
}

int read_digits(const char *text, uint32_t most, uint32_t *value)
{
	unsigned base = text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10;
	uint64_t sum = 0;

	if (base == 16)
		text += 2;
	if (!*text)
		return PLUMB_ERR_INVALID;
	for (; *text; text++) {
		char c = text_lower(*text);
		unsigned digit = c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');

		if (!(c >= '0' && c <= '9') && !(base == 16 && c >= 'a' && c <= 'f'))
			return PLUMB_ERR_INVALID;
		if (sum <= most)
			sum = sum * base + digit;
	}
	*value = (uint32_t)sum;
	return sum <= most ? 0 : PLUMB_ERR_LIMIT;
}

uint16_t read_count(struct reader *reader, const json_t *json)
{
	size_t count = json_is_object(json) ? json_object_size(json) : json_array_size(json);

	if (count < PLUMB_NONE)
		return (uint16_t)count;
	report_as(&reader->report, PLUMB_ERR_LIMIT, finding_too_many,
		  "%zu elements, more than the maximum of %u", count, PLUMB_NONE - 1u);
	return 0;
}

uint16_t read_reference(struct reader *reader, const json_t *json, const struct section *target,
			enum finding_kind unknown)
{
	const char *name = json_string_value(json);
	char quoted[QUOTE_ROOM];
	uint16_t index;

	if (!name) {
		read_wrong_type(reader, json, MEMBER_STRING);
		return PLUMB_NONE;
	}
	if (target->unknown)
		return PLUMB_NONE;
	index = named_find(&target->named, target->order, name);
	if (index == PLUMB_NONE)
		report_add(&reader->report, unknown, "\"%s\" does not exist", quote(quoted, name));
	return index;
}

int read_references(struct reader *reader, const json_t *array, const struct section *target,
		    enum finding_kind unknown, struct plumb_indexes *list)
{
	uint16_t count = read_count(reader, array);
	uint16_t *at = arena_alloc_array(reader->arena, count, sizeof(*at));

	*list = (struct plumb_indexes){at, count};
	for (uint16_t i = 0; at && i < count; i++) {
		report_enter_element(&reader->report, i);
		at[i] = read_reference(reader, json_array_get(array, i), target, unknown);
		report_leave(&reader->report, 1);
	}
	return at ? 0 : PLUMB_ERR_NO_MEMORY;
}

int read_list(struct reader *reader, const json_t *object, const char *name,
	      const struct section *target, enum finding_kind unknown, struct plumb_indexes *list)
{
	const json_t *array = json_object_get(object, name);
	int err;

	*list = (struct plumb_indexes){NULL, 0};
	if (!json_is_array(array))
		return 0;
	report_enter(&reader->report, name);
	err = read_references(reader, array, target, unknown, list);
	report_leave(&reader->report, 1);
	return err;
}

int read_section(struct reader *reader, const json_t *json, size_t size, read_element *read,
		 struct section *section)
{
	json_t *object = json_is_object(json) ? (json_t *)(uintptr_t)json : NULL;
	uint16_t count = read_count(reader, object);
	void *at = json_object_iter(object);
	char *elements = arena_alloc_array(reader->arena, count, size);
	int err = 0;

	*section = (struct section){
		.named = {.elements = elements, .size = size, .count = count},
		.known = arena_alloc_array(&reader->scratch, count, sizeof(*section->known)),
		.unknown = json && (!object || count != json_object_size(object)),
	};
	if (!elements || !section->known)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; !err && i < count; i++) {
		char *element = elements + i * size, *name;

		report_enter(&reader->report, json_object_iter_key(at));
		name = arena_strdup(reader->arena, json_object_iter_key(at));
		err = name ? 0 : PLUMB_ERR_NO_MEMORY;
		*(const char **)element = name;
		if (!err)
			err = read(reader, json_object_iter_value(at), element, &section->known[i]);
		report_leave(&reader->report, 1);
		at = json_object_iter_next(object, at);
	}
	if (err)
		return err;
	section->order = named_sort(&section->named, &reader->scratch, false);
	return section->order ? 0 : PLUMB_ERR_NO_MEMORY;
}
