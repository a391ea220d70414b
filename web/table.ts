/* SPDX-License-Identifier: Apache-2.0 */
/* A table of any number of rows, of which only the visible ones are elements. */
import { ordered } from "./order";
import { h, plural, styled, whole } from "./dom";
import { Cell, tableButtons } from "./save";

export interface Column<R> {
	key: string;
	title: string;
	help?: string;
	least: number; /* what it needs, in pixels if the text has the usual size */
	narrow?: number; /* likewise on a narrow screen; as much unless given */
	grow?: number; /* its part of the room that is left; 1 unless given */
	rank: number; /* columns with the highest are left out first on narrow screens */
	text?: boolean; /* sorts ascending first, and stands on the left */
	value: (row: R) => number | string | null;
	copied?: [string, (row: R) => Cell][]; /* the columns that it is in a copy; one of its value unless given */
	cell: (row: R, before?: R, after?: R) => Node | string; /* with the rows that are shown above and below */
}

const FONT = 15; /* pixels, for which columns are measured */
const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize) || FONT;

/* Returns how wide a column for the longest of these texts must be. */
export function widest(texts: Iterable<string>, least: number): number {
	let most = 0;
	for (const text of texts) most = Math.max(most, text.length);
	return Math.max(least, Math.ceil(most * 9.3 + 8));
}

export interface TableOptions<R> {
	label: string;
	columns: Column<R>[];
	rows: R[];
	text: (row: R) => string; /* what a search looks in */
	search: string;
	sort: string;
	onSort: (sort: string) => void;
	onOpen?: (row: R) => void;
}

const ROW = 28;
const NARROW = 520; /* pixels: shares have no bars */
const PRINTED = 200;
const PREPARED = 10000; /* rows at once */

export class Table<R> {
	readonly element: HTMLElement;
	private readonly body: HTMLElement;
	private readonly head: HTMLElement;
	private readonly count: HTMLElement;
	private readonly lower: string[] = [];
	private shown: Int32Array | null = null; /* the rows that are shown, in their order; null: all as they are */
	private length = 0;
	private columns: Column<R>[] = [];
	private cursor = -1;
	private first = -1;
	private last = -1;
	private order: Int32Array | null = null;
	private ordered = "";
	private readonly orders = new Map<string, Int32Array>();
	/* The rows in which the last search found all its words, in which order; null: there was none. */
	private found: { search: string; order: Int32Array | null; at: Int32Array } | null = null;
	private narrow = false;

	constructor(private readonly options: TableOptions<R>) {
		this.head = h("div", { class: "thead", role: "row" });
		this.body = h("div", { class: "tbody", role: "rowgroup" });
		this.count = h("p", { class: "count", role: "status" });
		const scroll = h("div", { class: "table", role: "table", "aria-label": options.label, tabindex: 0, onscroll: () => this.draw(), onkeydown: (e: Event) => this.onKey(e as KeyboardEvent) }, this.head, this.body);
		this.element = h("div", { class: "tablebox" }, scroll, h("div", { class: "below" }, this.count, tableButtons(options.label, () => this.copied())));
		new ResizeObserver(() => this.fit()).observe(scroll);
		window.addEventListener("beforeprint", () => this.element.isConnected && this.draw(PRINTED));
		this.update(options.search, options.sort);
		this.prepareLater();
	}

	private get scroll(): HTMLElement {
		return this.element.firstElementChild as HTMLElement;
	}

	/* Filters and sorts. */
	update(search: string, sort: string): void {
		const { rows } = this.options;
		this.sorted(sort);
		const words = search.toLowerCase().split(/\s+/).filter((word) => word);
		if (words.length) this.prepare(rows.length);
		this.shown = words.length ? this.search(search, words) : this.order;
		this.length = this.shown ? this.shown.length : rows.length;
		this.cursor = -1;
		this.count.textContent = this.length === rows.length ? plural(rows.length, "row") : `${whole(this.length)} of ${plural(rows.length, "row")}`;
		this.scroll.setAttribute("aria-rowcount", String(this.length + 1));
		this.scroll.scrollTop = 0;
		this.fit();
	}

	/* Returns all rows that were found, in their order, with a row of titles before them. */
	private copied(): Cell[][] {
		const columns = this.options.columns.flatMap((column) => column.copied || [[column.title, column.value] as [string, (row: R) => Cell]]);
		return [columns.map(([title]) => title), ...Array.from({ length: this.length }, (_, i) => columns.map(([, value]) => value(this.rowAt(i)!)))];
	}

	/* Returns the rows that have all words. */
	private search(search: string, words: string[]): Int32Array {
		const { found, order, lower } = this;
		const count = this.options.rows.length;
		/* What a search found has everything that a longer one can find. */
		const longer = found && search.startsWith(found.search);
		let among = longer ? found.at : order;
		if (longer && found.order !== order) {
			const was = new Uint8Array(count);
			for (const at of found.at) was[at] = 1;
			among = Int32Array.from({ length: count }, (_, i) => (order ? order[i] : i)).filter((at) => was[at]);
		}
		const made = new Int32Array(among ? among.length : count);
		let last = 0;
		for (let i = 0; i < made.length; i++) {
			const at = among ? among[i] : i;
			let has = true;
			for (let w = 0; has && w < words.length; w++) has = lower[at].includes(words[w]);
			if (has) made[last++] = at;
		}
		this.found = { search, order, at: made.slice(0, last) };
		return this.found.at;
	}

	private rowAt(index: number): R | undefined {
		return this.options.rows[this.shown && index >= 0 && index < this.length ? this.shown[index] : index];
	}

	/* Writes what a search looks in for the first rows. */
	private prepare(count: number): void {
		const { rows, text } = this.options;
		for (let i = this.lower.length; i < Math.min(count, rows.length); i++) this.lower.push(text(rows[i]).toLowerCase());
	}

	/* Does so bit by bit, so that the first key of a search finds it done. */
	private prepareLater(): void {
		setTimeout(() => {
			this.prepare(this.lower.length + PREPARED);
			if (this.lower.length < this.options.rows.length && this.element.isConnected) this.prepareLater();
		}, 20);
	}

	private sorted(sort: string): void {
		const down = sort.startsWith("-");
		const column = this.options.columns.find((c) => c.key === sort.replace(/^-/, ""));
		if (this.ordered === sort) return;
		this.ordered = sort;
		this.order = column ? this.orderOf(column, down) : null;
	}

	private orderOf(column: Column<R>, down: boolean): Int32Array {
		const key = (down ? "-" : "") + column.key;
		let order = this.orders.get(key);
		if (!order) this.orders.set(key, (order = ordered(this.options.rows.map(column.value), down)));
		return order;
	}

	/* Chooses the columns that have room. */
	private fit(): void {
		const room = this.scroll.clientWidth || 800;
		const columns = [...this.options.columns];
		this.narrow = room < NARROW;
		this.scroll.classList.toggle("narrow", this.narrow);
		const gap = this.narrow ? 8 : 12;
		const used = () => columns.reduce((sum, c) => sum + (this.least(c) * rem()) / FONT + gap, gap);
		while (columns.length > 2 && used() > room) {
			const worst = Math.max(...columns.map((c) => c.rank));
			columns.splice(columns.map((c) => c.rank).lastIndexOf(worst), 1);
		}
		this.columns = columns;
		this.drawHead();
		this.first = -1;
		this.draw();
	}

	private drawHead(): void {
		const sort = this.ordered;
		const focused = this.head.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.key : undefined;
		this.head.replaceChildren(...this.columns.map((column) => {
			const key = sort.replace(/^-/, "");
			const own = key === column.key;
			const next = own ? (sort.startsWith("-") ? column.key : "-" + column.key) : column.text ? column.key : "-" + column.key;
			const button = h("button", { type: "button", "data-key": column.key, title: column.help || null, onclick: () => this.options.onSort(next) }, column.title, own ? h("span", { "aria-hidden": "true" }, sort.startsWith("-") ? " ▾" : " ▴") : null);
			return h("span", { role: "columnheader", class: column.text ? "" : "num", "aria-sort": own ? (sort.startsWith("-") ? "descending" : "ascending") : "none" }, button);
		}));
		styled(this.head, { "grid-template-columns": this.grid() });
		if (focused !== undefined) this.head.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
	}

	private least(column: Column<R>): number {
		return this.narrow ? column.narrow ?? column.least : column.least;
	}

	private grid(): string {
		return this.columns.map((c) => `minmax(${this.least(c) / FONT}rem, ${c.grow ?? 1}fr)`).join(" ");
	}

	private row(index: number, placed: boolean): HTMLElement {
		const row = this.rowAt(index)!;
		const [before, after] = [index > 0 ? this.rowAt(index - 1) : undefined, index + 1 < this.length ? this.rowAt(index + 1) : undefined];
		const element = h("div", { class: index === this.cursor ? "tr cursor" : "tr", role: "row", "aria-rowindex": index + 2, onclick: () => this.options.onOpen && this.options.onOpen(row) },
			...this.columns.map((column) => h("span", { role: "cell", class: column.text ? "" : "num" }, column.cell(row, before, after))));
		return styled(element, placed ? { top: index * ROW + "px", "grid-template-columns": this.grid() } : { position: "static", "grid-template-columns": this.grid() });
	}

	private draw(printed = 0): void {
		const count = this.length;
		if (printed) {
			this.body.replaceChildren(...Array.from({ length: Math.min(count, printed) }, (_, i) => this.row(i, false)));
			styled(this.body, { height: "auto" });
			this.first = -1;
			return;
		}
		styled(this.body, { height: count * ROW + "px" });
		const height = this.scroll.clientHeight || 600;
		const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 4);
		const last = Math.min(count, first + Math.ceil(height / ROW) + 8);
		if (first === this.first && last === this.last) return;
		this.first = first;
		this.last = last;
		const rows: HTMLElement[] = [];
		for (let i = first; i < last; i++) rows.push(this.row(i, true));
		this.body.replaceChildren(...rows);
	}

	private onKey(event: KeyboardEvent): void {
		const page = Math.max(1, Math.floor(this.scroll.clientHeight / ROW) - 2);
		const steps: { [key: string]: number } = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
		if (event.target !== this.scroll) return;
		if (event.key === "Enter" && this.cursor >= 0 && this.options.onOpen) {
			this.options.onOpen(this.rowAt(this.cursor)!);
			event.preventDefault();
		}
		if (!(event.key in steps) || !this.length) return;
		event.preventDefault();
		this.cursor = Math.max(0, Math.min(this.length - 1, this.cursor + steps[event.key]));
		const top = this.cursor * ROW;
		const room = this.scroll.clientHeight - this.head.offsetHeight - ROW;
		if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
		else if (top > this.scroll.scrollTop + room) this.scroll.scrollTop = top - room;
		this.first = -1;
		this.draw();
	}
}
