/* SPDX-License-Identifier: Apache-2.0 */
/* Where the boxes of the flame graph are: left-heavy, or in the order of time. */
import { Graph } from "./graph";
import { Model } from "./stacks";
import { isChosen } from "./state";

export interface Box {
	node: number;
	depth: number;
	left: number; /* shares of the width */
	width: number;
	mixed?: boolean; /* many that are too narrow to be seen */
}

const LEAST = 0.0006; /* of the width: what is narrower cannot be seen */
const DEEPEST = 400;

/* Places nodes below `root`, the heaviest first. */
export function leftHeavy(graph: Graph, root: number): Box[] {
	const boxes: Box[] = [];
	const { sums } = graph;
	const whole = root < 0 ? sums.whole : sums.total[root];
	const place = (nodes: number[], depth: number, left: number) => {
		const sorted = nodes.filter((n) => sums.total[n] / whole >= LEAST).sort((a, b) => sums.total[b] - sums.total[a]);
		for (const node of sorted) {
			const width = sums.total[node] / whole;
			boxes.push({ node, depth, left, width });
			if (depth < DEEPEST) place(graph.children[node], depth + 1, left);
			left += width;
		}
	};
	if (whole > 0) place(root < 0 ? graph.roots : [root], 0, 0);
	return boxes;
}

/* Places the samples one after the other, and joins equal neighbours at each depth. */
export function byTime(model: Model, graph: Graph, root: number): Box[] {
	const { moments, rows } = model.stacks;
	const type = new Set(graph.sums.choice.types);
	const open: Box[] = [];
	const boxes: Box[] = [];
	const [first, last] = model.moments();
	let left = 0;
	const paths = new Map<number, number[]>();
	const pathOf = (node: number): number[] => {
		let path = paths.get(node);
		if (!path) {
			path = [];
			for (let n = graph.of ? graph.of[node] : node; n >= 0 && path.length < 10000; n = graph.parent[n]) path.push(n);
			path.reverse();
			const start = root < 0 ? 0 : path.indexOf(root);
			path = start < 0 ? [] : path.slice(start, start + DEEPEST);
			paths.set(node, path);
		}
		return path;
	};
	let whole = 0;
	const wanted = (i: number) => type.has(moments!.type[i]) && isChosen(rows.thread[moments!.row[i]], rows.cpu[moments!.row[i]]);
	for (let i = first; i < last; i++) if (wanted(i) && pathOf(rows.node[moments!.row[i]]).length) whole += moments!.value[i];
	/* The last of those that are too narrow, at each depth. */
	const mixed: Box[] = [];
	const mix = (box: Box) => {
		const before = mixed[box.depth];
		if (before && Math.abs(before.left + before.width - box.left) < 1e-9) before.width += box.width;
		else boxes.push((mixed[box.depth] = { ...box, mixed: true }));
	};
	const close = (depth: number) => {
		while (open.length > depth) {
			const box = open.pop()!;
			box.width = left - box.left;
			if (box.width >= LEAST) boxes.push(box);
			else mix(box);
		}
	};
	for (let i = first; i < last; i++) {
		if (!wanted(i)) continue;
		const path = pathOf(rows.node[moments!.row[i]]);
		if (!path.length) continue;
		let same = 0;
		while (same < open.length && same < path.length && open[same].node === path[same]) same++;
		close(same);
		for (let d = same; d < path.length; d++) open.push({ node: path[d], depth: d, left, width: 0 });
		left += moments!.value[i] / whole;
	}
	close(0);
	return boxes.filter((box) => box.width >= LEAST);
}
