/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions a search in the flame graph finds, and which share they have. */
import { Graph } from "./graph";
import { Model } from "./stacks";

export interface Matches {
	is: Uint8Array; /* of each function */
	functions: number; /* that match and are in the graph */
	own: number;
	total: number; /* with what they call; what is below several counts once */
	largest: number; /* function with the most, or -1 */
}

const lower = new WeakMap<Model, string[]>();

export function matchesOf(model: Model, graph: Graph, root: number, search: string): Matches | null {
	const words = search.toLowerCase().split(/\s+/).filter((word) => word);
	if (!words.length) return null;
	let names = lower.get(model);
	if (!names) lower.set(model, (names = model.stacks.functions.map((fn) => fn.name.toLowerCase())));
	const is = Uint8Array.from(names, (name) => Number(words.every((word) => name.includes(word))));
	const count = graph.parent.length;
	const shown = new Uint8Array(count);
	const inside = new Uint8Array(count);
	const sums = new Map<number, number>();
	let [own, total] = [0, 0];
	/* Parents stand before their children. */
	for (let i = 0; i < count; i++) {
		const parent = graph.parent[i];
		shown[i] = Number(root < 0 || i === root || (parent >= 0 && shown[parent] === 1));
		if (!shown[i] || !graph.sums.total[i]) continue;
		const above = i !== root && parent >= 0 && inside[parent] === 1;
		inside[i] = Number(above || is[graph.fn[i]] === 1);
		if (!is[graph.fn[i]]) continue;
		own += graph.sums.own[i];
		if (!above) total += graph.sums.total[i];
		sums.set(graph.fn[i], (sums.get(graph.fn[i]) || 0) + (above ? 0 : graph.sums.total[i]));
	}
	const largest = [...sums.keys()].reduce((most, fn) => (most < 0 || sums.get(fn)! > sums.get(most)! ? fn : most), -1);
	return { is, functions: sums.size, own, total, largest };
}
