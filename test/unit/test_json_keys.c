/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>

#include <jansson.h>
#include <plumb/error.h>

#include "small_json.h"
#include "spec/json_keys.h"

static uint32_t member(const struct json_keys *keys, uint32_t node, const char *name)
{
	return json_keys_member(keys, node, name, strlen(name));
}

static void assert_place(const struct json_keys *keys, uint32_t node, unsigned line,
			 unsigned column)
{
	assert_int_not_equal(node, JSON_KEYS_NONE);
	assert_int_equal(keys->nodes[node].line, line);
	assert_int_equal(keys->nodes[node].column, column);
}

static void values_have_their_places(void **state)
{
	static const char text[] = "{ \"a\": 1,\n"
				   "  \"b\" : [ true,\t-2.5e+3 ,\r\n"
				   "null, [], {\"x\\\\\":\"} ] , \\\" {\"}],\"\":{} }\n";
	struct json_keys keys;
	uint32_t b, object;

	(void)state;
	assert_int_equal(json_keys_scan(text, strlen(text), &keys), 0);
	assert_int_equal(keys.count, 10);
	assert_int_equal(keys.duplicates, 0);
	assert_place(&keys, keys.root, 1, 1);
	assert_place(&keys, member(&keys, keys.root, "a"), 1, 3);
	b = member(&keys, keys.root, "b");
	assert_place(&keys, b, 2, 3);
	assert_place(&keys, json_keys_element(&keys, b, 0), 2, 11);
	assert_place(&keys, json_keys_element(&keys, b, 1), 2, 17);
	assert_place(&keys, json_keys_element(&keys, b, 2), 3, 1);
	assert_place(&keys, json_keys_element(&keys, b, 3), 3, 7);
	object = json_keys_element(&keys, b, 4);
	assert_place(&keys, object, 3, 11);
	assert_place(&keys, member(&keys, object, "x\\"), 3, 12);
	assert_place(&keys, member(&keys, keys.root, ""), 3, 33);
	assert_int_equal(keys.nodes[object].parent, b);
	assert_int_equal(keys.nodes[b].parent, keys.root);
	assert_int_equal(keys.nodes[keys.root].parent, JSON_KEYS_NONE);
	json_keys_free(&keys);
}

static void what_is_not_there_is_not_found(void **state)
{
	static const char text[] = "{\"a\": [1], \"aa\": {}, \"b\": 2}";
	struct json_keys keys;
	uint32_t a;

	(void)state;
	assert_int_equal(json_keys_scan(text, strlen(text), &keys), 0);
	a = member(&keys, keys.root, "a");
	assert_int_equal(member(&keys, keys.root, "c"), JSON_KEYS_NONE);
	assert_int_equal(member(&keys, keys.root, ""), JSON_KEYS_NONE);
	assert_int_equal(member(&keys, keys.root, "aaa"), JSON_KEYS_NONE);
	assert_int_equal(member(&keys, a, "a"), JSON_KEYS_NONE);
	assert_int_equal(member(&keys, JSON_KEYS_NONE, "a"), JSON_KEYS_NONE);
	assert_int_equal(json_keys_element(&keys, a, 1), JSON_KEYS_NONE);
	assert_int_equal(json_keys_element(&keys, keys.root, 0), JSON_KEYS_NONE);
	assert_int_equal(json_keys_element(&keys, member(&keys, keys.root, "b"), 0),
			 JSON_KEYS_NONE);
	assert_int_equal(json_keys_element(&keys, JSON_KEYS_NONE, 0), JSON_KEYS_NONE);
	assert_int_equal(json_keys_first_of_name(&keys, a), JSON_KEYS_NONE);
	assert_int_equal(json_keys_first_of_name(&keys, keys.root), JSON_KEYS_NONE);
	json_keys_free(&keys);
}

/* Each escape of RFC 8259, section 7, and sequences of one to four bytes of UTF-8. */
static void one_name_in_two_spellings_is_one(void **state)
{
	static const char *const pairs[][2] = {
		{"\\\"", "\""},
		{"\\\\", "\\"},
		{"\\/", "/"},
		{"\\b\\f\\n\\r\\t", "\b\f\n\r\t"},
		{"\\u0041\\u007a", "Az"},
		{"\\u00e9", "\xc3\xa9"},
		{"\\u20AC", "\xe2\x82\xac"},
		{"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
		{"a\\u002fb", "a/b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct json_keys keys;
		json_t *parsed;
		char text[64];

		snprintf(text, sizeof(text), "{\"%s\": 0}", pairs[i][0]);
		parsed = json_loads(text, 0, NULL);
		/* jansson agrees that this is what it is called. */
		assert_non_null(json_object_get(parsed, pairs[i][1]));
		json_decref(parsed);
		assert_int_equal(json_keys_scan(text, strlen(text), &keys), 0);
		assert_place(&keys, member(&keys, keys.root, pairs[i][1]), 1, 2);
		json_keys_free(&keys);
	}
}

static void repeats_are_found(void **state)
{
	/* More than sixteen members take another way of sorting than fewer. */
	char text[4096] = "{\"r\": 0, ";
	size_t at = strlen(text);
	struct json_keys keys;
	uint32_t r;

	(void)state;
	for (int i = 0; i < 30; i++)
		at += (size_t)sprintf(text + at, "\"%c%d\": 0,\n", 'a' + i % 3, i);
	sprintf(text + at, "\"\\u0072\": {\"s\": 1, \"s\": 2}, \"r\": 3}");
	assert_int_equal(json_keys_scan(text, strlen(text), &keys), 0);
	assert_int_equal(keys.duplicates, 3);
	r = member(&keys, keys.root, "r");
	/* The last one, as jansson; line 31 has two. */
	assert_place(&keys, r, 31, 29);
	assert_place(&keys, json_keys_first_of_name(&keys, r), 1, 2);
	assert_place(&keys, json_keys_first_of_name(&keys, r - 1), 1, 2);
	assert_int_equal(json_keys_first_of_name(&keys, r - 2), JSON_KEYS_NONE);
	assert_place(&keys, member(&keys, r - 1, "s"), 31, 20);
	json_keys_free(&keys);
}

/* Everything that jansson finds in `json` must be in the map; returns how many values. */
static size_t compare_with_parser(const struct json_keys *keys, uint32_t node, json_t *json)
{
	size_t values = 1, index;
	const char *key;
	json_t *value;

	assert_int_not_equal(node, JSON_KEYS_NONE);
	json_object_foreach(json, key, value)
	{
		uint32_t child = member(keys, node, key);

		assert_int_equal(keys->nodes[child].parent, node);
		values += compare_with_parser(keys, child, value);
	}
	json_array_foreach(json, index, value)
	{
		uint32_t child = json_keys_element(keys, node, index);

		assert_int_equal(keys->nodes[child].parent, node);
		values += compare_with_parser(keys, child, value);
	}
	return values;
}

static void the_parser_finds_the_same_values(void **state)
{
	json_t *json = json_loads(small_json, 0, NULL);
	struct json_keys keys;

	(void)state;
	assert_int_equal(json_keys_scan(small_json, strlen(small_json), &keys), 0);
	assert_int_equal(compare_with_parser(&keys, keys.root, json), keys.count);
	json_keys_free(&keys);
	json_decref(json);
}

static void what_is_not_json_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"{",
		"[",
		"{\"a\"",
		"{\"a\":",
		"{\"a\":1",
		"{a:1}",
		"{\"a\" 1}",
		"{\"a\":}",
		"{1:2}",
		"[1",
		"[1,",
		"[1 2]",
		"[,1]",
		"{\"a\":1 \"b\":2}",
		"\"a",
		"{\"a\\",
		"{\"a\\\"",
		"[}",
		"{]",
		",",
		":",
		"{\"\\u12\":1}",
		"{\"\\u12G4\":1}",
		"{\"\\q\":1}",
		"{\"\\",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		/* Without the NUL, so that reading it would be noticed. */
		size_t size = strlen(texts[i]);
		char *text = malloc(size ? size : 1);
		struct json_keys keys;

		assert_non_null(text);
		memcpy(text, texts[i], size);
		if (json_keys_scan(text, size, &keys) != PLUMB_ERR_SYNTAX)
			fail_msg("%s", texts[i]);
		json_keys_free(&keys);
		free(text);
	}
}

static void depth_is_bounded(void **state)
{
	char text[2 * JSON_KEYS_MAX_DEPTH + 3];
	struct json_keys keys;

	(void)state;
	memset(text, '[', JSON_KEYS_MAX_DEPTH);
	memset(text + JSON_KEYS_MAX_DEPTH, ']', JSON_KEYS_MAX_DEPTH);
	assert_int_equal(json_keys_scan(text, 2 * (size_t)JSON_KEYS_MAX_DEPTH, &keys), 0);
	json_keys_free(&keys);
	memset(text, '[', JSON_KEYS_MAX_DEPTH + 1);
	memset(text + JSON_KEYS_MAX_DEPTH + 1, ']', JSON_KEYS_MAX_DEPTH + 1);
	assert_int_equal(json_keys_scan(text, sizeof(text) - 1, &keys), PLUMB_ERR_LIMIT);
	assert_int_equal(keys.depth, JSON_KEYS_MAX_DEPTH);
	assert_int_equal(keys.column, JSON_KEYS_MAX_DEPTH + 1);
	json_keys_free(&keys);
}

static void the_number_of_values_is_bounded(void **state)
{
	/* An array and its elements: one byte and a comma each, the last with a bracket. */
	size_t size = 2 * (size_t)(JSON_KEYS_MAX_VALUES - 1) + 1;
	char *text = malloc(size + 2);
	struct json_keys keys;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < size + 2; i++)
		text[i] = i % 2 ? '1' : ',';
	text[0] = '[';
	text[size - 1] = ']';
	assert_int_equal(json_keys_scan(text, size, &keys), 0);
	assert_int_equal(keys.count, JSON_KEYS_MAX_VALUES);
	json_keys_free(&keys);
	text[size - 1] = ',';
	text[size + 1] = ']';
	assert_int_equal(json_keys_scan(text, size + 2, &keys), PLUMB_ERR_LIMIT);
	assert_int_equal(keys.depth, 1);
	json_keys_free(&keys);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_have_their_places),
		cmocka_unit_test(what_is_not_there_is_not_found),
		cmocka_unit_test(one_name_in_two_spellings_is_one),
		cmocka_unit_test(repeats_are_found),
		cmocka_unit_test(the_parser_finds_the_same_values),
		cmocka_unit_test(what_is_not_json_is_refused),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(the_number_of_values_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
