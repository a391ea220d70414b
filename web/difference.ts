/* SPDX-License-Identifier: Apache-2.0 */
/* The flame graph of a comparison: widths are those of one side, colours say what grew or shrank. */
import { commonNames, comparisons } from "./compare";
import { Documents, Stacks } from "./data";
import { brief, h, percent, plural, short, styled, visible } from "./dom";
import { set, state } from "./state";
import { Page, Shown, View } from "./view";

const LEAST = 0.0006; /* of the width: what is narrower cannot be seen */
const DEEPEST = 400;
const ROW = 23; /* pixels */
const QUANTILE = 1.96;

/* A value that both sides have. */
interface Value {
	key: string;
	title: string;
	exact: boolean;
	types: [number[], number[]]; /* of each side */
}

/* A path of functions, with its values on both sides. */
interface Node {
	name: string;
	depth: number;
	values: [number, number]; /* with callees */
	children: Map<string, Node>;
	parent: Node | null;
	number: number;
}

/* The sides of the comparison that is shown, if both have stacks. */
export function sidesOf(page: Page): [Documents, Documents] | null {
	const sides = page.documents.sides;
	if (!sides) return null;
	const at = Math.max(0, Math.min(comparisons(page).length - 1, state.thread));
	const [before, after] = [sides[0], sides[at + 1]];
	return before && after && before.stacks && after.stacks ? [before, after] : null;
}

function slotTypes(stacks: Stacks): number[] {
	return [...stacks.types.keys()].filter((i) => stacks.types[i].slots && stacks.types[i].total);
}

function valuesOf(before: Stacks, after: Stacks): Value[] {
	const values: Value[] = [];
	const slots: [number[], number[]] = [slotTypes(before), slotTypes(after)];
	if (slots[0].length && slots[1].length) values.push({ key: "slots", title: "Slots", exact: true, types: slots });
	before.types.forEach((type, i) => {
		const other = after.types.findIndex((t) => t.name === type.name && t.exact === type.exact);
		if (other >= 0 && (type.total || after.types[other].total)) values.push({ key: type.name, title: type.name, exact: type.exact, types: [[i], [other]] });
	});
	return values;
}

/* Joins the paths of both sides by the names that their functions have in the comparison. */
function join(sides: [Stacks, Stacks], value: Value, names: [Map<string, string>, Map<string, string>]): { root: Node; nodes: Node[]; samples: [number, number] } {
	const root: Node = { name: "", depth: -1, values: [0, 0], children: new Map(), parent: null, number: -1 };
	const nodes: Node[] = [];
	sides.forEach((stacks, side) => {
		const own = new Float64Array(stacks.nodes.parent.length);
		const types = new Set(value.types[side]);
		const { row, type, value: cell } = stacks.cells;
		for (let i = 0; i < row.length; i++) if (types.has(type[i])) own[stacks.rows.node[row[i]]] += cell[i];
		for (let i = own.length - 1; i >= 0; i--) {
			const parent = stacks.nodes.parent[i];
			if (parent !== null) own[parent] += own[i];
			else root.values[side] += own[i];
		}
		/* Parents stand before their children. */
		const made: Node[] = [];
		for (let i = 0; i < own.length; i++) {
			const above = stacks.nodes.parent[i];
			const parent = above === null ? root : made[above];
			const symbol = stacks.functions[stacks.nodes.function[i]].name;
			const name = names[side].get(symbol) ?? symbol;
			/* A part that a function jumps to is the function itself. */
			if (symbol !== name && parent.name === name) {
				made.push(parent);
				continue;
			}
			let node = parent.children.get(name);
			if (!node) {
				node = { name, depth: parent.depth + 1, values: [0, 0], children: new Map(), parent, number: nodes.length };
				parent.children.set(name, node);
				nodes.push(node);
			}
			node.values[side] += own[i];
			made.push(node);
		}
	});
	/* How many samples the shares are of. */
	const count = (stacks: Stacks, main: number) => {
		const type = stacks.types.findIndex((t, i) => i >= main && t.kind === "samples");
		return type >= 0 ? stacks.types[type].total : stacks.samples;
	};
	return { root, nodes, samples: [count(sides[0], value.types[0][0]), count(sides[1], value.types[1][0])] };
}

/* What changed: of the whole before, or of the share, in points. */
interface Change {
	text: string;
	size: number; /* a share of the whole; positive: it grew */
	noise: boolean;
}

function changeOf(node: Node, root: Node, exact: boolean, samples: [number, number]): Change {
	const [before, after] = node.values;
	const shares = [0, 1].map((side) => (root.values[side] ? node.values[side] / root.values[side] : 0));
	if (exact) {
		const relative = before ? ` (${after >= before ? "+" : ""}${percent((100 * (after - before)) / before, 1)})` : after ? " (new)" : "";
		return { text: `${short(before)} before, ${short(after)} after${before && !after ? " (gone)" : relative}`, size: root.values[0] ? (after - before) / root.values[0] : 0, noise: false };
	}
	const size = shares[1] - shares[0];
	/* The test of two shares of independent draws. */
	const all = (shares[0] * samples[0] + shares[1] * samples[1]) / (samples[0] + samples[1] || 1);
	const deviation = Math.sqrt(all * (1 - all) * (1 / (samples[0] || 1) + 1 / (samples[1] || 1)));
	const noise = Math.abs(size) <= QUANTILE * deviation;
	return { text: `${percent(100 * shares[0])} before, ${percent(100 * shares[1])} after (${size >= 0 ? "+" : ""}${(100 * size).toFixed(2)} points${noise ? "; this may be noise" : ""})`, size, noise };
}

/* Returns the class of a colour: one of five steps either way. */
function colour(change: Change): string {
	const step = Math.min(5, Math.ceil(Math.sqrt(Math.abs(change.size)) * 10));
	return change.noise || Math.abs(change.size) < 0.0005 ? "d-same" : `d-${change.size > 0 ? "more" : "less"}${step}`;
}

/* Says what the values of both sides are, and what their colours are of. */
function describeBasis(value: Value, stacks: [Stacks, Stacks], totals: number[], samples: [number, number]): string {
	if (!value.exact) return `Shares of ${short(samples[0])} samples before and ${short(samples[1])} after. What may be noise, in a test of each share at 95 %, has no colour.`;
	const counts = totals.map((total, side) => {
		const windows = stacks[side].windows;
		return `${short(total)} ${side ? "after" : "before"}` + (windows ? `, estimated from ${plural(windows, "window")}` : "");
	});
	const colours = "Colours are changes, as parts of the whole before.";
	if (!stacks[0].windows && !stacks[1].windows) return `Counted exactly: ${counts.join(", ")}. ${colours}`;
	return `Counts of the model: ${counts.join("; ")}. ${colours} Small ones may be noise: estimates are not tested.`;
}

function make(page: Page): Shown {
	const sides = sidesOf(page)!;
	const stacks: [Stacks, Stacks] = [sides[0].stacks!, sides[1].stacks!];
	const values = valuesOf(...stacks);
	const value = values.find((v) => v.key === state.metric) || values[0];
	if (!value) return { element: h("p", null, "The two sides have no value in common.") };
	const { root, nodes, samples } = join(stacks, value, commonNames(page));
	const side = state.order === "before" ? 0 : 1;
	const zoomed = nodes[state.zoom] || root;
	const whole = zoomed.values[side];
	const boxes: { node: Node; left: number; width: number; depth: number }[] = [];
	const place = (list: Node[], left: number, depth: number) => {
		for (const node of list.filter((n) => n.values[side] / whole >= LEAST).sort((a, b) => b.values[side] - a.values[side])) {
			const width = node.values[side] / whole;
			boxes.push({ node, left, width, depth });
			if (depth < DEEPEST) place([...node.children.values()], left, depth + 1);
			left += width;
		}
	};
	if (whole > 0) place(zoomed === root ? [...root.children.values()] : [zoomed], 0, 0);
	const status = h("p", { class: "status", role: "status" });
	const words = state.search.toLowerCase();
	const describe = (node: Node) => `${visible(node.name)}: ${changeOf(node, root, value.exact, samples).text}`;
	let cursor = 0;
	const elements = boxes.map((box, i) => {
		const hit = words && box.node.name.toLowerCase().includes(words);
		return styled(h("div", {
			class: `box ${colour(changeOf(box.node, root, value.exact, samples))}${words ? (hit ? " hit" : " miss") : ""}`, role: "treeitem", "aria-level": box.depth + 1, "aria-label": describe(box.node),
			onclick: () => zoom(box.node), onmouseenter: () => show(i),
		}, box.width > 0.012 ? brief(box.node.name) : ""), { left: box.left * 100 + "%", width: box.width * 100 + "%", top: box.depth * ROW + "px" });
	});
	function show(i: number): void {
		elements[cursor]?.classList.remove("cursor");
		cursor = i;
		elements[i]?.classList.add("cursor");
		if (boxes[i]) status.textContent = describe(boxes[i].node);
	}
	function zoom(node: Node): void {
		set({ zoom: node === zoomed ? (node.parent ? node.parent.number : -1) : node.number });
	}
	function onKey(event: KeyboardEvent): void {
		const at = boxes[cursor];
		if (!at) return;
		const row = boxes.filter((b) => b.depth === at.depth);
		const end = at.left + at.width;
		let next: typeof at | undefined;
		if (event.key === "Escape" && zoomed !== root) set({ zoom: -1 });
		else if (event.key === "Enter") zoom(at.node);
		else if (event.key === "ArrowDown") next = boxes.find((b) => b.depth === at.depth + 1 && b.left >= at.left - 1e-9 && b.left < end);
		else if (event.key === "ArrowUp") next = boxes.find((b) => b.depth === at.depth - 1 && b.left <= at.left + 1e-9 && b.left + b.width > at.left);
		else if (event.key === "ArrowRight") next = row.filter((b) => b.left > at.left).sort((a, b) => a.left - b.left)[0];
		else if (event.key === "ArrowLeft") next = row.filter((b) => b.left < at.left).sort((a, b) => b.left - a.left)[0];
		else return;
		event.preventDefault();
		if (next) {
			show(boxes.indexOf(next));
			elements[cursor].scrollIntoView({ block: "nearest" });
		}
	}
	const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0);
	const graph = styled(h("div", { class: "flame", role: "tree", tabindex: 0, "aria-label": "Flame graph of the difference; arrow keys move, Enter zooms, Escape zooms out", onkeydown: (e: Event) => onKey(e as KeyboardEvent) }, ...elements), { height: (depth + 1) * ROW + 2 + "px" });
	const gone = [...root.values];
	status.textContent = boxes.length ? describe(boxes[0].node) : "This side has nothing.";
	const order = (key: string, title: string, on: boolean) => h("button", { type: "button", "aria-pressed": String(on), onclick: () => set({ order: key }) }, title);
	const choose = h("label", null, "Value ", h("select", { id: "metric", onchange: (e: Event) => set({ metric: (e.target as HTMLSelectElement).value }) }, ...values.map((v) => h("option", { value: v.key, selected: v === value }, visible(v.title)))));
	const key = h("p", { class: "legend" }, ...[["d-less5", "less"], ["d-less2", ""], ["d-same", value.exact && !stacks.some((s) => s.windows) ? "the same" : value.exact ? "about the same" : "the same, or noise"], ["d-more2", ""], ["d-more5", "more"]].map(([kind, text]) => h("span", null, h("i", { class: kind }), text)));
	return {
		element: h("div", { class: "flameview" },
			h("div", { class: "tools" }, choose, h("span", { class: "group", role: "group", "aria-label": "Widths" }, order("before", "Widths before", side === 0), order("left", "Widths after", side === 1)),
				zoomed !== root ? h("button", { type: "button", onclick: () => set({ zoom: -1 }) }, "Zoom out") : null, key),
			h("p", { class: "dim" }, describeBasis(value, stacks, gone, samples)),
			status, h("div", { class: "flamebox" }, graph)),
	};
}

export const difference: View = { key: "difference", title: "Flame graph", chooses: false, searches: true, has: (page) => sidesOf(page) !== null, make };
