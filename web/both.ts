/* SPDX-License-Identifier: Apache-2.0 */
/* The source of a function on both sides of a comparison. */
import { commonNames } from "./compare";
import { Annotated, Documents } from "./data";
import { sidesOf } from "./difference";
import { h, named, percent, visible } from "./dom";
import { about, byAddress, bySource } from "./source";
import { set, state } from "./state";
import { Page, View } from "./view";

function functionsOf(documents: Documents): Annotated[] {
	return documents.annotations ? documents.annotations.functions : [];
}

function column(title: string, documents: Documents, of: Annotated | undefined): HTMLElement {
	if (!of) return h("section", { "aria-label": title }, h("h3", null, title), h("p", { class: "dim" }, "It is not there, or has too small a share to be in this page."));
	const page: Page = { documents, model: null };
	return h("section", { "aria-label": title },
		h("h3", null, title, ": ", named(of.symbol), h("small", null, ` ${percent(of.share)} of everything`)),
		h("p", { class: "dim" }, about(documents.annotations!, documents.stacks?.windows)),
		h("div", { class: "code" }, ...(state.code === "address" ? byAddress(of) : bySource(page, of))));
}

export const both: View = {
	key: "both",
	title: "Source",
	chooses: false,
	searches: false,
	has: (page) => {
		const sides = sidesOf(page);
		return !!sides && sides.some((side) => functionsOf(side).length > 0);
	},
	make: (page) => {
		const [before, after] = sidesOf(page)!;
		const names = [...new Set([...functionsOf(after), ...functionsOf(before)].map((f) => f.symbol))];
		const common = commonNames(page);
		const called = (side: 0 | 1, name: string) => common[side].get(name) ?? name;
		/* A name of before stands for what it is called now. */
		const now = new Set(functionsOf(after).map((f) => called(1, f.symbol)));
		const shown = names.filter((name) => functionsOf(after).some((f) => f.symbol === name) || !now.has(called(0, name)));
		const name = shown.includes(state.fn) ? state.fn : shown[0];
		const choose = h("select", { id: "function", onchange: (e: Event) => set({ fn: (e.target as HTMLSelectElement).value }) }, ...shown.map((n) => h("option", { value: n, selected: n === name }, visible(n))));
		const order = (key: string, title: string) => h("button", { type: "button", "aria-pressed": String(state.code === key), onclick: () => set({ code: key }) }, title);
		return {
			element: h("div", { class: "sourceview" },
				h("div", { class: "tools" }, h("label", { for: "function" }, "Function"), choose, h("span", { class: "group", role: "group", "aria-label": "Order" }, order("source", "By line"), order("address", "By address"))),
				state.fn && state.fn !== name ? h("p", { class: "warn" }, named(state.fn), " has too small a share on both sides to be in this page.") : null,
				h("div", { class: "both" },
					column("Before", before, functionsOf(before).find((f) => called(0, f.symbol) === called(1, name)) || functionsOf(before).find((f) => f.symbol === name)),
					column("After", after, functionsOf(after).find((f) => f.symbol === name)))),
		};
	},
};
