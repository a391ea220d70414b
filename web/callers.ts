/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls a function, and whom it calls. */
import { bar, brieflyNamed, h, named, percent, visible } from "./dom";
import { Model, Sums } from "./stacks";
import { set, state } from "./state";
import { Page, View } from "./view";

const LEAST = 0.1; /* percent of the function's own total */
const DEEPEST = 200;

/* Paths that begin with the same function, each a node of the stacks with its part of the value. */
interface Branch {
	fn: number;
	value: number;
	paths: [number, number][];
}

/* Groups paths by the function at their end. */
function grouped(model: Model, paths: [number, number][]): Branch[] {
	const made = new Map<number, Branch>();
	for (const [node, value] of paths) {
		const fn = model.fn[node];
		let branch = made.get(fn);
		if (!branch) made.set(fn, (branch = { fn, value: 0, paths: [] }));
		branch.value += value;
		branch.paths.push([node, value]);
	}
	return [...made.values()].sort((a, b) => b.value - a.value);
}

function above(model: Model, branch: Branch): [number, number][] {
	return branch.paths.filter(([node]) => model.parent[node] >= 0).map(([node, value]) => [model.parent[node], value]);
}

function below(model: Model, sums: Sums, branch: Branch): [number, number][] {
	return branch.paths.flatMap(([node]) => model.children[node].filter((child) => sums.total[child] > 0).map((child) => [child, sums.total[child]] as [number, number]));
}

function item(model: Model, branch: Branch, whole: number, next: (branch: Branch) => [number, number][], depth: number, open: boolean): HTMLElement {
	const share = (100 * branch.value) / whole;
	const name = model.stacks.functions[branch.fn].name;
	const label = [bar([{ kind: "plain", share }], percent(share)), h("b", { class: "num" }, percent(share, 1)), brieflyNamed(name)];
	const paths = depth < DEEPEST ? next(branch) : [];
	if (!paths.length) return h("div", { class: "node leaf" }, h("div", { class: "summary" }, ...label));
	const details = h("details", { class: "node", open }, h("summary", null, ...label));
	/* The parts of a closed one are made when it opens: there may be millions. */
	const fill = () => {
		if (details.childElementCount > 1) return;
		grouped(model, paths).filter((b) => (100 * b.value) / whole >= LEAST).forEach((b, i) => details.append(item(model, b, whole, next, depth + 1, open && i === 0 && depth < 8)));
	};
	if (open) fill();
	else details.addEventListener("toggle", fill);
	return details;
}

export const callers: View = {
	key: "callers",
	title: "Callers",
	chooses: true,
	searches: false,
	has: (page) => !!page.model && page.model.children.some((list) => list.length > 0),
	make: (page: Page) => {
		const model = page.model!;
		const sums = model.sums();
		const { functions } = model.stacks;
		const { own, total } = model.functions(sums);
		const order = [...total.keys()].filter((fn) => total[fn] > 0).sort((a, b) => own[b] - own[a]);
		const fn = order.find((f) => functions[f].name === state.fn) ?? order.find((f) => functions[f].name.slice(0, 400) === state.fn) ?? order[0];
		if (fn === undefined) return { element: h("p", null, "There is nothing in this range.") };
		const unknown = !!state.fn && functions[fn].name !== state.fn && functions[fn].name.slice(0, 400) !== state.fn;
		/* The outermost frame of a recursion has all of it. */
		const nodes: [number, number][] = [];
		const leaves: [number, number][] = [];
		for (let i = 0; i < model.parent.length; i++) {
			if (model.fn[i] !== fn || !sums.total[i]) continue;
			let up = model.parent[i];
			while (up >= 0 && model.fn[up] !== fn) up = model.parent[up];
			if (up < 0) nodes.push([i, sums.total[i]]);
		}
		leaves.push(...nodes);
		const branch: Branch = { fn, value: total[fn], paths: leaves };
		const list = h("datalist", { id: "functions" }, ...order.slice(0, 500).map((f) => h("option", { value: functions[f].name.slice(0, 400) })));
		const input = h("input", { id: "callersof", list: "functions", value: functions[fn].name.slice(0, 400), spellcheck: "false", onchange: (e: Event) => set({ fn: (e.target as HTMLInputElement).value }) });
		const part = (value: number) => percent(sums.whole ? (100 * value) / sums.whole : 0);
		return {
			element: h("div", { class: "callersview" },
				h("div", { class: "tools" }, h("label", { for: "callersof" }, "Function"), input, list, h("span", null, `${part(own[fn])} itself, ${part(total[fn])} with callees, of ${visible(sums.choice.title)}`)),
				unknown ? h("p", { class: "warn" }, named(state.fn), ` has no ${visible(sums.choice.title)} here; this is `, named(functions[fn].name), ".") : null,
				h("div", { class: "two" },
					h("section", { class: "panel calls" }, h("h2", null, "Called by"), item(model, branch, branch.value, (b) => above(model, b), 0, true)),
					h("section", { class: "panel calls" }, h("h2", null, "Calls"), item(model, branch, branch.value, (b) => below(model, sums, b), 0, true)))),
		};
	},
};
