/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces: overlaps as the kernel resolves them, sharing as fork(2) does. */
#include "symbol/maps.h"

#include "check.h"

/* What is mapped where, "1000-2000+0=a ", its files being the letters they point to. */
static const char *text(const struct map_space *space)
{
	static char line[512];
	size_t at = 0;

	line[0] = '\0';
	for (size_t i = 0; space && i < space->count; i++)
		at += (size_t)snprintf(line + at, sizeof(line) - at, "%llx-%llx+%llx=%s ",
				       (unsigned long long)space->at[i].start,
				       (unsigned long long)space->at[i].end,
				       (unsigned long long)space->at[i].page_offset,
				       (const char *)space->at[i].file);
	return line;
}

static void put(struct map_space **space, uint64_t start, uint64_t end, uint64_t offset,
		const char *file)
{
	struct map map = {.start = start,
			  .end = end,
			  .page_offset = offset,
			  .file = (struct plumb_symbol_file *)(uintptr_t)file};

	assert_int_equal(maps_insert(space, &map), 0);
}

static void test_sorted(void **state)
{
	struct map_space *space = NULL;

	(void)state;
	put(&space, 0x3000, 0x4000, 0, "c");
	put(&space, 0x1000, 0x2000, 0, "a");
	put(&space, 0x2000, 0x3000, 0x10, "b");
	assert_string_equal(text(space), "1000-2000+0=a 2000-3000+10=b 3000-4000+0=c ");
	assert_null(maps_find(space, 0xfff));
	assert_ptr_equal(maps_find(space, 0x1000), &space->at[0]);
	assert_ptr_equal(maps_find(space, 0x2fff), &space->at[1]);
	assert_null(maps_find(space, 0x4000));
	assert_int_equal(map_place(maps_find(space, 0x2abc), 0x2abc), 0xacc);
	maps_release(space);
}

static void test_overlaps(void **state)
{
	struct map_space *space = NULL;

	(void)state;
	put(&space, 0x1000, 0x9000, 0x100, "a");
	put(&space, 0x3000, 0x5000, 0, "b"); /* in the middle: split */
	assert_string_equal(text(space), "1000-3000+100=a 3000-5000+0=b 5000-9000+4100=a ");
	put(&space, 0x2000, 0x4000, 0, "c"); /* over the end of one and the beginning of another */
	assert_string_equal(text(space),
			    "1000-2000+100=a 2000-4000+0=c 4000-5000+1000=b 5000-9000+4100=a ");
	put(&space, 0x1000, 0x9000, 0, "d"); /* all of it */
	assert_string_equal(text(space), "1000-9000+0=d ");
	put(&space, 0x0, 0x1000, 0, "e");
	put(&space, 0x9000, UINT64_MAX, 0, "f");
	assert_string_equal(text(space), "0-1000+0=e 1000-9000+0=d 9000-ffffffffffffffff+0=f ");
	put(&space, 0x5000, 0x5000, 0, "g"); /* nothing */
	put(&space, 0x6000, 0x5000, 0, "g");
	assert_int_equal(space->count, 3);
	maps_release(space);
}

static void test_sharing(void **state)
{
	struct map_space *parent = NULL, *child;

	(void)state;
	put(&parent, 0x1000, 0x2000, 0, "a");
	child = maps_share(parent);
	assert_ptr_equal(child, parent);
	put(&child, 0x1000, 0x1800, 0, "b");
	assert_string_equal(text(parent), "1000-2000+0=a ");
	assert_string_equal(text(child), "1000-1800+0=b 1800-2000+800=a ");
	maps_release(child);
	put(&parent, 0x2000, 0x3000, 0, "c"); /* its own again */
	assert_string_equal(text(parent), "1000-2000+0=a 2000-3000+0=c ");
	maps_release(parent);
	assert_null(maps_share(NULL));
	assert_null(maps_find(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_sharing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
