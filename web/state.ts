/* SPDX-License-Identifier: Apache-2.0 */
/* What the page shows. It stands in the address, so that a link leads to the same. */

export interface State {
	view: string;
	metric: string; /* a type's name, or "slots" */
	search: string;
	sort: string; /* "column" or "-column" */
	fn: string; /* function of Source and Callers */
	from: number; /* ns since the first sample; NaN: everything */
	to: number;
	start: number; /* the part of the time that the timeline shows, likewise */
	stop: number;
	tracks: string; /* of the timeline: "thread" or "cpu"; "": what there is */
	order: string; /* of the flame graph: "left" or "time" */
	colour: string; /* of the flame graph: "cause", "source", "event", "code" or "function"; "": what there is */
	direction: string; /* of the flame graph: "down" to callees or "up" to callers */
	focus: string; /* function whose calls the flame graph merges; "": none */
	zoom: number; /* node of the flame graph, or -1 */
	thread: number; /* or -1 */
	cpu: number; /* likewise */
	code: string; /* "source" or "address" */
	part: string; /* of Memory */
	theme: string; /* "", "light" or "dark" */
}

const usual: State = {
	view: "", metric: "", search: "", sort: "", fn: "", from: NaN, to: NaN, start: NaN, stop: NaN, tracks: "", order: "left", colour: "", direction: "down", focus: "", zoom: -1,
	thread: -1, cpu: -1, code: "source", part: "", theme: "",
};

export const state: State = { ...usual };
type Listener = (changed: Set<keyof State>) => void;
const listeners: Listener[] = [];

export function onChange(listener: Listener): void {
	listeners.push(listener);
}

function equal(a: unknown, b: unknown): boolean {
	return a === b || (a !== a && b !== b);
}

function assign(values: Partial<State>): Set<keyof State> {
	const changed = new Set<keyof State>();
	for (const name in values) {
		const key = name as keyof State;
		if (equal(state[key], values[key])) continue;
		(state as unknown as Record<string, unknown>)[key] = values[key];
		changed.add(key);
	}
	return changed;
}

function address(): string {
	const words = new URLSearchParams();
	for (const name in usual) {
		const key = name as keyof State;
		if (!equal(state[key], usual[key])) words.set(name, String(state[key]));
	}
	return "#" + words.toString();
}

const PAUSE = 150; /* ms: browsers refuse to write the address more often than 200 times in half a minute */
let written = -PAUSE;
let later = 0;

/* Writes the address now, or soon if that was done a moment ago: a wheel turns fast. */
function writeAddress(): void {
	const now = performance.now();
	clearTimeout(later);
	if (now - written < PAUSE) {
		later = window.setTimeout(writeAddress, PAUSE);
		return;
	}
	written = now;
	history.replaceState(null, "", address());
}

/* Changes the state. A change of view becomes an entry of the browser's history. */
export function set(values: Partial<State>): void {
	const changed = assign(values);
	if (!changed.size) return;
	/* Up from all functions, other values have other nodes. */
	if (state.direction === "up" && !state.focus && ["metric", "from", "to", "thread", "cpu"].some((key) => changed.has(key as keyof State)))
		for (const key of assign({ zoom: -1 })) changed.add(key);
	if (changed.has("view")) {
		clearTimeout(later);
		location.hash = address();
	} else writeAddress();
	for (const listener of listeners) listener(changed);
}

function read(): Partial<State> {
	const words = new URLSearchParams(location.hash.slice(1));
	const values: Record<string, unknown> = {};
	for (const name in usual) {
		const text = words.get(name);
		const before = usual[name as keyof State];
		values[name] = text === null ? before : typeof before === "number" ? Number(text) : text;
	}
	return values as Partial<State>;
}

/* Takes the state from the address, now and whenever that changes. */
export function follow(): void {
	assign(read());
	window.addEventListener("hashchange", () => {
		const changed = assign(read());
		if (changed.size) for (const listener of listeners) listener(changed);
	});
}

export function hasRange(): boolean {
	return !isNaN(state.from) && !isNaN(state.to);
}

/* Returns whether a thread or a CPU is chosen. */
export function hasTrack(): boolean {
	return state.thread >= 0 || state.cpu >= 0;
}

/* Returns whether a range, a thread or a CPU is chosen. */
export function isPart(): boolean {
	return hasRange() || hasTrack();
}

/* Returns whether what has these is of the chosen thread and CPU. */
export function isChosen(thread: number, cpu: number | null): boolean {
	return (state.thread < 0 || thread === state.thread) && (state.cpu < 0 || cpu === state.cpu);
}
