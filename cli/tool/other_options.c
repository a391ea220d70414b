/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/other_options.h"

#define CMN_METRICS  "unsupported: -e arm_cmn/EVENT/ counts a mesh's events"
#define CMN_NODE     "-e arm_cmn/EVENT,bynodeid,nodeid=N/, for one node of a mesh"
#define GROUPS       "plumb spec list groups"
#define METRICS      "plumb spec list metrics, or plumb spec tree"
#define DESCRIPTIONS "plumb spec show NAME, for a metric, a group or an event"
#define OUTPUT       "-o FILE, with its folder"
#define PE_FILES     "unsupported: plumb reads ELF files, which it finds itself"

static const struct option_twin topdown_stat[] = {
	{"list-cpus,cpu-list", "plumb spec list cpus"},
	{"cpu-list-cores", "plumb list cores"},
	{"list-groups,cpu-list-groups", GROUPS},
	{"list-metrics,cpu-list-metrics", METRICS},
	{"list-events,cpu-list-events", "plumb spec list events"},
	{"d,descriptions,cpu-descriptions", DESCRIPTIONS},
	{"show-sample-events,cpu-show-sample-events", "plumb spec tree -v"},
	{"cpu-stages", "--stages"},
	{"cpu-metric-group", "--metric-group"},
	{"cpu-node", "--node"},
	{"cpu-level", "--level"},
	{"c,cpu-collect-by", "--collect-by"},
	{"cpu-no-multiplex", "--no-multiplex"},
	{"max-events", "unsupported: plumb finds out how many counters are free"},
	{"interval", "-I"},
	{"cpu-generate-csv,cpu-csv", "--csv; add -e for events"},
	{"csv-output-path", "--csv -o FILE"},
	{"cpu-dump-events", "--json, which has all events"},
	{"perf-output", "-o FILE"},
	{"perf-path,perf-args", "unsupported: plumb counts without perf"},
	{"use-event-names", "the default: events have names"},
	{"debug,log-level,detailed-exceptions", "-v"},
	{"dummy-data", "--source model, which needs no PMU"},
	{"sme", "unsupported: --cpu FILE replaces the specification of the cores"},
	{"probe", "-e PMU/EVENT/, for PMUs outside the cores"},
	{"probe-list,cmn-list", "plumb doctor, which names the PMUs"},
	{"cmn-indices", "-e arm_cmn_0/EVENT/, which names the mesh"},
	{"cmn-list-events", "ls /sys/bus/event_source/devices/arm_cmn_0/events"},
	{"cmn-collect-by", "-e '{arm_cmn_0/EVENT/,...}', which counts them together"},
	{"cmn-capture-per-device-id,cmn-mesh-layout-input,cmn-mesh-layout-output", CMN_NODE},
	{"cmn,cmn-specification,cmn-metrics,cmn-metric-groups,cmn-list-devices,cmn-list-groups,"
	 "cmn-list-metrics,cmn-print-descriptions,cmn-show-sample-events",
	 CMN_METRICS},
	{"cmn-generate-csv", "--csv"},
	{"cmn-debug-path", "-v"},
	{0},
};

/* "c", "t", "n" and "i" have another meaning here, or in topdown-tool. */
static const struct option_twin wperf_stat[] = {
	{"c", "-C CPU,..."},
	{"t", "-I MS"},
	{"n", "--interval-count N"},
	{"i", "-I MS"},
	{"k", "the default; -e EVENT:u leaves the kernel out"},
	{"E", "-e cpu/event=CODE,name=NAME/, for an event of your own"},
	{"q", "-o FILE, or 2> /dev/null"},
	{"dmc", "-e arm_dmc620/EVENT/, for the events of memory controllers"},
	{"config", "unsupported: nothing needs to be configured"},
	{"force-lock", "unsupported: Linux shares the counters between programs"},
	{"output-csv", "--csv -o FILE"},
	{"output-prefix,cwd", OUTPUT},
	{"version", "plumb --version"},
	{0},
};

static const struct option_twin wperf_record[] = {
	{"annotate,disassemble", "plumb annotate, when it has been recorded"},
	{"image_name", "-p PID: -p $(pidof NAME)"},
	{"pe_file,pdb_file", PE_FILES},
	{"record_spawn_delay", "--delay MS"},
	{"sample-display-long", "plumb report --no-demangle"},
	{"sample-display-row", "plumb report --limit N"},
	{"symbol,s", "plumb report --symbols NAME,..."},
	{"k", "the default; -e EVENT:u leaves the kernel out"},
	{"E", "-e cpu/event=CODE,name=NAME/, for an event of your own"},
	{"json", "plumb report --json"},
	{"config", "unsupported: nothing needs to be configured"},
	{"force-lock", "unsupported: Linux shares the counters between programs"},
	{"output-prefix,cwd", OUTPUT},
	{"version", "plumb --version"},
	{0},
};

static const struct option_twin wperf_list[] = {
	{"force-lock", "unsupported: Linux shares the counters between programs"},
	{"version", "plumb --version"},
	{0},
};

static const struct option_twin wperf_commands[] = {
	{"sample", "plumb record, with -p PID or -C CPU for what already runs"},
	{"man", "plumb spec show NAME"},
	{"test,detect", "plumb doctor"},
	{"sleep", "plumb stat --timeout MS"},
	{0},
};

const struct other_tool other_commands[] = {{"wperf", wperf_commands}, {0}};
const struct other_tool other_options_stat[] = {
	{"topdown-tool", topdown_stat}, {"wperf", wperf_stat}, {0}};
const struct other_tool other_options_record[] = {{"wperf", wperf_record}, {0}};
const struct other_tool other_options_list[] = {{"wperf", wperf_list}, {0}};
