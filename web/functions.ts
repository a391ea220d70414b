/* SPDX-License-Identifier: Apache-2.0 */
/* All functions: as plumb report has them, or added up for a range of time. */
import { ReportEvent, ReportRow, TopdownRow } from "./data";
import { bar, base, h, named, percent, range, SLOT_TITLES, SLOTS, short, visible, whole } from "./dom";
import { Model } from "./stacks";
import { hasRange, set, State, state } from "./state";
import { Column, Table } from "./table";
import { Page, Shown, View } from "./view";

function open(page: Page, fn: string): void {
	const { annotations } = page.documents;
	const known = annotations && annotations.functions.some((f) => f.symbol === fn);
	set(known ? { view: "source", fn } : { view: "callers", fn });
}

function share(value: number | null, kind = "plain"): Node {
	return value === null ? document.createTextNode("") : h("span", { class: "sharecell" }, bar([{ kind, share: value }], percent(value)), h("b", null, percent(value)));
}

/* Returns a column of text or figures. */
function column<R>(key: string, title: string, least: number, rank: number, value: (row: R) => number | string | null, cell: (row: R) => Node | string, help?: string): Column<R> {
	return { key, title, help, least, rank, width: `minmax(${least}px, ${least >= 160 ? 2 : 1}fr)`, value, cell, text: false };
}

function text<R>(key: string, title: string, least: number, rank: number, value: (row: R) => string | null): Column<R> {
	return { ...column<R>(key, title, least, rank, value, (row) => named(value(row))), text: true };
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

const SHORT = ["Retiring", "Bad spec.", "Frontend", "Backend"]; /* of SLOTS */

function topdownTable(page: Page, rows: TopdownRow[]): Shown {
	const columns: Column<TopdownRow>[] = [
		column("slots", "Slots", 150, 0, (r) => r.slots_share, (r) => share(r.slots_share), "share of all slots"),
		text("symbol", "Function", 170, 0, (r) => r.symbol),
		column("bar", "Its slots", 160, 4, (r) => r.retiring, (r) => bar(SLOTS.map((kind) => ({ kind, title: SLOT_TITLES[kind], share: r[kind] || 0 })))),
		...SLOTS.map((kind, i) => column<TopdownRow>(kind, SHORT[i], 96, 5 - (i === 3 ? 3 : 0), (r) => r[kind], (r) => percent(r[kind], 1))),
		text("cause", "Largest cause", 170, 1, (r) => (r.cause ? r.cause + (r.other_cause ? ", " + r.other_cause : "") : null)),
		column("count", "Number", 90, 6, (r) => r.slots, (r) => (r.slots === null ? "" : whole(r.slots))),
	];
	return shown("Functions by slots", columns, rows, (r) => r.symbol, "-slots", (r) => open(page, r.symbol));
}

/* Returns whether any row has a value. */
function any(event: ReportEvent, key: string): boolean {
	return event.rows.some((row) => row[key] !== null && row[key] !== undefined);
}

export function reportTable(page: Page, event: ReportEvent, keys: string[], label: string, key = true): Shown {
	const columns: Column<ReportRow>[] = [column("share", "Share", 150, 0, (r) => r.share, (r) => share(r.share), "samples taken in the function itself")];
	if (any(event, "children")) columns.unshift(column("children", "With callees", 150, 2, (r) => r.children ?? null, (r) => share(r.children ?? null)));
	const names: { [key: string]: [string, number] } = { symbol: ["Function", 170], dso: ["File", 110], comm: ["Thread", 90], data_source: ["Data source", 120], page: ["Page", 150], srcline: ["Line", 140], ip: ["Address", 150] };
	keys.forEach((name, i) => {
		const known = names[name] || [name.replace(/_/g, " "), 90];
		columns.push(text(name, known[0], known[1], name === "symbol" || i === 0 ? 0 : 4, (r) => (r[name] === null || r[name] === undefined ? null : String(r[name]))));
	});
	if (any(event, "interval")) columns.push(column("interval", "95 % interval", 128, 3, (r) => (r.interval ? r.interval[1] - r.interval[0] : null), (r) => (r.uncertain ? "~ " : "") + range(r.interval), "where the true share is; ~ if that of a neighbour overlaps it"));
	columns.push(column("samples", "Samples", 84, 2, (r) => r.samples, (r) => whole(r.samples)));
	if (event.period !== event.samples) columns.push(column("period", "Period", 90, 5, (r) => r.period, (r) => short(r.period)));
	if (any(event, "latency")) {
		columns.push(column("latency", "Latency", 84, 2, (r) => r.latency ?? null, (r) => (r.latency === null || r.latency === undefined ? "" : r.latency.toFixed(1)), "mean, in cycles"));
		columns.push(column("latency_share", "Of all latency", 104, 4, (r) => r.latency_share ?? null, (r) => percent(r.latency_share)));
	}
	if (any(event, "total_latency")) columns.push(column("p99", "p50 / p90 / p99", 128, 4, (r) => (r.total_latency ? r.total_latency.p99 : null), (r) => (r.total_latency ? [r.total_latency.p50, r.total_latency.p90, r.total_latency.p99].map((v) => Math.round(v)).join(" / ") : "")));
	if (any(event, "l1d_misses")) columns.push(column("l1d", "L1D misses", 92, 4, (r) => r.l1d_misses ?? null, (r) => percent(r.l1d_misses, 1)));
	if (any(event, "mispredictions")) columns.push(column("mispredicted", "Mispredicted", 104, 4, (r) => r.mispredictions ?? null, (r) => percent(r.mispredictions, 1)));
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
		column("own", "Share", 150, 0, (r) => r.own, (r) => share(part(r.own))),
		column("total", "With callees", 150, 1, (r) => r.total, (r) => share(part(r.total))),
		text("symbol", "Function", 170, 0, name),
		text("dso", "File", 110, 3, (r) => base(functions[r.fn].file)),
		text("source", "Source", 110, 5, (r) => base(functions[r.fn].source)),
		column("value", visible(sums.choice.title), 110, 2, (r) => r.own, (r) => whole(r.own)),
	];
	if (causes) columns.push(column("causes", "Its slots", 140, 4, slots, (r) => bar(SLOTS.map((kind, i) => ({ kind, title: SLOT_TITLES[kind], share: slots(r) ? (100 * r.causes![i]) / slots(r) : 0 })))));
	return shown("Functions", columns, rows, (r) => name(r) + " " + (functions[r.fn].file || ""), "-own", (r) => open(page, functions[r.fn].name));
}

/* Returns the event of plumb report that a choice stands for. */
function eventOf(page: Page, model: Model): ReportEvent | null {
	const { functions } = page.documents;
	const choice = model.choice();
	if (!functions || choice.exact || hasRange() || state.thread >= 0) return null;
	const type = model.stacks.types[choice.types[0]];
	return type.main ? functions.events.find((e) => e.name === type.name || functions.events.length === 1) || null : null;
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
		if (model.choice().key === "slots" && topdown && topdown.exact && state.thread < 0) return topdownTable(page, topdown.rows);
		const event = eventOf(page, model);
		return event ? reportTable(page, event, [...functions!.keys].reverse(), "Functions by " + visible(event.name)) : sumTable(page, model);
	},
};
