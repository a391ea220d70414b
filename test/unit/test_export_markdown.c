/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "exported.h"
#include "small_spec.h"

static size_t occurrences(const char *text, const char *what)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		count++;
	return count;
}

/* Each link of the page leads to one anchor of it. Returns how many links there are. */
static size_t follow_links(const char *text)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, "](#")); count++) {
		char anchor[200];
		size_t length;

		at += 3;
		length = strcspn(at, ")");
		snprintf(anchor, sizeof(anchor), "<a id=\"%.*s\"></a>", (int)length, at);
		assert_int_equal(occurrences(text, anchor), 1);
	}
	return count;
}

static void tells_everything(void **state)
{
	static const char *const said[] = {
		"# Small One: events, metrics and methodology\n",
		"\nA specification for tests\n",
		"| Product | Small One r1p2 |\n",
		"| MIDR\\_EL1 | `0x411fabc2` |\n",
		"| Architecture | armv9.2 |\n",
		"| Slots per cycle | 5 |\n",
		"| Counters | 6 and the cycle counter |\n",
		"| `stage_2` | [`Cache`](#group-cache), [`General`](#group-general) |\n",
		"<a id=\"group-topdown_l1\"></a>\n\n### `Topdown_L1`: Topdown level 1\n",
		"\n### `ipc`: Instructions per cycle\n\nHow many instructions retire in a "
		"cycle.\n\n"
		"- Formula: `INST_RETIRED / CPU_CYCLES`\n- Units: per cycle\n"
		"- Events: [`INST_RETIRED`](#event-inst_retired), "
		"[`CPU_CYCLES`](#event-cpu_cycles)\n"
		"- Events to sample: [`INST_RETIRED`](#event-inst_retired)\n"
		"- Metric groups: [`General`](#group-general)\n",
		"| `0x0004` | [`L1D_CACHE`](#event-l1d_cache) | L1 data cache accesses |\n",
		"\n### `CORE_EVENT`: Something of this core\n\nCounts something.\n\n"
		"Only this core knows what.\n\n- Code: `0x0120`, supplemental\n- Seen by: PMU\n",
		"\n- Metrics that use it: [`ipc`](#metric-ipc)\n"
		"- Metrics to sample it for: [`ipc`](#metric-ipc)\n"
		"- Metric groups: [`General`](#group-general)\n",
	};
	char *text = exported(&small_spec, "markdown", NULL, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (occurrences(text, said[i]) != 1)
			fail_msg("not said once: %s", said[i]);
	assert_true(follow_links(text) > 50);
	/* The group that lists it twice shows it once. */
	assert_int_equal(
		occurrences(text, "| [`l1d_miss_ratio`](#metric-l1d_miss_ratio) | L1 data"), 1);
	free(text);
}

/* What leads in a circle is followed once around. */
static void tree_is_a_list(void **state)
{
	char *text = exported(&small_spec, "markdown", "small-one-r1p2.md", NULL);

	(void)state;
	assert_non_null(strstr(text, "\n\n- [`frontend_bound`](#metric-frontend_bound)\n"
				     "  - [`Cache`](#group-cache)\n"
				     "- [`backend_bound`](#metric-backend_bound)"
				     " (sample [`STALL_SLOT_BACKEND`](#event-stall_slot_backend))\n"
				     "  - [`backend_mem_bound`](#metric-backend_mem_bound)\n"
				     "    - [`l1d_miss_ratio`](#metric-l1d_miss_ratio)"
				     " (sample [`L1D_CACHE_REFILL`](#event-l1d_cache_refill))\n"
				     "    - [`backend_bound`](#metric-backend_bound)"
				     " (sample [`STALL_SLOT_BACKEND`](#event-stall_slot_backend))\n"
				     "  - [`Cache`](#group-cache)\n\n"));
	free(text);
}

/* A chain as long as there can be: the list ends, and the stack holds. */
static void deep_tree_ends(void **state)
{
	enum { DEEP = 20000 };
	struct plumb_node *nodes = calloc(DEEP, sizeof(*nodes));
	struct plumb_next_item *items = calloc(DEEP, sizeof(*items));
	struct plumb_metric *metrics = calloc(DEEP, sizeof(*metrics));
	struct small_copy copy;
	char *text;

	(void)state;
	assert_true(nodes && items && metrics);
	small_spec_copy(&copy);
	for (unsigned i = 0; i < DEEP; i++) {
		metrics[i] = (struct plumb_metric){.name = "m", .formula = "1"};
		items[i] = (struct plumb_next_item){PLUMB_ITEM_METRIC, (uint16_t)(i + 1)};
		nodes[i] = (struct plumb_node){.metric = (uint16_t)i,
					       .next_item_count = i + 1 < DEEP,
					       .next_items = &items[i]};
	}
	copy.spec.metrics = metrics;
	copy.spec.metric_count = DEEP;
	copy.spec.event_count = 0;
	copy.spec.metric_group_count = 0;
	copy.spec.functional_group_count = 0;
	copy.methodologies[0].stage_count = 0;
	copy.methodologies[0].nodes = nodes;
	copy.methodologies[0].node_count = DEEP;
	copy.methodologies[0].roots = (struct plumb_indexes){(const uint16_t[]){0}, 1};
	text = exported(&copy.spec, "markdown", NULL, NULL);
	assert_int_equal(occurrences(text, "- [`m`]"), PLUMB_TREE_MAX_LEVELS);
	free(text);
	free(nodes);
	free(items);
	free(metrics);
}

/* Whatever a specification says stays text, in its cell, its line and its span of code. */
static void text_cannot_break_out(void **state)
{
	struct small_copy copy;
	char *text;

	(void)state;
	small_spec_copy(&copy);
	copy.metrics[SMALL_IPC].title = "a|b *c* _d_ [e](f) <g> `h` \\ #i ~j &k;\nl";
	copy.metrics[SMALL_IPC].units = "<script>";
	copy.metrics[SMALL_IPC].formula = "A `B` |\n```\nC";
	copy.metrics[SMALL_IPC].description = "See <b>this</b>\r\n\r\nthere";
	copy.events[SMALL_CORE_EVENT].title = NULL;
	copy.events[SMALL_CORE_EVENT].description = "";
	text = exported(&copy.spec, "markdown", NULL, NULL);
	assert_non_null(strstr(text, "### `ipc`: a\\|b \\*c\\* \\_d\\_ \\[e\\](f) \\<g\\> \\`h\\` "
				     "\\\\ \\#i \\~j \\&k; l\n\n"
				     "See &lt;b>this&lt;/b>\n\nthere\n\n"
				     "- Formula: `A  B        C`\n- Units: \\<script\\>\n"));
	assert_non_null(strstr(text, "### `CORE_EVENT`\n\n- Code: `0x0120`"));
	assert_int_equal(occurrences(text, "<script>"), 0);
	follow_links(text);
	free(text);
}

static void builtin_specifications_link_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++) {
		char *text = exported(plumb_spec_builtin(i), "markdown", NULL, NULL);

		assert_true(follow_links(text) > 500);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_everything),
		cmocka_unit_test(tree_is_a_list),
		cmocka_unit_test(deep_tree_ends),
		cmocka_unit_test(text_cannot_break_out),
		cmocka_unit_test(builtin_specifications_link_up),
	};

	return cmocka_run_group_tests_name("export_markdown", tests, NULL, NULL);
}
