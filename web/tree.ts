/* SPDX-License-Identifier: Apache-2.0 */
/* The decision tree with its bars: from counts, or from an exact profile's slots. */
import { Metric } from "./data";
import { h, percent, plural, SLOT_TITLES, SLOTS, slotsOf, styled, visible } from "./dom";
import { chosenIntervals, meanMetrics } from "./intervals";
import { hasRange, state } from "./state";
import { Page, View } from "./view";

interface Node {
	name: string;
	title: string;
	value: number | null;
	units: string;
	kind: string;
	/* The values of its children are of everything, not of its own. */
	ofAll: boolean;
	children: Node[];
	marked: boolean;
}

function fromCounts(metrics: Metric[], path: string[]): Node[] {
	const made = new Map<string, Node>();
	const roots: Node[] = [];
	const tree = metrics.filter((metric) => metric.level !== null);
	for (const metric of tree)
		if (!made.has(metric.name))
			made.set(metric.name, { name: metric.name, title: metric.title, value: metric.value, units: metric.units, kind: slotsOf(metric.name), ofAll: false, children: [], marked: path.includes(metric.name) });
	for (const metric of new Set(tree.map((m) => m.name))) {
		const node = made.get(metric)!;
		const parent = tree.find((m) => m.name === metric)!.parent;
		const above = parent !== null ? made.get(parent) : undefined;
		if (above) {
			above.children.push(node);
			node.kind = above.kind;
		} else if (tree.find((m) => m.name === metric)!.level === 1) roots.push(node);
	}
	return roots;
}

function fromSlots(page: Page): Node[] {
	const types = page.model!.stacks.types.filter((type) => type.slots && type.total);
	const whole = types.reduce((sum, type) => sum + type.total, 0);
	return SLOTS.map((kind) => {
		const own = types.filter((type) => type.slots === kind);
		const value = (100 * own.reduce((sum, type) => sum + type.total, 0)) / whole;
		const children = own.map((type) => ({
			name: type.name, title: type.name.replace(/^slots_/, "").replace(/_/g, " "), value: (100 * type.total) / whole,
			units: "percent of slots", kind: kind as string, ofAll: true, children: [], marked: false,
		}));
		children.sort((a, b) => b.value - a.value);
		return { name: kind as string, title: SLOT_TITLES[kind], value, units: "percent of slots", kind: kind as string, ofAll: true, children: kind === "retiring" ? [] : children, marked: false };
	}).filter((node) => node.value > 0);
}

/* `above`: the share that the bar of the node above has; a node's value is a share of that one's. */
function item(node: Node, level: number, above: number): HTMLElement {
	const share = (above * Math.max(0, Math.min(100, node.value || 0))) / 100;
	const row = [
		h("span", { class: "bar" }, styled(h("i", { class: "k-" + node.kind }), { width: share + "%" })),
		h("b", { class: "num" }, node.value === null ? "not counted" : percent(node.value, 1)),
		h("span", { class: "title" }, visible(node.title)),
		h("code", null, visible(node.name)),
		h("small", null, node.units.replace("percent", "%")),
	];
	const open = level < 2 || node.marked;
	const mark = node.marked ? " marked" : "";
	return node.children.length
		? h("details", { class: "node" + mark, open }, h("summary", null, ...row), ...node.children.map((child) => item(child, level + 1, node.ofAll ? 100 : share)))
		: h("div", { class: "node leaf" + mark }, h("div", { class: "summary" }, ...row));
}

function hasSlots(page: Page): boolean {
	return !!page.model && page.model.stacks.types.some((type) => type.slots && type.total);
}

export const tree: View = {
	key: "tree",
	title: "Tree",
	chooses: false,
	searches: false,
	/* Counts of intervals are the only ones with times. */
	wholeOnly: (page) => !page.documents.intervals || state.thread >= 0,
	has: (page) => !!(page.documents.intervals || (page.documents.counts && page.documents.counts.metrics.length) || hasSlots(page)),
	make: (page) => {
		const { counts, intervals } = page.documents;
		/* Without other counts or slots, the intervals are what there is. */
		const means = intervals && (hasRange() || (!counts && !hasSlots(page))) ? meanMetrics(intervals) : null;
		const path = counts && counts.diagnosis && !means ? counts.diagnosis.path : [];
		const roots = means ? fromCounts(means, path) : counts && counts.metrics.length ? fromCounts(counts.metrics, path) : fromSlots(page);
		const rest = counts && !means ? counts.metrics.filter((metric) => metric.level === null && metric.value !== null) : [];
		const groups = [...new Set(rest.map((metric) => metric.group))];
		return {
			element: h("div", { class: "treeview" },
				path.length ? h("p", { class: "path" }, "Diagnosis: ", ...path.map((name, i) => h("span", null, i ? " › " : "", h("code", null, name)))) : null,
				h("section", { class: "panel tree" }, means ? h("p", { class: "dim", id: "means" }, `Means of ${plural(chosenIntervals(intervals!).length, "interval")}, weighted by cycles and by the stalls of the node above.`) : null, counts || means ? h("p", { class: "dim" }, "Values of indented nodes are of the stalls above them; bars are of everything.") : null, ...roots.map((root) => item(root, 1, 100))),
				groups.length ? h("section", { class: "panel" }, h("h2", null, "Metrics"), h("div", { class: "metrics" }, ...groups.map((group) => h("table", null, h("caption", null, visible(group).replace(/_/g, " ")), h("tbody", null, ...rest.filter((m) => m.group === group).map((m) => h("tr", null, h("th", { scope: "row" }, visible(m.title)), h("td", { class: "num" }, m.value!.toLocaleString("en-US", { maximumFractionDigits: 3 })), h("td", null, visible(m.units))))))))) : null),
		};
	},
};
