/* SPDX-License-Identifier: Apache-2.0 */
/* A function's source and instructions, with exact slots or samples. */
import { Annotated, Annotations, Instruction, Line } from "./data";
import { bar, base, causeShown, h, named, percent, plural, range, short, SLOT_TITLES, SLOTS, slotsOf, visible } from "./dom";
import { highlighted } from "./highlight";
import { hasRange, isPart, set, state } from "./state";
import { Page, View } from "./view";

function facts(instruction: Instruction): string {
	const said: string[] = [];
	if (instruction.executions) said.push(`${short(instruction.executions)}×`);
	if (instruction.samples) said.push(plural(instruction.samples, "sample"));
	if (instruction.latency !== null) said.push(`${instruction.latency.toFixed(1)} cycles`);
	if (instruction.l1d_accesses && instruction.l1d_misses) said.push(`${percent((100 * instruction.l1d_misses) / instruction.l1d_accesses, 0)} L1D misses`);
	if (instruction.branches && instruction.mispredictions) said.push(`${percent((100 * instruction.mispredictions) / instruction.branches, 1)} mispredicted`);
	return said.join(", ");
}

/* Adds up the causes of instructions, in percent of `whole`. */
function causes(instructions: Instruction[], all: number): { kind: string; share: number; title: string }[] {
	const sums: { [kind: string]: number } = {};
	for (const instruction of instructions) {
		if (!instruction.causes.length) sums.plain = (sums.plain || 0) + instruction.weight;
		for (const cause of instruction.causes) {
			const kind = slotsOf(cause.name);
			sums[kind] = (sums[kind] || 0) + (instruction.weight * cause.share) / 100;
		}
	}
	return [...SLOTS, "other", "plain"].filter((kind) => sums[kind]).map((kind) => ({ kind, title: SLOT_TITLES[kind] || "share", share: all ? (100 * sums[kind]) / all : 0 }));
}

function largest(instruction: Instruction): string {
	const cause = [...instruction.causes].sort((a, b) => b.share - a.share)[0];
	return cause && instruction.share >= 0.5 ? `${causeShown(cause.name)} ${percent(cause.share, 0)}` : "";
}

function code(instruction: Instruction, of: Annotated): HTMLElement {
	const words = (instruction.text || instruction.word || "").replace(/\t/g, " ").split(" ");
	return h("div", { class: instruction.share >= 5 ? "asm hot" : "asm", role: "row" },
		h("span", { class: "num", role: "cell" }, instruction.weight ? percent(instruction.share) : ""),
		h("span", { role: "cell" }, bar(causes([instruction], of.weight))),
		h("code", { class: "address", role: "cell" }, instruction.address),
		h("code", { class: "text", role: "cell" }, h("b", null, visible(words[0])), " " + visible(words.slice(1).join(" "))),
		h("span", { class: "dim", role: "cell" }, [facts(instruction), largest(instruction)].filter((t) => t).join(" · ")));
}

/* Names the element of a line, for buttons that lead there. */
function placeOf(path: string | null, number: number): string {
	return `line ${number} ${path || ""}`;
}

const HOTTEST = 5;
/* Buttons that lead to the lines with most. */
function hottest(of: Annotated): HTMLElement | null {
	const shares = new Map<string, { line: Line; share: number }>();
	for (const line of of.lines) {
		const key = placeOf(line.file, line.line || 0);
		const sum = shares.get(key) || { line, share: 0 };
		sum.share += line.share;
		shares.set(key, sum);
	}
	const most = [...shares].filter(([, sum]) => sum.line.file && sum.share >= 5).sort((a, b) => b[1].share - a[1].share).slice(0, HOTTEST);
	const lead = (key: string) => {
		const element = document.querySelector(`.sourceview [data-line="${CSS.escape(key)}"]`);
		if (!element) return;
		if (element instanceof HTMLDetailsElement) element.open = true;
		element.scrollIntoView({ block: "center" });
		element.querySelector("summary")?.focus({ preventScroll: true });
	};
	return shares.size > 8 && most.length ? h("p", { class: "hottest" }, h("strong", null, "Hottest "), ...most.flatMap(([key, { line, share }], i) => [i ? " · " : "", h("button", { type: "button", class: "link", onclick: () => lead(key) }, `${base(visible(line.file))}:${line.line}`), ` ${percent(share, 1)}`])) : null;
}

export function bySource(page: Page, of: Annotated): Node[] {
	const made: Node[] = [];
	const shares = new Map<string | null, number>();
	for (const line of of.lines) shares.set(line.file, (shares.get(line.file) || 0) + line.share);
	/* The file with the most comes first: what is inlined from headers often has little. */
	for (const [path, whole] of [...shares].sort((a, b) => b[1] - a[1])) {
		const own = new Map<number, Line[]>();
		for (const line of of.lines.filter((l) => l.file === path)) {
			const number = line.line || 0;
			own.set(number, [...(own.get(number) || []), line]);
		}
		const found = (page.documents.source || []).find((s) => s.path === path);
		/* Lines that only have a number say nothing. */
		const source = found?.text.lines.length ? found : undefined;
		const numbers = [...own.keys()].sort((a, b) => a - b);
		made.push(h("h3", null, path ? h("code", { title: visible(path) }, visible(path)) : "Without a line", shares.size > 1 ? h("small", null, ` ${percent(whole, 1)}`) : null));
		if (path && !source) made.push(h("p", { class: "dim" }, "The source could not be read; lines are shown by their numbers."));
		let last = 0;
		for (const number of numbers) {
			/* Two lines of the neighbourhood are enough to know where it is. */
			const from = Math.max(last + 1, number - (number - last > 6 ? 2 : 6));
			if (source && last && from > last + 1) made.push(h("div", { class: "gap", "aria-hidden": "true" }, "⋯"));
			for (let n = from; source && n < number; n++) made.push(lineOf(n, source.text.lines[n - source.text.first], null, of, path));
			made.push(lineOf(number, source ? source.text.lines[number - source.text.first] : undefined, own.get(number)!, of, path));
			last = number;
		}
	}
	return made;
}

function lineOf(number: number, text: string | undefined, lines: Line[] | null, of: Annotated, path: string | null): HTMLElement {
	const instructions = lines ? lines.flatMap((line) => line.instructions) : [];
	instructions.sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
	const share = lines ? lines.reduce((sum, line) => sum + line.share, 0) : 0;
	const row = [
		h("span", { class: "num" }, lines && share >= 0.005 ? percent(share) : ""),
		bar(causes(instructions, of.weight), lines ? percent(share) : "no samples"),
		h("span", { class: "number" }, number ? String(number) : ""),
		h("code", { class: "text" }, ...(text === undefined ? [lines && path ? visible(lines[0].function) : lines ? plural(instructions.length, "instruction") : ""] : highlighted(text.replace(/\t/g, "    "), path))),
		h("small", null, lines && lines.length === 1 ? range(lines[0].interval, 1) : ""),
	];
	if (!instructions.length) return h("div", { class: "line", "data-line": lines ? placeOf(path, number) : null }, h("div", { class: "summary" }, ...row));
	return h("details", { class: share >= 5 ? "line hot" : "line", "data-line": placeOf(path, number), open: share >= 20 && instructions.length <= (path ? 60 : 600) }, h("summary", null, ...row),
		h("div", { role: "table", "aria-label": "Instructions" }, ...instructions.map((instruction) => code(instruction, of))));
}

export function byAddress(of: Annotated): Node[] {
	const all = of.lines.flatMap((line) => line.instructions.map((instruction) => ({ instruction, line })));
	all.sort((a, b) => (BigInt(a.instruction.address) < BigInt(b.instruction.address) ? -1 : 1));
	const heads = new Map(of.loops.map((loop) => [loop.header, loop]));
	const made: Node[] = [];
	let last = "";
	for (const { instruction, line } of all) {
		const where = line.file ? `${base(line.file)}:${line.line}` : "";
		const loop = heads.get(instruction.address);
		if (loop) made.push(h("div", { class: "loop" }, `Loop, depth ${loop.depth}` + (loop.iterations !== null ? `: ${plural(loop.iterations, "iteration")}` + (loop.entries !== null ? `, entered ${plural(loop.entries, "time")}` : "") : "")));
		if (where !== last) made.push(h("div", { class: "at" }, h("code", null, visible(where))));
		last = where;
		made.push(code(instruction, of));
	}
	return made;
}

export function about(annotations: Annotations, windows: number | undefined): string {
	const basis: { [name: string]: string } = { slots: `Slots of each instruction, ${windows ? `estimated from ${plural(windows, "window")}` : "counted exactly"}`, estimated_slots: "Slots of each instruction, estimated from SPE records", latency: "Latencies of SPE records", event: "Samples", range: hasRange() ? "Samples of each instruction, in the chosen range" : "Samples of each instruction, in the chosen thread" };
	return (basis[annotations.basis || ""] || "Samples") + (annotations.event ? ` of ${visible(annotations.event)}` : "") + (annotations.disassembler ? `; disassembled by ${annotations.disassembler}` : "") + ".";
}

export const source: View = {
	key: "source",
	title: "Source",
	chooses: true,
	choosesValue: false,
	searches: false,
	/* Without times there are no samples of a range. */
	wholeOnly: (page) => !page.model || !page.model.details,
	has: (page) => !!page.documents.annotations,
	make: (page) => {
		const details = isPart() && page.model ? page.model.details : null;
		const annotations = details ? details.annotations(page.documents.annotations!) : page.documents.annotations!;
		const of = annotations.functions.find((f) => f.symbol === state.fn) || annotations.functions[0];
		const other = state.fn && of.symbol !== state.fn;
		const choose = h("select", { id: "function", onchange: (e: Event) => set({ fn: (e.target as HTMLSelectElement).value }) },
			...annotations.functions.map((f) => h("option", { value: f.symbol, selected: f === of }, `${percent(f.share, 1)}  ${visible(f.symbol)}`)));
		const order = (key: string, title: string) => h("button", { type: "button", "aria-pressed": String(state.code === key), onclick: () => set({ code: key }) }, title);
		return {
			element: h("div", { class: "sourceview" },
				h("div", { class: "tools" }, h("label", { for: "function" }, "Function"), choose, h("span", { class: "group", role: "group", "aria-label": "Order" }, order("source", "By line"), order("address", "By address"))),
				other ? h("p", { class: "warn" }, named(state.fn), " has too small a share to be in this page; plumb annotate shows it.") : null,
				h("h2", null, named(of.symbol), h("small", null, ` ${percent(of.share)} of everything, in `, h("code", null, visible(base(of.file))))),
				h("p", { class: "dim" }, about(annotations, page.documents.stacks?.windows)),
				state.code === "address" ? null : hottest(of),
				h("div", { class: state.code !== "address" && of.lines.some((line) => line.interval) ? "code intervals" : "code" }, ...(state.code === "address" ? byAddress(of) : bySource(page, of)))),
		};
	},
};
