/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of intervals: their charts, and the means of those in a range. */
import { heightMarks } from "./axis";
import { Intervals, Metric } from "./data";
import { duration, fixed, h, legend, plural, SLOT_TITLES, SLOTS, short, svg, visible, whole } from "./dom";
import { spanOf } from "./span";
import { hasRange, set, state } from "./state";

const HEIGHT = 220;

/* Returns what an object itself has under a name, which may be any. */
function own<T>(of: Record<string, T>, name: string): T | undefined {
	return Object.prototype.hasOwnProperty.call(of, name) ? of[name] : undefined;
}

/* Returns where an interval begins and ends, in ns. */
function ends(of: Intervals, i: number): [number, number] {
	return [i ? of.times[i - 1] * 1e9 : 0, of.times[i] * 1e9];
}

export function intervalsEnd(of: Intervals): number {
	return Math.round(of.times[of.times.length - 1] * 1e9);
}

/* Returns which intervals have their middle in the range, or all. */
export function chosenIntervals(of: Intervals): number[] {
	return [...of.times.keys()].filter((i) => {
		const [from, to] = ends(of, i);
		return !hasRange() || ((from + to) / 2 >= state.from && (from + to) / 2 <= state.to);
	});
}

/* Returns the metrics of the chosen intervals: means, weighted by cycles and by the value of the node above. */
export function meanMetrics(of: Intervals): Metric[] {
	const chosen = chosenIntervals(of);
	const cycles = of.events.CPU_CYCLES;
	const weight = (name: string | null, i: number, depth = 0): number => {
		const metric = name !== null && depth < 20 ? own(of.metrics, name) : undefined;
		if (!metric) return (cycles && cycles[i]) || 0;
		return ((metric.values[i] || 0) / 100) * weight(metric.parent, i, depth + 1);
	};
	return Object.values(of.metrics).filter((metric) => metric.level !== null).map((metric) => {
		let [sum, weights, slots, all] = [0, 0, 0, 0];
		for (const i of chosen) {
			const value = metric.values[i];
			const part = metric.slots ? metric.slots[i] ?? null : null;
			if (part !== null) {
				slots += weight(null, i) * part;
				all += weight(null, i);
			}
			if (value === null) continue;
			const own = weight(metric.parent, i);
			sum += own * value;
			weights += own;
		}
		return { name: metric.name, title: metric.title || metric.name, group: metric.group || "", stage: metric.stage, level: metric.level, parent: metric.parent, units: metric.units || "", value: weights ? sum / weights : null, slots: all ? slots / all : null };
	});
}

/* What the chart shows: layers that are stacked, each with its value per interval. */
interface Shown {
	layers: { kind: string; values: (number | null)[] }[];
	most: number;
	units: string;
}

function shownOf(of: Intervals): { key: string; shown: Shown } {
	const slots = SLOTS.map((kind) => ({ kind: "f-" + kind, values: of.metrics[kind] ? of.metrics[kind].values : [] }));
	const largest = (values: (number | null)[]) => values.reduce((most: number, v) => Math.max(most, v || 0), 0);
	const metric = own(of.metrics, state.part);
	if (metric) return { key: state.part, shown: { layers: [{ kind: "c0", values: metric.values }], most: largest(metric.values), units: metric.units || "" } };
	const key = state.part.replace(/^event:/, "");
	const event = own(of.events, key);
	if (event && key !== state.part) {
		/* By time: intervals differ in length. */
		const rates = event.map((count, i) => (count === null ? null : count / ((ends(of, i)[1] - ends(of, i)[0]) / 1e9)));
		return { key: state.part, shown: { layers: [{ kind: "c0", values: rates }], most: largest(rates), units: "per second" } };
	}
	return { key: "", shown: { layers: slots, most: 100, units: "percent of slots" } };
}

/* Draws the part of the time that is shown. */
function drawn(of: Intervals, shown: Shown): SVGElement[] {
	const [first, last] = spanOf(intervalsEnd(of));
	const parts: SVGElement[] = [];
	of.times.forEach((_, i) => {
		const [from, to] = ends(of, i);
		if (to < first || from > last) return;
		let y = HEIGHT;
		for (const { kind, values } of shown.layers) {
			const height = shown.most ? ((values[i] || 0) / shown.most) * HEIGHT : 0;
			y -= height;
			if (height > 0.05) parts.push(svg("rect", { x: (1000 * (from - first)) / (last - first), y, width: (1000 * (to - from)) / (last - first) + 0.1, height, class: kind }));
		}
	});
	return parts;
}

/* A chart of the chosen values; what was not counted stays empty. */
export function intervalChart(of: Intervals): { chart: SVGElement; draw: () => void; choose: HTMLElement; note: HTMLElement; marks: HTMLElement[] } {
	const { key, shown } = shownOf(of);
	const option = (value: string, text: string) => h("option", { value, selected: value === key }, visible(text));
	const choose = h("label", null, "Show ", h("select", { id: "interval", onchange: (e: Event) => set({ part: (e.target as HTMLSelectElement).value }) },
		option("", "what became of the slots"),
		h("optgroup", { label: "Metrics" }, ...Object.values(of.metrics).filter((m) => m.values.some((v) => v)).map((m) => option(m.name, m.title || m.name))),
		h("optgroup", { label: "Events" }, ...Object.keys(of.events).filter((name) => of.events[name].some((v) => v)).map((name) => option("event:" + name, name)))));
	const chart = svg("svg", { viewBox: `0 0 1000 ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": "Counts by interval" }, ...drawn(of, shown));
	return {
		chart,
		draw: () => chart.replaceChildren(...drawn(of, shown)),
		choose,
		marks: heightMarks(`${short(shown.most)} ${visible(shown.units)}`, short(shown.most / 2)),
		note: key ? h("p", { class: "dim" }, `The top is ${short(shown.most)} ${visible(shown.units)}.`) : legend(SLOTS, SLOT_TITLES),
	};
}

/* What the chosen intervals add up to. */
export function intervalSums(of: Intervals): HTMLElement {
	const chosen = chosenIntervals(of);
	const means = meanMetrics(of);
	const sum = (name: string) => (of.events[name] ? chosen.reduce((all, i) => all + (of.events[name][i] || 0), 0) : null);
	const [cycles, instructions] = [sum("CPU_CYCLES"), sum("INST_RETIRED")];
	const facts: [string, string][] = SLOTS.flatMap((kind): [string, string][] => {
		const mean = means.find((m) => m.name === kind);
		return mean && mean.value !== null ? [[SLOT_TITLES[kind], fixed(mean.value, 1) + " %"]] : [];
	});
	if (cycles) facts.push(["Cycles", short(cycles)]);
	if (cycles && instructions) facts.push(["Instructions per cycle", (instructions / cycles).toFixed(2)]);
	return h("div", null, h("p", { class: "dim" }, `${whole(chosen.length)} of ${plural(of.times.length, "interval")}${hasRange() ? ` from ${duration(state.from)} to ${duration(state.to)}` : ""}:`),
		h("dl", { class: "four", id: "intervalsums" }, ...facts.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))));
}
