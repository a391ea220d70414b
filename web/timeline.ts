/* SPDX-License-Identifier: Apache-2.0 */
/* Samples by time, of everything and of each thread or CPU. A range that is selected here is what the views of stacks add up. */
import { heightMarks } from "./axis";
import { Intervals } from "./data";
import { brieflyNamed, duration, h, short, svg, visible } from "./dom";
import { intervalChart, intervalsEnd, intervalSums } from "./intervals";
import { bars, bin, BINS, Binned, Lanes, lanesOf, paletteOf, told, typeOf, waysOf } from "./lanes";
import { isZoomed, spanOf } from "./span";
import { Model } from "./stacks";
import { set, State, state } from "./state";
import { timeArea, zoomButtons } from "./timearea";
import { Page, View } from "./view";

const HEIGHT = 220; /* of the chart of everything, and of a lane */
const LANE = 36;
const AIR = 1.08; /* so that full lanes do not touch */

/* A part of the view, and what draws it again for another part of the time. */
interface Panel {
	element: HTMLElement;
	draw: () => void;
}

function hasMoments(page: Page): boolean {
	return !!page.model && !!page.model.stacks.moments && page.model.end > 0;
}

function canvas(height: number, label: string | null): SVGElement {
	return svg("svg", { viewBox: `0 0 ${BINS} ${height}`, preserveAspectRatio: "none", class: height === LANE ? "lane" : "all", ...(label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" }) });
}

/* The names of lanes, by which threads and CPUs are chosen. */
function labels(model: Model, lanes: Lanes | null): HTMLElement {
	const { threads } = model.stacks;
	const name = (title: string, rest: string) => [h("span", { class: "name" }, title), rest ? h("small", null, rest) : null];
	const cpu = state.cpu >= 0 ? `CPU ${state.cpu}` : "";
	const one = state.thread >= 0 ? threads[state.thread] : null;
	const label = (lane: number) => {
		const ofCpus = lanes!.by === "cpu";
		const title = ofCpus ? `CPU ${lane}` : visible(threads[lane].comm);
		const rest = ofCpus ? "" : String(threads[lane].tid ?? "");
		const chosen = lane === (ofCpus ? state.cpu : state.thread);
		const next = chosen ? -1 : lane;
		return h("button", { type: "button", class: "lanelabel track", title: `${title} ${rest}`.trim(), "aria-pressed": String(chosen), onclick: () => set(ofCpus ? { cpu: next } : { thread: next }) }, ...name(title, rest));
	};
	return h("div", { class: "lanelabels" }, h("div", { class: "alllabel" }, ...(one ? name(visible(one.comm), [one.tid ?? "", cpu].filter((word) => word !== "").join(", ")) : name(cpu || "All", ""))),
		...(lanes ? lanes.of.map(label) : []));
}

function samplesPanel(model: Model): Panel {
	const type = typeOf(model);
	const palette = paletteOf(model, type);
	const ways = waysOf(model);
	const by = ways.find((way) => way === state.tracks) || ways[0];
	const lanes = by ? lanesOf(model, type, by) : null;
	const all = canvas(HEIGHT, "Samples by time, coloured by function");
	const each = lanes ? lanes.of.map(() => canvas(LANE, null)) : [];
	const marks = h("div", { class: "marks", "aria-hidden": "true" });
	const status = h("p", { class: "status", id: "moment" });
	let drawn: Binned;
	const length = () => { const [from, to] = spanOf(model.end); return to - from; };
	const hover = (moment: number) => {
		const [from] = spanOf(model.end);
		const at = isNaN(moment) ? -1 : Math.min(BINS - 1, Math.max(0, Math.floor(((moment - from) / length()) * BINS)));
		status.textContent = at < 0 ? shownTime() : `${duration(moment)}: ${told(drawn, palette, at) || "no samples"}`;
	};
	const shownTime = () => { const [from, to] = spanOf(model.end); return isZoomed(model.end) ? `${duration(from)} to ${duration(to)} of ${duration(model.end)}` : `All ${duration(model.end)}`; };
	const area = timeArea("time-samples", model.end, [all, marks, ...each], hover);
	const draw = () => {
		const [from, to] = spanOf(model.end);
		const made = bin(model, type, palette, lanes, from, to);
		const most = made.each.reduce((largest, lane) => Math.max(largest, lane.most), 0);
		drawn = made.all;
		all.replaceChildren(...bars(made.all, made.all.most, HEIGHT));
		made.each.forEach((lane, i) => each[i].replaceChildren(...bars(lane, most * AIR, LANE)));
		marks.replaceChildren(...heightMarks(`${short(made.all.most)} per ${duration(length() / BINS)}`, short(made.all.most / 2)));
		area.place();
		hover(NaN);
	};
	draw();
	const choose = ways.length > 1 ? h("span", { class: "group", role: "group", "aria-label": "Tracks" }, ...ways.map((way) => h("button", { type: "button", "aria-pressed": String(way === by), onclick: () => set({ tracks: way }) }, way === "thread" ? "Threads" : "CPUs"))) : null;
	const element = h("section", { class: "panel", id: "samples" }, h("h2", null, "Time: ", type >= 0 ? visible(model.stacks.types[type].name) : "samples", ", coloured by function"),
		h("p", { class: "dim hint" }, model.details ? "Select a range: all views of samples then show only those in it." : "Select a range: Functions, Flame graph, Callers and the data sources in Memory then show only its samples.", model.choice().exact ? ` ${visible(model.choice().title)} come from an exact profile and have no times.` : "", model.stacks.moments!.joined ? " Times are rounded to a 4000th of the recording." : ""),
		h("div", { class: "tools" }, choose, zoomButtons(model.end), status),
		h("div", { class: "lanes" }, labels(model, lanes), area.element),
		lanes && lanes.left ? h("p", { class: "dim" }, `The ${lanes.of.length} ${lanes.by === "cpu" ? "CPUs with the lowest numbers" : "threads with the most samples"}; ${lanes.left} others are not shown.`) : null,
		h("p", { class: "legend" }, ...palette.names.map((name, i) => h("span", null, h("i", { class: "c" + i }), brieflyNamed(name, "")))));
	return { element, draw };
}

function intervalsPanel(of: Intervals, alone: boolean): Panel {
	const made = intervalChart(of);
	const end = intervalsEnd(of);
	const marks = h("div", { class: "marks", "aria-hidden": "true" }, ...made.marks);
	const area = timeArea("time-intervals", end, [made.chart, marks]);
	const element = h("section", { class: "panel", id: "intervals" }, h("h2", null, "Counts by interval"),
		h("p", { class: "dim" }, `Counted${of.cpu ? ` on ${visible(of.cpu)}` : ""}${of.source === "model" ? ", by the model" : ""}.`, alone ? "" : " Time begins with the program here, and with the first sample below; the two may be of different runs."),
		h("div", { class: "tools" }, made.choose, alone ? zoomButtons(end) : null), area.element, made.note, intervalSums(of));
	return { element, draw: () => { made.draw(); area.place(); } };
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
		const panels: Panel[] = [];
		if (documents.intervals) panels.push(intervalsPanel(documents.intervals, !sampled));
		if (sampled) panels.push(samplesPanel(model!));
		return {
			element: h("div", { class: "timeview" }, ...panels.map((panel) => panel.element)),
			update: (changed: Set<keyof State>) => {
				for (const key of changed) if (key !== "start" && key !== "stop") return false;
				panels.forEach((panel) => panel.draw());
				return true;
			},
		};
	},
};
