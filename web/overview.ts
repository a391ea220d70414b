/* SPDX-License-Identifier: Apache-2.0 */
/* The first view: what is the cause, and where. */
import { Finding, Interval, Place, Places } from "./data";
import { bar, base, h, legend, named, percent, plural, range, SLOT_TITLES, SLOTS, short, slotsOf, visible } from "./dom";
import { set } from "./state";
import { Page, View } from "./view";

function open(fn: string): void {
	set({ view: "source", fn });
}

function places(title: string, of: Places | null | undefined, cause: string, text: (place: Place) => Node): HTMLElement | null {
	if (!of) return null;
	/* Less than that explains nothing: most of it is in code without lines, or in many places. */
	const shown = of.places.filter((place, i) => i < 6 && place.share >= 0.5);
	if (!shown.length) return null;
	return h("section", { class: "places" },
		h("h4", null, title, h("small", null, ` of the ${of.basis || "samples"}` + (of.exact ? ", exactly" : of.samples !== null ? `, in ${plural(of.samples, "sample")}` : ""))),
		...shown.map((place) => h("div", { class: "place" },
			bar([{ kind: slotsOf(cause), share: place.share }], percent(place.share)),
			h("b", { class: "num" }, percent(place.share, 1)),
			h("span", { class: "where" }, text(place)),
			h("small", null, place.interval ? range(place.interval, 1) : ""))));
}

function functionLink(page: Page, name: string | null | undefined): HTMLElement {
	const known = name && page.documents.annotations && page.documents.annotations.functions.some((f) => f.symbol === name);
	return known ? h("button", { class: "link", type: "button", onclick: () => open(name!) }, named(name)) : named(name);
}

function card(finding: Finding, number: number, page: Page): HTMLElement {
	const tie = number === 1 && page.documents.findings ? page.documents.findings.tie : null;
	const cause = finding.cause || finding.node || "";
	const kind = slotsOf(finding.node || cause);
	const data = finding.data as Places | null | undefined;
	return h("article", { class: "finding edge-" + kind },
		h("header", null,
			h("span", { class: "rank" }, String(number)),
			h("h3", null, h("span", { class: "share" }, percent(finding.slots, 0)), " of the slots: ", finding.brief || visible(cause)),
			h("code", null, visible(finding.node || cause))),
		h("div", { class: "columns" },
			places("Functions", finding.functions, kind, (p) => functionLink(page, p.name)),
			places("Lines", finding.lines, kind, (p) => h("span", null, h("code", null, `${base(visible(p.file))}:${p.line}`), " ", h("code", { class: "text" }, visible((p.text || "").trim())))),
			data && data.places ? places("Data", data, kind, (p) => named(p.name)) : null),
		finding.means ? h("p", null, h("strong", null, "Means "), finding.means) : null,
		finding.helps ? h("p", null, h("strong", null, "Helps "), finding.helps) : null,
		tie ? h("p", null, h("strong", null, "Tie "), visible(tie)) : null);
}

/* What became of all slots. */
export function wholeSlots(page: Page): { kind: string; share: number; title: string }[] | null {
	const { counts } = page.documents;
	if (counts) {
		const parts = SLOTS.map((kind) => {
			const metric = counts.metrics.find((m) => m.name === kind && m.level === 1);
			return metric && metric.value !== null ? { kind, share: metric.value, title: SLOT_TITLES[kind] } : null;
		});
		if (parts.every((part) => part)) return parts as { kind: string; share: number; title: string }[];
	}
	const types = page.model ? page.model.stacks.types.filter((type) => type.slots) : [];
	const sum = types.reduce((total, type) => total + type.total, 0);
	if (!sum) return null;
	return SLOTS.map((kind) => ({
		kind,
		title: SLOT_TITLES[kind],
		share: (100 * types.filter((type) => type.slots === kind).reduce((total, type) => total + type.total, 0)) / sum,
	}));
}

function slotsPanel(page: Page): HTMLElement | null {
	const parts = wholeSlots(page);
	if (!parts) return null;
	return h("section", { class: "panel slots" }, h("h2", null, "What became of the slots"), bar(parts),
		h("dl", { class: "four" }, ...parts.map((part) => h("div", null, h("dt", null, h("i", { class: "k-" + part.kind }), part.title), h("dd", null, percent(part.share, 1))))));
}

function hottest(page: Page): HTMLElement | null {
	const { topdown, functions } = page.documents;
	if (topdown && topdown.exact) {
		return h("section", { class: "panel" }, h("h2", null, "Functions by slots"),
			...topdown.rows.filter((row, i) => i < 8 && (i === 0 || (row.slots_share || 0) >= 0.05)).map((row) => h("div", { class: "place" },
				bar(SLOTS.map((kind) => ({ kind, title: SLOT_TITLES[kind], share: ((row.slots_share || 0) * (row[kind] || 0)) / 100 }))),
				h("b", { class: "num" }, percent(row.slots_share, 1)),
				h("span", { class: "where" }, functionLink(page, row.symbol)),
				h("small", null, row.cause ? visible(row.cause) : ""))),
			legend(SLOTS, SLOT_TITLES));
	}
	const event = functions && functions.events.find((e) => e.rows.length);
	if (!event) return null;
	/* Rows are of each thread. */
	const sums = new Map<string, { share: number; interval: Interval }>();
	for (const row of event.rows) {
		const known = sums.get(row.symbol as string);
		sums.set(row.symbol as string, { share: row.share + (known ? known.share : 0), interval: known ? null : row.interval });
	}
	const rows = [...sums].filter(([, row]) => row.share >= 0.05).sort((a, b) => b[1].share - a[1].share).slice(0, 8);
	if (!rows.length) return null;
	return h("section", { class: "panel" }, h("h2", null, "Functions by ", visible(event.name)),
		...rows.map(([symbol, row]) => h("div", { class: "place" }, bar([{ kind: "plain", share: row.share }], percent(row.share)), h("b", { class: "num" }, percent(row.share, 1)), h("span", { class: "where" }, functionLink(page, symbol)), h("small", null, range(row.interval, 1)))));
}

function verdict(page: Page): string {
	const { findings, counts } = page.documents;
	if (findings && findings.work !== null && findings.findings.length)
		return `${percent(findings.work, 0)} of the slots do useful work.`;
	if (findings && findings.verdict === "work") return `Nothing to win here: ${percent(findings.work, 0)} of the slots do useful work.`;
	if (findings && !findings.findings.length) return "No cause stands out.";
	return counts && counts.diagnosis && counts.diagnosis.brief ? counts.diagnosis.brief : "";
}

export const overview: View = {
	key: "overview",
	title: "Findings",
	chooses: false,
	searches: false,
	wholeOnly: true,
	has: (page) => !!(page.documents.findings || page.model || page.documents.counts),
	make: (page) => {
		const { findings, notes } = page.documents;
		const said = verdict(page);
		const warnings = [...(findings && findings.warnings ? findings.warnings : []), ...(notes || [])];
		return {
			element: h("div", { class: "overview" },
				said ? h("p", { class: "verdict" }, said) : null,
				slotsPanel(page),
				...(findings ? findings.findings.map((finding, i) => card(finding, i + 1, page)) : []),
				hottest(page),
				warnings.length ? h("section", { class: "panel notes" }, h("h2", null, "What limits these figures"), h("ul", null, ...warnings.map((note) => h("li", null, visible(note.replace(/^plumb: /, "").trim()))))) : null,
				page.model ? h("p", { class: "dim" }, `${plural(page.model.stacks.samples, "sample", short)}, ${plural(page.model.stacks.functions.length, "function", short)}, ${plural(page.model.parent.length, "call path", short)}.`) : null),
		};
	},
};
