/* SPDX-License-Identifier: Apache-2.0 */
/* The flame graph: left-heavy, or in the order of time; coloured by cause. */
import { base, h, legend, percent, short, SLOT_TITLES, SLOTS, styled, visible } from "./dom";
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

/* ---- Colours ---------------------------------------------------------------------------------- */

const EVENTS = 7; /* colours of events */

/* A way to colour: the kind of colour of a node, and what it says; and what the colours mean. */
interface Colours {
	key: string;
	title: string;
	of: (node: number) => [string, string];
	kinds: string[];
	titles: { [kind: string]: string };
}

function byCause(sums: Sums): Colours {
	const of = (node: number): [string, string] => {
		const values = sums.causes!.map((v) => v[node]);
		const sum = values.reduce((a, b) => a + b, 0);
		const most = values.indexOf(Math.max(...values));
		if (!sum) return ["plain", ""];
		return [SLOTS[most], SLOTS.map((kind, i) => `${SLOT_TITLES[kind]} ${percent((100 * values[i]) / sum, 0)}`).join(", ")];
	};
	return { key: "cause", title: "Cause", of, kinds: [...SLOTS], titles: SLOT_TITLES };
}

function bySource(sums: Sums): Colours {
	const of = (node: number): [string, string] => {
		let most = "";
		let value = 0;
		sums.sources!.forEach((values, source) => {
			if (values[node] > value) [most, value] = [source, values[node]];
		});
		return value ? [sourceKind(most), `most data from ${most}`] : ["plain", ""];
	};
	const found = SOURCES.filter((kind) => [...sums.sources!.keys()].some((source) => sourceKind(source) === kind));
	return { key: "source", title: "Source of data", of, kinds: [...found, "plain"], titles: SOURCE_TITLES };
}

/* The event that a path has most of, beside its part of the chosen value: by chance, that is not so (three deviations). */
function byEvent(model: Model, sums: Sums): Colours {
	const { types } = model.stacks;
	const wholes = new Map<number, number>();
	sums.events!.forEach((values, type) => wholes.set(type, model.roots.reduce((sum, root) => sum + values[root], 0)));
	/* Periods of events are not counts of samples: the average one says how many those are. */
	const samples = (type: number) => {
		const count = types[type].kind === "period" && types[type + 1] && types[type + 1].kind === "samples" ? types[type + 1].total : types[type].total;
		return types[type].total ? count / types[type].total : 0;
	};
	const shown = [...wholes.keys()].filter((type) => wholes.get(type)! > 0).sort((a, b) => wholes.get(b)! * samples(b) - wholes.get(a)! * samples(a)).slice(0, EVENTS);
	const of = (node: number): [string, string] => {
		const part = sums.whole ? sums.total[node] / sums.whole : 0;
		let [most, ratio] = [-1, 1];
		shown.forEach((type, i) => {
			const value = sums.events!.get(type)![node];
			const expected = part * wholes.get(type)!;
			const excess = ((value - expected) * samples(type)) / Math.sqrt(expected * samples(type));
			if (expected > 0 && excess > 3 && value / expected > ratio) [most, ratio] = [i, value / expected];
		});
		return most < 0 ? ["plain", ""] : ["e" + most, `${ratio.toFixed(1)} times its part of ${visible(types[shown[most]].name)}`];
	};
	const titles: { [kind: string]: string } = { plain: "None stands out" };
	shown.forEach((type, i) => (titles["e" + i] = visible(types[type].name)));
	return { key: "event", title: "Leading event", of, kinds: [...shown.map((_, i) => "e" + i), "plain"], titles };
}

function byCode(model: Model): Colours {
	const { functions } = model.stacks;
	const kind = (file: string | null): string => (file === null ? "none" : /^\[|\.ko$|vmlinux/.test(file) ? "kernel" : /\.so\b/.test(base(file)) ? "library" : "own");
	const of = (node: number): [string, string] => {
		const { file } = functions[model.fn[node]];
		return [kind(file), file ? `in ${visible(base(file))}` : ""];
	};
	const found = new Set(functions.map((f) => kind(f.file)));
	return { key: "code", title: "Kind of code", of, kinds: ["own", "library", "kernel", "none"].filter((k) => found.has(k)), titles: { own: "Program", library: "Libraries", kernel: "Kernel", none: "Unknown" } };
}

const HUES = 7;

/* A colour for each name, so that a function is found again. */
function byFunction(model: Model): Colours {
	const hues = model.stacks.functions.map(({ name }) => {
		let sum = 0;
		for (let i = 0; i < name.length && i < 200; i++) sum = (31 * sum + name.charCodeAt(i)) >>> 0;
		return `e${sum % HUES}`;
	});
	return { key: "function", title: "Function", of: (node) => [hues[model.fn[node]], ""], kinds: [], titles: {} };
}

/* Returns the ways to colour that the data allows, the usual one first. */
function waysOf(model: Model, sums: Sums): Colours[] {
	const ways: Colours[] = [];
	if (sums.causes) ways.push(byCause(sums));
	if (sums.sources) ways.push(bySource(sums));
	if (sums.events && sums.whole) ways.push(byEvent(model, sums));
	/* One colour for everything tells nothing. */
	const code = byCode(model);
	ways.push(...(code.kinds.length > 1 ? [code, byFunction(model)] : [byFunction(model), code]));
	return ways;
}

function describe(model: Model, sums: Sums, colours: Colours, node: number): string {
	const said = colours.of(node)[1];
	return `${visible(model.name(node))}: ${percent((100 * sums.total[node]) / sums.whole)} with callees, ${percent((100 * sums.own[node]) / sums.whole)} itself (${short(sums.total[node])} of ${visible(sums.choice.title)})` + (said ? `; ${said}` : "");
}

function make(page: Page): Shown {
	const model = page.model!;
	const sums = model.sums();
	const ways = waysOf(model, sums);
	const colours = ways.find((way) => way.key === state.colour) || ways[0];
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
		const element = h("div", { class: `box k-${colours.of(box.node)[0]}` + (box.mixed ? " mixed" : "") + (words ? (hit ? " hit" : " miss") : ""), role: "treeitem", "aria-level": box.depth + 1, "aria-label": box.width > 0.02 ? describe(model, sums, colours, box.node) : visible(name), onclick: () => zoom(box.node), onmouseenter: () => show(i) }, box.mixed ? "" : box.width > 0.012 ? visible(name) : "");
		elements.push(styled(element, { left: box.left * 100 + "%", width: box.width * 100 + "%", top: box.depth * ROW + "px" }));
	});
	graph.append(...elements);
	styled(graph, { height: (depth + 1) * ROW + 2 + "px" });
	function show(i: number): void {
		if (elements[cursor]) elements[cursor].classList.remove("cursor");
		cursor = i;
		if (!elements[i]) return;
		elements[i].classList.add("cursor");
		status.textContent = describe(model, sums, colours, boxes[i].node);
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
	const kinds = h("span", { class: "tools" }, ways.length > 1 ? h("label", null, "Colours ", h("select", { id: "colour", onchange: (e: Event) => set({ colour: (e.target as HTMLSelectElement).value }) }, ...ways.map((way) => h("option", { value: way.key, selected: way === colours }, way.title)))) : null, legend(colours.kinds, colours.titles));
	const trail: HTMLElement[] = [];
	for (let n = root; n >= 0 && trail.length < 12; n = model.parent[n]) trail.unshift(h("button", { class: "link", type: "button", onclick: () => set({ zoom: n }) }, visible(model.name(n))));
	status.textContent = words ? `Functions that match have ${percent((100 * matched) / sums.whole)} themselves.` : boxes.length ? describe(model, sums, colours, boxes[0].node) : "There is nothing in this range.";
	return {
		element: h("div", { class: "flameview" },
			h("div", { class: "tools" }, h("span", { class: "group", role: "group", "aria-label": "Order" }, order("left", "Left-heavy", true), order("time", "By time", timed)),
				root >= 0 ? h("button", { type: "button", onclick: () => set({ zoom: -1 }) }, "Zoom out") : null, kinds),
			root >= 0 ? h("p", { class: "trail" }, ...trail.flatMap((b, i) => (i ? [h("span", null, " › "), b] : [b]))) : null,
			status, h("div", { class: "flamebox" }, graph)),
	};
}

export const flame: View = { key: "flame", title: "Flame graph", chooses: true, searches: true, has: (page) => !!page.model, make };
