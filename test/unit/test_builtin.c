/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for the built-in specifications' tables, whatever they say: complete, in order, in
 * words. */
#include "check.h"

#include <pthread.h>
#include <strings.h>

#include "spec/builtin.h"

#define THREADS 4

/* Returns how many specifications are incomplete, of all, beginning at `*first`. */
static void *find_incomplete(void *first)
{
	size_t count = plumb_spec_builtin_count(), *place = first, incomplete = 0;

	for (size_t i = 0; i < count; i++) {
		const struct plumb_spec *spec = plumb_spec_builtin((*place + i) % count);
		const struct plumb_methodology *last =
			&spec->methodologies[spec->methodology_count - 1];

		incomplete += !spec->id || !spec->events[spec->event_count - 1].name ||
			      !spec->metrics[spec->metric_count - 1].units || !last->title ||
			      !last->nodes[0].next_item_count;
	}
	*place = incomplete;
	return NULL;
}

/* Specifications are made when they are first asked for: here, by threads at the same time. */
static void test_threads(void **state)
{
	pthread_t threads[THREADS];
	size_t places[THREADS];

	(void)state;
	for (size_t i = 0; i < THREADS; i++) {
		places[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, find_incomplete, &places[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(places[i], 0);
	}
}

/* One plain sentence: a capital or a digit first, a full stop last and none before. */
static void check_description(const char *id, const char *name, const char *text)
{
	size_t length = strlen(text);

	if (length < 20 || length > 220 || text[length - 1] != '.')
		fail_msg("%s: %s: \"%s\" is not a sentence of 20 to 220 bytes", id, name, text);
	for (size_t i = 0; i < length; i++) {
		if (text[i] < ' ' || text[i] > '~')
			fail_msg("%s: %s: a strange byte in \"%s\"", id, name, text);
		if (strchr(".!?", text[i]) && text[i + 1] == ' ')
			fail_msg("%s: %s: more than one sentence in \"%s\"", id, name, text);
	}
	if (!((text[0] >= 'A' && text[0] <= 'Z') || (text[0] >= '0' && text[0] <= '9')))
		fail_msg("%s: %s: \"%s\" begins small", id, name, text);
}

static void test_descriptions(void **state)
{
	size_t sentences = 0;

	(void)state;
	for (size_t s = 0; s < plumb_spec_builtin_count(); s++) {
		const struct plumb_spec *spec = plumb_spec_builtin(s);

		for (uint16_t i = 0; i < spec->event_count; i++, sentences++)
			check_description(spec->id, spec->events[i].name,
					  spec->events[i].description);
		for (uint16_t i = 0; i < spec->metric_count; i++, sentences++)
			check_description(spec->id, spec->metrics[i].name,
					  spec->metrics[i].description);
		for (uint16_t i = 0; i < spec->metric_group_count; i++, sentences++)
			check_description(spec->id, spec->metric_groups[i].name,
					  spec->metric_groups[i].description);
		for (uint16_t i = 0; i < spec->functional_group_count; i++, sentences++)
			check_description(spec->id, spec->functional_groups[i].name,
					  spec->functional_groups[i].description);
		for (uint16_t i = 0; i < spec->methodology_count; i++, sentences++)
			check_description(spec->id, spec->methodologies[i].name,
					  spec->methodologies[i].description);
		check_description(spec->id, "document", spec->document.description);
	}
	print_message("# read %zu descriptions\n", sentences);
	assert_true(sentences > 5000);
}

/* The index arrays name everything once, in order; equal names and codes by index. */
static void test_index_arrays(void **state)
{
	(void)state;
	for (size_t s = 0; s < plumb_spec_builtin_count(); s++) {
		const struct plumb_spec *spec = plumb_spec_builtin(s);
		const uint16_t *by_name = spec->events_by_name, *by_code = spec->events_by_code;

		if (s > 0)
			assert_true(strcmp(plumb_spec_builtin(s - 1)->id, spec->id) < 0);
		assert_null(spec->file);
		for (uint16_t i = 1; i < spec->event_count; i++) {
			int order = strcasecmp(spec->events[by_name[i - 1]].name,
					       spec->events[by_name[i]].name);

			assert_true(order < 0 || (order == 0 && by_name[i - 1] < by_name[i]));
			assert_true(spec->events[by_code[i - 1]].code <
				    spec->events[by_code[i]].code);
		}
		for (uint16_t i = 1; i < spec->metric_count; i++)
			assert_true(strcasecmp(spec->metrics[spec->metrics_by_name[i - 1]].name,
					       spec->metrics[spec->metrics_by_name[i]].name) < 0);
	}
}

/* Each MIDR entry is found and points at a specification; the exact ones come first. */
static void test_midr_table(void **state)
{
	bool parts = false;

	(void)state;
	for (size_t i = 0; i < builtin_midr_count; i++) {
		const struct builtin_midr *entry = &builtin_midrs[i];

		assert_true(entry->mask == BUILTIN_MIDR_PART ||
			    entry->mask == BUILTIN_MIDR_REVISION);
		assert_int_equal(entry->midr & ~entry->mask, 0);
		assert_true(entry->spec_index < builtin_spec_count);
		assert_ptr_equal(plumb_spec_for_midr(entry->midr), builtin_spec(entry->spec_index));
		parts = parts || entry->mask == BUILTIN_MIDR_PART;
		assert_false(parts && entry->mask == BUILTIN_MIDR_REVISION);
	}
	assert_true(parts);
}

/* Six counters where that is known (109530, chapter 2, for N3); nothing claimed where it is not. */
static void test_counters(void **state)
{
	(void)state;
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++) {
		const struct plumb_spec *spec = plumb_spec_builtin(i);

		assert_int_equal(spec->product.counters,
				 strncmp(spec->id, "neoverse-", 9) == 0 ? 6 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads), /* first, when none has been made */
		cmocka_unit_test(test_descriptions), cmocka_unit_test(test_index_arrays),
		cmocka_unit_test(test_midr_table),   cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests_name("builtin", tests, NULL, NULL);
}
