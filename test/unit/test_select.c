/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <ctype.h>
#include <jansson.h>

#include <plumb/spec.h>

#include "spec/builtin.h"

static void expect_none(const char *name, const char *suggestion)
{
	const struct plumb_spec *spec = plumb_spec_builtin(0);
	const char *suggested = name;

	assert_int_equal(plumb_spec_find(name, &spec, &suggested), PLUMB_ERR_NOT_FOUND);
	assert_null(spec);
	if (!suggestion && suggested)
		fail_msg("%s: suggests %s", name, suggested);
	if (suggestion && (!suggested || strcmp(suggested, suggestion) != 0))
		fail_msg("%s: suggests %s, not %s", name, suggested ? suggested : "nothing",
			 suggestion);
	assert_int_equal(plumb_spec_find(name, &spec, NULL), PLUMB_ERR_NOT_FOUND);
}

static void expect_id(const char *name, const char *id)
{
	const struct plumb_spec *spec;
	const char *suggested = name;

	if (plumb_spec_find(name, &spec, &suggested) != 0)
		fail_msg("%s: not found", name);
	if (strcmp(spec->id, id) != 0)
		fail_msg("%s: %s, not %s", name, spec->id, id);
	assert_null(suggested);
	assert_int_equal(plumb_spec_find(name, &spec, NULL), 0);
}

static void the_list_is_ordered_by_id(void **state)
{
	(void)state;
	assert_true(plumb_spec_builtin_count() > 1);
	for (size_t i = 1; i < plumb_spec_builtin_count(); i++)
		assert_true(strcmp(plumb_spec_builtin(i - 1)->id, plumb_spec_builtin(i)->id) < 0);
	assert_null(plumb_spec_builtin(plumb_spec_builtin_count()));
	assert_null(plumb_spec_builtin(SIZE_MAX));
}

/* Every spelling of every specification, derived from the specification itself. */
static void every_id_product_and_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++) {
		const struct plumb_spec *spec = plumb_spec_builtin(i);
		const struct plumb_product *p = &spec->product;
		const char *maker = strncmp(p->name, "C1", 2) == 0 ? "arm_" : "";
		char name[128], file[256];

		expect_id(spec->id, spec->id);
		snprintf(name, sizeof(name), "%s r%up%u", p->name, p->major_revision,
			 p->minor_revision);
		expect_id(name, spec->id);
		for (char *c = name; *c; c++)
			*c = (char)(*c == ' ' || *c == '-' ? '_' : tolower((unsigned char)*c));
		expect_id(name, spec->id);
		snprintf(file, sizeof(file), "%s%s_pmu.json", maker, name);
		expect_id(file, spec->id);
		snprintf(file, sizeof(file), "%s%s_pmu", maker, name);
		expect_id(file, spec->id);
		snprintf(name, sizeof(name), "Arm %s R%uP%u", p->name, p->major_revision,
			 p->minor_revision);
		expect_id(name, spec->id);
	}
}

static void without_a_revision_the_newest(void **state)
{
	(void)state;
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++) {
		const struct plumb_spec *newest = plumb_spec_builtin(i);
		const char *name = newest->product.name;

		for (size_t j = 0; j < plumb_spec_builtin_count(); j++) {
			const struct plumb_spec *spec = plumb_spec_builtin(j);

			if (strcmp(spec->product.name, name) == 0 &&
			    spec->product.major_revision * 16 + spec->product.minor_revision >
				    newest->product.major_revision * 16 +
					    newest->product.minor_revision)
				newest = spec;
		}
		expect_id(name, newest->id);
		if (strncmp(name, "Neoverse ", 9) == 0)
			expect_id(name + 9, newest->id);
	}
}

static void usual_spellings(void **state)
{
	static const char *const spellings[][2] = {
		{"neoverse-n2", "neoverse-n2-r0p3"},
		{"Neoverse_N2-r0p2", "neoverse-n2-r0p2"},
		{"NEOVERSEN2R0P2", "neoverse-n2-r0p2"},
		{"n3", "neoverse-n3-r0p0"},
		{"v2", "neoverse-v2-r0p0"},
		{"N2 r0p2", "neoverse-n2-r0p2"},
		{"c1-ultra", "c1-ultra-r0p0"},
		{"C1 Pro", "c1-pro-r1p2"},
		{"Arm C1-Pro r1p1", "c1-pro-r1p1"},
		{"arm-neoverse-v1", "neoverse-v1-r1p2"},
		{"Neoverse V3AE", "neoverse-v3-r0p0"},
		{"cobalt100", "neoverse-n2-r0p3"},
		{"Microsoft Azure Cobalt 100", "neoverse-n2-r0p3"},
		{"AWS Graviton2", "neoverse-n1-r4p1"},
		{"graviton3", "neoverse-v1-r1p2"},
		{"Graviton3E", "neoverse-v1-r1p2"},
		{"graviton-4", "neoverse-v2-r0p0"},
		{"graviton5", "neoverse-v3-r0p0"},
		{"NVIDIA Grace", "neoverse-v2-r0p0"},
		{"Google Axion", "neoverse-v2-r0p0"},
		{"Ampere Altra Max", "neoverse-n1-r4p1"},
		{"altra", "neoverse-n1-r4p1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		expect_id(spellings[i][0], spellings[i][1]);
}

static void midrs(void **state)
{
	(void)state;
	expect_id("0x410fd493", "neoverse-n2-r0p3");
	expect_id("410FD493", "neoverse-n2-r0p3");
	expect_id("0x00000000410fd493", "neoverse-n2-r0p3");
	expect_id("00000000410fd493", "neoverse-n2-r0p3");
	expect_id("0x410fd490", "neoverse-n2-r0p2");
	expect_id("0x413fd0c1", "neoverse-n1-r4p1"); /* r3p1, of Graviton2 and Altra */
	expect_id("0x6d0fd490", "neoverse-n2-r0p2"); /* Cobalt 100 */
	expect_id("0x6d0fd493", "neoverse-n2-r0p3");
	expect_none("0x410fd0b1", NULL);           /* Cortex-A76 */
	expect_none("0x1410fd493", NULL);          /* over 32 bits */
	expect_none("0x0000000000410fd493", NULL); /* over 16 digits */
	expect_none("0x", NULL);
	expect_none("0x41d4g", NULL);
	assert_null(plumb_spec_for_midr(0));
	assert_null(plumb_spec_for_midr(UINT32_MAX));
}

/*
 * Arm's own table: a five-digit key is implementer and part; it serves every revision without a key
 * of its own.
 */
static void as_arms_mapping_says(void **state)
{
	const char *folder = getenv("PLUMB_REFERENCE"), *key;
	char path[4096];
	json_t *mapping, *value;
	size_t compared = 0, families = 0;

	(void)state;
	if (!folder)
		skip_because("Arm's specifications are not here: set PLUMB_REFERENCE");
	snprintf(path, sizeof(path), "%s/mrs/cpu/mapping.json", folder);
	mapping = json_load_file(path, 0, NULL);
	if (!mapping)
		skip_because("Arm's specifications are not here: set PLUMB_REFERENCE");
	json_object_foreach(mapping, key, value)
	{
		const struct plumb_spec *spec, *named;
		uint32_t midr = (uint32_t)strtoul(key, NULL, 16);
		char exact[16];

		assert_int_equal(plumb_spec_find(json_string_value(json_object_get(value, "name")),
						 &named, NULL),
				 0);
		if (strlen(key) == 10) {
			assert_ptr_equal(plumb_spec_for_midr(midr), named);
			compared++;
			continue;
		}
		assert_int_equal(strlen(key), 7);
		families++;
		for (uint32_t revision = 0; revision < 256; revision++) {
			uint32_t full = midr >> 12 << 24 | (midr & 0xfff) << 4 | 0xf0000 |
					(revision & 0xf0) << 16 | (revision & 0xf);

			snprintf(exact, sizeof(exact), "0x%08x", full);
			if (json_object_get(mapping, exact))
				continue;
			spec = plumb_spec_for_midr(full);
			assert_ptr_equal(spec, named);
			compared++;
		}
	}
	print_message("# %zu MIDRs compared\n", compared);
	/* Every possible revision, once: an exact key also belongs to a family. */
	assert_int_equal(compared, 256 * families);
	json_decref(mapping);
}

/* What the tables of specs/ guarantee to code that searches them. */
static void the_tables_keep_their_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < builtin_midr_count; i++) {
		const struct builtin_midr *a = &builtin_midrs[i];

		assert_int_equal(a->midr & ~a->mask, 0);
		for (size_t j = i + 1; j < builtin_midr_count; j++)
			assert_true(__builtin_popcount(a->mask) >=
				    __builtin_popcount(builtin_midrs[j].mask));
	}
}

static void near_misses(void **state)
{
	(void)state;
	expect_none("neovers-n3", "neoverse-n3-r0p0");
	expect_none("Neoverse N3 r0p1", "neoverse-n3-r0p0");
	expect_none("neoverse-n2-r0p33", "neoverse-n2-r0p3");
	expect_none("C1-Ulrta", "c1-ultra-r0p0");
	expect_none("premium", "c1-premium-r0p0");
	expect_none("c1-premum", "c1-premium-r0p0");
	expect_none("gravitno4", "neoverse-v2-r0p0");
	expect_none("cobalt1000", "neoverse-n2-r0p3");
	expect_none("skylake", NULL);
	expect_none("cortex-a76", NULL);
	expect_none("", NULL);
	expect_none("-_ ", NULL);
	expect_none("arm", NULL);
	expect_none("r0p3", NULL);
	expect_none(".json", NULL);
}

/* Long, odd and random names get an answer, and nothing is written past the buffer. */
static void odd_names(void **state)
{
	static const char alphabet[] = "nv0123456789rp-_ x\xff.jsonpmuarmneoverse";
	const struct plumb_spec *spec;
	const char *suggestion;
	char name[3000];
	unsigned seed = 1;

	(void)state;
	for (size_t length = 0; length < sizeof(name); length++) {
		memset(name, 'n', length);
		name[length] = '\0';
		plumb_spec_find(name, &spec, &suggestion);
	}
	memset(name, ' ', sizeof(name) - 3);
	memcpy(name + sizeof(name) - 3, "n3", 3);
	expect_id(name, "neoverse-n3-r0p0");
	for (int round = 0; round < 3000; round++) {
		size_t length = (size_t)rand_r(&seed) % 80;

		for (size_t i = 0; i < length; i++)
			name[i] = alphabet[(size_t)rand_r(&seed) % (sizeof(alphabet) - 1)];
		name[length] = '\0';
		assert_true((plumb_spec_find(name, &spec, &suggestion) == 0) == (spec != NULL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_is_ordered_by_id),
		cmocka_unit_test(every_id_product_and_file),
		cmocka_unit_test(without_a_revision_the_newest),
		cmocka_unit_test(usual_spellings),
		cmocka_unit_test(midrs),
		cmocka_unit_test(as_arms_mapping_says),
		cmocka_unit_test(the_tables_keep_their_order),
		cmocka_unit_test(near_misses),
		cmocka_unit_test(odd_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
