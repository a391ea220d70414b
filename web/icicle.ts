/* SPDX-License-Identifier: Apache-2.0 */
/* All slots as a bar, with the parts of each part below it. */
import { h, percent, SLOTS, styled, visible } from "./dom";
import { Node } from "./nodes";

const DEEPEST = 4;
const LEAST = 0.3; /* percent of the slots: narrower boxes cannot be seen */

/* Returns the children in the order of their slots, and by what to divide these so that they fit. */
function parts(of: Node): [Node[], number] {
	const children = of.children.filter((child) => child.slots !== null && child.slots >= LEAST).sort((a, b) => b.slots! - a.slots!);
	const sum = children.reduce((all, child) => all + child.slots!, 0);
	/* Causes may overlap: together they then have more than the node above. */
	return [children, Math.max(1, of.slots ? sum / of.slots : 1)];
}

/* Returns a title without the words that the box above it has: "Core Flow" of "Frontend Core Flow Bound". */
function words(title: string, above: string): string {
	const own = title.split(" "), others = above.split(" ");
	while (own.length > 1 && own[0] === others.shift()) own.shift();
	if (own.length > 1 && own[own.length - 1] === "Bound") own.pop();
	return own.join(" ");
}

export function icicle(roots: Node[]): HTMLElement | null {
	const ordered = SLOTS.map((kind) => roots.find((root) => root.name === kind)).filter((root): root is Node => !!root && root.slots !== null);
	if (ordered.length < SLOTS.length) return null;
	const whole = Math.max(100, ordered.reduce((sum, root) => sum + root.slots!, 0));
	const rows: HTMLElement[][] = [];
	const put = (node: Node, above: string, depth: number, left: number, width: number) => {
		if (width < LEAST) return;
		if (!rows[depth]) rows[depth] = [];
		const text = `${visible(node.title)} ${percent(node.slots, 1)}`;
		rows[depth].push(styled(h("span", { class: `ice k-${node.kind}` + (node.marked ? " on" : ""), title: `${text} of the slots` }, h("b", null, percent(node.slots, 1)), h("span", null, visible(words(node.title, above)))), { left: left + "%", width: width + "%" }));
		if (depth + 1 === DEEPEST) return;
		const [children, scale] = parts(node);
		let at = left;
		for (const child of children) {
			const wide = (width * child.slots!) / node.slots! / scale;
			put(child, node.title, depth + 1, at, wide);
			at += wide;
		}
	};
	let at = 0;
	for (const root of ordered) {
		const width = (100 * Math.max(0, root.slots!)) / whole;
		put(root, "", 0, at, width);
		at += width;
	}
	return h("div", { class: "icicle", role: "img", "aria-label": ordered.map((root) => `${visible(root.title)} ${percent(root.slots, 1)}`).join(", ") }, ...rows.map((boxes) => h("div", { class: "icerow" }, ...boxes)));
}
