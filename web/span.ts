/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of the time the timeline shows: it zooms and pans without choosing a range. */
import { set, state } from "./state";

const LEAST = 20; /* ns: less has nothing to see */

/* Returns the part that is shown, in ns: never empty, never beyond the ends. */
export function spanOf(end: number): [number, number] {
	const from = Math.max(0, Math.min(state.start, end));
	const to = Math.max(0, Math.min(state.stop, end));
	return to > from ? [from, to] : [0, end];
}

export function isZoomed(end: number): boolean {
	const [from, to] = spanOf(end);
	return from > 0 || to < end;
}

/* Shows a part of the time: moved to lie within it, and everything if it is as long. */
export function showSpan(from: number, to: number, end: number): void {
	const length = Math.max(Math.min(LEAST, end), Math.min(end, to - from));
	const first = Math.round(Math.max(0, Math.min(end - length, from)));
	if (length >= end) set({ start: NaN, stop: NaN });
	else set({ start: first, stop: Math.round(first + length) });
}

/* Makes the part `factor` times as long, around a moment that stays where it is. */
export function zoomSpan(factor: number, around: number, end: number): void {
	const [from, to] = spanOf(end);
	const length = Math.max(Math.min(LEAST, end), (to - from) * factor);
	const part = (around - from) / (to - from);
	showSpan(around - part * length, around + (1 - part) * length, end);
}

/* Moves by a part of what is shown, by as much to the left as to the right. */
export function panSpan(part: number, end: number): void {
	const [from, to] = spanOf(end);
	const by = Math.sign(part) * Math.round(Math.abs(part) * (to - from));
	showSpan(from + by, to + by, end);
}
