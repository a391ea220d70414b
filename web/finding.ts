/* SPDX-License-Identifier: Apache-2.0 */
/* A finding: what is lost, where, when, what that means, and what shows more. */
import { Finding, Place, Places } from "./data";
import { bar, base, brief, brieflyNamed, duration, h, named, percent, plural, range, slotsOf, visible } from "./dom";
import { set } from "./state";
import { Page } from "./view";
import { when } from "./when";

function hasSource(page: Page, name: string | null | undefined): boolean {
	return !!name && !!page.documents.annotations && page.documents.annotations.functions.some((f) => f.symbol === name);
}

export function functionLink(page: Page, name: string | null | undefined): HTMLElement {
	return hasSource(page, name) ? h("button", { class: "link", type: "button", onclick: () => set({ view: "source", fn: name! }) }, brieflyNamed(name)) : brieflyNamed(name);
}

function places(title: string, of: Places | null | undefined, kind: string, text: (place: Place) => Node): HTMLElement | null {
	if (!of) return null;
	/* Less than that explains nothing: most of it is in code without lines, or in many places. */
	const shown = of.places.filter((place, i) => i < 6 && place.share >= 0.5);
	if (!shown.length) return null;
	return h("section", { class: text === lineOf ? "places lines" : "places" },
		h("h4", null, title, h("small", null, ` of the ${visible(of.basis || "samples")}` + (of.exact ? ", exactly" : of.samples ? `, in ${plural(of.samples, "sample")}` : ""))),
		...shown.map((place) => h("div", { class: "place" },
			bar([{ kind, share: place.share }], percent(place.share)),
			h("b", { class: "num" }, percent(place.share, 1)),
			h("span", { class: "where" }, text(place)),
			h("small", null, place.interval ? range(place.interval, 1) : ""))));
}

function lineOf(place: Place): HTMLElement {
	const text = (place.text || "").trim();
	return h("span", { title: text ? visible(text) : null }, h("code", null, `${base(visible(place.file))}:${place.line}`), place.name ? h("span", { class: "dim" }, " in ", brieflyNamed(place.name)) : null, ...(text ? [" ", h("code", { class: "text" }, visible(text))] : []));
}

/* Where the useful work is done, of which only less helps. */
export function work(page: Page): HTMLElement | null {
	const { findings } = page.documents;
	const at = findings && findings.work_at;
	if (!at) return null;
	return h("article", { class: "finding edge-retiring", id: "work" },
		h("header", null, h("h3", null, "The slots are well used: to run faster, do less work. Most of it is here")),
		h("div", { class: "columns" },
			places("Functions", at.functions, "retiring", (p) => functionLink(page, p.name)),
			places("Lines", at.lines, "retiring", lineOf),
			places("Called from", at.callers, "retiring", lineOf)),
		h("p", null, h("strong", null, "Helps "), "A better algorithm, results kept instead of computed again, and vector instructions, which do more per operation."));
}

/* What is lost besides the findings: the tree does not tell to what. */
export function undivided(page: Page): HTMLElement[] {
	const { findings } = page.documents;
	return ((findings && findings.undivided) || []).map(({ node, slots, finding }) => {
		const all = finding ? slots + (findings!.findings[finding - 1].slots || 0) : 0;
		return h("p", { class: "undivided" }, h("strong", null, percent(slots, 0), ` more of the ${visible(findings!.whole || "slots")}: `), h("code", null, visible(node)),
			", in cycles that were partly used, which the tree does not divide among causes.",
			finding ? ` If finding ${finding} is behind them, too, up to ${percent(all, 0)} could be won.` : null);
	});
}

/* Buttons for the views that show more of it. */
function views(page: Page, finding: Finding): HTMLElement | null {
	const shown: [string, () => void][] = [];
	const name = finding.functions && finding.functions.places.length ? finding.functions.places[0].name : undefined;
	if (hasSource(page, name)) shown.push([`Source of ${brief(name)}`, () => set({ view: "source", fn: name! })]);
	if (finding.cause === "sharing" && page.documents.sharing) shown.push(["Shared cache lines", () => set({ view: "memory", part: "lines" })]);
	if (page.documents.counts) shown.push(["Tree", () => set({ view: "tree" })]);
	return shown.length ? h("p", { class: "see" }, h("strong", null, "See "), ...shown.flatMap(([text, show], i) => [i ? " · " : "", h("button", { type: "button", class: "link", onclick: show }, text)])) : null;
}

export function card(finding: Finding, number: number, page: Page): HTMLElement {
	const { findings, commands } = page.documents;
	const tie = number === 1 && findings ? findings.tie : null;
	const cause = finding.cause || finding.node || "";
	const kind = slotsOf(finding.node || cause);
	const { data } = finding;
	const whole = findings ? findings.seconds : 0;
	const command = commands ? commands[number - 1] : null;
	return h("article", { class: "finding edge-" + kind },
		h("header", null,
			h("span", { class: "rank" }, String(number)),
			h("h3", null, h("span", { class: "share" }, percent(finding.slots, 0)), ` of the ${visible((findings && findings.whole) || "slots")}: `, visible(finding.brief || cause)),
			h("code", null, visible(finding.node || cause)),
			finding.seconds && whole ? h("small", { class: "took" }, `${duration(finding.seconds * 1e9)} of ${duration(whole * 1e9)}`) : null),
		h("div", { class: "columns" },
			places("Functions", finding.functions, kind, (p) => functionLink(page, p.name)),
			places("Lines", finding.lines, kind, lineOf),
			places("Called from", finding.callers, kind, lineOf),
			data && data.places ? places("Data", data, kind, (p) => named(p.name)) : null,
			places("Waits for", finding.waits, kind, (p) => h("span", null, visible(p.name)))),
		when(page, finding),
		finding.means ? h("p", null, h("strong", null, "Means "), visible(finding.means)) : null,
		finding.helps ? h("p", null, h("strong", null, "Helps "), visible(finding.helps)) : null,
		tie ? h("p", null, h("strong", null, "Tie "), visible(tie)) : null,
		views(page, finding),
		command ? h("p", { class: "more" }, h("strong", null, "Next "), h("code", { class: "run", title: "Select it to copy it" }, visible(command))) : null);
}
