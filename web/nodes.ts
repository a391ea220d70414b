/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of the decision tree: from counts, or from an exact profile's slots. */
import { Metric } from "./data";
import { causeShown, SLOT_TITLES, SLOTS, slotsOf } from "./dom";
import { Page } from "./view";

export interface Node {
	name: string;
	title: string;
	value: number | null;
	units: string;
	kind: string;
	slots: number | null; /* percent of all slots; null: unknown */
	children: Node[];
	marked: boolean; /* on the path of the diagnosis */
}

/* Counts of an older Plumb do not say which share of all slots a node has: a part of that of the node above. */
function place(node: Node, known: boolean, above: number | null): void {
	if (!known) node.slots = node.value === null || above === null ? null : (above * node.value) / 100;
	for (const child of node.children) place(child, known, node.slots);
}

const DEEPEST = 16; /* levels: counts may come from anyone */

export function fromCounts(metrics: Metric[], path: string[]): Node[] {
	const made = new Map<string, Node>();
	const roots: Node[] = [];
	const tree = metrics.filter((metric) => metric.level !== null);
	const first = new Map<string, Metric>();
	for (const metric of tree)
		if (!first.has(metric.name)) {
			first.set(metric.name, metric);
			made.set(metric.name, { name: metric.name, title: metric.title, value: metric.value, units: metric.units, kind: slotsOf(metric.name), slots: metric.slots ?? null, children: [], marked: path.includes(metric.name) });
		}
	first.forEach((metric, name) => {
		const node = made.get(name)!;
		const parent = metric.parent !== null ? first.get(metric.parent) : undefined;
		if (parent && parent.level! < metric.level! && metric.level! <= DEEPEST) {
			const above = made.get(parent.name)!;
			above.children.push(node);
			node.kind = above.kind;
		} else if (metric.level === 1) roots.push(node);
	});
	const known = tree.some((metric) => metric.slots !== undefined && metric.slots !== null);
	roots.forEach((root) => place(root, known, 100));
	return roots;
}

export function fromSlots(page: Page): Node[] {
	const types = page.model!.stacks.types.filter((type) => type.slots && type.total);
	const whole = types.reduce((sum, type) => sum + type.total, 0);
	const node = (name: string, title: string, total: number, kind: string, children: Node[]): Node => {
		const share = (100 * total) / whole;
		return { name, title, value: share, units: "percent of slots", kind, slots: share, children, marked: false };
	};
	return SLOTS.map((kind) => {
		const own = types.filter((type) => type.slots === kind);
		const children = own.map((type) => node(type.name, causeShown(type.name.replace(/^slots_/, "")).replace(/_/g, " "), type.total, kind, []));
		children.sort((a, b) => b.slots! - a.slots!);
		return node(kind, SLOT_TITLES[kind], own.reduce((sum, type) => sum + type.total, 0), kind, kind === "retiring" ? [] : children);
	}).filter((root) => root.slots! > 0);
}

export function hasSlots(page: Page): boolean {
	return !!page.model && page.model.stacks.types.some((type) => type.slots && type.total);
}

/* Returns the roots of the counts, or else of the exact slots; [] if there are neither. */
export function rootsOf(page: Page): Node[] {
	const { counts } = page.documents;
	if (counts && counts.metrics.length) return fromCounts(counts.metrics, counts.diagnosis ? counts.diagnosis.path : []);
	return hasSlots(page) ? fromSlots(page) : [];
}
