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

/* Times in ns from `from` to `to`; all have the unit of the last one. */
export function timeTicks(from: number, to: number): HTMLElement[] {
	const [size, unit] = UNITS.find(([least]) => to >= 2 * least) || UNITS[UNITS.length - 1];
	const length = to - from;
	/* Times with many digits need room. */
	const rough = roundStep(length / size);
	const step = rough < 0.001 ? 2 * rough : rough;
	const ticks: HTMLElement[] = [];
	for (let i = Math.ceil(from / size / step - 1e-9); i * step <= to / size; i++) {
		const place = (100 * (i * step * size - from)) / length;
		/* A mark at the very end would stick out. */
		if (place <= 96) ticks.push(styled(h("span", { class: place < 3 ? "first" : null }, i ? `${Number((i * step).toPrecision(12))} ${unit}` : "0"), { left: place + "%" }));
	}
	return ticks;
}

/* What the top of a chart stands for, and half of it. */
export function heightMarks(top: string, half: string): HTMLElement[] {
	return [h("span", null, h("i", null, top)), h("span", null, h("i", null, half))];
}
