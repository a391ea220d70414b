/* SPDX-License-Identifier: Apache-2.0 */
/* The documents in the page, as plumb prints them, and how they are unpacked. */

import { Comparison } from "./compare";

export type Interval = [number, number] | null;

export interface ReportRow {
	[key: string]: unknown;
	share: number;
	interval: Interval;
	children?: number;
	children_interval?: Interval;
	samples: number;
	period: number;
	latency?: number | null;
	latency_interval?: Interval;
	latency_share?: number | null;
	l1d_misses?: number | null;
	mispredictions?: number | null;
	saturated?: number;
	total_latency?: { p50: number; p90: number; p99: number; saturated?: number };
}

export interface ReportEvent {
	name: string;
	exact: boolean;
	spe: boolean;
	samples: number;
	period: number;
	row_count: number;
	left_out: number;
	given_up: number;
	given_up_most: number;
	not_retired?: number;
	saturated?: number;
	rows: ReportRow[];
}

export interface Report {
	keys: string[];
	incomplete: boolean;
	events: ReportEvent[];
}

export interface TopdownRow {
	symbol: string;
	slots: number | null;
	slots_share: number | null;
	retiring: number | null;
	bad_speculation: number | null;
	frontend_bound: number | null;
	backend_bound: number | null;
	cause: string | null;
	cause_share: number | null;
	other_cause: string | null;
}

export interface Topdown {
	exact: boolean;
	row_count: number;
	rows: TopdownRow[];
}

export interface Instruction {
	address: string;
	word?: string;
	text?: string | null;
	target?: string | null;
	class?: string;
	weight: number;
	share: number;
	samples: number;
	executions: number;
	latency: number | null;
	issue_latency: number | null;
	l1d_accesses: number;
	l1d_misses: number;
	branches: number;
	mispredictions: number;
	causes: { name: string; share: number }[];
}

export interface Line {
	function: string | null;
	file: string | null;
	line: number | null;
	weight: number;
	share: number;
	interval: Interval;
	samples: number;
	instructions: Instruction[];
}

export interface Annotated {
	symbol: string;
	file: string;
	weight: number;
	share: number;
	loops: { header: string; depth: number; iterations: number | null; entries: number | null }[];
	lines: Line[];
}

export interface Annotations {
	basis: string | null;
	event: string | null;
	core: string | null;
	disassembler: string | null;
	functions: Annotated[];
}

export interface SourceFile {
	path: string;
	text: { first: number; lines: string[] };
}

export type Slots = "retiring" | "bad_speculation" | "frontend_bound" | "backend_bound";

export interface StackType {
	name: string;
	unit: string;
	kind: "period" | "samples" | "latency" | "event";
	main: boolean;
	exact: boolean;
	slots: Slots | null;
	total: number;
}

type Texts = { [key: string]: (string | null)[] };

/* What each sample says, column by column: its place in the lists of each part. */
export interface StackDetails {
	parts: { code: Texts; operation: Texts; data: Texts };
	step: number[];
	code: number[];
	operation: number[];
	data: number[];
	total: (number | null)[];
	issue: (number | null)[];
	translation: (number | null)[];
	period: number[];
	type: number[];
	thread: number[];
	cpu: (number | null)[];
	flags: number[];
}

export interface Stacks {
	samples: number;
	windows?: number; /* of a sampled run, from which exact values are estimated */
	types: StackType[];
	functions: { name: string; file: string | null; source: string | null; inlined: boolean }[];
	threads: { comm: string; pid: number | null; tid: number | null }[];
	nodes: { parent: (number | null)[]; function: number[] };
	rows: { node: number[]; thread: number[]; cpu: (number | null)[]; source: (string | null)[] };
	cells: { row: number[]; type: number[]; value: number[] };
	moments?: {
		joined: boolean;
		start: number;
		step: number[];
		row: number[];
		type: number[];
		value: number[];
	};
	details?: StackDetails; /* unless the samples are too many */
}

export interface Bin {
	low: number;
	high: number | null;
	samples: number;
}

export interface Latencies {
	events: { [key: string]: unknown; name: string; saturated?: number; total?: Bin[]; issue?: Bin[]; translation?: Bin[] }[];
}

export interface Place {
	name?: string;
	file?: string | null;
	line?: number | null;
	text?: string | null;
	share: number;
	interval: Interval;
	[key: string]: unknown;
}

export interface Places {
	basis: string | null;
	exact: boolean;
	samples: number | null;
	places: Place[];
}

export interface Finding {
	node: string | null;
	cause: string | null;
	slots: number | null;
	seconds?: number | null; /* that these slots took */
	brief: string | null;
	means: string | null;
	helps: string | null;
	functions?: Places | null;
	lines?: Places | null;
	data?: Places | null;
	waits?: Places | null; /* kinds of operations that the core waits for */
	callers?: Places | null; /* lines that called code without lines */
	[key: string]: unknown;
}

export interface Findings {
	source: string;
	label: string | null;
	cpu: { name: string; midr: string | null };
	command: string[];
	target: string | null;
	seconds: number;
	runs: number;
	exit_status: number;
	interrupted: boolean;
	whole: string | null;
	verdict: string | null;
	work: number | null;
	tie?: string | null;
	work_at?: { functions: Places; lines: Places; callers: Places } | null; /* by retired operations */
	findings: Finding[];
	undivided?: { node: string; slots: number; finding: number | null }[]; /* in cycles that were partly used */
	warnings?: string[];
}

export interface Metric {
	name: string;
	title: string;
	group: string;
	stage: number | null;
	level: number | null;
	parent: string | null;
	value: number | null;
	units: string;
	slots?: number | null; /* percent of all slots */
	low?: number | null;
	high?: number | null;
}

export interface Counts {
	source: string;
	cpu: { name: string; midr: string | null; slots: number | null };
	elapsed_seconds: number;
	events: { name: string; code: string | null; count: number | null; units: string }[];
	metrics: Metric[];
	diagnosis: { path: string[]; next_groups: string[]; sample_events?: string[]; verdict: string | null; brief: string | null; waits?: { node: string; brief: string; percent: number | null }[] } | null;
	model?: { core: string | null; core_file: string | null; page_bytes: number | null; huge_pages: boolean; page_fault_cost: number | null; syscall_cost: number | null; wrong_path_loads: boolean } | null;
	engine?: { path: string | null; version: string | null } | null;
	command?: string[];
	warnings: string[];
}

/* What plumb stat -I counted: each list has a value per interval. */
export interface Intervals {
	source: string | null;
	cpu: string | null;
	times: number[]; /* seconds since the program began: where each interval ends */
	events: { [name: string]: (number | null)[] };
	metrics: { [name: string]: { name: string; title: string | null; group: string | null; units: string | null; parent: string | null; stage: number | null; level: number | null; values: (number | null)[]; slots?: (number | null)[] } };
}

export interface About {
	plumb: string;
	recording: string;
	modelled: boolean;
	incomplete: boolean;
	samples: number;
	host: string | null;
	system: string | null;
	cpu: string | null;
	recorder: string | null;
	command: string[];
	arch?: string | null;
	cpuid?: string | null;
	cpus_online?: number | null;
	cpus_available?: number | null;
	memory_kb?: number | null;
	caches?: { level: number; type: string | null; size: string | null; cpus: string | null }[];
}

export interface Documents {
	about?: About;
	notes?: string[];
	functions?: Report;
	topdown?: Topdown;
	memory?: Report;
	pages?: Report;
	mix?: Report;
	branches?: Report;
	latencies?: Latencies;
	sharing?: { exact: boolean; accesses: Record<string, unknown>[] };
	annotations?: Annotations;
	source?: SourceFile[];
	stacks?: Stacks;
	findings?: Findings;
	verdict?: string; /* on the findings, in a sentence */
	commands?: (string | null)[]; /* that show more of each finding */
	counts?: Counts;
	intervals?: Intervals;
	sides?: Documents[]; /* of a comparison: stacks and source, the baseline's first */
	diff?: { plumb: string; comparisons: Comparison[] };
}

/* Unpacks the documents: base64 of gzip of JSON. */
export async function unpack(text: string): Promise<Documents> {
	const packed = atob(text);
	const bytes = new Uint8Array(packed.length);
	for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
	/* TypeScript 4.8's DOM does not know this class yet. */
	const Unzip = (window as unknown as { DecompressionStream?: new (format: string) => ReadableWritablePair })
		.DecompressionStream;
	if (!Unzip) throw new Error("this browser is too old: it has no DecompressionStream");
	const stream = new Blob([bytes]).stream().pipeThrough(new Unzip("gzip"));
	return JSON.parse(await new Response(stream as ReadableStream).text());
}
