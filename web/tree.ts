/* SPDX-License-Identifier: Apache-2.0 */
/* The decision tree with its bars. */
import { h, percent, plural, styled, visible } from "./dom";
import { icicle } from "./icicle";
import { chosenIntervals, meanMetrics } from "./intervals";
import { fromCounts, hasSlots, Node, rootsOf } from "./nodes";
import { hasRange, hasTrack } from "./state";
import { Page, View } from "./view";

function item(node: Node, level: number): HTMLElement {
	const share = Math.max(0, Math.min(100, node.slots || 0));
	/* The bars of all levels stand below each other, so that they can be compared. */
	const row = [
		h("b", { class: "num" }, node.value === null ? "not counted" : percent(node.value, 1)),
		h("span", { class: "title" }, visible(node.title)),
		h("code", null, visible(node.name)),
		h("span", { class: "bar" }, styled(h("i", { class: "k-" + node.kind }), { width: share + "%" })),
		h("small", null, node.slots !== null ? `${percent(node.slots, 1)} of slots` : visible(node.units).replace("percent", "%")),
	];
	const open = level < 2 || node.marked;
	const mark = node.marked ? " marked" : "";
	return node.children.length
		? h("details", { class: "node" + mark, open }, h("summary", null, ...row), ...node.children.map((child) => item(child, level + 1)))
		: h("div", { class: "node leaf" + mark }, h("div", { class: "summary" }, ...row));
}

/* What to count and to sample next. */
function next(page: Page): HTMLElement | null {
	const diagnosis = page.documents.counts && page.documents.counts.diagnosis;
	if (!diagnosis) return null;
	const list = (title: string, names: string[] | undefined) => (names && names.length ? h("p", null, h("strong", null, title + " "), ...names.flatMap((name, i) => [i ? ", " : "", h("code", null, visible(name))])) : null);
	const waits = (diagnosis.waits || []).filter((wait) => wait.percent !== null);
	return h("div", { class: "next" },
		waits.length ? h("p", null, h("strong", null, "The model's core waits for "), waits.map((wait) => `${visible(wait.brief)} ${percent(wait.percent, 0)}`).join(", ")) : null, list("Look next at", diagnosis.next_groups), list("Sample", diagnosis.sample_events));
}

export const tree: View = {
	key: "tree",
	title: "Tree",
	chooses: false,
	searches: false,
	/* Counts of intervals are the only ones with times. */
	wholeOnly: (page) => !page.documents.intervals || hasTrack(),
	has: (page) => !!(page.documents.intervals || (page.documents.counts && page.documents.counts.metrics.length) || hasSlots(page)),
	make: (page) => {
		const { counts, intervals } = page.documents;
		/* Without other counts or slots, the intervals are what there is. */
		const means = intervals && (hasRange() || (!counts && !hasSlots(page))) ? meanMetrics(intervals) : null;
		const path = counts && counts.diagnosis && !means ? counts.diagnosis.path : [];
		const roots = means ? fromCounts(means, path) : rootsOf(page);
		const rest = counts && !means ? counts.metrics.filter((metric) => metric.level === null && metric.value !== null) : [];
		const groups = [...new Set(rest.map((metric) => metric.group))];
		return {
			element: h("div", { class: "treeview" },
				path.length ? h("p", { class: "path" }, "Diagnosis: ", ...path.map((name, i) => h("span", null, i ? " › " : "", h("code", null, visible(name))))) : null,
				h("section", { class: "panel tree" }, icicle(roots), means ? h("p", { class: "dim", id: "means" }, `Means of ${plural(chosenIntervals(intervals!).length, "interval")}, weighted by cycles and by the stalls of the node above.`) : null, counts || means ? h("p", { class: "dim" }, "Values of indented nodes are of the stalls above them; bars, and the figures on the right, are of all slots.") : null, ...roots.map((root) => item(root, 1)), means ? null : next(page)),
				groups.length ? h("section", { class: "panel" }, h("h2", null, "Metrics"), h("div", { class: "metrics" }, ...groups.map((group) => h("table", null, h("caption", null, visible(group).replace(/_/g, " ")), h("tbody", null, ...rest.filter((m) => m.group === group).map((m) => h("tr", null, h("th", { scope: "row" }, visible(m.title)), h("td", { class: "num" }, m.value!.toLocaleString("en-US", { maximumFractionDigits: 3 })), h("td", null, visible(m.units))))))))) : null),
		};
	},
};
