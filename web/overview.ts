/* SPDX-License-Identifier: Apache-2.0 */
/* The first view: what is the cause, and where. */
import { Interval } from "./data";
import { bar, causeShown, h, legend, percent, plural, range, SLOT_TITLES, SLOTS, short, visible } from "./dom";
import { card, functionLink, undivided, work } from "./finding";
import { icicle } from "./icicle";
import { rootsOf } from "./nodes";
import { ruledPanel } from "./ruled";
import { systemPanel } from "./system";
import { Page, View } from "./view";

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
	return h("section", { class: "panel slots" }, h("h2", null, "What became of the slots"), icicle(rootsOf(page)) || bar(parts),
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
				h("small", null, row.cause ? visible(causeShown(row.cause)) : ""))),
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

const GOOD = 70; /* percent of useful work */

/* Returns the verdict: plumb explore's sentence, or else what the counts say. */
function verdictOf(page: Page): string {
	const { verdict, counts } = page.documents;
	if (verdict !== undefined) return visible(verdict);
	return counts && counts.diagnosis && counts.diagnosis.brief ? visible(counts.diagnosis.brief) : "";
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
		const said = verdictOf(page);
		const cards = findings ? findings.findings.map((finding, i) => card(finding, i + 1, page)) : [];
		cards.push(...undivided(page));
		const doing = findings && findings.work !== null && findings.work >= GOOD ? work(page) : null;
		if (doing) cards.push(doing);
		const warnings = [...(findings && findings.warnings ? findings.warnings : []), ...(notes || [])];
		return {
			element: h("div", { class: "overview" },
				said ? h("p", { class: "verdict" }, said) : null,
				slotsPanel(page),
				/* On wide screens, the findings have what goes with them at their side. */
				cards.length ? h("div", null, ...cards) : hottest(page),
				h("div", null, cards.length ? hottest(page) : null,
					ruledPanel(page),
					warnings.length ? h("section", { class: "panel notes" }, h("h2", null, "What limits these figures"), h("ul", null, ...warnings.map((note) => h("li", null, visible(note.replace(/^plumb: /, "").trim()))))) : null,
					systemPanel(page),
					page.model ? h("p", { class: "dim" }, `${plural(page.model.stacks.samples, "sample", short)}, ${plural(page.model.stacks.functions.length, "function", short)}, ${plural(page.model.parent.length, "call path", short)}.`) : null)),
		};
	},
};
