/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every option of perf 6.1 that plumb's command of the same name lacks, and those that ask for what
 * it does anyway.
 * test/interop/perf_options.py compares the tables with what perf says about itself.
 */
#include "tool/perf_options.h"

/* What several commands say. */
#define BPF            "unsupported: plumb loads no BPF programs"
#define DISASSEMBLER   "unsupported: the LLVM library disassembles, in its own style"
#define GROUP          "-e '{EVENT,...}'"
#define GUESTS         "unsupported: record inside the guest"
#define KERNEL_NAMES   "the default: names of the kernel's functions are printed as they are"
#define KERNEL_SYMBOLS "--kallsyms FILE, which has the modules' symbols, too"
#define LBR            "unsupported: no Arm CPU has LBR"
#define ON_OFF_EVENTS  "unsupported: --time START,STOP selects a part of the recording"
#define PATH_PREFIX    "--symfs DIR, for the files that were mapped"
#define PERCENT_TYPE   "unsupported: shares are of the samples that the options choose"
#define SCRIPTS        "--json, which other programs read"
#define TRACES         "unsupported: it requires a trace of all instructions; SPE samples them"
#define TRACEPOINTS    "for tracepoints, which plumb does not support"
#define TRANSACTIONS   "unsupported: no CPU that plumb knows has hardware transactions"

const struct option_twin perf_options_commands[] = {
	{"c2c", "plumb record -e spe or --exact, then plumb report --sharing"},
	{"data", "plumb export"},
	{"evlist", "plumb script --header-only"},
	{"inject", "unnecessary: plumb reads SPE records and build-ids as they were recorded"},
	{"mem", "plumb record -e spe, then plumb report --mem"},
	{"top", "plumb record -a, then plumb report"},
	{"version", "plumb --version"},
	{0},
};

const struct option_twin perf_options_stat[] = {
	{"B,big-num", "the default"},
	{"b,bpf-prog", BPF},
	{"bpf-counters", "unsupported: plumb counts through perf_event_open(2) only"},
	{"bpf-map,bpf-attr-map", BPF},
	{"cgroup", "-G CGROUP,..., each of which counts all events"},
	{"cputype", "-e PMU/EVENT/, which names the PMU"},
	{"d,detailed", "--stages all"},
	{"filter", TRACEPOINTS},
	{"g,group", GROUP},
	{"hybrid-merge", "unsupported: plumb reports each type of cores separately"},
	{"inherit", "the default"},
	{"input", "plumb import FILE, for what perf stat -j or -x printed"},
	{"interval-clear", "unsupported: watch(1) clears the screen"},
	{"iostat", "unsupported: -e PMU/EVENT/ counts events of I/O units"},
	{"json-output", "--json"},
	{"metric-no-group", "--collect-by none"},
	{"metric-no-threshold", "the default: plumb's diagnosis judges the metrics"},
	{"metric-no-merge", "--collect-by metric, the default"},
	{"metric-only", "-M METRIC,... or -m GROUP,..., which print no events"},
	{"metrics", "-M METRIC,... or -m GROUP,..."},
	{"n,null", "unsupported: -e task-clock counts next to nothing"},
	{"no-big-num", "-x SEP, which prints plain numbers"},
	{"no-csv-summary", "the default: -x with -I prints intervals only"},
	{"no-merge", "-e PMU_0/EVENT/,PMU_1/EVENT/, which names each unit"},
	{"no-scale", "--no-multiplex, after which there is nothing to scale"},
	{"per-cache,per-cluster", "unsupported: use --per-socket or --per-core"},
	{"per-die", "unsupported: use --per-socket or --per-core"},
	{"percore-show-thread", "-A, which prints each hardware thread"},
	{"post", "unsupported: run the command after plumb"},
	{"pre", "unsupported: run the command before plumb"},
	{"quiet", "-o FILE, or 2> /dev/null"},
	{"S,sync", "unsupported: run sync before plumb"},
	{"scale", "the default: counts of events that took turns are scaled"},
	{"smi-cost", "unsupported: it is for x86 CPUs"},
	{"summary", "the default, except with -x; --summary-only leaves out the intervals"},
	{"T,transaction", TRANSACTIONS},
	{"table", "-r N, which prints the lowest and the highest value"},
	{"td-level", "--level N"},
	{"topdown", "the default, or --stages 1 for the tree alone"},
	{0},
};

const struct option_twin perf_options_record[] = {
	{"A,append",
	 "unsupported: -o FILE starts a new recording and keeps the old one as FILE.old"},
	{"affinity", "taskset(1), before plumb"},
	{"aio", "unsupported: -m PAGES makes the buffers larger"},
	{"all-cgroups", "unsupported: plumb does not record control groups"},
	{"aux-sample", "unsupported: -S keeps the SPE data from just before each SIGUSR2"},
	{"buildid-all", "the default"},
	{"buildid-mmap", "unsupported: the build-ids are at the end of the recording"},
	{"cgroup,G", "-p PID,... with the group's processes: -p $(paste -sd, FOLDER/cgroup.procs)"},
	{"clang-opt,clang-path", BPF},
	{"code-page-size,data-page-size", "unsupported: plumb report -s page adds up data by page"},
	{"debuginfod", "the variable DEBUGINFOD_URLS, when plumb report reads the recording"},
	{"dry-run", "unsupported: plumb list checks the names of events"},
	{"exclude-perf", "unsupported: plumb report --comms selects threads"},
	{"f,force", "the default: -o FILE renames an existing file to FILE.old"},
	{"filter", TRACEPOINTS "; -e spe/load,latency>=100/ filters SPE records"},
	{"group", GROUP},
	{"I,intr-regs,user-regs",
	 "unsupported: --call-graph dwarf records the registers for unwinding"},
	{"kcore", "unsupported: plumb report --kallsyms FILE names the kernel's functions"},
	{"kernel-callchains", "unsupported: with -g, -e EVENT:k samples the kernel only"},
	{"initial-delay", "--delay MS"},
	{"latency", "unsupported: plumb report adds up CPU time"},
	{"mmap-flush", "unsupported: -m PAGES sets the size of the buffers"},
	{"n,no-samples", "unsupported: plumb stat counts without recording"},
	{"namespaces", "unsupported: plumb does not record namespaces"},
	{"no-bpf-event", "unsupported: BPF programs are recorded if the kernel tells of them"},
	{"no-buffering", "the default: the file has all samples after a fraction of a second"},
	{"num-thread-synthesize", "unsupported: one thread describes the running processes"},
	{"off-cpu", "unsupported: -e context-switches -g samples where threads wait"},
	{"overwrite", "--switch-output --switch-max-files N; for SPE data also -S"},
	{"P,period", "the default: a sample has its period unless all have the same"},
	{"proc-map-timeout", "unsupported: plumb reads all of /proc/PID/maps"},
	{"R,raw-samples", TRACEPOINTS},
	{"r,realtime", "chrt(1), before plumb"},
	{"running-time", "unsupported: plumb stat prints how long each event was counted"},
	{"setup-filter", "unsupported: -e spe/load,latency>=100/ filters SPE records"},
	{"s,stat", "unsupported: plumb report -s tid tells threads apart"},
	{"sample-identifier", "the default: samples have it where there are several events"},
	{"switch-events", "-e context-switches"},
	{"switch-output-event", "--switch-output, by SIGUSR2, size or time"},
	{"synth", "the default: what runs already is described if it is sampled"},
	{"T,timestamp", "the default: samples have their times"},
	{"tail-synthesize", "unsupported: what runs already is described before the samples"},
	{"threads", "unsupported: one thread reads all buffers"},
	{"timestamp-boundary", "unsupported: plumb script -F time prints the first and last time"},
	{"transaction", TRANSACTIONS},
	{"u,uid", "-p PID,... with the user's processes: -p $(pgrep -d, -u UID)"},
	{"user-callchains", "unsupported: with -g, -e EVENT:u samples user code only"},
	{"vmlinux", "plumb report -k FILE"},
	{"W,weight", "unsupported: -e spe records latencies"},
	{0},
};

const struct option_twin perf_options_report[] = {
	{"asm-raw", "plumb annotate --json, which has each instruction's word"},
	{"b,branch-stack", "--branch"},
	{"branch-history", "unsupported: --branch adds up the branches of branch stacks"},
	{"D,dump-raw-trace", "plumb script -D"},
	{"demangle-kernel", KERNEL_NAMES},
	{"disable-order", "unsupported: samples are always added up in the order of their times"},
	{"disassembler-style,M", DISASSEMBLER},
	{"exclude-other,x", "--callers FUNCTION or --callees FUNCTION"},
	{"group-sort-idx", "unsupported: name the first event of a group as you want it sorted"},
	{"header,header-only", "plumb script --header-only"},
	{"hide-unresolved,U", "unsupported: -S SYMBOL,... selects functions"},
	{"hierarchy", "unsupported: -s KEY,KEY prints a row for each combination"},
	{"I,show-info", "plumb script --header-only -I"},
	{"ignore-callees", "unsupported: --callees FUNCTION starts a tree at a function"},
	{"ignore-vmlinux", "unsupported: --kallsyms FILE names the kernel's functions instead"},
	{"inline", "-s inline,symbol"},
	{"m,modules", KERNEL_SYMBOLS},
	{"max-stack", "unsupported: -g caller,PERCENT leaves out rare paths"},
	{"mem-mode", "--mem"},
	{"mmaps", "plumb script --show-mmap-events"},
	{"ns", "plumb script --ns"},
	{"objdump", DISASSEMBLER},
	{"p,parent", "--callers FUNCTION"},
	{"percent-type", PERCENT_TYPE},
	{"prefix,prefix-strip", PATH_PREFIX},
	{"pretty", TRACEPOINTS},
	{"q,quiet", "2> /dev/null"},
	{"raw-trace", TRACEPOINTS},
	{"samples", "plumb script -S SYMBOL, which prints a function's samples"},
	{"show-cpu-utilization", "unsupported: -s cpu,KEY tells CPUs apart"},
	{"show-on-off-events,switch-off,switch-on", ON_OFF_EVENTS},
	{"show-ref-call-graph",
	 "unsupported: an event has call chains if it was recorded with them"},
	{"socket-filter", "--cpu CPU,... with the socket's CPUs"},
	{"source", "plumb annotate"},
	{"stats", "plumb script --quiet, which counts samples"},
	{"stdio-color", "--color=WHEN"},
	{"stitch-lbr", LBR},
	{"symbol-filter", "-S SYMBOL,..., with whole names"},
	{"T,threads", "-s tid,KEY,..."},
	{"tasks", "-s comm,pid,tid"},
	{"time-quantum", "unsupported: --time START,STOP selects a part of the recording"},
	{"total-cycles", "-s latency_range, or -F latency,KEY,..., for SPE records"},
	{0},
};

const struct option_twin perf_same_report[] = {
	{"demangle", ""}, {"full-source-path", ""}, {"group", ""}, {"skip-empty", ""}, {0},
};

const struct option_twin perf_options_annotate[] = {
	{"asm-raw", "--json, which has each instruction's word"},
	{"D,dump-raw-trace", "plumb script -D"},
	{"demangle-kernel", KERNEL_NAMES},
	{"disassembler-style,M", DISASSEMBLER},
	{"ignore-vmlinux", "unsupported: --kallsyms FILE names the kernel's functions instead"},
	{"m,modules", KERNEL_SYMBOLS},
	{"objdump", DISASSEMBLER},
	{"percent-type", PERCENT_TYPE},
	{"prefix,prefix-strip", PATH_PREFIX},
	{"q,quiet", "2> /dev/null"},
	{"show-total-period", "--show-nr-samples; plumb report -F share,period adds up periods"},
	{"stdio-color", "--color=WHEN"},
	{"stdio2", "--stdio"},
	{"tui", "plumb report --tui: Enter shows a function"},
	{0},
};

const struct option_twin perf_same_annotate[] = {
	{"demangle", ""},     {"full-paths,P", ""}, {"group", ""},
	{"skip-missing", ""}, {"source", ""},       {0},
};

const struct option_twin perf_options_diff[] = {
	{"cycles-hist", "unsupported: --sort srcline shows which lines changed"},
	{"D,dump-raw-trace", "plumb script -D"},
	{"F,formula", "unsupported: doc/statistics.md has the formulas"},
	{"m,modules", KERNEL_SYMBOLS},
	{"p,period", "the default with --json and --csv, which have both counts"},
	{"percentage", "always relative: shares are of the samples that the options choose"},
	{"q,quiet", "2> /dev/null"},
	{"stream", "unsupported: no Arm CPU has LBR, which streams are made from"},
	{0},
};

const struct option_twin perf_same_diff[] = {
	{"f,force", ""},
	{"percentage", "relative"},
	{0},
};

const struct option_twin perf_options_script[] = {
	{"addr-range", "unsupported: -S SYMBOL,... selects functions"},
	{"call-ret-trace,call-trace,graph-function,insn-trace,xed", TRACES},
	{"d,debug-mode", "unsupported: -q says what was lost"},
	{"demangle-kernel", KERNEL_NAMES},
	{"dlarg,dlfilter,list-dlfilters", "--filter TERM,..., or --json for other programs"},
	{"dump-unsorted-raw-trace", "-D, in the order of the file"},
	{"g,gen-script", SCRIPTS},
	{"guest-code,guestkallsyms,guestmodules,guestmount,guestvmlinux", GUESTS},
	{"L,Latency", TRACEPOINTS},
	{"l,list", SCRIPTS},
	{"max-blocks", LBR},
	{"max-stack", "unsupported: -G leaves out call chains"},
	{"per-event-dump", "-F event, which tells them apart"},
	{"s,script", SCRIPTS},
	{"show-bpf-events,show-cgroup-events,show-namespace-events,show-round-events,"
	 "show-text-poke-events",
	 "-D, which prints every record"},
	{"show-kernel-path", "unsupported: -F dso prints the kernel as [kernel.kallsyms]"},
	{"show-on-off-events,switch-off,switch-on", ON_OFF_EVENTS},
	{"stitch-lbr", LBR},
	{"stop-bt", "unsupported: plumb report --callees FUNCTION starts trees at a function"},
	{0},
};

const struct option_twin perf_same_script[] = {
	{"a,all-cpus", ""}, {"demangle", ""}, {"f,force", ""}, {"full-source-path", ""}, {0},
};

const struct option_twin perf_options_list[] = {
	{"cputype", "--cpu CORE"},
	{"d,desc", "the default"},
	{"debug", "unsupported: plumb spec show NAME describes an event"},
	{"deprecated", "unsupported: plumb has no deprecated names"},
	{"details", "plumb spec show NAME, for an event, a metric or a group"},
	{"long-desc", "plumb spec show NAME, for an event, a metric or a group"},
	{"no-desc", "-x SEP, whose first field is the name"},
	{0},
};
