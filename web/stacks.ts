/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up stacks: for any value, range of time and thread. */
import { Documents, Stacks } from "./data";
import { Details } from "./details";
import { SLOTS } from "./dom";
import { hasRange, isChosen, state } from "./state";

export interface Choice {
	key: string;
	title: string;
	group: string;
	types: number[];
	exact: boolean;
}

/* Sums for what the state chooses. */
export interface Sums {
	choice: Choice;
	rows: Float64Array;
	own: Float64Array; /* of each node */
	total: Float64Array; /* with its callees */
	causes: Float64Array[] | null; /* slots of each node with its callees, in the order of SLOTS */
	ownCauses: Float64Array[] | null;
	sources: Map<string, Float64Array> | null; /* likewise by source of data */
	events: Map<number, Float64Array> | null; /* likewise by type of other sampled events */
	whole: number;
}

export class Model {
	readonly stacks: Stacks;
	readonly choices: Choice[] = [];
	readonly times: Float64Array; /* of moments, ns since the first */
	readonly end: number;
	readonly parent: Int32Array;
	readonly fn: ArrayLike<number>;
	readonly children: number[][] = [];
	readonly roots: number[] = [];
	readonly details: Details | null;
	private cached: { key: string; sums: Sums } | null = null;

	constructor(documents: Documents) {
		const stacks = documents.stacks!;
		this.stacks = stacks;
		this.fn = stacks.nodes.function;
		this.parent = Int32Array.from(stacks.nodes.parent, (p) => (p === null ? -1 : p));
		for (let i = 0; i < this.parent.length; i++) this.children.push([]);
		for (let i = 0; i < this.parent.length; i++)
			(this.parent[i] < 0 ? this.roots : this.children[this.parent[i]]).push(i);
		const steps = stacks.moments ? stacks.moments.step : [];
		this.times = new Float64Array(steps.length);
		let time = 0;
		for (let i = 0; i < steps.length; i++) this.times[i] = time += steps[i];
		this.end = time;
		this.details = stacks.details ? new Details(stacks, stacks.details) : null;
		this.makeChoices();
	}

	private makeChoices(): void {
		const { types, windows } = this.stacks;
		const slots = types.map((_, i) => i).filter((i) => types[i].slots);
		/* Of a sampled run, windows were modelled, which stand for the rest. */
		const estimated = windows ? `Estimated from ${windows.toLocaleString("en")} windows` : "";
		if (slots.length) this.choices.push({ key: "slots", title: "Slots", group: estimated || "Exact", types: slots, exact: true });
		types.forEach((type, i) => {
			if (!type.total) return;
			this.choices.push({
				key: type.name,
				title: type.name + (type.unit && type.unit !== "count" && type.unit !== type.name ? ` (${type.unit})` : ""),
				group: type.exact ? estimated || "Exact events" : "Sampled",
				types: [i],
				exact: type.exact,
			});
		});
	}

	choice(): Choice {
		return this.choices.find((c) => c.key === state.metric) || this.usual();
	}

	/* The slots, or the event with the most samples. */
	private usual(): Choice {
		const { types } = this.stacks;
		const main = this.choices.filter((c) => c.key === "slots" || types[c.types[0]].main);
		return main.find((c) => !(hasRange() && c.exact)) || main[0] || this.choices[0];
	}

	/* The first and the last moment of the range, as indexes. */
	moments(): [number, number] {
		if (!hasRange()) return [0, this.times.length];
		return [this.find(state.from), this.find(state.to + 1)];
	}

	/* Returns the first moment that is not before a time, as an index. */
	find(time: number): number {
		let low = 0;
		let high = this.times.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.times[middle] < time) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	/* Calls `add` with each value of the chosen range, thread and CPU. Exact values have no times. */
	each(add: (row: number, type: number, value: number) => void): void {
		const { rows, cells, moments } = this.stacks;
		const wanted = (row: number) => isChosen(rows.thread[row], rows.cpu[row]);
		if (hasRange() && moments) {
			const [first, last] = this.moments();
			for (let i = first; i < last; i++)
				if (wanted(moments.row[i])) add(moments.row[i], moments.type[i], moments.value[i]);
			return;
		}
		for (let i = 0; i < cells.row.length; i++)
			if (wanted(cells.row[i])) add(cells.row[i], cells.type[i], cells.value[i]);
	}

	sums(): Sums {
		const choice = this.choice();
		const key = [choice.key, state.from, state.to, state.thread, state.cpu].join();
		if (!this.cached || this.cached.key !== key) this.cached = { key, sums: this.add(choice) };
		return this.cached.sums;
	}

	private add(choice: Choice): Sums {
		const { rows, types } = this.stacks;
		const nodes = this.parent.length;
		const sums: Sums = {
			choice,
			rows: new Float64Array(rows.node.length),
			own: new Float64Array(nodes),
			total: new Float64Array(nodes),
			causes: null,
			ownCauses: null,
			sources: null,
			events: null,
			whole: 0,
		};
		const chosen = new Set(choice.types);
		const cause = types.map((type) => (type.slots ? SLOTS.indexOf(type.slots) : -1));
		const own = types.some((type) => type.slots && type.total) && !hasRange() ? SLOTS.map(() => new Float64Array(nodes)) : null;
		const sources = new Map<string, Float64Array>();
		const events = new Map<number, Float64Array>();
		if (!choice.exact) types.forEach((type, i) => {
			if (!type.exact && type.total && !chosen.has(i) && (type.main || type.kind === "event")) events.set(i, new Float64Array(nodes));
		});
		this.each((row, type, value) => {
			const node = rows.node[row];
			if (own && cause[type] >= 0) own[cause[type]][node] += value;
			const event = events.get(type);
			if (event) event[node] += value;
			if (!chosen.has(type)) return;
			const source = rows.source[row];
			sums.rows[row] += value;
			sums.own[node] += value;
			sums.whole += value;
			if (source !== null) {
				if (!sources.has(source)) sources.set(source, new Float64Array(nodes));
				sources.get(source)![node] += value;
			}
		});
		sums.total.set(sums.own);
		this.addUp(sums.total);
		if (own) {
			sums.ownCauses = own;
			sums.causes = own.map((values) => Float64Array.from(values));
			sums.causes.forEach((values) => this.addUp(values));
		}
		if (events.size) {
			events.forEach((values) => this.addUp(values));
			sums.events = events;
		}
		if (sources.size) {
			sources.forEach((values) => this.addUp(values));
			sums.sources = sources;
		}
		return sums;
	}

	/* Parents stand before their children. */
	private addUp(values: Float64Array): void {
		for (let i = values.length - 1; i >= 0; i--) if (this.parent[i] >= 0) values[this.parent[i]] += values[i];
	}

	/* Returns the function that a node's own value belongs to: inlined code is that of its symbol. */
	symbol(node: number): number {
		while (this.stacks.functions[this.fn[node]].inlined && this.parent[node] >= 0) node = this.parent[node];
		return this.fn[node];
	}

	/* Each function's own and total value; recursion counts once. */
	functions(sums: Sums): { own: Float64Array; total: Float64Array; causes: Float64Array[] | null } {
		const count = this.stacks.functions.length;
		const own = new Float64Array(count);
		const total = new Float64Array(count);
		const causes = sums.ownCauses ? SLOTS.map(() => new Float64Array(count)) : null;
		for (let i = 0; i < this.parent.length; i++) {
			if (!sums.own[i] && !causes) continue;
			const fn = this.symbol(i);
			own[fn] += sums.own[i];
			if (causes) causes.forEach((values, c) => (values[fn] += sums.ownCauses![c][i]));
		}
		const open = new Uint32Array(count);
		const walk = (start: number) => {
			/* An explicit stack: chains are as deep as they like. */
			const path: number[] = [start];
			while (path.length) {
				const node = path.pop()!;
				if (node < 0) {
					open[this.fn[~node]]--;
					continue;
				}
				if (!open[this.fn[node]]++) total[this.fn[node]] += sums.total[node];
				path.push(~node, ...this.children[node]);
			}
		};
		this.roots.forEach(walk);
		return { own, total, causes };
	}

	name(node: number): string {
		return this.stacks.functions[this.fn[node]].name;
	}
}
