/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the flame graph draws: all call paths, those below one function wherever it is called, or
 * paths from functions up to their callers. Each is a tree of nodes with sums of their own.
 */
import { Model, Sums } from "./stacks";

export interface Graph {
	parent: ArrayLike<number>; /* stands before its children; -1: none */
	children: number[][];
	roots: number[];
	fn: ArrayLike<number>;
	sums: Sums;
	of: Int32Array | null; /* each node of the model: its node here, or -1; null: the same */
}

/* Collects nodes that have the same path, and adds up what they have. */
class Merger {
	readonly parent: number[] = [];
	readonly fn: number[] = [];
	readonly children: number[][] = [];
	readonly roots: number[] = [];
	private readonly below: Map<number, number>[] = [];
	private readonly top = new Map<number, number>();
	readonly own: number[] = [];
	private readonly values: { of: Float64Array; sums: number[] }[] = [];

	constructor(private readonly sums: Sums) {
		this.add(sums.total);
		for (const values of sums.causes || []) this.add(values);
		for (const values of (sums.sources || new Map<string, Float64Array>()).values()) this.add(values);
		for (const values of (sums.events || new Map<number, Float64Array>()).values()) this.add(values);
	}

	private add(of: Float64Array): void {
		this.values.push({ of, sums: [] });
	}

	/* Returns the node of a function below another node, or at the top. */
	node(parent: number, fn: number): number {
		const among = parent < 0 ? this.top : this.below[parent];
		let node = among.get(fn);
		if (node !== undefined) return node;
		node = this.fn.length;
		among.set(fn, node);
		this.parent.push(parent);
		this.fn.push(fn);
		this.children.push([]);
		this.below.push(new Map());
		this.own.push(0);
		for (const { sums } of this.values) sums.push(0);
		(parent < 0 ? this.roots : this.children[parent]).push(node);
		return node;
	}

	/* Returns what a node of the model has of each value: with its callees, or without. */
	of(from: number, callees: number[] | null): Float64Array {
		return Float64Array.from(this.values, ({ of }) => (callees || []).reduce((value, child) => value - of[child], of[from]));
	}

	take(node: number, values: Float64Array): void {
		for (let i = 0; i < values.length; i++) this.values[i].sums[node] += values[i];
	}

	total(node: number): number {
		return this.values[0].sums[node];
	}

	done(of: Int32Array | null): Graph {
		let next = 0;
		const taken = () => Float64Array.from(this.values[next++].sums);
		const { choice, whole, rows, causes, sources, events } = this.sums;
		const total = taken();
		const sums: Sums = {
			choice, whole, rows, total, own: Float64Array.from(this.own), ownCauses: null,
			causes: causes && causes.map(taken),
			sources: sources && new Map([...sources.keys()].map((key) => [key, taken()])),
			events: events && new Map([...events.keys()].map((key) => [key, taken()])),
		};
		return { parent: this.parent, children: this.children, roots: this.roots, fn: this.fn, sums, of };
	}
}

/* Returns the nodes of functions with a name that none of them calls: recursion counts once. */
function outermost(model: Model, name: string): number[] {
	const wanted = model.stacks.functions.map((fn) => fn.name === name);
	/* Parents stand before their children. */
	const inside = new Uint8Array(model.parent.length);
	const found: number[] = [];
	for (let i = 0; i < inside.length; i++) {
		const above = model.parent[i] >= 0 && inside[model.parent[i]] === 1;
		const own = wanted[model.fn[i]];
		if (above || own) inside[i] = 1;
		if (own && !above) found.push(i);
	}
	return found;
}

/* Joins what is below a function wherever it is called. */
function below(model: Model, sums: Sums, starts: number[]): Graph {
	const merger = new Merger(sums);
	const of = new Int32Array(model.parent.length).fill(-1);
	/* Functions of one name are one. */
	const top = starts.map((start) => [start, merger.node(-1, model.fn[starts[0]])]);
	while (top.length) {
		const [from, node] = top.pop()!;
		of[from] = node;
		merger.take(node, merger.of(from, null));
		merger.own[node] += sums.own[from];
		for (const child of model.children[from]) top.push([child, merger.node(node, model.fn[child])]);
	}
	return merger.done(of);
}

/* Joins paths upwards from these nodes, with all that is below them. */
function above(model: Model, sums: Sums, starts: number[]): Graph {
	const merger = new Merger(sums);
	for (const start of starts) {
		const values = merger.of(start, null);
		let node = -1;
		for (let n = start; n >= 0; n = model.parent[n]) {
			node = merger.node(node, model.fn[n === start ? starts[0] : n]);
			merger.take(node, values);
		}
		merger.own[node] += sums.total[start];
	}
	return merger.done(null);
}

const FOLLOWED = 1e-4; /* of the whole: nobody sees less, and there may be millions of such paths */

/* Joins paths upwards from each node, with what it has itself. */
function upwards(model: Model, sums: Sums): Graph {
	const merger = new Merger(sums);
	const values = new Map<number, Float64Array>();
	/* Each node of the graph, with the paths through it: where they begin, and where they are. */
	let level = new Map<number, [number, number][]>();
	const join = (among: typeof level, parent: number, start: number, at: number) => {
		const node = merger.node(parent, model.fn[at]);
		merger.take(node, values.get(start)!);
		const paths = among.get(node);
		if (paths) paths.push([start, at]);
		else among.set(node, [[start, at]]);
	};
	for (const start of new Set(model.stacks.rows.node)) {
		values.set(start, merger.of(start, model.children[start]));
		join(level, -1, start, start);
	}
	while (level.size) {
		const next: typeof level = new Map();
		for (const [node, paths] of level) {
			const follow = merger.total(node) >= FOLLOWED * sums.whole;
			for (const [start, at] of paths) {
				if (follow && model.parent[at] >= 0) join(next, node, start, model.parent[at]);
				else merger.own[node] += sums.own[start];
			}
		}
		level = next;
	}
	return merger.done(null);
}

let cached: { sums: Sums; key: string; graph: Graph | null } | null = null;

/*
 * Returns the graph below a function ("": of everything), or up to the callers; null if the function
 * has nothing here.
 */
export function graphOf(model: Model, focus: string, up: boolean): Graph | null {
	const sums = model.sums();
	if (!focus && !up) return { parent: model.parent, children: model.children, roots: model.roots, fn: model.fn, sums, of: null };
	const key = (up ? "up " : "down ") + focus;
	if (cached && cached.sums === sums && cached.key === key) return cached.graph;
	const starts = focus ? outermost(model, focus) : null;
	/* Those of a function are of all times, so that a node stays the same when another range is chosen. */
	const graph = starts && !starts.some((start) => sums.total[start] > 0) ? null : !starts ? upwards(model, sums) : up ? above(model, sums, starts) : below(model, sums, starts);
	cached = { sums, key, graph };
	return graph;
}
