/* SPDX-License-Identifier: Apache-2.0 */
/* Marks along a chart: round times below it, and what its height stands for. */
import { h, styled } from "./dom";

const UNITS: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const TICKS = 6; /* at most about so many */

/* Returns a round step that divides a length into few parts. */
export function roundStep(length: number): number {
	const rough = length / TICKS;
	const power = 10 ** Math.floor(Math.log10(rough));
	return ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
}

/* Times in ns from 0 to `end`; all have the unit of the last one. */
export function timeTicks(end: number): HTMLElement {
	const [size, unit] = UNITS.find(([least]) => end >= 2 * least) || UNITS[UNITS.length - 1];
	const step = roundStep(end / size);
	const ticks: HTMLElement[] = [];
	for (let i = 0; i * step <= end / size; i++) {
		const at = i * step;
		const place = (100 * at * size) / end;
		/* A mark at the very end would stick out. */
		if (place <= 96) ticks.push(styled(h("span", { class: i ? null : "first" }, i ? `${Number(at.toPrecision(6))} ${unit}` : "0"), { left: place + "%" }));
	}
	return h("div", { class: "ticks", "aria-hidden": "true" }, ...ticks);
}

/* What the top of a chart stands for, and half of it. */
export function heightMarks(top: string, half: string): HTMLElement {
	return h("div", { class: "marks", "aria-hidden": "true" }, h("span", null, h("i", null, top)), h("span", null, h("i", null, half)));
}
