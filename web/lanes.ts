/* SPDX-License-Identifier: Apache-2.0 */
/* Samples by time, for everything and for each thread or CPU, coloured by function. */
import { svg, visible } from "./dom";
import { Model } from "./stacks";
import { isChosen } from "./state";

export const BINS = 320;
const TOP = 7; /* functions with a colour of their own */
const LANES = 64;

/* The threads or CPUs that have a lane, those with the most samples first. */
export interface Lanes {
	by: "thread" | "cpu";
	of: number[]; /* threads, or numbers of CPUs */
	left: number; /* that have none */
}

/* What each function's colour is. */
export interface Palette {
	names: string[];
	place: Int8Array; /* of each function: its colour */
}

/* Values of one lane: of each colour, one per bin. */
export interface Binned {
	bins: Float64Array[];
	sums: Float64Array; /* of all colours */
	most: number;
}

/* Returns the sampled type that is shown: the chosen one, if it has times. */
export function typeOf(model: Model): number {
	const choice = model.choice();
	if (!choice.exact) return choice.types[0];
	return model.stacks.types.findIndex((type) => !type.exact && type.main && type.total);
}

/* Returns what lanes there are: CPUs only if the samples say on which they were taken. */
export function waysOf(model: Model): ("thread" | "cpu")[] {
	const { rows, threads } = model.stacks;
	const cpus = new Set(rows.cpu);
	cpus.delete(null);
	const ways: ("thread" | "cpu")[] = threads.length > 1 ? ["thread"] : [];
	if (cpus.size > 1) ways.push("cpu");
	return ways;
}

export function lanesOf(model: Model, type: number, by: "thread" | "cpu"): Lanes {
	const { moments, rows } = model.stacks;
	const of = by === "thread" ? rows.thread : rows.cpu;
	const sums = new Map<number, number>();
	for (let i = 0; i < moments!.row.length; i++) {
		const lane = of[moments!.row[i]];
		if (moments!.type[i] === type && lane !== null) sums.set(lane, (sums.get(lane) || 0) + moments!.value[i]);
	}
	const order = [...sums.keys()];
	/* CPUs have an order of their own. */
	order.sort(by === "cpu" ? (a, b) => a - b : (a, b) => sums.get(b)! - sums.get(a)!);
	return { by, of: order.slice(0, LANES), left: Math.max(0, order.length - LANES) };
}

/* Returns whether a row is of the chosen thread and CPU. */
function wanted(model: Model, row: number): boolean {
	return isChosen(model.stacks.rows.thread[row], model.stacks.rows.cpu[row]);
}

/* Gives colours to the functions that have most of the whole time, so that zooming keeps them. */
export function paletteOf(model: Model, type: number): Palette {
	const { moments, rows, functions } = model.stacks;
	const own = new Float64Array(functions.length);
	for (let i = 0; i < moments!.row.length; i++)
		if (moments!.type[i] === type && wanted(model, moments!.row[i])) own[model.fn[rows.node[moments!.row[i]]]] += moments!.value[i];
	const order = [...own.keys()].filter((fn) => own[fn] > 0).sort((a, b) => own[b] - own[a]);
	const place = new Int8Array(functions.length).fill(TOP);
	order.slice(0, TOP).forEach((fn, i) => (place[fn] = i));
	const top = order.slice(0, TOP).map((fn) => functions[fn]);
	/* A function may have code of its own, and be inlined elsewhere. */
	const twice = (name: string) => top.filter((fn) => fn.name === name).length > 1;
	return { names: [...top.map((fn) => (fn.inlined && twice(fn.name) ? fn.name.slice(0, 300) + " (inlined)" : fn.name)), ...(order.length > TOP ? ["others"] : [])], place };
}

function empty(): Binned {
	const bins = [];
	for (let k = 0; k <= TOP; k++) bins.push(new Float64Array(BINS));
	return { bins, sums: new Float64Array(BINS), most: 0 };
}

/* Adds up the samples of a part of the time: of what is chosen, and of each lane. */
export function bin(model: Model, type: number, palette: Palette, lanes: Lanes | null, from: number, to: number): { all: Binned; each: Binned[] } {
	const { moments, rows } = model.stacks;
	const all = empty();
	const each = lanes ? lanes.of.map(empty) : [];
	const place = new Map(lanes ? lanes.of.map((lane, i) => [lane, i]) : []);
	const of = lanes && lanes.by === "cpu" ? rows.cpu : rows.thread;
	const [first, last] = [model.find(from), model.find(to + 1)];
	const scale = BINS / (to - from || 1);
	for (let i = first; i < last; i++) {
		if (moments!.type[i] !== type) continue;
		const row = moments!.row[i];
		const at = Math.min(BINS - 1, Math.floor((model.times[i] - from) * scale));
		const colour = palette.place[model.fn[rows.node[row]]];
		const own = of[row];
		const lane = own === null ? undefined : place.get(own);
		if (wanted(model, row)) {
			all.bins[colour][at] += moments!.value[i];
			all.sums[at] += moments!.value[i];
		}
		if (lane === undefined) continue;
		each[lane].bins[colour][at] += moments!.value[i];
		each[lane].sums[at] += moments!.value[i];
	}
	for (const binned of [all, ...each]) binned.most = binned.sums.reduce((most, sum) => Math.max(most, sum), 0);
	return { all, each };
}

/* Draws bins as stacked bars: one path of each colour. */
export function bars(data: Binned, most: number, height: number): SVGElement[] {
	const paths: SVGElement[] = [];
	const below = new Float64Array(BINS);
	data.bins.forEach((values, k) => {
		let path = "";
		for (let b = 0; b < BINS; b++) {
			if (!values[b] || !most) continue;
			const bottom = height - (below[b] / most) * height;
			below[b] += values[b];
			const top = height - (below[b] / most) * height;
			path += `M${b} ${bottom.toFixed(2)}V${top.toFixed(2)}h1.03V${bottom.toFixed(2)}z`;
		}
		if (path) paths.push(svg("path", { d: path, class: "c" + k }));
	});
	return paths;
}

/* Returns what is in a bin in words: the functions with the most of it. */
export function told(data: Binned, palette: Palette, at: number): string {
	const parts = data.bins.map((values, k) => ({ name: palette.names[k], value: values[at] })).filter((part) => part.value > 0 && part.name !== undefined);
	parts.sort((a, b) => b.value - a.value);
	return parts.slice(0, 3).map((part) => `${visible(part.name)} ${Math.round((100 * part.value) / data.sums[at])} %`).join(", ");
}
