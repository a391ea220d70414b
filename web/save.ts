/* SPDX-License-Identifier: Apache-2.0 */
/* Saves what is shown as a file, and tables as text for spreadsheets. */
import { asPng, asSvg } from "./draw";
import { h, plural, visible } from "./dom";
import { picture } from "./picture";

const LONGEST = 60; /* characters of a file's name */

/* Returns a name that every file system takes. */
function fileName(title: string, ending: string): string {
	const plain = title.replace(/[^A-Za-z0-9._]+/g, "-").replace(/[-.]*-[-.]*/g, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, LONGEST);
	return `plumb-${plain || "page"}.${ending}`;
}

function download(blob: Blob, name: string): void {
	const address = URL.createObjectURL(blob);
	h("a", { href: address, download: name }).click();
	/* The browser takes it in its own time. */
	setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/* Says something to everyone, also to those who do not look. */
function say(text: string): void {
	const status = document.getElementById("said");
	if (status) status.textContent = text;
}

/* Buttons that save the view with what was measured above it. */
export function saveButtons(title: () => string): HTMLElement {
	const save = (ending: "svg" | "png") => async () => {
		const main = document.getElementById("view")!;
		/* All of a graph, not only what has room. */
		main.classList.add("taken");
		const taken = picture([document.querySelector(".top h1")!, document.querySelector(".top .facts")!, main]);
		main.classList.remove("taken");
		try {
			download(ending === "svg" ? asSvg(taken, title()) : await asPng(taken), fileName(title(), ending));
			say(`Saved as ${ending.toUpperCase()}.`);
		} catch (error) {
			say(`Not saved: ${error instanceof Error ? error.message : error}`);
		}
	};
	return h("span", { class: "group save", role: "group", "aria-label": "Save this view" },
		h("button", { type: "button", "aria-label": "Save this view as SVG", title: "Save this view as SVG", onclick: save("svg") }, "SVG"),
		h("button", { type: "button", "aria-label": "Save this view as PNG", title: "Save this view as PNG", onclick: save("png") }, "PNG"));
}

/* ---- Tables ----------------------------------------------------------------------------------- */

export type Cell = string | number | null;

/* Returns a cell as text. A spreadsheet would take a name that begins so for a formula. */
function cellText(cell: Cell): string {
	if (cell === null || (typeof cell === "number" && !isFinite(cell))) return "";
	if (typeof cell === "number") return String(cell);
	const text = visible(cell);
	return /^[=+\-@]/.test(text) ? "'" + text : text;
}

/* Comma-separated as RFC 4180 has it. */
export function asCsv(rows: Cell[][]): string {
	return rows.map((row) => row.map(cellText).map((text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text)).join(",") + "\r\n").join("");
}

/* Separated by tabs, which no shown name has. */
export function asTsv(rows: Cell[][]): string {
	return rows.map((row) => row.map(cellText).join("\t") + "\n").join("");
}

async function copy(text: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		/* Where pages from the disk may not, the old way may. */
		const area = h("textarea", { "aria-hidden": "true" });
		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand("copy");
		area.remove();
		if (!done) throw new Error("the browser does not allow it");
	}
}

/* Buttons that copy or save a table, whose first row has the titles. */
export function tableButtons(title: string, rows: () => Cell[][]): HTMLElement {
	const copied = () => {
		const table = rows();
		copy(asTsv(table)).then(() => say(`Copied ${plural(table.length - 1, "row")}.`), (error) => say(`Not copied: ${error instanceof Error ? error.message : error}`));
	};
	return h("span", { class: "tablebuttons" },
		h("button", { type: "button", class: "link", title: "Copy all rows found, separated by tabs", "aria-label": `Copy ${title}`, onclick: copied }, "Copy"),
		h("button", { type: "button", class: "link", title: "Save all rows found, separated by commas", "aria-label": `Save ${title} as CSV`, onclick: () => download(new Blob([asCsv(rows())], { type: "text/csv" }), fileName(title, "csv")) }, "Save as CSV"));
}

/* Gives such buttons to the small tables of a view. */
export function addTableButtons(view: HTMLElement): void {
	for (const table of view.querySelectorAll<HTMLTableElement>("table.plain")) {
		const title = table.closest("section")?.querySelector("h2")?.textContent || "Table";
		/* A bar has no text of its own: the figure stands beside it. */
		const read = () => [...table.rows].map((row) => [...row.cells].filter((cell) => !cell.classList.contains("barcell")).map((cell) => cell.textContent!.trim()).map((text) => (/^\d{1,3}(,\d{3})+$/.test(text) ? text.replace(/,/g, "") : text)));
		(table.closest(".scroll") || table).after(h("div", { class: "below" }, tableButtons(title, read)));
	}
}
