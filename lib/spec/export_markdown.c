/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reference manual of one CPU in Markdown: CommonMark with GitHub's tables. Every event, metric
 * and group has its own section with an anchor; every other mention of it is a link.
 */
#include "spec/exporter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_set.h"

/* Things that have a name and a link. */
struct kind {
	const char *anchor; /* prefix of its anchors */
	export_name_of *name_of;
};

static const struct kind event_kind = {"event", export_event};
static const struct kind metric_kind = {"metric", export_metric};
static const struct kind group_kind = {"group", export_metric_group};
static const struct kind function_kind = {"function", export_functional_group};

struct page {
	const struct plumb_spec *spec;
	FILE *out;
	uint16_t *room; /* export_refs_room() */
};

/* Writes one line of text, escaping everything special to Markdown. */
static void plain(const struct page *page, const char *text)
{
	for (; text && *text; text++) {
		if (strchr("\\`*_[]<>|#&~", *text))
			putc('\\', page->out);
		putc(*text == '\n' || *text == '\r' ? ' ' : *text, page->out);
	}
}

/* Writes a name or a formula as a code span that its text cannot end. */
static void code(const struct page *page, const char *text)
{
	putc('`', page->out);
	for (; text && *text; text++) {
		bool breaks = *text == '`' || *text == '|' || (unsigned char)*text < ' ';

		putc(breaks ? ' ' : *text, page->out);
	}
	putc('`', page->out);
}

/* Writes a description: already Markdown (schema v1.0, Description), but without HTML. */
static void prose(const struct page *page, const char *text)
{
	if (!text || !*text)
		return;
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", page->out);
		else if (*text != '\r')
			putc(*text, page->out);
	}
	fputs("\n\n", page->out);
}

static void link_to(const struct page *page, const struct kind *kind, uint16_t index)
{
	const char *name = kind->name_of(page->spec, index);
	char anchor[EXPORT_NAME_MAX];

	export_name(name, anchor);
	putc('[', page->out);
	code(page, name);
	fprintf(page->out, "](#%s-%s)", kind->anchor, anchor);
}

static void links(const struct page *page, const struct kind *kind, struct plumb_indexes list)
{
	for (uint16_t i = 0; i < list.count; i++) {
		if (i > 0)
			fputs(", ", page->out);
		link_to(page, kind, list.at[i]);
	}
}

/* Writes a list such as "- Events: a, b", or nothing if the list is empty. */
static void item(const struct page *page, const char *label, const struct kind *kind,
		 struct plumb_indexes list)
{
	if (list.count == 0)
		return;
	fprintf(page->out, "- %s: ", label);
	links(page, kind, list);
	putc('\n', page->out);
}

static void section(const struct page *page, const struct kind *kind, uint16_t index,
		    const char *title)
{
	const char *name = kind->name_of(page->spec, index);
	char anchor[EXPORT_NAME_MAX];

	export_name(name, anchor);
	fprintf(page->out, "<a id=\"%s-%s\"></a>\n\n### ", kind->anchor, anchor);
	code(page, name);
	if (title && *title) {
		fputs(": ", page->out);
		plain(page, title);
	}
	fputs("\n\n", page->out);
}

static void product_section(const struct page *page)
{
	const struct plumb_spec *spec = page->spec;
	const struct plumb_product *product = &spec->product;
	FILE *out = page->out;

	fputs("# ", out);
	plain(page, product->name);
	fputs(": events, metrics and methodology\n\n", out);
	prose(page, spec->document.description);
	fputs("| | |\n|---|---|\n| Product | ", out);
	plain(page, product->name);
	fprintf(out, " r%up%u |\n| MIDR\\_EL1 | `0x%08" PRIx32 "` |\n", product->major_revision,
		product->minor_revision, plumb_spec_midr(spec));
	fputs("| Architecture | ", out);
	plain(page, product->architecture);
	fputs(" |\n| PMU | ", out);
	plain(page, product->pmu_architecture);
	fputs(" |\n", out);
	if (product->slots)
		fprintf(out, "| Slots per cycle | %u |\n", product->slots);
	if (product->counters)
		fprintf(out, "| Counters | %u and the cycle counter |\n", product->counters);
	fprintf(out, "| Events | %u |\n| Metrics | %u |\n| Metric groups | %u |\n",
		spec->event_count, spec->metric_count, spec->metric_group_count);
	fprintf(out, "| Functional groups | %u |\n\n", spec->functional_group_count);
}

/*
 * Writes a node and everything it leads to, indented. A node that several nodes lead to is
 * expanded once; elsewhere only its link is written, so that cycles end too.
 */
static void node_item(const struct page *page, const struct plumb_methodology *methodology,
		      uint16_t index, unsigned level, struct index_set *followed)
{
	const struct plumb_node *node = &methodology->nodes[index];
	int indent = 2 * (int)(level - 1);

	fprintf(page->out, "%*s- ", indent, "");
	link_to(page, &metric_kind, node->metric);
	if (node->sample_events.count > 0) {
		fputs(" (sample ", page->out);
		links(page, &event_kind, node->sample_events);
		putc(')', page->out);
	}
	putc('\n', page->out);
	if (level >= PLUMB_TREE_MAX_LEVELS || !index_set_add(followed, index))
		return;
	for (uint16_t i = 0; i < node->next_item_count; i++) {
		const struct plumb_next_item *next = &node->next_items[i];
		bool is_metric = next->kind == PLUMB_ITEM_METRIC;
		uint16_t child =
			is_metric ? plumb_methodology_node(methodology, next->index) : PLUMB_NONE;

		if (child != PLUMB_NONE) {
			node_item(page, methodology, child, level + 1, followed);
			continue;
		}
		fprintf(page->out, "%*s- ", indent + 2, "");
		link_to(page, is_metric ? &metric_kind : &group_kind, next->index);
		putc('\n', page->out);
	}
}

static void methodology_section(const struct page *page,
				const struct plumb_methodology *methodology)
{
	struct index_set followed = {0};

	fputs("## ", page->out);
	plain(page, methodology->title);
	fputs("\n\n", page->out);
	prose(page, methodology->description);
	fputs("| Stage | Metric groups |\n|---|---|\n", page->out);
	for (uint16_t i = 0; i < methodology->stage_count; i++) {
		fputs("| ", page->out);
		code(page, methodology->stages[i].name);
		fputs(" | ", page->out);
		links(page, &group_kind, methodology->stages[i].groups);
		fputs(" |\n", page->out);
	}
	fputs("\nThe decision tree, and what to look at next:\n\n", page->out);
	for (uint16_t i = 0; i < methodology->roots.count; i++)
		node_item(page, methodology, methodology->roots.at[i], 1, &followed);
	putc('\n', page->out);
}

static void group_section(const struct page *page, uint16_t index)
{
	const struct plumb_metric_group *group = &page->spec->metric_groups[index];
	struct index_set shown = {0};

	section(page, &group_kind, index, group->title);
	prose(page, group->description);
	fputs("| Metric | | Units |\n|---|---|---|\n", page->out);
	for (uint16_t i = 0; i < group->metrics.count; i++) {
		const struct plumb_metric *metric = &page->spec->metrics[group->metrics.at[i]];

		if (!index_set_add(&shown, group->metrics.at[i]))
			continue; /* Arm's files repeat some items */
		fputs("| ", page->out);
		link_to(page, &metric_kind, group->metrics.at[i]);
		fputs(" | ", page->out);
		plain(page, metric->title);
		fputs(" | ", page->out);
		plain(page, metric->units);
		fputs(" |\n", page->out);
	}
	putc('\n', page->out);
}

/* Writes the metric groups: those of a methodology in order of stages, then the others. */
static void group_sections(const struct page *page)
{
	const struct plumb_spec *spec = page->spec;
	struct index_set shown = {0};

	fputs("## Metric groups\n\n", page->out);
	for (uint16_t m = 0; m < spec->methodology_count; m++) {
		const struct plumb_methodology *methodology = &spec->methodologies[m];

		for (uint16_t s = 0; s < methodology->stage_count; s++) {
			struct plumb_indexes groups = methodology->stages[s].groups;

			for (uint16_t i = 0; i < groups.count; i++)
				if (index_set_add(&shown, groups.at[i]))
					group_section(page, groups.at[i]);
		}
	}
	for (uint16_t i = 0; i < spec->metric_group_count; i++)
		if (index_set_add(&shown, i))
			group_section(page, i);
}

static void metric_section(const struct page *page, uint16_t index)
{
	const struct plumb_metric *metric = &page->spec->metrics[index];

	section(page, &metric_kind, index, metric->title);
	prose(page, metric->description);
	fputs("- Formula: ", page->out);
	code(page, metric->formula);
	fputs("\n- Units: ", page->out);
	plain(page, metric->units);
	putc('\n', page->out);
	item(page, "Events", &event_kind, metric->events);
	item(page, "Events to sample", &event_kind, metric->sample_events);
	item(page, "Metric groups", &group_kind,
	     export_refs(page->spec, plumb_spec_groups_of_metric, index, page->room));
	putc('\n', page->out);
}

static void function_section(const struct page *page, uint16_t index)
{
	const struct plumb_functional_group *group = &page->spec->functional_groups[index];

	section(page, &function_kind, index, group->title);
	prose(page, group->description);
	fputs("| Code | Event | |\n|---|---|---|\n", page->out);
	for (uint16_t i = 0; i < group->events.count; i++) {
		const struct plumb_event *event = &page->spec->events[group->events.at[i]];

		fprintf(page->out, "| `0x%04x` | ", event->code);
		link_to(page, &event_kind, group->events.at[i]);
		fputs(" | ", page->out);
		plain(page, event->title);
		fputs(" |\n", page->out);
	}
	putc('\n', page->out);
}

static void event_section(const struct page *page, uint16_t index)
{
	const struct plumb_event *event = &page->spec->events[index];

	section(page, &event_kind, index, event->title);
	prose(page, event->description);
	fprintf(page->out, "- Code: `0x%04x`, %s\n- Seen by: %s\n", event->code,
		export_event_kind(event), export_event_accesses(event));
	item(page, "Functional groups", &function_kind,
	     export_refs(page->spec, plumb_spec_functions_of_event, index, page->room));
	item(page, "Metrics that use it", &metric_kind,
	     export_refs(page->spec, plumb_spec_metrics_of_event, index, page->room));
	item(page, "Metrics to sample it for", &metric_kind,
	     export_refs(page->spec, plumb_spec_metrics_sampling_event, index, page->room));
	item(page, "Metric groups", &group_kind,
	     export_refs(page->spec, plumb_spec_groups_of_event, index, page->room));
	putc('\n', page->out);
}

static int markdown_part(const struct plumb_spec *spec, size_t i, char name[PLUMB_EXPORT_PART_MAX])
{
	return export_single_part(spec, ".md", i, name);
}

static int markdown_write(const struct plumb_spec *spec, size_t part, FILE *out,
			  struct plumb_diagnostics *diagnostics)
{
	struct page page = {spec, out, export_refs_room()};

	(void)part;
	(void)diagnostics;
	if (!page.room)
		return PLUMB_ERR_NO_MEMORY;
	product_section(&page);
	for (uint16_t i = 0; i < spec->methodology_count; i++)
		methodology_section(&page, &spec->methodologies[i]);
	group_sections(&page);
	fputs("## Metrics\n\n", out);
	for (uint16_t i = 0; i < spec->metric_count; i++)
		metric_section(&page, i);
	fputs("## Functional groups\n\n", out);
	for (uint16_t i = 0; i < spec->functional_group_count; i++)
		function_section(&page, i);
	fputs("## Events\n\n", out);
	for (uint16_t i = 0; i < spec->event_count; i++)
		event_section(&page, i);
	free(page.room);
	return 0;
}

const struct exporter export_markdown = {
	{"markdown", "a reference manual (Markdown)"},
	markdown_part,
	markdown_write,
};
