/* SPDX-License-Identifier: Apache-2.0 */
/* A chart over time: a range can be selected, and the part that is shown zoomed and moved. */
import { timeTicks } from "./axis";
import { h, styled } from "./dom";
import { panSpan, showSpan, spanOf, zoomSpan } from "./span";
import { hasRange, set, state } from "./state";

const ZOOM = 1.25; /* of a step of the wheel or a key */
const PAN = 0.1;
const CLICK = 1 / 500; /* of the width: shorter drags are clicks */

export const TIME_KEYS = "Drag, or use the arrow keys, to select a range; Shift and an arrow key change its end; Escape clears it; plus and minus zoom, A and D move, Enter zooms to the range, 0 shows everything";

export interface TimeArea {
	element: HTMLElement;
	area: HTMLElement;
	place: () => void; /* moves the range and the times to the part that is shown */
}

/* Makes charts an area of time. `hover` gets the moment below the pointer, or NaN. */
export function timeArea(id: string, end: number, charts: Node[], hover?: (moment: number) => void): TimeArea {
	const range = h("div", { class: "range", hidden: true });
	const ticks = h("div", { class: "ticks", "aria-hidden": "true" });
	const area = h("div", { class: "time", id, role: "group", tabindex: 0, "aria-label": TIME_KEYS });
	area.append(...charts, range);

	const put = (from: number, to: number) => {
		const [first, last] = spanOf(end);
		const [left, right] = [Math.max(from, first), Math.min(to, last)];
		range.hidden = right < left;
		styled(range, { left: (100 * (left - first)) / (last - first) + "%", width: (100 * Math.max(0, right - left)) / (last - first) + "%" });
	};
	const place = () => {
		const [first, last] = spanOf(end);
		ticks.replaceChildren(...timeTicks(first, last));
		if (hasRange()) put(Math.max(0, state.from), Math.min(end, state.to));
		else range.hidden = true;
	};
	const at = (event: MouseEvent) => {
		const [first, last] = spanOf(end);
		const box = area.getBoundingClientRect();
		return Math.round(first + Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * (last - first));
	};

	let start = NaN; /* where a range begins that is being dragged */
	let held: { x: number; from: number; to: number } | null = null; /* what is shown when a drag moves it */
	area.addEventListener("pointerdown", (event) => {
		if (event.button > 1) return;
		event.preventDefault(); /* a second button would scroll */
		area.focus({ preventScroll: true });
		area.setPointerCapture(event.pointerId);
		if (event.shiftKey || event.button === 1) {
			const [from, to] = spanOf(end);
			held = { x: event.clientX, from, to };
			return;
		}
		start = at(event);
		put(start, start);
	});
	area.addEventListener("pointermove", (event) => {
		if (held) {
			const by = ((held.x - event.clientX) / area.getBoundingClientRect().width) * (held.to - held.from);
			showSpan(held.from + by, held.to + by, end);
		} else if (!isNaN(start)) put(Math.min(start, at(event)), Math.max(start, at(event)));
		if (hover) hover(at(event));
	});
	area.addEventListener("pointerleave", () => hover && hover(NaN));
	area.addEventListener("pointercancel", () => {
		held = null;
		start = NaN;
		place();
	});
	area.addEventListener("pointerup", (event) => {
		if (held) {
			held = null;
			return;
		}
		if (isNaN(start)) return;
		const last = at(event);
		const [from, to] = [Math.min(start, last), Math.max(start, last)];
		const [first, final] = spanOf(end);
		start = NaN;
		/* A click without a drag clears. */
		if (to - from < (final - first) * CLICK) {
			range.hidden = true;
			set({ from: NaN, to: NaN });
		} else set({ from, to });
	});
	area.addEventListener("dblclick", (event) => zoomSpan(1 / (ZOOM * ZOOM), at(event), end));
	area.addEventListener("wheel", (event) => {
		/* Without a modifier, the wheel scrolls the page. */
		if (event.ctrlKey || event.metaKey || event.altKey) zoomSpan(ZOOM ** Math.max(-4, Math.min(4, event.deltaY / 100)), at(event), end);
		else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) panSpan(((event.deltaX || event.deltaY) / 100) * PAN, end);
		else return;
		event.preventDefault();
	}, { passive: false });

	const moveRange = (event: KeyboardEvent) => {
		const [first, final] = spanOf(end);
		const step = Math.ceil((final - first) / 50) * (event.key === "ArrowLeft" ? -1 : 1);
		const [from, to] = hasRange() ? [state.from, state.to] : [first, Math.min(end, first + Math.ceil((final - first) / 10))];
		const clamp = (value: number) => Math.max(0, Math.min(end, value));
		if (event.shiftKey) set({ from, to: Math.max(from, clamp(to + step)) });
		else set({ from: clamp(from + (hasRange() ? step : 0)), to: clamp(to + (hasRange() ? step : 0)) });
	};
	area.addEventListener("keydown", (event) => {
		const [first, final] = spanOf(end);
		/* Around the range if it can be seen. */
		const middle = (first + final) / 2;
		const chosen = (state.from + state.to) / 2;
		const around = chosen >= first && chosen <= final ? chosen : middle;
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		switch (event.key) {
			case "Escape": set({ from: NaN, to: NaN }); break;
			case "ArrowLeft": case "ArrowRight": moveRange(event); break;
			case "+": case "=": case "w": zoomSpan(1 / ZOOM, around, end); break;
			case "-": case "s": zoomSpan(ZOOM, around, end); break;
			case "a": panSpan(-PAN, end); break;
			case "d": panSpan(PAN, end); break;
			case "0": showSpan(0, end, end); break;
			case "Enter": if (hasRange()) showSpan(state.from, state.to, end); break;
			default: return;
		}
		event.preventDefault();
	});
	place();
	return { element: h("div", { class: "timearea" }, area, ticks), area, place };
}

/* Buttons for those who zoom by clicks. */
export function zoomButtons(end: number): HTMLElement {
	const middle = () => (spanOf(end)[0] + spanOf(end)[1]) / 2;
	const button = (text: string, label: string, does: () => void) => h("button", { type: "button", "aria-label": label, title: label, onclick: does }, text);
	return h("span", { class: "group zoom", role: "group", "aria-label": "Zoom" },
		button("+", "Zoom in", () => zoomSpan(1 / (ZOOM * ZOOM), middle(), end)), button("−", "Zoom out", () => zoomSpan(ZOOM * ZOOM, middle(), end)),
		button("◂", "Move to earlier times", () => panSpan(-2 * PAN, end)), button("▸", "Move to later times", () => panSpan(2 * PAN, end)),
		hasRange() ? button("Range", "Zoom to the range", () => showSpan(state.from, state.to, end)) : null,
		button("Whole", "Show the whole time", () => showSpan(0, end, end)));
}
