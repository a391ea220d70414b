/* SPDX-License-Identifier: Apache-2.0 */
/* All functions: as plumb report has them, or added up for a range of time. */
import { callers } from "./callers";
import { Interval, ReportEvent, ReportRow, StackType, TopdownRow } from "./data";
import { SATURATED } from "./details";
import { bar, base, brieflyNamed, causeShown, dataSource, fixed, h, named, percent, range, SLOT_TITLES, SLOTS, short, visible, whole } from "./dom";
import { Model } from "./stacks";
import { isPart, set, State, state } from "./state";
import { Column, Table, widest } from "./table";
import { Page, Shown, View } from "./view";

const SHARE = 165;
const FAINT = 0.05; /* percent of all slots: what became of fewer matters little */

function open(page: Page, fn: string): void {
	const { annotations } = page.documents;
	const known = annotations && annotations.functions.some((f) => f.symbol === fn);
	if (!known && callers.has(page)) set({ view: "callers", fn });
	else if (annotations) set({ view: "source", fn });
}

function share(value: number | null, kind = "plain"): Node {
	return value === null ? document.createTextNode("") : h("span", { class: "sharecell" }, bar([{ kind, share: value }], percent(value)), h("b", null, percent(value)));
}

/* Returns a column of text or figures. */
function column<R>(key: string, title: string, least: number, rank: number, value: (row: R) => number | string | null, cell: Column<R>["cell"], help?: string): Column<R> {
	const narrow = least === SHARE ? 84 : key === "symbol" ? 120 : key === "data_source" || key === "page" ? 92 : undefined;
	return { key, title, help, least, narrow, rank, grow: key === "symbol" ? 4 : key === "cause" ? 2 : 1, value, cell, text: false };
}

function text<R>(key: string, title: string, least: number, rank: number, value: (row: R) => string | null): Column<R> {
	return { ...column<R>(key, title, least, rank, value, (row) => (key === "symbol" ? brieflyNamed(value(row)) : named(value(row)))), text: true };
}

function shown<R>(label: string, columns: Column<R>[], rows: R[], search: (row: R) => string, usual: string, onOpen?: (row: R) => void): Shown {
	const table = new Table<R>({ label, columns, rows, text: search, search: state.search, sort: state.sort || usual, onSort: (sort) => set({ sort }), onOpen });
	return {
		element: table.element,
		update: (changed: Set<keyof State>) => {
			for (const key of changed) if (key !== "search" && key !== "sort") return false;
			table.update(state.search, state.sort || usual);
			return true;
		},
	};
}


/* Returns the width that the largest number of a column needs. */
function numbers<R>(rows: R[], value: (row: R) => number | null, least: number): number {
	return widest([whole(rows.reduce((most, row) => Math.max(most, value(row) ?? 0), 0))], least);
}

const SHORT = ["Retiring", "Bad spec.", "Frontend", "Backend"]; /* of SLOTS */

function topdownTable(page: Page, rows: TopdownRow[]): Shown {
	const columns: Column<TopdownRow>[] = [
		column("slots", "Slots", SHARE, 0, (r) => r.slots_share, (r) => share(r.slots_share), "share of all slots"),
		text("symbol", "Function", 170, 0, (r) => r.symbol),
		{ ...column<TopdownRow>("bar", "Its slots", 160, 4, (r) => r.retiring, (r) => h("span", { class: (r.slots_share || 0) < FAINT ? "faint" : "" }, bar(SLOTS.map((kind) => ({ kind, title: SLOT_TITLES[kind], share: r[kind] || 0 }))))), copied: [] },
		...SLOTS.map((kind, i) => column<TopdownRow>(kind, SHORT[i], 100, 5 - (i === 3 ? 3 : 0), (r) => r[kind], (r) => percent(r[kind], 1))),
		text("cause", "Largest cause", 170, 1, (r) => (r.cause ? causeShown(r.cause) + (r.other_cause ? ", " + causeShown(r.other_cause) : "") : null)),
		column("count", "Number", numbers(rows, (r) => r.slots, 90), 6, (r) => r.slots, (r) => (r.slots === null ? "" : whole(r.slots))),
	];
	return shown("Functions by slots", columns, rows, (r) => r.symbol, "-slots", (r) => open(page, r.symbol));
}

/* Returns whether any row has a value. */
function any(event: ReportEvent, key: string): boolean {
	return event.rows.some((row) => row[key] !== null && row[key] !== undefined);
}

/* A share's interval, marked if that of a row beside it overlaps it: either may be the larger. */
function intervalColumn(key: string, title: string, of: string, value: (row: ReportRow) => Interval | undefined): Column<ReportRow> {
	const beside = (row: ReportRow, other?: ReportRow) => {
		const [a, b] = [value(row), other && value(other)];
		return !!a && !!b && a[0] <= b[1] && b[0] <= a[1];
	};
	/* Only in the order of this share do neighbours compete. */
	const ordered = () => (state.sort || "-share").replace("-", "") === of;
	const made = column<ReportRow>(key, title, 150, 3, (r) => { const i = value(r); return i ? i[1] - i[0] : null; },
		(r, before, after) => (ordered() && (beside(r, before) || beside(r, after)) ? "~ " : "") + range(value(r)),
		"where the true share is; ~ if that of a neighbour overlaps it");
	return { ...made, copied: [[`${title} from`, (r) => value(r)?.[0] ?? null], [`${title} to`, (r) => value(r)?.[1] ?? null]] };
}

/* Returns a latency, marked if it includes records that the counters were too small for. */
function latency(value: number | null | undefined, digits: number, orMore: boolean): string {
	return value === null || value === undefined ? "" : (orMore ? ">=" : "") + fixed(value, digits);
}

function percentiles(of: ReportRow["total_latency"]): string {
	return of ? [of.p50, of.p90, of.p99].map((v) => latency(v, 0, !!of.saturated && v >= SATURATED)).join(" / ") : "";
}

export function reportTable(page: Page, event: ReportEvent, keys: string[], label: string, key = true): Shown {
	const columns: Column<ReportRow>[] = [column("share", "Share", SHARE, 0, (r) => r.share, (r) => share(r.share), "samples taken in the function itself")];
	if (any(event, "interval")) columns.push(intervalColumn("interval", "95 % interval", "share", (r) => r.interval));
	if (any(event, "children")) {
		if (any(event, "children_interval")) columns.unshift(intervalColumn("children_interval", "95 %, callees", "children", (r) => r.children_interval));
		columns.unshift(column("children", "With callees", SHARE, 2, (r) => r.children ?? null, (r) => share(r.children ?? null)));
	}
	const names: { [key: string]: [string, number] } = { symbol: ["Function", 170], dso: ["File", 110], comm: ["Thread", 90], data_source: ["Data source", 120], page: ["Page", 150], srcline: ["Line", 140], ip: ["Address", 150] };
	keys.forEach((name, i) => {
		const known = names[name] || [name.replace(/_/g, " "), 90];
		columns.push(text(name, known[0], known[1], name === "symbol" || i === 0 ? 0 : 4, (r) => (r[name] !== null && r[name] !== undefined ? String(r[name]) : name === "data_source" ? dataSource(null) : null)));
	});
	columns.push(column("samples", "Samples", numbers(event.rows, (r) => r.samples, 90), 2, (r) => r.samples, (r) => whole(r.samples)));
	if (event.period !== event.samples) columns.push(column("period", "Period", 96, 5, (r) => r.period, (r) => short(r.period)));
	if (any(event, "latency")) {
		columns.push(column("latency", "Latency", 96, 2, (r) => r.latency ?? null, (r) => latency(r.latency, 1, !!r.saturated), "mean, in cycles" + (event.saturated ? `; >= if it includes records of ${SATURATED} cycles or more` : "")));
		columns.push(column("latency_share", "Of all latency", 120, 4, (r) => r.latency_share ?? null, (r) => percent(r.latency_share)));
	}
	if (any(event, "total_latency")) columns.push({ ...column<ReportRow>("p99", "p50 / p90 / p99", widest(event.rows.map((r) => percentiles(r.total_latency)), 140), 4, (r) => (r.total_latency ? r.total_latency.p99 : null), (r) => percentiles(r.total_latency)), copied: (["p50", "p90", "p99"] as const).map((name) => [name, (r: ReportRow) => (r.total_latency ? r.total_latency[name] : null)]) });
	if (any(event, "l1d_misses")) columns.push(column("l1d", "L1D misses", 100, 4, (r) => r.l1d_misses ?? null, (r) => percent(r.l1d_misses, 1)));
	if (any(event, "mispredictions")) columns.push(column("mispredicted", "Mispredicted", 110, 4, (r) => r.mispredictions ?? null, (r) => percent(r.mispredictions, 1)));
	return shown(label, columns, event.rows, (r) => keys.map((k) => String(r[k] ?? "")).join(" "), "-share", key ? (r) => open(page, String(r.symbol)) : undefined);
}

interface SumRow {
	fn: number;
	own: number;
	total: number;
	causes: number[] | null;
}

function sumTable(page: Page, model: Model): Shown {
	const sums = model.sums();
	const { own, total, causes } = model.functions(sums);
	const { functions } = model.stacks;
	const rows: SumRow[] = [];
	for (let fn = 0; fn < functions.length; fn++)
		if (total[fn] > 0 && !functions[fn].inlined) rows.push({ fn, own: own[fn], total: total[fn], causes: causes ? causes.map((values) => values[fn]) : null });
	const part = (value: number) => (sums.whole ? (100 * value) / sums.whole : 0);
	const name = (r: SumRow) => functions[r.fn].name;
	const slots = (r: SumRow) => (r.causes ? r.causes.reduce((a, b) => a + b, 0) : 0);
	const columns: Column<SumRow>[] = [
		{ ...column<SumRow>("own", "Share", SHARE, 0, (r) => r.own, (r) => share(part(r.own))), copied: [["Share", (r) => part(r.own)]] },
		{ ...column<SumRow>("total", "With callees", SHARE, 1, (r) => r.total, (r) => share(part(r.total))), copied: [["With callees", (r) => part(r.total)]] },
		text("symbol", "Function", 170, 0, name),
		text("dso", "File", 110, 3, (r) => base(functions[r.fn].file)),
		text("source", "Source", 110, 5, (r) => base(functions[r.fn].source)),
		column("value", visible(sums.choice.title), numbers(rows, (r) => r.own, 110), 2, (r) => r.own, (r) => whole(r.own)),
	];
	if (causes) columns.push({ ...column<SumRow>("causes", "Its slots", 140, 4, slots, (r) => bar(SLOTS.map((kind, i) => ({ kind, title: SLOT_TITLES[kind], share: slots(r) ? (100 * r.causes![i]) / slots(r) : 0 })))), copied: SLOTS.map((kind, i) => [SLOT_TITLES[kind], (r: SumRow) => r.causes![i]]) });
	return shown("Functions", columns, rows, (r) => name(r) + " " + (functions[r.fn].file || ""), "-own", (r) => open(page, functions[r.fn].name));
}

/* Returns whether a type has the samples of an event: "llc-miss samples" are those of "llc-miss". */
export function isOf(type: StackType, event: ReportEvent): boolean {
	return type.name === event.name || type.name === event.name + " samples";
}

/* Returns the event whose samples a type has. Of events with one name, the second's type is "cycles#2". */
export function eventOfType(events: ReportEvent[], type: StackType): ReportEvent | undefined {
	const own = events.find((e) => isOf(type, e));
	if (own || events.length === 1) return own || events[0];
	const number = /^(.*)#([0-9]+)$/.exec(type.name);
	return number ? events.filter((e) => isOf({ ...type, name: number[1] }, e))[Number(number[2]) - 1] : undefined;
}

/* Returns the event of plumb report that a choice stands for. */
function eventOf(page: Page, model: Model): ReportEvent | null {
	const { functions } = page.documents;
	const choice = model.choice();
	if (!functions || choice.exact || isPart()) return null;
	const type = model.stacks.types[choice.types[0]];
	return type.main ? eventOfType(functions.events, type) || null : null;
}

export const functions: View = {
	key: "functions",
	title: "Functions",
	chooses: true,
	searches: true,
	has: (page) => !!page.model,
	make: (page) => {
		const model = page.model!;
		const { topdown, functions } = page.documents;
		if (model.choice().key === "slots" && topdown && topdown.exact && !isPart()) return topdownTable(page, topdown.rows);
		const event = eventOf(page, model);
		return event ? reportTable(page, event, [...functions!.keys].reverse(), "Functions by " + visible(event.name)) : sumTable(page, model);
	},
};
