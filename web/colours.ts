/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to colour the flame graph, as far as the data allows. */
import { base, percent, SLOT_TITLES, SLOTS, visible } from "./dom";
import { Graph } from "./graph";
import { Model, Sums } from "./stacks";

const SOURCES = ["l1", "l2", "llc", "dram", "remote"];
const SOURCE_TITLES: { [name: string]: string } = { l1: "L1", l2: "L2", llc: "System cache, other cores", dram: "DRAM", remote: "Remote", plain: "No data source" };
function sourceKind(source: string): string {
	if (/remote/i.test(source)) return "remote";
	if (/dram|memory/i.test(source)) return "dram";
	if (/^l1/i.test(source)) return "l1";
	return /^l2/i.test(source) ? "l2" : "llc";
}

const EVENTS = 7; /* colours of events */

/* A way to colour: the kind of colour of a node, and what it says; and what the colours mean. */
export interface Colours {
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
function byEvent(model: Model, graph: Graph): Colours {
	const { types } = model.stacks;
	const { sums } = graph;
	const wholes = new Map<number, number>();
	model.sums().events!.forEach((values, type) => wholes.set(type, model.roots.reduce((sum, root) => sum + values[root], 0)));
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

function byCode(model: Model, graph: Graph): Colours {
	const { functions } = model.stacks;
	const kind = (file: string | null): string => (file === null ? "none" : /^\[|\.ko$|vmlinux/.test(file) ? "kernel" : /\.so\b/.test(base(file)) ? "library" : "own");
	const of = (node: number): [string, string] => {
		const { file } = functions[graph.fn[node]];
		return [kind(file), file ? `in ${visible(base(file))}` : ""];
	};
	const found = new Set(functions.map((f) => kind(f.file)));
	return { key: "code", title: "Kind of code", of, kinds: ["own", "library", "kernel", "none"].filter((k) => found.has(k)), titles: { own: "Program", library: "Libraries", kernel: "Kernel", none: "Unknown" } };
}

const HUES = 7;

/* A colour for each name, so that a function is found again. */
function byFunction(model: Model, graph: Graph): Colours {
	const hues = model.stacks.functions.map(({ name }) => {
		let sum = 0;
		for (let i = 0; i < name.length && i < 200; i++) sum = (31 * sum + name.charCodeAt(i)) >>> 0;
		return `e${sum % HUES}`;
	});
	return { key: "function", title: "Function", of: (node) => [hues[graph.fn[node]], ""], kinds: [], titles: {} };
}

/* Returns the ways to colour that the data allows, the usual one first. */
export function waysOf(model: Model, graph: Graph): Colours[] {
	const ways: Colours[] = [];
	const { sums } = graph;
	if (sums.causes) ways.push(byCause(sums));
	if (sums.sources) ways.push(bySource(sums));
	if (sums.events && sums.whole) ways.push(byEvent(model, graph));
	/* One colour for everything tells nothing. */
	const code = byCode(model, graph);
	ways.push(...(code.kinds.length > 1 ? [code, byFunction(model, graph)] : [byFunction(model, graph), code]));
	return ways;
}
