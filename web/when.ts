/* SPDX-License-Identifier: Apache-2.0 */
/* When a finding costs most: its node in each interval, or the samples of its functions. */
import { Finding } from "./data";
import { duration, h, percent, svg, visible } from "./dom";
import { set } from "./state";
import { Model } from "./stacks";
import { Page } from "./view";

const BINS = 60;
const HEIGHT = 30;
const STEADY = 10; /* percentage points: less is no change worth a look */
const LEAST = 5; /* percent of a finding: functions with less do not tell when it is */

/* Shares in percent over the time from the beginning to `end`, in ns; null: unknown. */
interface Course {
	of: string;
	end: number;
	parts: { from: number; to: number; share: number | null }[];
}

/* Of all slots, what the finding's node lost in each interval. */
function byInterval(page: Page, finding: Finding): Course | null {
	const { intervals } = page.documents;
	const name = finding.node || "";
	if (!intervals || !intervals.times.length || !Object.prototype.hasOwnProperty.call(intervals.metrics, name)) return null;
	const { slots } = intervals.metrics[name];
	if (!slots || !slots.some((value) => value !== null)) return null;
	const times = intervals.times.map((time) => time * 1e9);
	return {
		of: `of the slots, ${visible(name)}`, end: times[times.length - 1],
		parts: times.map((to, i) => ({ from: i ? times[i - 1] : 0, to, share: slots[i] ?? null })),
	};
}

/* Of all samples, those in the finding's functions. */
function bySample(model: Model, finding: Finding): Course | null {
	const { moments, types, functions } = model.stacks;
	const type = types.findIndex((t) => !t.exact && t.main && t.total);
	const used = moments && type < 0 ? moments.type.find((t) => !types[t].exact) : type;
	const names = new Set((finding.functions ? finding.functions.places : []).filter((p) => p.share >= LEAST).map((p) => p.name));
	if (!moments || used === undefined || model.end <= 0 || !names.size) return null;
	const wanted = functions.map((fn) => names.has(fn.name));
	const [own, all] = [new Float64Array(BINS), new Float64Array(BINS)];
	for (let i = 0; i < moments.row.length; i++) {
		if (moments.type[i] !== used) continue;
		const bin = Math.min(BINS - 1, Math.floor((model.times[i] / (model.end + 1)) * BINS));
		all[bin] += moments.value[i];
		if (wanted[model.symbol(model.stacks.rows.node[moments.row[i]])]) own[bin] += moments.value[i];
	}
	if (!own.some((value) => value)) return null;
	return {
		of: "of the samples are in its functions", end: model.end,
		parts: [...all].map((sum, i) => ({ from: (i * model.end) / BINS, to: ((i + 1) * model.end) / BINS, share: sum ? (100 * own[i]) / sum : null })),
	};
}

/* Returns when most of a finding is, or null: nothing has times. */
export function when(page: Page, finding: Finding): HTMLElement | null {
	const course = byInterval(page, finding) || (page.model ? bySample(page.model, finding) : null);
	if (!course) return null;
	const known = course.parts.filter((part) => part.share !== null);
	const most = known.reduce((a, b) => (b.share! > a.share! ? b : a));
	const least = known.reduce((a, b) => (b.share! < a.share! ? b : a));
	const bars = course.parts.filter((part) => part.share !== null && part.share > 0).map((part) => {
		const height = Math.max(0.5, (Math.min(100, part.share!) / 100) * HEIGHT);
		return svg("rect", { x: (1000 * part.from) / course.end, y: HEIGHT - height, width: (1000 * (part.to - part.from)) / course.end, height });
	});
	const steady = most.share! - least.share! < STEADY;
	const text = steady ? `All the time: ${percent(least.share, 0)} to ${percent(most.share, 0)} ${course.of}` : `${percent(least.share, 0)} to ${percent(most.share, 0)} ${course.of}; most from ${duration(most.from)} to ${duration(most.to)} of ${duration(course.end)}`;
	return h("div", { class: "when" }, h("strong", null, "When"), svg("svg", { viewBox: `0 0 1000 ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": text }, ...bars),
		h("span", { class: "dim" }, text + ". "), steady ? null : h("button", { type: "button", class: "link", onclick: () => set({ view: "timeline", from: Math.round(most.from), to: Math.round(most.to) }) }, "Show this time"));
}
