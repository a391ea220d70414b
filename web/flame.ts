/* SPDX-License-Identifier: Apache-2.0 */
/* The flame graph: of all paths or those of one function, down or up; coloured by cause. */
import { Box, byTime, leftHeavy } from "./boxes";
import { Colours, waysOf } from "./colours";
import { brief, brieflyNamed, h, legend, named, percent, plural, short, styled, visible } from "./dom";
import { Graph, graphOf } from "./graph";
import { matchesOf } from "./matches";
import { Model } from "./stacks";
import { set, state } from "./state";
import { Page, Shown, View } from "./view";

const ROW = 23; /* pixels */
const LONGEST = 12; /* names in the trail */

function describe(model: Model, graph: Graph, colours: Colours, node: number): string {
	const { sums } = graph;
	const said = colours.of(node)[1];
	const name = visible(model.stacks.functions[graph.fn[node]].name);
	const own = sums.own[node] > 0 && !isUp() ? `, ${percent((100 * sums.own[node]) / sums.whole)} itself` : "";
	return `${name}: ${percent((100 * sums.total[node]) / sums.whole)} ${isUp() ? "by this path" : "with callees"}${own} (${short(sums.total[node])} of ${visible(sums.choice.title)})` + (said ? `; ${said}` : "");
}

function isUp(): boolean {
	return state.direction === "up";
}

/* What leads back from a part of the graph: everything, the function, and the path to the zoomed box. */
function trail(model: Model, graph: Graph, root: number): HTMLElement | null {
	if (!state.focus && root < 0) return null;
	const link = (text: string, does: () => void) => h("button", { class: "link", type: "button", onclick: does }, text);
	const path: number[] = [];
	for (let n = root; n >= 0; n = graph.parent[n]) path.unshift(n);
	const names = path.map((n) => link(brief(model.stacks.functions[graph.fn[n]].name), () => set({ zoom: n })));
	if (state.focus) names[0] = link(`${visible(state.focus)}, wherever it is called`, () => set({ zoom: -1 }));
	const shown = names.length > LONGEST ? [names[0], h("span", { class: "dim" }, `… ${names.length - LONGEST} more`), ...names.slice(1 - LONGEST)] : names;
	const parts = [link("Everything", () => set({ zoom: -1, focus: "" })), ...shown];
	return h("p", { class: "trail" }, ...parts.flatMap((part, i) => (i ? [h("span", { class: "dim" }, " › "), part] : [part])));
}

function tools(model: Model, graph: Graph, ways: Colours[], colours: Colours, root: number, time: boolean, timed: boolean): HTMLElement {
	const choice = (on: boolean, title: string, does: () => void, why: string | null = null) => h("button", { type: "button", "aria-pressed": String(on), disabled: !!why, title: why, onclick: does }, title);
	const untimed = timed ? null : isUp() ? "paths to callers have no order" : "exact profiles have no times";
	const fn = root >= 0 ? model.stacks.functions[graph.fn[root]].name : "";
	return h("div", { class: "tools" },
		h("span", { class: "group", role: "group", "aria-label": "Direction" }, choice(!isUp(), "Callees", () => set({ direction: "down", zoom: -1 })), choice(isUp(), "Callers", () => set({ direction: "up", zoom: -1 }))),
		h("span", { class: "group", role: "group", "aria-label": "Order" }, choice(!time, "Left-heavy", () => set({ order: "left" })), choice(time, "By time", () => set({ order: "time" }), untimed)),
		root >= 0 ? h("button", { type: "button", onclick: () => set({ zoom: -1 }) }, "Zoom out") : null,
		fn && fn !== state.focus ? h("button", { type: "button", id: "merge", title: "Join what this function does wherever it is called", onclick: () => set({ focus: fn, zoom: -1 }) }, "Merge all calls of ", brieflyNamed(fn)) : null,
		h("span", { class: "tools" }, ways.length > 1 ? h("label", null, "Colours ", h("select", { id: "colour", onchange: (e: Event) => set({ colour: (e.target as HTMLSelectElement).value }) }, ...ways.map((way) => h("option", { value: way.key, selected: way === colours }, way.title)))) : null, legend(colours.kinds, colours.titles)));
}

function make(page: Page): Shown {
	const model = page.model!;
	const graph = graphOf(model, state.focus, isUp());
	if (!graph) return { element: h("div", { class: "flameview" }, h("p", { class: "warn" }, named(state.focus), " has nothing here. ", h("button", { type: "button", class: "link", onclick: () => set({ focus: "", zoom: -1 }) }, "Show everything"))) };
	const { sums } = graph;
	const nameOf = (node: number) => model.stacks.functions[graph.fn[node]].name;
	const ways = waysOf(model, graph);
	const colours = ways.find((way) => way.key === state.colour) || ways[0];
	const zoomed = Number.isInteger(state.zoom) && state.zoom >= 0 && state.zoom < graph.parent.length ? state.zoom : -1;
	const root = zoomed < 0 && state.focus ? graph.roots[0] : zoomed;
	const timed = !!model.stacks.moments && !sums.choice.exact && !isUp();
	const time = state.order === "time" && timed;
	const boxes: Box[] = time ? byTime(model, graph, root) : leftHeavy(graph, root);
	const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0);
	const status = h("p", { class: "status", role: "status" });
	const graphed = h("div", { class: "flame", role: "tree", tabindex: 0, "aria-label": "Flame graph; arrow keys move, Enter zooms, F merges all calls of a function, Escape goes back", onkeydown: (e: Event) => onKey(e as KeyboardEvent) });
	/* Up from all functions, small paths are not followed: with what they call, functions have the same either way. */
	const matches = matchesOf(model, root < 0 && isUp() ? graphOf(model, "", false)! : graph, root, state.search);
	const elements: HTMLElement[] = [];
	let cursor = 0;
	boxes.forEach((box, i) => {
		const name = nameOf(box.node);
		const hit = !!matches && !box.mixed && matches.is[graph.fn[box.node]] === 1;
		const element = h("div", { class: `box k-${colours.of(box.node)[0]}` + (box.mixed ? " mixed" : "") + (matches ? (hit ? " hit" : " miss") : ""), role: "treeitem", "aria-level": box.depth + 1, "aria-label": box.width > 0.02 ? describe(model, graph, colours, box.node) : visible(name), onclick: () => zoom(box.node), onmouseenter: () => show(i) }, box.mixed ? "" : box.width > 0.012 ? brief(name) : "");
		elements.push(styled(element, { left: box.left * 100 + "%", width: box.width * 100 + "%", top: box.depth * ROW + "px" }));
	});
	graphed.append(...elements);
	styled(graphed, { height: (depth + 1) * ROW + 2 + "px" });
	function show(i: number): void {
		if (elements[cursor]) elements[cursor].classList.remove("cursor");
		cursor = i;
		if (!elements[i]) return;
		elements[i].classList.add("cursor");
		status.textContent = describe(model, graph!, colours, boxes[i].node);
	}
	function zoom(node: number): void {
		set({ zoom: node === root ? graph!.parent[node] : node });
	}
	function back(): void {
		set(zoomed >= 0 ? { zoom: -1 } : { focus: "" });
	}
	function onKey(event: KeyboardEvent): void {
		const at = boxes[cursor];
		let next = -1;
		if (event.ctrlKey || event.altKey || event.metaKey) return;
		if (event.key === "Escape" && (zoomed >= 0 || state.focus)) back();
		else if (!at) return;
		else if (event.key === "Enter") zoom(at.node);
		else if (event.key === "f") set({ focus: nameOf(at.node), zoom: -1 });
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
	const part = (value: number) => percent(sums.whole ? (100 * value) / sums.whole : 0);
	if (matches) {
		const many = plural(matches.functions, "function");
		status.textContent = matches.functions ? `${many} ${matches.functions === 1 ? "matches" : "match"}: ${part(matches.total)} ${!isUp() ? `with callees, ${part(matches.own)} ${matches.functions === 1 ? "itself" : "themselves"}` : !state.focus ? "with callees" : `called by ${matches.functions === 1 ? "it" : "them"}`}. ` : "No function matches.";
		const largest = matches.largest < 0 ? "" : model.stacks.functions[matches.largest].name;
		if (largest && largest !== state.focus) status.append(h("button", { type: "button", class: "link", id: "focusmatch", onclick: () => set({ focus: largest, zoom: -1 }) }, "Merge all calls of ", brieflyNamed(largest)));
	} else status.textContent = boxes.length ? describe(model, graph, colours, boxes[0].node) : "There is nothing in this range.";
	return {
		element: h("div", { class: "flameview" }, tools(model, graph, ways, colours, zoomed, time, timed), trail(model, graph, root), status, h("div", { class: "flamebox" }, graphed)),
	};
}

export const flame: View = { key: "flame", title: "Flame graph", chooses: true, searches: true, has: (page) => !!page.model, make };
