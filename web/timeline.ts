/* SPDX-License-Identifier: Apache-2.0 */
/* Samples by time. A range that is selected here is what the views of stacks add up. */
import { heightMarks, timeTicks } from "./axis";
import { Intervals } from "./data";
import { duration, h, short, svg, styled, visible } from "./dom";
import { intervalChart, intervalsEnd, intervalSums } from "./intervals";
import { Model } from "./stacks";
import { hasRange, set, state } from "./state";
import { Page, View } from "./view";

const BINS = 240;
const TOP = 7;
const HEIGHT = 220;

interface Binned {
	names: string[];
	bins: Float64Array[]; /* of each name */
	most: number;
}

/* Returns the sampled type that is shown: the chosen one, if it has times. */
function typeOf(model: Model): number {
	const choice = model.choice();
	if (!choice.exact) return choice.types[0];
	return model.stacks.types.findIndex((type) => !type.exact && type.main && type.total);
}

function binned(model: Model, type: number): Binned {
	const { moments, rows, functions } = model.stacks;
	const own = new Float64Array(functions.length);
	const each = (add: (i: number, fn: number) => void) => {
		for (let i = 0; i < moments!.row.length; i++)
			if (moments!.type[i] === type && (state.thread < 0 || rows.thread[moments!.row[i]] === state.thread)) add(i, model.fn[rows.node[moments!.row[i]]]);
	};
	each((i, fn) => (own[fn] += moments!.value[i]));
	const order = [...own.keys()].filter((fn) => own[fn] > 0).sort((a, b) => own[b] - own[a]);
	const top = order.slice(0, TOP);
	const place = new Map(top.map((fn, i) => [fn, i]));
	const bins = [...top, -1].map(() => new Float64Array(BINS));
	each((i, fn) => (bins[place.get(fn) ?? top.length][Math.min(BINS - 1, Math.floor((model.times[i] / (model.end + 1)) * BINS))] += moments!.value[i]));
	let most = 0;
	for (let b = 0; b < BINS; b++) most = Math.max(most, bins.reduce((sum, values) => sum + values[b], 0));
	return { names: [...top.map((fn) => functions[fn].name), ...(order.length > TOP ? ["others"] : [])], bins, most };
}

function chart(data: Binned): SVGElement {
	const parts: SVGElement[] = [];
	for (let b = 0; b < BINS; b++) {
		let y = HEIGHT;
		data.bins.forEach((values, k) => {
			const height = (values[b] / data.most) * HEIGHT;
			y -= height;
			if (height > 0.05) parts.push(svg("rect", { x: b, y, width: 1.02, height, class: "c" + k }));
		});
	}
	return svg("svg", { viewBox: `0 0 ${BINS} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": "Samples by time, coloured by function" }, ...parts);
}

function threads(model: Model, type: number): HTMLElement | null {
	const { moments, rows } = model.stacks;
	const list = model.stacks.threads;
	if (list.length < 2) return null;
	const bins = list.map(() => new Float64Array(BINS));
	const sums = new Float64Array(list.length);
	for (let i = 0; i < moments!.row.length; i++) {
		if (moments!.type[i] !== type) continue;
		const thread = rows.thread[moments!.row[i]];
		sums[thread] += moments!.value[i];
		bins[thread][Math.min(BINS - 1, Math.floor((model.times[i] / (model.end + 1)) * BINS))] += moments!.value[i];
	}
	const order = [...sums.keys()].filter((t) => sums[t] > 0).sort((a, b) => sums[b] - sums[a]).slice(0, 64);
	const most = Math.max(...bins.map((values) => Math.max(...values)));
	return h("section", { class: "panel threads" }, h("h2", null, "Threads"), ...order.map((t) => h("button", { type: "button", class: state.thread === t ? "thread on" : "thread", "aria-pressed": String(state.thread === t), onclick: () => set({ thread: state.thread === t ? -1 : t }) },
		h("span", null, `${visible(list[t].comm)} ${list[t].tid ?? ""}`),
		svg("svg", { viewBox: `0 0 ${BINS} 10`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...[...bins[t].keys()].filter((b) => bins[t][b] > 0).map((b) => svg("rect", { x: b, y: 0, width: 1.02, height: 10, "fill-opacity": (0.15 + (0.85 * bins[t][b]) / most).toFixed(3) })))))) ;
}

/* A chart in which a range can be selected, by dragging or by keys. */
function selectable(chart: SVGElement, end: number, marks: HTMLElement | null): HTMLElement {
	const range = h("div", { class: "range", hidden: true });
	const place = (from: number, to: number) => {
		range.hidden = false;
		styled(range, { left: (100 * from) / end + "%", width: (100 * Math.max(0, to - from)) / end + "%" });
	};
	let start = NaN;
	const area = h("div", { class: "time", role: "group", tabindex: 0, "aria-label": "Drag, or use the arrow keys, to select a range; Shift and an arrow key change its end; Escape clears it" }, chart as unknown as HTMLElement, marks, range);
	const at = (event: PointerEvent) => {
		const box = area.getBoundingClientRect();
		return Math.round(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * end);
	};
	area.addEventListener("pointerdown", (event) => {
		start = at(event);
		area.setPointerCapture(event.pointerId);
		place(start, start);
	});
	area.addEventListener("pointermove", (event) => {
		if (!isNaN(start)) place(Math.min(start, at(event)), Math.max(start, at(event)));
	});
	area.addEventListener("pointerup", (event) => {
		const last = at(event);
		const [from, to] = [Math.min(start, last), Math.max(start, last)];
		start = NaN;
		/* A click without a drag clears. */
		if (to - from < end / 500) set({ from: NaN, to: NaN });
		else set({ from, to });
	});
	area.addEventListener("keydown", (event) => {
		const step = Math.ceil(end / 50) * (event.key === "ArrowLeft" ? -1 : 1);
		if (event.key === "Escape") return set({ from: NaN, to: NaN });
		if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
		event.preventDefault();
		const [from, to] = hasRange() ? [state.from, state.to] : [0, Math.ceil(end / 10)];
		const clamp = (value: number) => Math.max(0, Math.min(end, value));
		if (event.shiftKey) set({ from, to: Math.max(from, clamp(to + step)) });
		else set({ from: clamp(from + (hasRange() ? step : 0)), to: clamp(to + (hasRange() ? step : 0)) });
	});
	if (hasRange()) place(Math.max(0, state.from), Math.min(end, state.to));
	return h("div", null, area, timeTicks(end));
}

function hasMoments(page: Page): boolean {
	return !!page.model && !!page.model.stacks.moments && page.model.end > 0;
}

function samplesPanel(model: Model): HTMLElement {
	const type = typeOf(model);
	const data = binned(model, type);
	return h("section", { class: "panel" }, h("h2", null, "Time: ", type >= 0 ? visible(model.stacks.types[type].name) : "samples", ", coloured by function"),
		h("p", { class: "dim" }, model.details ? "Select a range: all views of samples then show only those in it." : "Select a range: Functions, Flame graph, Callers and the data sources in Memory then show only its samples.", model.choice().exact ? ` ${visible(model.choice().title)} were counted exactly and have no times.` : "", model.stacks.moments!.joined ? " Times are rounded to a 4000th of the recording." : ""),
		selectable(chart(data), model.end, heightMarks(`${short(data.most)} per ${duration(model.end / BINS)}`, short(data.most / 2))),
		h("p", { class: "legend" }, ...data.names.map((name, i) => h("span", null, h("i", { class: "c" + i }), visible(name)))));
}

function intervalsPanel(of: Intervals, alone: boolean): HTMLElement {
	const made = intervalChart(of);
	return h("section", { class: "panel", id: "intervals" }, h("h2", null, "Counts by interval"),
		h("p", { class: "dim" }, `Counted by plumb stat -I${of.cpu ? ` on ${visible(of.cpu)}` : ""}${of.source === "model" ? ", by the model" : ""}.`, alone ? "" : " Time begins with the program here, and with the first sample below; the two may be of different runs."),
		h("div", { class: "tools" }, made.choose), selectable(made.chart, intervalsEnd(of), made.marks), made.note, intervalSums(of));
}

export const timeline: View = {
	key: "timeline",
	title: "Timeline",
	chooses: true,
	searches: false,
	has: (page) => hasMoments(page) || !!page.documents.intervals,
	make: (page: Page) => {
		const { model, documents } = page;
		const sampled = hasMoments(page);
		return {
			element: h("div", { class: "timeview" },
				documents.intervals ? intervalsPanel(documents.intervals, !sampled) : null,
				sampled ? samplesPanel(model!) : null,
				sampled ? threads(model!, typeOf(model!)) : null),
		};
	},
};
