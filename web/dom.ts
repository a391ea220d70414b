/* SPDX-License-Identifier: Apache-2.0 */
/* Makes elements, and writes names and figures. Names come from outside: they only become text. */

type Child = Node | string | null | undefined | false;
type Props = { [name: string]: string | number | boolean | null | undefined | EventListener };

export function h<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	props: Props | null = null,
	...children: Child[]
): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	for (const name in props || {}) {
		const value = props![name];
		if (value === null || value === undefined || value === false) continue;
		if (typeof value === "function") element.addEventListener(name.slice(2), value);
		else element.setAttribute(name, value === true ? "" : String(value));
	}
	append(element, children);
	return element;
}

export function append(element: Element, children: Child[]): void {
	for (const child of children) if (child) element.append(child);
}

/* Sets style properties: the policy forbids style attributes, but not this. */
export function styled<E extends HTMLElement>(element: E, style: { [name: string]: string }): E {
	for (const name in style) element.style.setProperty(name, style[name]);
	return element;
}

const SVG = "http://www.w3.org/2000/svg";
export function svg(tag: string, props: { [name: string]: string | number }, ...children: Child[]): SVGElement {
	const element = document.createElementNS(SVG, tag);
	for (const name in props) element.setAttribute(name, String(props[name]));
	append(element, children);
	return element;
}

/* ---- Names ---------------------------------------------------------------------------------- */

const SHOWN = 400;
/* Control characters, and those that change the direction of text around them or are invisible. */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/* Returns the name of a data source: records of stores, for instance, have none. */
export function dataSource(name: string | null | undefined): string {
	return name ?? "(none given)";
}

/* Returns a name as it can be shown: with invisible characters named, and not endless. */
export function visible(name: string | null | undefined): string {
	if (name === null || name === undefined) return "(unknown)";
	const short = name.length > SHOWN ? name.slice(0, SHOWN) : name;
	const shown = short.replace(HIDDEN, (c) => "<U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + ">");
	return name.length > SHOWN ? `${shown}… (${whole(name.length)} characters)` : shown;
}

const LONG = 48;
const ENDLESS = 5000; /* nobody wrote such a name */
/* Returns where the arguments of a template that begin at `at` end, at their bracket; -1: nowhere. */
function endOfArguments(name: string, at: number): number {
	for (let depth = 0, round = 0; at < name.length; at++) {
		const c = name[at];
		if (c === "(") round++;
		else if (c === ")" && round) round--;
		else if (!round && c === "<") depth++;
		else if (!round && c === ">" && name[at - 1] !== "-" && !--depth) return at;
	}
	return -1;
}

/* Tells whether a bracket behind this begins the arguments of a template: "f", "operator()", "operator< ". */
function beginsArguments(before: string): boolean {
	return (/\w$/.test(before) && !/\boperator$/.test(before)) || /\boperator(\(\)|\[\]|[^\w\s]+ )$/.test(before);
}

/* Returns a function's name as visible() does; long ones without the arguments of templates. */
export function brief(name: string | null | undefined): string {
	if (!name || name.length <= LONG || name.length > ENDLESS) return visible(name);
	let shown = "", ends = true;
	for (let at = 0; at < name.length; at++) {
		const begins = ends && name[at] === "<" && beginsArguments(name.slice(Math.max(0, at - 16), at));
		const end = begins ? endOfArguments(name, at) : -1;
		/* Where one does not end, those behind it need not be looked for. */
		if (begins && end < 0) ends = false;
		shown += end < 0 ? name[at] : "<…>";
		if (end >= 0) at = end;
	}
	return visible(shown);
}

/* Writes such a name; the whole is its title. */
export function brieflyNamed(name: string | null | undefined, kind = "name"): HTMLElement {
	return h("span", { class: kind, title: visible(name), dir: "ltr" }, brief(name));
}

export function named(name: string | null | undefined, kind = "name"): HTMLElement {
	const shown = visible(name);
	return h("span", { class: kind, title: shown, dir: "ltr" }, shown);
}

/* Returns the last part of a path. */
export function base(path: string | null | undefined): string {
	return path ? path.slice(path.lastIndexOf("/") + 1) || path : "";
}

/* ---- Figures -------------------------------------------------------------------------------- */

const groups = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
export function whole(value: number): string {
	return groups.format(value);
}

/* Returns "1 row" or "2 rows". */
export function plural(count: number, noun: string, figure: (value: number) => string = whole): string {
	return `${figure(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/* Rounds like C's printf: a tie goes to the even neighbour. */
export function fixed(value: number, digits: number): string {
	const text = value.toFixed(digits);
	const scaled = Math.abs(value) * 10 ** digits;
	if (scaled % 1 !== 0.5 || !/^50*$/.test(value.toFixed(digits + 30).slice(-30))) return text;
	const floor = Math.floor(scaled);
	return ((Math.sign(value) * (floor % 2 ? floor + 1 : floor)) / 10 ** digits).toFixed(digits);
}

/* Returns a percentage with two decimals, as plumb report prints it. */
export function percent(value: number | null | undefined, digits = 2): string {
	return value === null || value === undefined || isNaN(value) ? "" : fixed(value, digits) + " %";
}

export function range(interval: [number, number] | null | undefined, digits = 2): string {
	return interval ? `${fixed(interval[0], digits)}–${fixed(interval[1], digits)} %` : "";
}

const PREFIXES: [number, string][] = [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"]];
/* Returns a number with at most four digits: "12.3 M". */
export function short(value: number): string {
	for (const [size, prefix] of PREFIXES)
		if (Math.abs(value) >= size) {
			const scaled = value / size;
			return scaled.toFixed(scaled < 10 ? 2 : scaled < 100 ? 1 : 0) + prefix;
		}
	return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

export function duration(ns: number): string {
	const size = Math.abs(ns);
	if (size >= 1e9) return (ns / 1e9).toFixed(3) + " s";
	if (size >= 1e6) return (ns / 1e6).toFixed(3) + " ms";
	if (size >= 1e3) return (ns / 1e3).toFixed(2) + " µs";
	return Math.round(ns) + " ns";
}

/* ---- Causes --------------------------------------------------------------------------------- */

export const SLOTS = ["retiring", "bad_speculation", "frontend_bound", "backend_bound"] as const;
export const SLOT_TITLES: { [name: string]: string } = {
	retiring: "Retiring",
	bad_speculation: "Bad speculation",
	frontend_bound: "Frontend bound",
	backend_bound: "Backend bound",
};

/* Returns which of the four a cause belongs to, by its name. */
export function slotsOf(cause: string | null | undefined): string {
	if (!cause) return "other";
	if (/^(op_)?retir/i.test(cause)) return "retiring";
	if (/bad_spec|flush/.test(cause)) return "bad_speculation";
	if (/^(slots_)?frontend/.test(cause)) return "frontend_bound";
	return /^(slots_)?backend/.test(cause) ? "backend_bound" : "other";
}

/* The tree's nodes of causes whose names differ, as in cli/render/cause_names.c. */
const NODES_OF_CAUSES = new Map([
	["frontend_flow", "frontend_core_flow"],
	["frontend_flush", "frontend_core_flush"],
	["frontend_tlb", "frontend_mem_tlb"],
	["frontend_l1i", "frontend_cache_l1i"],
	["frontend_mem", "frontend_cache_l2i"],
	["backend_l1d", "backend_cache_l1d"],
	["backend_mem", "backend_cache_l2d"],
	["backend_tlb", "backend_mem_tlb"],
	["backend_store", "backend_mem_store"],
]);

/* Returns what plumb report's text calls a cause. */
export function causeShown(cause: string): string {
	return NODES_OF_CAUSES.get(cause) || cause;
}

/* A bar of parts, each a share in percent of the whole. */
export function bar(parts: { kind: string; share: number; title?: string }[], label?: string): HTMLElement {
	const element = h("span", { class: "bar", role: "img", "aria-label": label || parts.map((p) => `${p.title || p.kind} ${percent(p.share, 1)}`).join(", ") });
	for (const part of parts)
		if (part.share > 0)
			element.append(styled(h("i", { class: "k-" + part.kind, title: part.title ? `${part.title}: ${percent(part.share, 1)}` : null }), { width: Math.min(100, part.share) + "%" }));
	return element;
}

export function legend(kinds: readonly string[], titles: { [name: string]: string }): HTMLElement {
	return h("p", { class: "legend" }, ...kinds.map((kind) => h("span", null, h("i", { class: "k-" + kind }), titles[kind] || kind)));
}
