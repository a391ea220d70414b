/* SPDX-License-Identifier: Apache-2.0 */
/* Where data came from, how long that took, and which pages and cache lines it is in. */
import { Bin, Report, ReportEvent } from "./data";
import { bar, dataSource, h, named, percent, plural, short, visible, whole } from "./dom";
import { SATURATED } from "./details";
import { eventOfType, isOf, reportTable } from "./functions";
import { hasRange, isPart, set, state } from "./state";
import { Page, Shown, View } from "./view";

function eventOf(report: Report | undefined): ReportEvent | null {
	return (report && report.events.find((event) => event.rows.length)) || null;
}

/* Returns whether the page knows what each sample says, so that a part of them can be added up. */
function isDetailed(page: Page): boolean {
	return !!page.model && !!page.model.details;
}

/* Which records a report has. */
type Kind = "memory" | "branch" | "all";

/* Returns the event of a report: of the chosen range and thread, if the page has what that takes. */
function chosen(page: Page, report: Report, kind: Kind): ReportEvent {
	const event = eventOf(report)!;
	const details = isPart() && page.model ? page.model.details : null;
	if (!details || !details.has(report.keys)) return event;
	const { types } = page.model!.stacks;
	const wanted = (i: number) => {
		if (eventOfType(report.events, types[details.type(i)]) !== event) return false;
		return kind === "memory" ? details.isMemory(i) : kind === "branch" ? details.value("op", i) === "branch" : details.value("op", i) !== null;
	};
	return details.event(event.name, report.keys, wanted, event.rows.some((row) => row.total_latency));
}

/* What a table of a part without samples says instead. */
function tableOf(page: Page, report: Report, kind: Kind, label: string, key = true): Shown {
	const event = chosen(page, report, kind);
	return event.rows.length ? reportTable(page, event, report.keys, label, key) : { element: h("p", null, "There is nothing in this part.") };
}

function sourcesPanel(title: string, sources: Map<string, { samples: number; latency: number }>): HTMLElement {
	const list = [...sources].sort((a, b) => b[1].samples - a[1].samples);
	const all = list.reduce((sum, [, s]) => sum + s.samples, 0);
	const latency = list.reduce((sum, [, s]) => sum + s.latency, 0);
	return h("section", { class: "panel sources" }, h("h2", null, title),
		h("div", { class: "scroll" }, h("table", { class: "plain" }, h("thead", null, h("tr", null, ...["Source", "Share", "", "Samples", "Of the latency", ""].map((t, i) => (t ? h("th", { scope: "col", class: i ? "num" : null }, t) : h("td", { class: "barcell" }))))),
			h("tbody", null, ...list.map(([name, s]) => h("tr", null, h("th", { scope: "row" }, named(name)), h("td", { class: "num" }, percent((100 * s.samples) / all)), h("td", { class: "barcell" }, bar([{ kind: "plain", share: (100 * s.samples) / all }])), h("td", { class: "num" }, whole(s.samples)),
				h("td", { class: "num" }, latency ? percent((100 * s.latency) / latency) : ""), h("td", { class: "barcell" }, latency ? bar([{ kind: "backend_bound", share: (100 * s.latency) / latency }]) : "")))))));
}

/* The sources of the chosen range of time and thread. */
function ofPart(page: Page, event: ReportEvent): Map<string, { samples: number; latency: number }> {
	const { types, rows } = page.model!.stacks;
	const sources = new Map<string, { samples: number; latency: number }>();
	/* A record can be a sample of several events: only this one's types count. They follow its main one. */
	const main = types.findIndex((type) => isOf(type, event));
	const next = types.findIndex((type, i) => i > main && type.main);
	const wanted = (type: number) => main < 0 || (type >= main && (next < 0 || type < next));
	page.model!.each((row, type, value) => {
		const source = rows.source[row];
		if (source === null || types[type].exact || !wanted(type)) return;
		if (!sources.has(source)) sources.set(source, { samples: 0, latency: 0 });
		const sum = sources.get(source)!;
		if (types[type].kind === "latency") sum.latency += value;
		/* An event's period is its number of samples, unless they are counted separately. */
		else if (types[type].main && !types.some((t, i) => t.kind === "samples" && wanted(i))) sum.samples += value;
		else if (types[type].kind === "samples") sum.samples += value;
	});
	return sources;
}

function ofReport(event: ReportEvent): Map<string, { samples: number; latency: number }> {
	const sources = new Map<string, { samples: number; latency: number }>();
	for (const row of event.rows) {
		const name = dataSource(row.data_source === null ? null : String(row.data_source));
		if (!sources.has(name)) sources.set(name, { samples: 0, latency: 0 });
		sources.get(name)!.samples += row.samples;
		sources.get(name)!.latency += (row.latency || 0) * row.samples;
	}
	return sources;
}

function histogram(title: string, bins: Bin[], saturated = 0): HTMLElement | null {
	const filled = bins.map((bin, i) => (bin.samples ? i : -1)).filter((i) => i >= 0);
	if (!filled.length) return null;
	const shown = bins.slice(filled[0], filled[filled.length - 1] + 1);
	const most = Math.max(...shown.map((bin) => bin.samples));
	const all = shown.reduce((sum, bin) => sum + bin.samples, 0);
	return h("section", { class: "panel histogram" }, h("h2", null, title), h("table", { class: "plain" }, h("tbody", null,
		...shown.map((bin) => h("tr", null, h("th", { scope: "row", class: "num" }, bin.high === null ? `${whole(bin.low)} and more` : bin.low === bin.high ? whole(bin.low) : `${whole(bin.low)}–${whole(bin.high)}`),
			h("td", { class: "barcell" }, bar([{ kind: "plain", share: (100 * bin.samples) / most }], percent((100 * bin.samples) / all))), h("td", { class: "num" }, whole(bin.samples)), h("td", { class: "num dim" }, percent((100 * bin.samples) / all, 1)))))),
		saturated ? h("p", { class: "dim" }, `${plural(saturated, "record")} took ${SATURATED} cycles or more, the most that the counters hold.`) : null);
}

/* Any list of objects, such as the accesses to shared lines. */
function objects(list: Record<string, unknown>[]): HTMLElement {
	const keys = list.length ? Object.keys(list[0]).filter((key) => list.some((row) => row[key] !== null && typeof row[key] !== "object")) : [];
	const cell = (value: unknown) => (typeof value === "number" ? h("td", { class: "num" }, Number.isInteger(value) ? whole(value) : value.toFixed(2)) : h("td", null, visible(value === null ? "" : String(value))));
	return h("div", { class: "scroll" }, h("table", { class: "plain" }, h("thead", null, h("tr", null, ...keys.map((key) => h("th", { scope: "col", class: list.every((row) => row[key] === null || typeof row[key] === "number") ? "num" : null }, key.replace(/_/g, " "))))), h("tbody", null, ...list.slice(0, 1000).map((row) => h("tr", null, ...keys.map((key) => cell(row[key])))))));
}

const PARTS: { [key: string]: { title: string; has: (page: Page) => boolean; make: (page: Page) => Shown } } = {
	sources: {
		title: "Data sources",
		has: (page) => !!eventOf(page.documents.memory),
		make: (page) => {
			const event = eventOf(page.documents.memory)!;
			const sources = isPart() ? ofPart(page, event) : ofReport(event);
			const table = isPart() && !isDetailed(page) ? null : tableOf(page, page.documents.memory!, "memory", "Data sources by function");
			return { element: h("div", null, sourcesPanel(hasRange() ? "Where data came from, in this range" : state.thread >= 0 ? "Where data came from, in this thread" : state.cpu >= 0 ? "Where data came from, on this CPU" : "Where data came from", sources), table ? h("h2", null, "By function") : null, table ? table.element : null), update: table ? table.update : undefined };
		},
	},
	latencies: {
		title: "Latencies",
		has: (page) => !!page.documents.latencies,
		make: (page) => {
			const all = page.documents.latencies!;
			const details = isPart() && page.model ? page.model.details : null;
			const events = all.events as unknown as ReportEvent[];
			const wanted = (i: number, name: string) => {
				const of = eventOfType(events, page.model!.stacks.types[details!.type(i)]);
				return !!of && of.name === name;
			};
			const { events: shown } = details ? details.latencies(all, wanted) : all;
			const made = shown.flatMap((event) => [
				event.total ? histogram("Total latency, in cycles", event.total, event.saturated) : null,
				event.issue ? histogram("Until issue, in cycles", event.issue) : null,
				event.translation ? histogram("Address translation, in cycles", event.translation) : null]);
			return { element: h("div", { class: "two" }, ...(made.some((m) => m) ? made : [h("p", null, "There is nothing in this part.")])) };
		},
	},
	pages: { title: "Pages", has: (page) => !!eventOf(page.documents.pages), make: (page) => tableOf(page, page.documents.pages!, "memory", "Pages") },
	lines: {
		title: "Shared cache lines",
		has: (page) => !!page.documents.sharing,
		make: (page) => {
			const { exact } = page.documents.sharing!;
			const windows = page.documents.stacks?.windows;
			const details = isPart() && !exact && page.model ? page.model.details : null;
			const accesses = details ? details.sharing() : page.documents.sharing!.accesses;
			return { element: h("section", { class: "panel" }, h("h2", null, "Cache lines that several threads use and write"), h("p", { class: "dim" }, exact ? (windows ? `Estimated from ${plural(windows, "window")}.` : "Counted exactly.") : "From SPE records."), accesses.length ? objects(accesses) : h("p", null, "There are none.")) };
		},
	},
	branches: { title: "Branches", has: (page) => !!eventOf(page.documents.branches), make: (page) => tableOf(page, page.documents.branches!, "branch", "Branches") },
	mix: { title: "Mix", has: (page) => !!eventOf(page.documents.mix), make: (page) => tableOf(page, page.documents.mix!, "all", "Mix of operations", false) },
};

/* Returns whether a part shows the chosen range and thread: exact counts have no times. */
function applies(page: Page, key: string): boolean {
	return key === "sources" || (isDetailed(page) && (key !== "lines" || !page.documents.sharing!.exact));
}

function shownPart(page: Page): string {
	const keys = Object.keys(PARTS).filter((key) => PARTS[key].has(page));
	return keys.includes(state.part) ? state.part : keys[0];
}

export const memory: View = {
	key: "memory",
	title: "Memory",
	chooses: true,
	choosesValue: false,
	searches: (page) => {
		const key = shownPart(page);
		return key !== "latencies" && key !== "lines" && (key !== "sources" || !isPart() || isDetailed(page));
	},
	has: (page) => Object.values(PARTS).some((part) => part.has(page)),
	make: (page) => {
		const keys = Object.keys(PARTS).filter((key) => PARTS[key].has(page));
		const key = shownPart(page);
		const part = PARTS[key].make(page);
		const losses = eventOf(page.documents.memory);
		return {
			element: h("div", { class: "memoryview" },
				h("div", { class: "tools" }, h("span", { class: "group", role: "group", "aria-label": "Part" }, ...keys.map((k) => h("button", { type: "button", "aria-pressed": String(k === key), onclick: () => set({ part: k, sort: "", search: "" }) }, PARTS[k].title))),
					losses ? h("span", { class: "dim" }, (losses.samples === 1 ? "1 load or store" : `${short(losses.samples)} loads and stores`) + (losses.not_retired ? `, ${short(losses.not_retired)} not retired` : "")) : null,
					isPart() && !applies(page, key) ? h("span", { class: "warn" }, "of the whole recording") : null),
				part.element),
			update: part.update,
		};
	},
};
