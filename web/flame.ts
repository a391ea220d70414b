/* SPDX-License-Identifier: Apache-2.0 */
/* The flame graph: left-heavy, or in the order of time; coloured by cause. */
import { h, legend, percent, short, SLOT_TITLES, SLOTS, styled, visible } from "./dom";
import { Model, Sums } from "./stacks";
import { set, state } from "./state";
import { Page, Shown, View } from "./view";

interface Box {
	node: number;
	depth: number;
	left: number; /* shares of the width */
	width: number;
	mixed?: boolean; /* many that are too narrow to be seen */
}

const LEAST = 0.0006; /* of the width: what is narrower cannot be seen */
const DEEPEST = 400;
const ROW = 23; /* pixels */

/* Places nodes below `root`, the heaviest first. */
function leftHeavy(model: Model, sums: Sums, root: number): Box[] {
	const boxes: Box[] = [];
	const whole = root < 0 ? sums.whole : sums.total[root];
	const place = (nodes: number[], depth: number, left: number) => {
		const sorted = nodes.filter((n) => sums.total[n] / whole >= LEAST).sort((a, b) => sums.total[b] - sums.total[a]);
		for (const node of sorted) {
			const width = sums.total[node] / whole;
			boxes.push({ node, depth, left, width });
			if (depth < DEEPEST) place(model.children[node], depth + 1, left);
			left += width;
		}
	};
	if (whole > 0) place(root < 0 ? model.roots : [root], 0, 0);
	return boxes;
}

/* Places the samples one after the other, and joins equal neighbours at each depth. */
function byTime(model: Model, sums: Sums, root: number): Box[] {
	const { moments, rows } = model.stacks;
	const type = new Set(sums.choice.types);
	const open: Box[] = [];
	const boxes: Box[] = [];
	const [first, last] = model.moments();
	let left = 0;
	const paths = new Map<number, number[]>();
	const pathOf = (node: number): number[] => {
		let path = paths.get(node);
		if (!path) {
			path = [];
			for (let n = node; n >= 0 && path.length < 10000; n = model.parent[n]) path.push(n);
			path.reverse();
			const start = root < 0 ? 0 : path.indexOf(root);
			path = start < 0 ? [] : path.slice(start, start + DEEPEST);
			paths.set(node, path);
		}
		return path;
	};
	let whole = 0;
	const wanted = (i: number) => type.has(moments!.type[i]) && (state.thread < 0 || rows.thread[moments!.row[i]] === state.thread);
	for (let i = first; i < last; i++) if (wanted(i) && pathOf(rows.node[moments!.row[i]]).length) whole += moments!.value[i];
	/* The last of those that are too narrow, at each depth. */
	const mixed: Box[] = [];
	const mix = (box: Box) => {
		const before = mixed[box.depth];
		if (before && Math.abs(before.left + before.width - box.left) < 1e-9) before.width += box.width;
		else boxes.push((mixed[box.depth] = { ...box, mixed: true }));
	};
	const close = (depth: number) => {
		while (open.length > depth) {
			const box = open.pop()!;
			box.width = left - box.left;
			if (box.width >= LEAST) boxes.push(box);
			else mix(box);
		}
	};
	for (let i = first; i < last; i++) {
		if (!wanted(i)) continue;
		const path = pathOf(rows.node[moments!.row[i]]);
		if (!path.length) continue;
		let same = 0;
		while (same < open.length && same < path.length && open[same].node === path[same]) same++;
		close(same);
		for (let d = same; d < path.length; d++) open.push({ node: path[d], depth: d, left, width: 0 });
		left += moments!.value[i] / whole;
	}
	close(0);
	return boxes.filter((box) => box.width >= LEAST);
}

const SOURCES = ["l1", "l2", "llc", "dram", "remote"];
const SOURCE_TITLES: { [name: string]: string } = { l1: "L1", l2: "L2", llc: "System cache, other cores", dram: "DRAM", remote: "Remote", plain: "No data source" };
function sourceKind(source: string): string {
	if (/remote/i.test(source)) return "remote";
	if (/dram|memory/i.test(source)) return "dram";
	if (/^l1/i.test(source)) return "l1";
	return /^l2/i.test(source) ? "l2" : "llc";
}

/* Returns the kind of colour of a node, and what it says. */
function colour(sums: Sums, node: number): [string, string] {
	if (sums.causes) {
		const values = sums.causes.map((values) => values[node]);
		const sum = values.reduce((a, b) => a + b, 0);
		const most = values.indexOf(Math.max(...values));
		if (sum) return [SLOTS[most], SLOTS.map((kind, i) => `${SLOT_TITLES[kind]} ${percent((100 * values[i]) / sum, 0)}`).join(", ")];
		return ["plain", ""];
	}
	if (sums.sources) {
		let most = "";
		let value = 0;
		sums.sources.forEach((values, source) => {
			if (values[node] > value) [most, value] = [source, values[node]];
		});
		return value ? [sourceKind(most), `most data from ${most}`] : ["plain", ""];
	}
	return ["plain", ""];
}

function describe(model: Model, sums: Sums, node: number): string {
	const said = colour(sums, node)[1];
	return `${visible(model.name(node))}: ${percent((100 * sums.total[node]) / sums.whole)} with callees, ${percent((100 * sums.own[node]) / sums.whole)} itself (${short(sums.total[node])} of ${visible(sums.choice.title)})` + (said ? `; ${said}` : "");
}

function make(page: Page): Shown {
	const model = page.model!;
	const sums = model.sums();
	const root = state.zoom >= 0 && state.zoom < model.parent.length ? state.zoom : -1;
	const timed = !!model.stacks.moments && !sums.choice.exact;
	const time = state.order === "time" && timed;
	const boxes = time ? byTime(model, sums, root) : leftHeavy(model, sums, root);
	const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0);
	const status = h("p", { class: "status", role: "status" });
	const graph = h("div", { class: "flame", role: "tree", tabindex: 0, "aria-label": "Flame graph; arrow keys move, Enter zooms, Escape zooms out", onkeydown: (e: Event) => onKey(e as KeyboardEvent) });
	const words = state.search.toLowerCase();
	const elements: HTMLElement[] = [];
	let cursor = 0;
	let matched = 0;
	boxes.forEach((box, i) => {
		const name = model.name(box.node);
		const hit = !!words && !box.mixed && name.toLowerCase().includes(words);
		if (hit) matched += sums.own[box.node];
		const element = h("div", { class: `box k-${colour(sums, box.node)[0]}` + (box.mixed ? " mixed" : "") + (words ? (hit ? " hit" : " miss") : ""), role: "treeitem", "aria-level": box.depth + 1, "aria-label": box.width > 0.02 ? describe(model, sums, box.node) : visible(name), onclick: () => zoom(box.node), onmouseenter: () => show(i) }, box.mixed ? "" : box.width > 0.012 ? visible(name) : "");
		elements.push(styled(element, { left: box.left * 100 + "%", width: box.width * 100 + "%", top: box.depth * ROW + "px" }));
	});
	graph.append(...elements);
	styled(graph, { height: (depth + 1) * ROW + 2 + "px" });
	function show(i: number): void {
		if (elements[cursor]) elements[cursor].classList.remove("cursor");
		cursor = i;
		if (!elements[i]) return;
		elements[i].classList.add("cursor");
		status.textContent = describe(model, sums, boxes[i].node);
	}
	function zoom(node: number): void {
		set({ zoom: node === root ? model.parent[node] : node });
	}
	function onKey(event: KeyboardEvent): void {
		const at = boxes[cursor];
		let next = -1;
		if (event.key === "Escape" && root >= 0) set({ zoom: -1 });
		else if (event.key === "Enter" && at) zoom(at.node);
		else if (event.key === "ArrowDown") next = boxes.findIndex((b) => b.depth === at.depth + 1 && b.left >= at.left - 1e-9 && b.left < at.left + at.width);
		else if (event.key === "ArrowUp") next = boxes.findIndex((b) => b.depth === at.depth - 1 && b.left <= at.left + 1e-9 && b.left + b.width > at.left);
		else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
			const right = event.key === "ArrowRight";
			boxes.forEach((b, i) => {
				if (b.depth !== at.depth || (right ? b.left <= at.left : b.left >= at.left)) return;
				if (next < 0 || (right ? b.left < boxes[next].left : b.left > boxes[next].left)) next = i;
			});
		} else return;
		event.preventDefault();
		if (next >= 0) {
			show(next);
			elements[next].scrollIntoView({ block: "nearest" });
		}
	}
	const order = (key: string, title: string, on: boolean) => h("button", { type: "button", "aria-pressed": String((time ? "time" : "left") === key), disabled: !on, title: on ? null : "exact profiles have no times", onclick: () => set({ order: key }) }, title);
	const kinds = sums.causes ? legend(SLOTS, SLOT_TITLES) : sums.sources ? legend([...SOURCES.filter((kind) => [...sums.sources!.keys()].some((s) => sourceKind(s) === kind)), "plain"], SOURCE_TITLES) : null;
	const trail: HTMLElement[] = [];
	for (let n = root; n >= 0 && trail.length < 12; n = model.parent[n]) trail.unshift(h("button", { class: "link", type: "button", onclick: () => set({ zoom: n }) }, visible(model.name(n))));
	status.textContent = words ? `Functions that match have ${percent((100 * matched) / sums.whole)} themselves.` : boxes.length ? describe(model, sums, boxes[0].node) : "There is nothing in this range.";
	return {
		element: h("div", { class: "flameview" },
			h("div", { class: "tools" }, h("span", { class: "group", role: "group", "aria-label": "Order" }, order("left", "Left-heavy", true), order("time", "By time", timed)),
				root >= 0 ? h("button", { type: "button", onclick: () => set({ zoom: -1 }) }, "Zoom out") : null, kinds),
			root >= 0 ? h("p", { class: "trail" }, ...trail.flatMap((b, i) => (i ? [h("span", null, " › "), b] : [b]))) : null,
			status, h("div", { class: "flamebox" }, graph)),
	};
}

export const flame: View = { key: "flame", title: "Flame graph", chooses: true, searches: true, has: (page) => !!page.model, make };
