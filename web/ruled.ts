/* SPDX-License-Identifier: Apache-2.0 */
/* The causes that the walk down the tree met and left: too little could be won there. */
import { h, percent, visible } from "./dom";
import { Node, rootsOf } from "./nodes";
import { Page } from "./view";

/* Percent of the slots that a finding has at least, also if most of the slots do useful work: doc/explore.md. */
const WORTH = 5;
const WORTH_IF_GOOD = 10;
const GOOD = 70;

export interface Ruled {
	least: number;
	out: Node[]; /* the largest first */
	unknown: Node[]; /* not counted */
}

export function ruledOut(page: Page): Ruled | null {
	const { counts, findings } = page.documents;
	if (!counts || !counts.metrics.length) return null;
	const roots = rootsOf(page);
	const work = findings && findings.work !== null ? findings.work : roots.filter((root) => root.kind === "retiring").reduce((sum, root) => sum + (root.slots || 0), 0);
	const least = work >= GOOD ? WORTH_IF_GOOD : WORTH;
	const ruled: Ruled = { least, out: [], unknown: [] };
	const walk = (nodes: Node[]) => {
		for (const node of nodes) {
			if (node.slots === null) ruled.unknown.push(node);
			else if (node.slots < least) ruled.out.push(node);
			else walk(node.children);
		}
	};
	walk(roots.filter((root) => root.kind !== "retiring"));
	ruled.out.sort((a, b) => b.slots! - a.slots!);
	return ruled.out.length || ruled.unknown.length ? ruled : null;
}

export function ruledPanel(page: Page): HTMLElement | null {
	const ruled = ruledOut(page);
	if (!ruled) return null;
	const list = (nodes: Node[]) => h("ul", { class: "ruled" }, ...nodes.map((node) => h("li", null, h("b", { class: "num" }, node.slots === null ? "" : percent(node.slots, 1)), h("span", null, visible(node.title), " ", h("code", null, visible(node.name))))));
	return h("section", { class: "panel", id: "ruled" }, h("h2", null, "Ruled out"),
		ruled.out.length ? h("p", { class: "dim" }, `Counted, but each of these has less than ${ruled.least} % of the slots; so have all causes below them.`) : null,
		ruled.out.length ? list(ruled.out) : null,
		ruled.unknown.length ? h("p", { class: "dim" }, "Not counted, so neither found nor ruled out:") : null,
		ruled.unknown.length ? list(ruled.unknown) : null);
}
