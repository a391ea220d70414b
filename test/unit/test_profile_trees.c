/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call trees of samples that are made here. Their estimates must equal those of whole tallies, to
 * which every sample is added for every node, and those of groups of windows.
 */
#include "profile_fixture.h"

static uint64_t place_of(const struct plumb_profile *profile, size_t row)
{
	char room[PLUMB_PROFILE_TEXT];

	return strtoull(plumb_profile_text(profile, 0, row, 0, room), NULL, 16) / 16 - 1;
}

/* Compares a tree's lines, "DEPTH NAME PERIOD OWN;...". */
static void assert_tree(struct plumb_profile *profile, size_t row, const char *wanted)
{
	const struct plumb_profile_node *nodes;
	char text[512] = "";
	size_t count, used = 0;

	nodes = plumb_profile_tree(profile, 0, row, &count);
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%u %s %d %d;",
					 nodes[i].depth, nodes[i].name, (int)nodes[i].period,
					 (int)nodes[i].own);
	assert_string_equal(text, wanted);
}

static void add_paths(struct fixture *f)
{
	f->chain[0] = 0x10;
	f->chain[1] = 0x20;
	f->chain[2] = 0x40;
	add(f, &events[1], 0x10, 5, 0, 3); /* 40 -> 20 -> 10 */
	f->chain[1] = 0x30;
	add(f, &events[1], 0x10, 7, 0, 3); /* 40 -> 30 -> 10 */
	f->chain[1] = 0x40;
	add(f, &events[1], 0x10, 2, 0, 2); /* 40 -> 10 */
	assert_int_equal(plumb_profile_finish(f->profile, NULL), 0);
}

static void keeps_call_trees(void **state)
{
	struct plumb_profile_options options = plain;
	struct fixture f;

	(void)state;
	options.paths = PLUMB_PATHS_CALLEE;
	begin(&f, &options);
	add_paths(&f);
	assert_tree(f.profile, 0, "0 0x30 7 0;1 0x40 7 7;0 0x20 5 0;1 0x40 5 5;0 0x40 2 2;");
	assert_tree(f.profile, 1, "");
	end(&f);

	options.paths = PLUMB_PATHS_CALLER;
	begin(&f, &options);
	add_paths(&f);
	assert_tree(f.profile, 0, "0 0x40 14 2;1 0x30 7 7;1 0x20 5 5;");
	end(&f);

	options.children = true;
	begin(&f, &options);
	add_paths(&f);
	assert_int_equal(place_of(f.profile, 0), 0); /* 0x10, which has more of its own than 0x40 */
	assert_tree(f.profile, 0, "");
	assert_tree(f.profile, 1, "0 0x30 7 0;1 0x10 7 7;0 0x20 5 0;1 0x10 5 5;0 0x10 2 2;");
	end(&f);
}

/* Caller of the only function with samples, and what called that: the nodes of its tree. */
enum { DIRECTLY, FROM_30, FROM_20, NODES };

/* Adds a sample whose path is to one of the nodes, or none of them. */
static void add_by_path(struct fixture *f, const struct plumb_recorded_event *event, unsigned node,
			uint64_t period, uint32_t lane)
{
	f->chain[0] = node == FROM_30 ? 0x30 : node == FROM_20 ? 0x20 : 0x40;
	f->chain[1] = 0x40;
	add(f, event, 0x10, period, lane, node == NODES ? 0 : node == DIRECTLY ? 1 : 2);
}

/* The nodes are each below its caller, the larger first: 40, then 30 and 20. */
static const struct plumb_profile_node *three_nodes(struct fixture *f)
{
	const struct plumb_profile_node *nodes;
	size_t count;

	assert_int_equal(plumb_profile_finish(f->profile, NULL), 0);
	nodes = plumb_profile_tree(f->profile, 0, 0, &count);
	assert_int_equal(count, NODES);
	assert_string_equal(nodes[0].name, "0x40");
	assert_string_equal(nodes[1].name, "0x30");
	assert_string_equal(nodes[2].name, "0x20");
	return nodes;
}

static void estimates_nodes(void **state)
{
	struct plumb_profile_options options = plain;
	static struct tally wanted[LANES][NODES];
	const struct sampling sampling = {0};
	const struct plumb_profile_node *nodes;
	struct fixture f;

	(void)state;
	options.paths = PLUMB_PATHS_CALLER;
	begin(&f, &options);
	for (int i = 0; i < 3000; i++) {
		const uint32_t lane = (uint32_t)chance(&f, LANES);
		const unsigned node = (unsigned)chance(&f, i / 500 % 2 ? 2 : NODES + 1);
		const uint64_t period = chance(&f, 1000);

		add_by_path(&f, &events[1], node, period, lane);
		for (unsigned n = 0; n < NODES; n++) {
			const bool through = n == node || (n == DIRECTLY && node < NODES);

			tally_add(&wanted[lane][n], through ? (double)period : 0, (double)period);
		}
	}
	for (int lane = 1; lane < LANES; lane++)
		for (int n = 0; n < NODES; n++)
			tally_join(&wanted[0][n], &wanted[lane][n], false);
	nodes = three_nodes(&f);
	for (int n = 0; n < NODES; n++)
		assert_estimate(nodes[n].share, estimate_share(&wanted[0][n], &sampling));
	assert_false(nodes[0].uncertain || nodes[1].uncertain || nodes[2].uncertain);
	end(&f);
}

static void estimates_nodes_from_windows(void **state)
{
	const struct grouping grouping = {.present = 0x7fe, .windows = 155};
	double sums[NODES][GROUPS_ROOM] = {{0}}, whole[GROUPS_ROOM] = {0};
	struct plumb_profile_options options = plain;
	const struct plumb_profile_node *nodes;
	const struct plumb_profile_topdown_node *slots;
	struct plumb_profile_topdown *rows;
	struct fixture f;
	size_t count;

	(void)state;
	options.paths = PLUMB_PATHS_CALLER;
	begin(&f, &options);
	for (uint64_t group = 1; group <= 10; group++) {
		f.stream = (10 + group) << 8 | group;
		for (unsigned node = 0; node <= NODES; node++) {
			const uint64_t period =
				node == NODES ? 500
					      : (node == FROM_30 ? 110 : 100) + chance(&f, 80);

			add_by_path(&f, &events[3], node, period, 0);
			whole[group] += (double)period;
			if (node < NODES)
				sums[DIRECTLY][group] += (double)period;
			if (node == FROM_30 || node == FROM_20)
				sums[node][group] += (double)period;
		}
	}
	nodes = three_nodes(&f);
	assert_int_equal(plumb_profile_topdown(f.profile, &rows, &count), 0);
	slots = plumb_profile_topdown_tree(f.profile, &rows[0], &count);
	assert_int_equal(count, NODES);
	for (int n = 0; n < NODES; n++) {
		const struct plumb_profile_estimate share = groups_share(&grouping, sums[n], whole);

		assert_true(share.low < share.value && share.value < share.high);
		assert_memory_equal(&nodes[n].share, &share, sizeof(share));
		assert_memory_equal(&slots[n].slots.share, &share, sizeof(share));
		assert_true(slots[n].slots.retiring.value == 1);
		/* Which of the two callers leads, the groups do not tell. */
		assert_int_equal(nodes[n].uncertain, n != DIRECTLY);
		assert_int_equal(slots[n].uncertain, n != DIRECTLY);
	}
	free(rows);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_call_trees),
		cmocka_unit_test(estimates_nodes),
		cmocka_unit_test(estimates_nodes_from_windows),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
