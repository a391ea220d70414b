/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of two or more runs, as plumb diff has it. */
import { bar, base, brief, brieflyNamed, fixed, h, named, percent, range, SLOT_TITLES, SLOTS, styled, visible } from "./dom";
import { set, State, state } from "./state";
import { Column, Table, widest } from "./table";
import { systemsPanel } from "./system";
import { Page, View } from "./view";

/* Where a side has the code of a function. */
interface Place {
	symbols: string[];
	inlined_into: string[];
}

interface Change {
	name: string;
	by?: string | null;
	function?: string | null;
	file?: string | null;
	line?: number | null;
	was?: string;
	places?: { before: Place; after: Place };
	match?: string;
	units: string;
	before: number | null;
	after: number | null;
	before_at_most?: number; /* without samples on that side */
	after_at_most?: number;
	change: number | null;
	relative: number | null;
	share?: number | null;
	method: string;
	p: number | null;
	adjusted_p: number | null;
	effect: number | null;
	interval: [number, number] | null;
	more_than_noise: boolean | null;
}

export interface Comparison {
	before: string;
	after: string;
	explanation: { text: string; of: string | null };
	gates: { limit: string; direction: string; verdict: string; worst: Change | null }[];
	notes: string[];
	metrics: Change[];
	events: Change[];
	functions: Change[];
	lines: Change[];
}

export function comparisons(page: Page): Comparison[] {
	return page.documents.diff ? page.documents.diff.comparisons : [];
}

const KINDS = ["metrics", "events", "functions", "lines"] as const;
const figures = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 7 });

function figure(value: number | null): string {
	return value === null ? "" : figures.format(value);
}

function isPercent(row: Change): boolean {
	return row.units.startsWith("percent");
}

function placed(name: string, place: Place, when: string): string[] {
	const others = place.symbols.filter((symbol) => symbol !== name);
	const more = place.inlined_into.length - 1;
	const into = place.inlined_into[0] + (more > 0 ? ` and ${more} more` : "");
	return [
		...(more >= 0 ? [`${place.symbols.length ? "partly " : ""}inlined into ${into} ${when}`] : []),
		...(others.length ? [`${others.length < place.symbols.length ? "with" : "as"} ${others.join(", ")} ${when}`] : []),
	];
}

/* Returns what a function was called, or where its code is, as plumb diff words it. */
function aside(row: Change): string {
	if (row.was) return row.match === "renamed" ? `was ${row.was}` : `with ${row.was}, inlined ${row.match === "inlined_after" ? "after" : "before"}`;
	if (!row.places) return "";
	return [...placed(row.name, row.places.before, "before"), ...placed(row.name, row.places.after, "after")].join(", ");
}

/*
 * Returns what functions of each side are called in the comparison, where that differs from their
 * symbols: another name, or the function that a part or a copy is of.
 */
export function commonNames(page: Page): [Map<string, string>, Map<string, string>] {
	const at = Math.max(0, Math.min(comparisons(page).length - 1, state.thread));
	const names: [Map<string, string>, Map<string, string>] = [new Map(), new Map()];
	for (const row of comparisons(page)[at].functions) {
		if (row.was && row.match === "renamed") names[0].set(row.was, row.name);
		if (!row.places) continue;
		for (const symbol of row.places.before.symbols) names[0].set(symbol, row.name);
		for (const symbol of row.places.after.symbols) names[1].set(symbol, row.name);
	}
	return names;
}

/* Returns the value of a side; without samples, the most that it may be. */
function valueOf(value: number | null, most?: number): string {
	return most === undefined ? figure(value) : `< ${figure(most)}`;
}

/* Returns a change as plumb diff words it. */
function change(row: Change): string {
	if (row.change === null) return "";
	/* A side without samples: by how much it must differ, at least. */
	const [low, high] = row.interval ?? [0, 0];
	if (row.before_at_most !== undefined) return low > 0 ? `> x${fixed(1 + low / row.before_at_most, 1)}` : "unknown";
	if (row.after_at_most !== undefined) return high < 0 ? `< ${percent((100 * high) / row.before!, 1)}` : "unknown";
	if (row.change === 0) return "same";
	const sign = row.change > 0 ? "+" : "";
	if (isPercent(row)) return `${sign}${fixed(row.change, Math.abs(row.change) < 0.095 ? 2 : 1)} points`;
	if (!row.before && row.after) return "new";
	if (row.before && !row.after) return "gone";
	/* Ten times as much is easier to read than +900 %. */
	if (row.before && row.after && row.before > 0 && row.after >= 10 * row.before) return "x" + fixed(row.after / row.before, 0);
	if (row.relative === null) return sign + figure(row.change);
	const size = Math.abs(100 * row.relative);
	return sign + percent(100 * row.relative, size >= 999.5 ? 0 : size < 0.095 ? 2 : 1);
}

function evidence(row: Change): string {
	if (row.method === "exact") return "exact";
	if (row.method === "ranks" && row.p !== null) return `p ${(row.adjusted_p ?? row.p).toPrecision(2)}` + (row.effect !== null ? `, effect ${row.effect.toFixed(2)}` : "");
	if (row.interval && (row.before || isPercent(row))) return row.units.startsWith("percent") ? `${row.interval[0].toFixed(2)} to ${row.interval[1].toFixed(2)} points` : range([Math.max(-100, (100 * row.interval[0]) / row.before!), (100 * row.interval[1]) / row.before!], 1);
	return row.method !== "unknown" && row.p !== null ? `p ${(row.adjusted_p ?? row.p).toPrecision(2)}` : "unknown";
}

/* A bar to the left or to the right of the middle. */
function diverging(value: number | null, most: number): HTMLElement {
	const part = value === null || !most ? 0 : Math.min(50, (50 * Math.abs(value)) / most);
	const bar = h("i", { class: (value || 0) > 0 ? "k-backend_bound" : "k-retiring" });
	styled(bar, { position: "absolute", width: part + "%", [(value || 0) > 0 ? "left" : "right"]: "50%" });
	return h("span", { class: "bar diverging", "aria-hidden": "true" }, bar);
}

function place(row: Change): string {
	return row.file ? `${row.file}:${row.line ?? "?"} in ${row.function ?? "?"}` : row.name;
}

/* Likewise for people; the whole is its title. */
function shownPlace(row: Change): HTMLElement {
	return row.file ? h("span", { title: visible(place(row)) }, h("span", { class: "name" }, `${base(visible(row.file))}:${row.line ?? "?"}`), h("span", { class: "dim" }, " in ", brieflyNamed(row.function ?? "?"))) : brieflyNamed(row.name);
}

function table(rows: Change[], kind: string, open?: (row: Change) => void): Table<Change> {
	const isCode = kind === "functions" || kind === "lines";
	/* What is new has no relative change: it is the largest. */
	const size = (row: Change) => {
		const own = isCode ? row.share : isPercent(row) ? (row.change ?? 0) / 100 : row.relative;
		return own === null || own === undefined ? (row.change ? Infinity : 0) : Math.abs(own);
	};
	const most = Math.max(0, ...rows.map((row) => Math.min(1, size(row))));
	const signed = (row: Change) => (row.change === null ? null : Math.sign(row.change) * Math.min(1, size(row)));
	const make = (key: string, title: string, least: number, rank: number, value: Column<Change>["value"], cell: Column<Change>["cell"], help?: string): Column<Change> => ({ key, title, help, least, rank, value, cell });
	const columns: Column<Change>[] = [
		{ ...make("name", kind === "lines" ? "Line" : "Name", 200, 0, place, (r) => h("span", null, shownPlace(r), aside(r) ? h("small", { title: visible(aside(r)) }, ` ${brief(aside(r))}`) : null)), text: true, grow: 3, copied: [["Name", place], ...(isCode ? [["By", (r: Change) => r.by ?? null] as [string, (r: Change) => string | null]] : [])] },
		{ ...make("bar", "Size", 140, 2, size, (r) => diverging(signed(r), most), "sorted by its size"), copied: [] },
		...(isCode ? [make("of_all", "Of all", 90, 0, (r) => r.share ?? null, (r) => (r.share === null || r.share === undefined ? "" : (r.share > 0 ? "+" : "") + percent(100 * r.share)), "the change as a part of the whole before")] : []),
		{ ...make("change", isCode ? "Itself" : "Change", widest(rows.map(change), 100), isCode ? 1 : 0, (r) => (r.change === null ? null : Math.sign(r.change) * size(r)), change), copied: [["Change", change]] },
		make("before", "Before", widest(rows.map((r) => valueOf(r.before, r.before_at_most)), 110), 2, (r) => r.before, (r) => valueOf(r.before, r.before_at_most)),
		make("after", "After", widest(rows.map((r) => valueOf(r.after, r.after_at_most)), 110), 1, (r) => r.after, (r) => valueOf(r.after, r.after_at_most)),
		...(isCode ? [] : [{ ...make("units", "Unit", 110, 4, (r) => r.units, (r) => visible(r.units)), text: true }]),
		{ ...make("evidence", "Evidence", widest(rows.map(evidence), 150), 3, (r) => r.adjusted_p ?? r.p, evidence), text: true, copied: [["Evidence", evidence]] },
		{ ...make("real", "More than noise", 140, 1, (r) => (r.more_than_noise === null ? null : Number(r.more_than_noise)), (r) => (r.more_than_noise === null ? "unknown" : r.more_than_noise ? "yes" : r.change === 0 ? "unchanged" : "may be noise")), text: true, copied: [["More than noise", (r) => (r.more_than_noise === null ? "unknown" : r.more_than_noise ? "yes" : "no")]] },
	];
	return new Table<Change>({ label: "Changes", columns, rows, text: (r) => `${place(r)} ${r.by ?? ""}`, search: state.search, sort: state.sort || "-bar", onSort: (sort) => set({ sort }), onOpen: open });
}

const VERDICTS: { [name: string]: string } = { passed: "passed", failed: "failed", noise: "passed: this may be noise", missing: "failed: there is nothing to compare" };

/* A row of the table of limits, with the change that decided. */
function limit(gate: Comparison["gates"][0]): HTMLElement {
	const { worst } = gate;
	return h("tr", null,
		h("th", { scope: "row" }, gate.direction + " ", named(gate.limit)),
		h("td", null, VERDICTS[gate.verdict] || visible(gate.verdict)),
		h("td", null, ...(worst ? [named(place(worst)), worst.by ? ` by ${visible(worst.by)}` : null] : [])),
		h("td", null, worst ? `${figure(worst.before)} → ${figure(worst.after)} ${isPercent(worst) ? "%" : visible(worst.units)}: ${change(worst)} (${evidence(worst)})` : ""));
}

/* What became of the slots on both sides, one bar above the other. */
function slots(shown: Comparison): HTMLElement | null {
	const rows = SLOTS.map((kind) => shown.metrics.find((row) => row.name === kind));
	if (rows.some((row) => !row || row.before === null || row.after === null || !isPercent(row))) return null;
	const side = (title: string, value: (row: Change) => number) => [h("span", { class: "dim" }, title), bar(rows.map((row, i) => ({ kind: SLOTS[i] as string, title: SLOT_TITLES[SLOTS[i]], share: value(row!) })))];
	return h("section", { class: "panel slots sides" }, h("h2", null, "What became of the slots"),
		h("div", { class: "pair" }, ...side("before", (row) => row.before!), ...side("after", (row) => row.after!)),
		h("dl", { class: "four" }, ...rows.map((row, i) => h("div", null, h("dt", null, h("i", { class: "k-" + SLOTS[i] }), SLOT_TITLES[SLOTS[i]]), h("dd", null, percent(row!.after, 1), h("small", null, ` ${change(row!)}`))))));
}

export const compare: View = {
	key: "compare",
	title: "Comparison",
	chooses: false,
	searches: true,
	has: (page) => comparisons(page).length > 0,
	make: (page) => {
		const all = comparisons(page);
		const at = Math.max(0, Math.min(all.length - 1, state.thread));
		const shown = all[at];
		const kinds = KINDS.filter((kind) => shown[kind] && shown[kind].length);
		const kind = kinds.find((k) => k === state.part) || kinds.find((k) => k === "functions") || kinds[0];
		/* Functions and lines have a row for each event: show one, that of the headline first. */
		const eventsOf = (k: (typeof KINDS)[number]) => [...new Set(shown[k].map((row) => row.by || ""))].filter((by) => by);
		const eventOf = (events: string[]) => (events.includes(state.metric) ? state.metric : events.find((e) => e === shown.explanation.of) || events[0] || "");
		const rowsOf = (k: (typeof KINDS)[number]) => {
			const by = eventOf(eventsOf(k));
			return shown[k].filter((row) => !by || row.by === by);
		};
		const events = kind ? eventsOf(kind) : [];
		const by = eventOf(events);
		const choose = events.length > 1 ? h("label", null, "By ", h("select", { id: "by", onchange: (e: Event) => set({ metric: (e.target as HTMLSelectElement).value }) }, ...events.map((e) => h("option", { value: e, selected: e === by }, visible(e))))) : by ? h("span", { class: "dim" }, `by ${visible(by)}`) : null;
		const made = kind ? table(rowsOf(kind), kind, page.documents.sides && (kind === "functions" || kind === "lines") ? (row) => set({ view: "both", fn: row.function || row.name, search: "", sort: "" }) : undefined) : null;
		return {
			element: h("div", { class: "compareview" },
				all.length > 1 ? h("div", { class: "tools" }, h("label", { for: "side" }, "Compare with"), h("select", { id: "side", onchange: (e: Event) => set({ thread: Number((e.target as HTMLSelectElement).value) }) }, ...all.map((c, i) => h("option", { value: i, selected: i === at }, visible(c.after))))) : null,
				h("p", { class: "facts" }, h("span", null, "before: ", named(shown.before)), " · ", h("span", null, "after: ", named(shown.after))),
				h("p", { class: "verdict" }, visible(shown.explanation.text)),
				slots(shown),
				shown.gates.length ? h("section", { class: "panel" }, h("h2", null, "Limits"), h("div", { class: "scroll limits" }, h("table", { class: "plain" }, h("tbody", null, ...shown.gates.map(limit))))) : null,
				h("div", { class: "tools" }, h("span", { class: "group", role: "group", "aria-label": "Kind" }, ...kinds.map((k) => h("button", { type: "button", "aria-pressed": String(k === kind), onclick: () => set({ part: k, sort: "" }) }, `${k[0].toUpperCase()}${k.slice(1)} (${rowsOf(k).length})`))), choose),
				made ? made.element : h("p", null, "Nothing changed."),
				shown.notes.length ? h("section", { class: "panel notes" }, h("h2", null, "What limits this comparison"), h("ul", null, ...shown.notes.map((note) => h("li", null, visible(note))))) : null,
				systemsPanel(page.documents.sides?.[0], page.documents.sides?.[at + 1])),
			update: (changed: Set<keyof State>) => {
				for (const key of changed) if (key !== "search" && key !== "sort") return false;
				if (made) made.update(state.search, state.sort || "-bar");
				return true;
			},
		};
	},
};
