/* SPDX-License-Identifier: Apache-2.0 */
/* What each sample says: adds up the chosen range of time and thread by any key, as plumb report --time does. */
import { Annotated, Annotations, Bin, Instruction, Interval, Latencies, ReportEvent, ReportRow, StackDetails, Stacks } from "./data";
import { base } from "./dom";
import { hasRange, isChosen, state } from "./state";

const ACCESS = 1;
const MISS = 2;
const MISPREDICTED = 4;
const QUANTILE = 1.959963984540054; /* of the normal distribution, for 97.5 % */
export const SATURATED = 4095; /* cycles: the most that the counters of SPE hold */

/* Returns Wilson's interval for a share of independent draws, in percent: doc/statistics.md. */
export function wilson(hits: number, total: number): Interval {
	if (total < 2) return null;
	const p = hits / total;
	const q2 = (QUANTILE * QUANTILE) / total;
	const middle = (p + q2 / 2) / (1 + q2);
	const half = (QUANTILE / (1 + q2)) * Math.sqrt((p * (1 - p)) / total + q2 / (4 * total));
	return [p <= 0 ? 0 : 100 * Math.max(0, middle - half), p >= 1 ? 100 : 100 * Math.min(1, middle + half)];
}

/* Sums of samples that have their keys in common. */
interface Sums {
	texts: (string | null)[];
	samples: number;
	period: number;
	latencies: number[];
	latency: number;
	accesses: number;
	misses: number;
	branches: number;
	mispredictions: number;
	saturated: number;
}

export class Details {
	private readonly times: Float64Array;
	private readonly columns: { [key: string]: { at: number[]; texts: (string | null)[] } } = {};

	constructor(private readonly stacks: Stacks, readonly data: StackDetails) {
		this.times = new Float64Array(data.step.length);
		let time = 0;
		for (let i = 0; i < data.step.length; i++) this.times[i] = time += data.step[i];
		for (const part of ["code", "operation", "data"] as const)
			for (const key in data.parts[part]) this.columns[key] = { at: data[part], texts: data.parts[part][key] };
	}

	value(key: string, i: number): string | null {
		const column = this.columns[key];
		return column.texts[column.at[i]];
	}

	/* Returns whether samples have all of these keys. */
	has(keys: string[]): boolean {
		return keys.every((key) => key in this.columns);
	}

	/* Calls `add` with each sample of the chosen range, thread and CPU. */
	each(add: (i: number) => void): void {
		const { thread, cpu } = this.data;
		for (let i = 0; i < this.times.length; i++)
			if (isChosen(thread[i], cpu[i]) && (!hasRange() || (this.times[i] >= state.from && this.times[i] <= state.to))) add(i);
	}

	/* Tells what a sample is of: the name of its event's first type. */
	type(i: number): number {
		return this.data.type[i];
	}

	isMemory(i: number): boolean {
		const op = this.value("op", i);
		return op === "load" || op === "store";
	}

	private sum(sums: Sums, i: number): void {
		const { total, flags, period } = this.data;
		sums.samples++;
		sums.period += period[i];
		const latency = total[i];
		if (latency !== null) {
			sums.latencies.push(latency);
			sums.latency += latency;
			if (latency >= SATURATED) sums.saturated++;
		}
		if (flags[i] & ACCESS) sums.accesses++;
		if (flags[i] & MISS) sums.misses++;
		if (this.value("op", i) === "branch") {
			sums.branches++;
			if (flags[i] & MISPREDICTED) sums.mispredictions++;
		}
	}

	private group(keys: string[], wanted: (i: number) => boolean): Sums[] {
		const made = new Map<string, Sums>();
		/* Samples with the same parts have the same texts, which take longer to compare. */
		const parts = [...new Set(keys.map((key) => this.columns[key].at))];
		const known = new Map<string, Sums>();
		this.each((i) => {
			if (!wanted(i)) return;
			const part = parts.map((at) => at[i]).join();
			let sums = known.get(part);
			if (!sums) {
				const texts = keys.map((key) => this.value(key, i));
				const key = JSON.stringify(texts);
				sums = made.get(key) || { texts, samples: 0, period: 0, latencies: [], latency: 0, accesses: 0, misses: 0, branches: 0, mispredictions: 0, saturated: 0 };
				made.set(key, sums);
				known.set(part, sums);
			}
			this.sum(sums, i);
		});
		return [...made.values()];
	}

	/* Adds up samples by some keys: what plumb report prints of an event. */
	event(name: string, keys: string[], wanted: (i: number) => boolean, distribution: boolean): ReportEvent {
		const groups = this.group(keys, wanted);
		const add = (value: (sums: Sums) => number) => groups.reduce((all, sums) => all + value(sums), 0);
		const [samples, period, latency] = [add((s) => s.samples), add((s) => s.period), add((s) => s.latency)];
		const part = (value: number, of: number) => (of ? (100 * value) / of : null);
		const rows = groups.map((sums): ReportRow => {
			const row: ReportRow = {
				share: part(sums.period, period) || 0,
				interval: wilson((samples * sums.period) / (period || 1), samples),
				samples: sums.samples,
				period: sums.period,
				latency: sums.latencies.length ? sums.latency / sums.latencies.length : null,
				latency_share: sums.latencies.length ? part(sums.latency, latency) : null,
				l1d_misses: part(sums.misses, sums.accesses),
				mispredictions: part(sums.mispredictions, sums.branches),
				saturated: sums.saturated,
			};
			keys.forEach((key, k) => (row[key] = sums.texts[k]));
			if (distribution && sums.latencies.length) {
				const sorted = sums.latencies.sort((a, b) => a - b);
				const rank = (p: number) => sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
				row.total_latency = { p50: rank(0.5), p90: rank(0.9), p99: rank(0.99), saturated: sums.saturated };
			}
			return row;
		});
		rows.sort((a, b) => b.share - a.share);
		return { name, exact: false, spe: true, samples, period, row_count: rows.length, left_out: 0, given_up: 0, given_up_most: 0, saturated: add((s) => s.saturated), rows };
	}

	/* Counts latencies in the bins of the whole recording's. */
	latencies(of: Latencies, wanted: (i: number, event: string) => boolean): Latencies {
		const kinds = ["total", "issue", "translation"] as const;
		return { events: of.events.map((event) => {
			const made: Latencies["events"][0] = { name: event.name, saturated: 0 };
			for (const kind of kinds) {
				const bins: Bin[] = (event[kind] || []).map((bin) => ({ ...bin, samples: 0 }));
				const values = this.data[kind];
				this.each((i) => {
					const value = values[i];
					if (value === null || !wanted(i, event.name)) return;
					const bin = bins.find((b) => value >= b.low && (b.high === null || value <= b.high));
					if (bin) bin.samples++;
					if (kind === "total" && value >= SATURATED) made.saturated!++;
				});
				made[kind] = bins;
			}
			return made;
		}) };
	}

	/* Finds the cache lines that several threads use and at least one writes, as plumb report --sharing does with records. */
	sharing(): Record<string, unknown>[] {
		const keys = ["cache_line", "offset", "access", "pid", "tid", "symbol", "srcline"];
		const groups = this.group(keys, (i) => this.isMemory(i) && this.value("cache_line", i) !== null);
		const lines = new Map<string, Sums[]>();
		for (const sums of groups) {
			const key = JSON.stringify([sums.texts[0], sums.texts[3]]);
			const list = lines.get(key);
			if (list) list.push(sums);
			else lines.set(key, [sums]);
		}
		const shared = [...lines.values()].filter((all) => new Set(all.map((s) => s.texts[4])).size > 1 && all.some((s) => s.texts[2] !== "load"));
		const count = (all: Sums[]) => all.reduce((sum, s) => sum + s.samples, 0);
		shared.sort((a, b) => count(b) - count(a));
		return shared.flatMap((all) => {
			const common = all.some((one) => {
				const same = all.filter((other) => other.texts[1] === one.texts[1]);
				return new Set(same.map((s) => s.texts[4])).size > 1 && same.some((s) => s.texts[2] !== "load");
			});
			all.sort((a, b) => b.samples - a.samples);
			return all.map((sums) => ({
				cache_line: sums.texts[0], sharing: common ? "true" : "false", threads: new Set(all.map((s) => s.texts[4])).size, line_samples: count(all), samples: sums.samples,
				...Object.fromEntries(keys.slice(1).map((key, k) => [key, sums.texts[k + 1]])),
			}));
		});
	}

	/* Counts samples of the instructions of annotated functions, the event with the most of them. */
	annotations(of: Annotations): Annotations {
		const found = new Map<string, number[]>();
		const counts = new Map<number, number>();
		let whole = 0;
		this.each((i) => counts.set(this.type(i), (counts.get(this.type(i)) || 0) + this.data.period[i]));
		const types = [...counts].sort((a, b) => b[1] - a[1]);
		this.each((i) => {
			if (this.type(i) !== types[0][0]) return;
			const key = JSON.stringify([this.value("symbol", i), this.value("dso", i), this.value("linked", i)]);
			const list = found.get(key);
			if (list) list.push(i);
			else found.set(key, [i]);
			whole += this.data.period[i];
		});
		const functions = of.functions.map((fn) => this.annotated(fn, found, whole));
		return { ...of, basis: "range", event: types.length ? this.stacks.types[types[0][0]].name : null, functions };
	}

	private annotated(fn: Annotated, found: Map<string, number[]>, whole: number): Annotated {
		const samplesAt = (address: string) => found.get(JSON.stringify([fn.symbol, base(fn.file), address])) || found.get(JSON.stringify([fn.symbol, fn.file, address])) || [];
		const period = (list: number[]) => list.reduce((sum, i) => sum + this.data.period[i], 0);
		const all = fn.lines.flatMap((line) => line.instructions).map((instruction) => samplesAt(instruction.address));
		const weight = all.reduce((sum, list) => sum + period(list), 0);
		const samples = all.reduce((sum, list) => sum + list.length, 0);
		const instruction = (before: Instruction): Instruction => {
			const list = samplesAt(before.address);
			const mean = (values: (number | null)[]) => {
				const known = list.map((i) => values[i]).filter((v): v is number => v !== null);
				return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
			};
			const count = (test: (i: number) => boolean) => list.filter(test).length;
			const isBranch = (i: number) => this.value("op", i) === "branch";
			return {
				...before, weight: period(list), share: weight ? (100 * period(list)) / weight : 0, samples: list.length, executions: 0,
				latency: mean(this.data.total), issue_latency: mean(this.data.issue),
				l1d_accesses: count((i) => !!(this.data.flags[i] & ACCESS)), l1d_misses: count((i) => !!(this.data.flags[i] & MISS)),
				branches: count(isBranch), mispredictions: count((i) => isBranch(i) && !!(this.data.flags[i] & MISPREDICTED)), causes: [],
			};
		};
		return {
			...fn, weight, share: whole ? (100 * weight) / whole : 0,
			loops: fn.loops.map((loop) => ({ ...loop, iterations: null, entries: null })),
			lines: fn.lines.map((line) => {
				const instructions = line.instructions.map(instruction);
				const own = instructions.reduce((sum, i) => sum + i.weight, 0);
				return {
					...line, instructions, weight: own, samples: instructions.reduce((sum, i) => sum + i.samples, 0),
					share: weight ? (100 * own) / weight : 0, interval: weight ? wilson((samples * own) / weight, samples) : null,
				};
			}),
		};
	}
}
