/* SPDX-License-Identifier: Apache-2.0 */
/* What was run, on which system, and with what: enough to do it again. */
import { About, Counts, Documents } from "./data";
import { duration, h, named, plural, short, visible, whole } from "./dom";
import { Page } from "./view";

type Fact = [string, string | null | undefined];

/* Returns a size of memory as people write it: 1024 KiB is 1 MiB. */
export function bytes(kib: number): string {
	for (const [size, unit] of [[1 << 30, "TiB"], [1 << 20, "GiB"], [1 << 10, "MiB"]] as [number, string][])
		if (kib >= size) return `${Number((kib / size).toPrecision(3))} ${unit}`;
	return `${whole(kib)} KiB`;
}

/* Which engine ran the model is said by itself. */
/* What a recording's description of a CPU says of the program that ran the model. */
const ENGINE = /(?:, (QEMU .*)| \((Plumb engine [^()]*)\))$/;

function engineOf(description: string): string | null {
	const found = ENGINE.exec(description);
	return found && (found[1] || found[2]);
}

export function cpuWithoutEngine(description: string): string {
	return description.replace(ENGINE, "");
}


/* Returns words as a shell would take them. */
function shellWords(words: string[] | undefined): string | null {
	if (!words || !words.length) return null;
	return words.slice(0, 200).map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : "'" + visible(word).replace(/'/g, "'\\''") + "'")).join(" ") + (words.length > 200 ? " …" : "");
}

/* Returns caches of one size and level in one text: "L1 data 64K, L2 unified 1M". */
function caches(about: About): string | null {
	const texts = (about.caches || []).map((cache) => `L${cache.level} ${visible(cache.type).toLowerCase()} ${visible(cache.size)}`);
	return texts.length ? [...new Set(texts)].join(", ") : null;
}

function cpus(about: About): string | null {
	const { cpus_online: online, cpus_available: available } = about;
	if (!online) return null;
	return `${plural(online, "CPU")} online` + (available && available !== online ? ` of ${whole(available)}` : "");
}

function model(counts: Counts | undefined): Fact[] {
	const of = counts && counts.model;
	if (!of) return [];
	const cost = [of.page_fault_cost ? `${whole(of.page_fault_cost)} cycles per page fault` : "", of.syscall_cost ? `${whole(of.syscall_cost)} cycles per system call` : ""].filter((text) => text);
	return [
		["Modelled core", [of.core_file || of.core || "", counts!.cpu.slots ? `${counts!.cpu.slots} slots per cycle` : ""].filter((text) => text).map(visible).join(", ")],
		["Modelled memory", [of.page_bytes ? `pages of ${bytes(of.page_bytes / 1024)}` : "", of.huge_pages ? "huge pages" : "", of.wrong_path_loads ? "loads on the wrong path" : "", ...cost].filter((text) => text).join(", ")],
	];
}

function facts(documents: Documents): { title: string; facts: Fact[] }[] {
	const { about, findings, counts } = documents;
	const modelled = about ? about.modelled : findings ? findings.source === "model" : false;
	const command = (findings && findings.command) || (counts && counts.command);
	const cpu = findings ? findings.cpu : counts ? counts.cpu : null;
	const seconds = findings ? findings.seconds : counts ? counts.elapsed_seconds : null;
	return [
		{ title: "Run", facts: [
			["Command", shellWords(command)],
			["Target", findings && findings.target],
			["Time", seconds ? duration(seconds * 1e9) + (modelled ? " of model time" : "") : null],
			["Runs", findings && findings.runs > 1 ? whole(findings.runs) : null],
			["Exit status", findings && (findings.exit_status || findings.interrupted) ? `${findings.exit_status}${findings.interrupted ? ", interrupted" : ""}` : null],
			["Samples", about ? short(about.samples) : null],
		] },
		{ title: modelled ? "Modelled system" : "System", facts: [
			["CPU", cpu && cpu.name ? visible(cpu.name) + (cpu.midr ? `, MIDR ${visible(cpu.midr)}` : "") : about && about.cpu ? visible(cpuWithoutEngine(about.cpu)) : null],
			["CPU identifier", about && !cpu ? about.cpuid : null],
			...model(counts),
			["Caches", about && caches(about)],
		] },
		{ title: modelled ? "Host that ran the model" : "Machine", facts: [
			["Host", about && about.host],
			["Kernel", about && about.system],
			/* In a modelled recording, these are the model's. */
			["Architecture", about && !modelled ? about.arch : null],
			["CPUs", about && !modelled ? cpus(about) : null],
			["Memory", about && about.memory_kb ? bytes(about.memory_kb) : null],
		] },
		{ title: "Versions", facts: [
			["Page made by", about ? "plumb " + about.plumb : null],
			["Recorded by", about && about.recorder],
			["Recorded with", about && shellWords(about.command)],
			["Engine", counts && counts.engine && counts.engine.version ? `QEMU ${visible(counts.engine.version)}` : about && about.cpu ? engineOf(about.cpu) : null],
		] },
	];
}

export function systemPanel(page: Page): HTMLElement | null {
	const groups = facts(page.documents).map((group) => ({ ...group, facts: group.facts.filter(([, value]) => value) })).filter((group) => group.facts.length);
	if (!groups.length) return null;
	return h("section", { class: "panel", id: "system" }, h("h2", null, "Run and system"),
		h("div", { class: "system" }, ...groups.map((group) => h("section", null, h("h4", null, group.title),
			h("dl", null, ...group.facts.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, named(value))]))))));
}

/* What two runs were on, one beside the other: a difference there may explain one of the figures. */
export function systemsPanel(before: Documents | undefined, after: Documents | undefined): HTMLElement | null {
	if (!before || !after || !before.about || !after.about) return null;
	const sides = [before, after].map((side) => new Map(facts(side).flatMap((group) => group.facts)));
	const names = [...new Set([...sides[0].keys(), ...sides[1].keys()])].filter((name) => sides.some((side) => side.get(name)));
	const cell = (value: string | null | undefined) => h("td", null, value ? named(value) : h("span", { class: "dim" }, "unknown"));
	const row = (name: string) => {
		const [one, other] = sides.map((side) => side.get(name));
		return h("tr", { class: one === other ? null : "differs" }, h("th", { scope: "row" }, name), cell(one), cell(other), h("td", null, one === other ? "" : "differs"));
	};
	return h("section", { class: "panel", id: "systems" }, h("h2", null, "Runs and systems"), h("div", { class: "scroll" }, h("table", { class: "plain" },
		h("thead", null, h("tr", null, ...["", "Before", "After", ""].map((title) => (title ? h("th", { scope: "col" }, title) : h("td", null))))),
		h("tbody", null, ...names.map(row)))));
}
