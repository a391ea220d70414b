/* SPDX-License-Identifier: Apache-2.0 */
/* The page's frame: what was measured, the views, and the choices that all of them share. */
import { both } from "./both";
import { callers } from "./callers";
import { compare } from "./compare";
import { Documents, unpack } from "./data";
import { difference } from "./difference";
import { append, duration, h, named, plural, short, visible } from "./dom";
import { flame } from "./flame";
import { functions } from "./functions";
import { memory } from "./memory";
import { overview } from "./overview";
import { addTableButtons, saveButtons } from "./save";
import { source } from "./source";
import { Model } from "./stacks";
import { follow, hasRange, isPart, onChange, set, State, state } from "./state";
import { cpuWithoutEngine } from "./system";
import { timeline } from "./timeline";
import { tree } from "./tree";
import { Page, Shown, View } from "./view";

const VIEWS: View[] = [compare, difference, both, overview, tree, functions, source, flame, callers, memory, timeline];

/* ---- What was measured ------------------------------------------------------------------------ */

function isModelled({ about, findings }: Documents): boolean {
	return about ? about.modelled : findings ? findings.source === "model" : false;
}

/* Returns what was measured, and by what. */
function measured(documents: Documents): string[] {
	const { about, findings, counts } = documents;
	const said: string[] = [];
	const cpu = findings ? findings.cpu.name : counts ? counts.cpu.name : about && about.cpu;
	/* Which engine ran the model is of no use to a reader. */
	if (cpu) said.push(visible(cpuWithoutEngine(cpu)));
	/* The end of a recording says what made it. */
	if (isModelled(documents)) said.push("by the model, not a measurement");
	else if (findings || !about || !about.incomplete) said.push("measured by perf");
	return said;
}

/* Returns what the sides of a comparison are; nothing if it is not known of all of them. */
function compared({ sides, diff }: Documents): string[] {
	if (!sides || sides.length !== diff!.comparisons.length + 1 || sides.some((side) => !side.about)) return [];
	const each = sides.map((side) => measured(side).join(" · "));
	return each.every((text) => text === each[0]) ? [each[0]] : each.map((text, i) => `${i ? "after" : "before"}: ${text}`);
}

function facts(documents: Documents): Node {
	const { about, findings, diff } = documents;
	const modelled = isModelled(documents);
	const said = diff ? [...compared(documents), "compared by plumb diff"] : measured(documents);
	if (findings) said.push(`${duration(findings.seconds * 1e9)}${modelled ? " of model time" : ""}`);
	if (about) said.push(plural(about.samples, "sample", short));
	if (about && about.host) said.push("on host " + visible(about.host));
	/* A recording that was not kept has no name. */
	if (about && !about.recording.startsWith("/proc/self/fd/")) said.push("recording " + visible(about.recording));
	if (about && about.incomplete) said.push("its end is missing");
	return h("p", { class: "facts" }, ...said.flatMap((text, i) => [i ? " · " : "", h("span", null, text)]));
}

function title(documents: Documents): string {
	const { diff } = documents;
	if (diff && diff.comparisons.length) return `${diff.comparisons[0].before} and ${diff.comparisons.length === 1 ? diff.comparisons[0].after : `${diff.comparisons.length} others`}`;
	const command = documents.findings ? documents.findings.command : documents.about ? documents.about.command : [];
	if (documents.findings && documents.findings.target) return documents.findings.target;
	return command.length ? command.join(" ") : documents.about ? documents.about.recording : "plumb";
}

function header(documents: Documents, view: () => string): HTMLElement {
	const losses = (documents.notes || []).length;
	const theme = h("button", { type: "button", class: "theme", title: "Change between dark and light", "aria-label": "Dark or light", onclick: () => {
		const dark = state.theme ? state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
		set({ theme: dark ? "light" : "dark" });
	} }, h("span", { "aria-hidden": "true" }, "◐"), h("span", { class: "word" }, " Dark or light"));
	const actions = h("div", { class: "actions" }, saveButtons(() => `${view()} ${title(documents)}`), theme);
	return h("header", { class: "top" }, h("div", null, h("h1", null, named(title(documents), "command")), facts(documents), losses ? h("p", { class: "losses" }, h("button", { class: "link", type: "button", onclick: () => set({ view: "overview" }) }, losses === 1 ? "1 note limits these figures" : `${losses} notes limit these figures`)) : null), actions);
}

/* ---- Choices ---------------------------------------------------------------------------------- */

/* Says what is chosen: "the chosen range and thread do". */
function chosenWords(): string {
	const words = [hasRange() ? "range" : "", state.thread >= 0 ? "thread" : "", state.cpu >= 0 ? "CPU" : ""].filter((word) => word);
	return `the chosen ${words.join(", ").replace(/, (\w+)$/, " and $1")} ${words.length > 1 ? "do" : "does"}`;
}

function choices(page: Page, view: View): HTMLElement {
	const made = h("div", { class: "choices" });
	const { model } = page;
	if (typeof view.searches === "function" ? view.searches(page) : view.searches) append(made, [h("input", { type: "search", id: "search", placeholder: "Search  /", "aria-label": "Search", value: state.search, oninput: (e: Event) => set({ search: (e.target as HTMLInputElement).value }) })]);
	if ((typeof view.wholeOnly === "function" ? view.wholeOnly(page) : view.wholeOnly) && model && isPart())
		append(made, [h("p", { class: "dim", id: "unranged" }, `These figures are of the whole recording: ${chosenWords()} not apply to this view.`)]);
	if (!model || !view.chooses) return made;
	if (model.choices.length > 1 && view.choosesValue !== false) {
		const chosen = model.choice();
		const groups = [...new Set(model.choices.map((choice) => choice.group))];
		append(made, [h("label", null, "Value ", h("select", { id: "metric", onchange: (e: Event) => set({ metric: (e.target as HTMLSelectElement).value, sort: "" }) },
			...groups.map((group) => h("optgroup", { label: group }, ...model.choices.filter((c) => c.group === group).map((c) => h("option", { value: c.key, selected: c === chosen }, visible(c.title)))))))]);
	}
	if (model.stacks.threads.length > 1)
		append(made, [h("label", null, "Thread ", h("select", { id: "thread", onchange: (e: Event) => set({ thread: Number((e.target as HTMLSelectElement).value) }) },
			h("option", { value: -1 }, "all"), ...model.stacks.threads.slice(0, 2000).map((thread, i) => h("option", { value: i, selected: state.thread === i }, `${visible(thread.comm)} ${thread.tid ?? ""}`))))]);
	if (state.cpu >= 0) append(made, [h("span", { class: "chip" }, `CPU ${state.cpu} `, h("button", { type: "button", "aria-label": "Show all CPUs", onclick: () => set({ cpu: -1 }) }, "×"))]);
	if (hasRange()) append(made, [h("span", { class: "chip" }, `${duration(state.from)} to ${duration(state.to)} `, h("button", { type: "button", "aria-label": "Clear the range", onclick: () => set({ from: NaN, to: NaN }) }, "×"))]);
	if (hasRange() && view.choosesValue !== false && model.choice().exact)
		append(made, [h("p", { class: "warn", id: "timeless" }, `${visible(model.choice().title)} ${model.stacks.windows ? "is of the whole run" : "was counted exactly"} and has no times: choose another value, or clear the range.`)]);
	else if (view.choosesValue !== false && model.choice().exact && model.stacks.windows)
		append(made, [h("p", { class: "dim", id: "windows" }, `The model executed ${model.stacks.windows.toLocaleString("en")} windows of the run in detail. Counts are estimated from these; plumb report gives their intervals.`)]);
	return made;
}

/* ---- Focus ------------------------------------------------------------------------------------ */

/* Returns what finds the focused element again after the page is drawn anew, or null. */
function focusMark(): (() => HTMLElement | null) | null {
	const old = document.activeElement as HTMLElement | null;
	if (!old || old === document.body || !document.getElementById("app")!.contains(old)) return null;
	if (old.id) return () => document.getElementById(old.id);
	const same = (e: HTMLElement) => {
		for (const name of ["data-view", "data-key", "aria-label"]) {
			const value = old.getAttribute(name);
			if (value !== null) return e.getAttribute(name) === value;
		}
		return e.textContent === old.textContent && (old.tagName === "BUTTON" || e.className === old.className);
	};
	const area = ["nav", "#tools", "main"].find((name) => old.closest(name)) || "#app";
	return () => [...document.querySelectorAll<HTMLElement>(`${area} ${old.tagName.toLowerCase()}`)].find((e) => same(e) && (e.tabIndex >= 0 || e.hasAttribute("tabindex")))
		|| [...document.querySelectorAll<HTMLElement>(`${area} [tabindex]`)].find((e) => old.className && e.className === old.className) || null;
}

/* ---- The frame -------------------------------------------------------------------------------- */

const KEYS: [string, string][] = [
	["1 to 9", "open a view"], ["/", "search"], ["Esc", "leave the search, zoom out, or clear the range"], ["↑ ↓ ← →", "move in tables, the flame graph and the timeline"],
	["+ − A D 0", "zoom, move, and show all of the timeline; a wheel does so with Ctrl, and with Shift"],
	["Enter", "open a row, or zoom"], ["F", "merge all calls of a function in the flame graph"], ["?", "show these keys"],
];

function start(documents: Documents): void {
	const page: Page = { documents, model: documents.stacks ? new Model(documents) : null };
	const views = VIEWS.filter((view) => view.has(page));
	const main = h("main", { id: "view", tabindex: -1 });
	const tools = h("div", { id: "tools" });
	const nav = h("nav", { "aria-label": "Views" });
	const help = h("dialog", { id: "help" }, h("h2", null, "Keys"), h("dl", null, ...KEYS.flatMap(([key, does]) => [h("dt", null, h("kbd", null, key)), h("dd", null, does)])), h("form", { method: "dialog" }, h("button", null, "Close")));
	let shown: Shown | null = null;
	let view: View = views[0];

	function draw(): void {
		view = views.find((v) => v.key === state.view) || views[0];
		document.documentElement.dataset.theme = state.theme;
		document.title = `${view.title}: ${visible(title(documents)).slice(0, 80)} - plumb`;
		nav.replaceChildren(...views.map((v, i) => h("button", { type: "button", "data-view": v.key, "aria-current": v === view ? "page" : null, onclick: () => set({ view: v.key, search: "", sort: "" }) }, h("kbd", { "aria-hidden": "true" }, String(i + 1)), v.title)));
		tools.replaceChildren(choices(page, view));
		shown = view.make(page);
		main.className = "v-" + view.key;
		main.setAttribute("aria-label", view.title);
		main.replaceChildren(shown.element);
		addTableButtons(main);
		showTab();
	}

	/* Scrolls the current tab into a narrow window. */
	function showTab(): void {
		const tab = nav.querySelector<HTMLElement>("[aria-current]");
		if (!tab) return;
		if (tab.offsetLeft < nav.scrollLeft) nav.scrollLeft = tab.offsetLeft;
		else if (tab.offsetLeft + tab.offsetWidth > nav.scrollLeft + nav.clientWidth) nav.scrollLeft = tab.offsetLeft + tab.offsetWidth - nav.clientWidth;
	}

	onChange((changed: Set<keyof State>) => {
		if (shown && shown.update && !changed.has("view") && shown.update(changed)) return;
		const searching = document.activeElement && document.activeElement.id === "search";
		const again = focusMark();
		draw();
		if (searching) {
			const input = document.getElementById("search") as HTMLInputElement | null;
			if (input) {
				input.focus();
				input.setSelectionRange(input.value.length, input.value.length);
			}
			else main.focus({ preventScroll: true });
		} else if (again && !document.activeElement?.closest("header, footer")) (again() || main).focus({ preventScroll: true });
	});

	document.addEventListener("keydown", (event) => {
		const target = event.target as HTMLElement;
		const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
		if (event.ctrlKey || event.altKey || event.metaKey || help.open) return;
		if (event.key === "Escape" && typing) {
			target.blur();
			if (state.search) set({ search: "" });
			main.focus();
		}
		if (typing) return;
		const number = "123456789".indexOf(event.key);
		if (event.key.length === 1 && number >= 0 && number < views.length) {
			set({ view: views[number].key, search: "", sort: "" });
			/* The browser would scroll the top of the view below the tabs. */
			main.focus({ preventScroll: true });
			window.scrollTo(0, 0);
		} else if (event.key === "/") {
			const input = document.getElementById("search");
			if (input) {
				event.preventDefault();
				input.focus();
			}
		} else if (event.key === "?") {
			if (!help.open) help.showModal();
		}
	});

	document.getElementById("app")!.replaceChildren(
		h("a", { class: "skip", href: "#view", onclick: (e: Event) => { e.preventDefault(); main.focus(); } }, "Skip to the view"),
		header(documents, () => view.title), nav, tools, main,
		h("footer", null, `plumb ${(documents.about || documents.diff || { plumb: "" }).plumb}. `, h("button", { class: "link", type: "button", onclick: () => help.showModal() }, "Keys"), " ", h("span", { id: "said", role: "status" })), help);
	draw();
	document.documentElement.dataset.ready = "yes";
}

async function begin(): Promise<void> {
	follow();
	try {
		start(await unpack(document.getElementById("data")!.textContent!.trim()));
	} catch (error) {
		document.getElementById("app")!.replaceChildren(h("p", { class: "warn" }, "This page cannot be shown: " + (error instanceof Error ? error.message : String(error))));
		throw error;
	}
}

void begin();
