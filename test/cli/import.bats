# SPDX-License-Identifier: Apache-2.0
# plumb import: counts of perf stat, topdown-tool and others. What the model counted and printed as
# perf prints it must give what plumb stat itself says.

load lib.bash

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

imported()
{
	plumb import --cpu neoverse-n3 "$@"
}

# counted: the level-1 events of an N3, as perf stat -x prints them; a program that is 60 % backend bound.
counted()
{
	cat <<-END
		1000000${1}${1}cycles${1}471022${1}100.00${1}${1}
		3000000${1}${1}stall_slot_backend${1}471022${1}100.00${1}${1}
		300000${1}${1}stall_slot_frontend${1}471022${1}100.00${1}${1}
		10000${1}${1}stall_frontend_flush${1}471022${1}100.00${1}${1}
		3300000${1}${1}stall_slot${1}471022${1}100.00${1}${1}
		1400000${1}${1}op_retired${1}471022${1}100.00${1}${1}
		1500000${1}${1}op_spec${1}471022${1}100.00${1}${1}
		600000${1}${1}stall_backend${1}471022${1}100.00${1}${1}
		500000${1}${1}stall_backend_membound${1}471022${1}100.00${1}${1}
		100000${1}${1}stall_backend_cpubound${1}471022${1}100.00${1}${1}
		2000${1}${1}br_mis_pred${1}471022${1}100.00${1}${1}
	END
}

# metric NAME: a Python expression for the value of the JSON `d`.
metric()
{
	echo "next(m['value'] for m in d['metrics'] if m['name'] == '$1')"
}

@test "the metrics are those of the counts, with any separator" {
	for separator in "," ';' '|' $'\t' ' ' ':' '::'; do
		counted "$separator" >counts
		if [ ${#separator} -gt 1 ]; then
			imported -x "$separator" --json counts >out.json
		else
			imported --json counts >out.json
		fi
		# 3,000,000 of 5 slots of 1,000,000 cycles; 500,000 of 600,000 stalled cycles.
		json "$(metric backend_bound) == 60 and
			abs($(metric backend_mem_bound) - 500 / 6) < 1e-9 and
			$(metric l1d_cache_mpki) is None and
			d['diagnosis']['path'] == ['backend_bound', 'backend_mem_bound'] and
			d['source'] == 'perf' and d['counted_by'] == 'perf stat -x' and
			d['files'] == ['counts'] and d['exit_status'] is None and
			d['elapsed_seconds'] is None and d['cpu']['midr'] is None" <out.json
	done
}

@test "text has the tree, the diagnosis and what is missing" {
	counted , >counts
	run --separate-stderr imported counts
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = "Neoverse N3: counted by perf stat -x; read from counts" ]
	grep -q '^▸ backend_bound  *60.0 %' <<<"$output"
	grep -q '^Diagnosis$' <<<"$output"
	tr -d '\n' <<<"$output" | tr -s ' ' |
		grep -q 'metrics unavailable because these events were not counted: .*STALL_BACKEND_L1D'
	# What to sample, of a program that plumb does not know.
	lacks -q 'plumb record.* -- *$' <<<"$output"
	[ -z "$(too_wide 80 <<<"$output")" ]
}

@test "all missing events of the shown metrics are named, once each" {
	printf '%s\n' '1000,,cycles,10,100.00,,' >counts
	imported counts | tr -d '\n' | tr -s ' ' | sed 's/.*not counted: //' >missing
	for event in OP_RETIRED OP_SPEC STALL_SLOT STALL_SLOT_BACKEND STALL_SLOT_FRONTEND STALL_FRONTEND_FLUSH; do
		[ "$(grep -ow "$event" missing | wc -l)" -eq 1 ]
	done
}

@test "what the model counted gives what plumb stat says" {
	local compiler=aarch64-linux-gnu-gcc

	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null || skip "no compiler for AArch64"
	engine_path >/dev/null || skip "no engine"
	cat >walk.c <<-'END'
		#include <stdlib.h>
		static unsigned long next[1 << 17];
		int main(void) { unsigned long at = 0;
			for (unsigned long i = 0; i < 1 << 17; i++) next[i] = (i * 40503 + 12345) & ((1 << 17) - 1);
			for (int i = 0; i < 200000; i++) at = next[at];
			return at == 1; }
	END
	"$compiler" -O1 -static -o walk walk.c
	plumb stat --source model --json -o stat.json ./walk
	events=$(/usr/bin/python3 -c '
import json
print(",".join(e["name"] for e in json.load(open("stat.json"))["events"]))')
	for separator in "," ';'; do
		plumb stat --source model -x "$separator" -o counts -e "$events" ./walk
		imported --json counts >out.json
		/usr/bin/python3 - <<-'END'
			import json
			a, b = json.load(open("stat.json")), json.load(open("out.json"))
			value = lambda d: {(m["group"], m["name"]): m["value"] for m in d["metrics"]}
			count = lambda d: {e["name"]: e["count"] for e in d["events"]}
			assert value(a) == value(b) and len(value(a)) > 80
			assert count(a) == count(b) and len(count(a)) > 60
			# The model also tells what its core waits for.
			for key in "path", "verdict", "next_groups", "sample_events":
			    assert a["diagnosis"][key] == b["diagnosis"][key], key
		END
	done
	# So do the options that choose what to show.
	for options in "-s 1" "-m Branch_Effectiveness,MPKI" "-M ipc,backend_bound" "-n backend_mem_bound" \
		"-s 1 -l 1" "-e L1D_CACHE,ipc,r08" "-s 1 -e BR_RETIRED"; do
		# shellcheck disable=SC2086 # words
		plumb stat --source model --json -o some.json $options ./walk
		# shellcheck disable=SC2086 # words
		imported --json $options counts >out.json
		/usr/bin/python3 - <<-'END'
			import json
			a, b = json.load(open("some.json")), json.load(open("out.json"))
			metrics = lambda d: [(m["group"], m["name"], m["level"], m["value"]) for m in d["metrics"]]
			events = lambda d: [(e["name"], e["requested"], e["count"]) for e in d["events"]]
			assert metrics(a) == metrics(b) and len(metrics(a)) < 60, (metrics(a), metrics(b))
			assert events(a) == events(b) and events(a), (events(a), events(b))
			assert (a["diagnosis"] is None) == (b["diagnosis"] is None)
		END
	done
}

@test "shows what is chosen, and refuses what it does not know" {
	counted , >counts
	run --separate-stderr imported -M backend_bound counts
	[ "$status" -eq 0 ]
	grep -q 'backend_bound' <<<"$output"
	lacks -E 'frontend_bound|^Diagnosis' <<<"$output"
	# An event that was not counted has no value, and is not 0.
	imported -e L1D_CACHE,cycles --csv counts | tr -d '\r' >rows
	grep -qx ',perf,,,,L1D_CACHE,,events' rows
	grep -qx ',perf,,,,CPU_CYCLES,1000000,events' rows
	[ "$(wc -l <rows)" -eq 3 ]
	for options in "-m NoGroup" "-M no_metric" "-n no_node" "-s 7" "-l 9" "-e NO_EVENT" "-e cycles:u"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr imported $options counts
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
	grep -q '^plumb: cycles:u: plumb import selects events without modifiers$' <<<"$stderr"
}

@test "--summary-only: only the totals of the intervals" {
	counted , | sed 's/^/     1.000000000,/' >counts
	counted , | sed 's/^/     2.500000000,/; s/3000000,,stall_slot_b/1000000,,stall_slot_b/' >>counts
	imported --json counts | tail -n 1 >last
	imported --json --summary-only counts >only
	cmp last only
	imported --csv --summary-only -M backend_bound counts | tr -d '\r' >rows
	[ "$(sed 1d rows)" = ",perf,Topdown_L1,1,1,backend_bound,40,percent of slots" ]
	lacks -E '^ *time s' < <(imported --summary-only counts)
	grep -q '^ *time s' < <(imported counts)
}

@test "reads perf's JSON" {
	counted , | while IFS=, read -r count _ event time _; do
		echo "{\"counter-value\" : \"$count.000000\", \"unit\" : \"\", \"event\" : \"$event\"," \
			"\"event-runtime\" : $time, \"pcnt-running\" : 12.50, \"metric-value\" : nan}"
	done >counts.json
	imported --json counts.json | json "$(metric backend_bound) == 60 and
		d['counted_by'] == 'perf stat -j' and
		all(e['enabled_ns'] == 8 * e['running_ns'] for e in d['events'][:11]) and
		any('12.5 %' in w for w in d['warnings'])"
	imported --json - <counts.json | json "$(metric backend_bound) == 60"
}

@test "reads what this machine's perf prints" {
	command -v perf >/dev/null || skip "no perf"
	perf stat -e task-clock true 2>/dev/null || skip "perf cannot count"
	for form in "-j" "-x," "-x;" "-j -r 3" "-x, -r 3" "-j -I 50" "-x, -I 50" "-j -I 50 --summary" \
		"-x, -I 50 --summary"; do
		# shellcheck disable=SC2086 # words
		perf stat $form -o counts -e task-clock,page-faults,cycles sleep 0.12 || continue
		imported --json counts | tail -n 1 >/dev/null
		imported --json counts | /usr/bin/python3 -c '
import json, sys
text = sys.stdin.read()
last = json.loads(text.splitlines()[-1]) if text.count("{\"plumb\"") else json.loads(text)
count = {e["name"]: e["count"] for e in last["events"]}
# perf prints milliseconds.
assert 1e4 < count["task-clock"] < 1e9 and 10 < count["page-faults"] < 1e5, count
assert ("time" in last) == ("-I" in sys.argv[1]) and last["source"] == "perf"
' "$form"
	done
	if perf stat -a -A -x, -o counts -e task-clock sleep 0.1 2>/dev/null; then
		imported --json counts | json "
			[u['name'] for u in d['units']][0].startswith('CPU') and
			d['units'][0]['cpu'] >= 0 and
			abs(sum(u['events'][0]['count'] for u in d['units']) - d['events'][0]['count']) < 1"
		perf stat -a --per-core -j -I 50 -o counts -e task-clock sleep 0.1
		imported --json counts | tail -n 1 | json "
			d['summary'] and d['units'][0]['core'] >= 0 and d['units'][0]['name'].startswith('S')"
		imported counts | grep -q '^Cores$'
		imported --csv counts | head -n 1 | grep -q 'unit,cgroup'
	fi
}

@test "intervals add up, and each has its values" {
	counted , | sed 's/^/     1.000000000,/' >counts
	counted , | sed 's/^/     2.500000000,/; s/3000000,,stall_slot_b/1000000,,stall_slot_b/' >>counts
	counted , | sed 's/^/         summary,/' >>counts
	imported --json counts >out.json
	[ "$(wc -l <out.json)" -eq 3 ]
	head -n 1 out.json | json "d['time'] == 1 and $(metric backend_bound) == 60 and not d['summary']"
	sed -n 2p out.json | json "d['time'] == 2.5 and d['elapsed_seconds'] == 1.5 and
		$(metric backend_bound) == 20"
	tail -n 1 out.json | json "d['summary'] and $(metric backend_bound) == 40 and
		next(m['low'] for m in d['metrics'] if m['name'] == 'backend_bound') == 20 and
		d['events'][0]['count'] == 2000000"
}

@test "CPUs, groups and names of events" {
	# The mean of an event in two groups; two CPUs add up.
	printf '%s\n' CPU0,100,,cycles,10,50.00,, CPU0,300,,cycles,10,50.00,, CPU1,500,,cycles,10,100.00,, >counts
	imported --json counts | json "d['events'][0]['count'] == 700 and
		[u['events'][0]['count'] for u in d['units']] == [200, 500]"
	# Terms that contain the separator; the CPU's names; codes; titles are those of topdown-tool.
	printf '%s\n' '5,,armv8_pmuv3_0/event=0x11,name=c/u,10,100.00,,' '7,,INST_RETIRED:u,10,100.00,,' \
		'9,,r3d:u,10,100.00,,' '3,,cache-misses,10,100.00,,' >counts
	imported --json counts | json "
		{e['code']: e['count'] for e in d['events'] if e['count'] is not None and e['code'] != '0x0003'} ==
			{'0x0011': 5, '0x0008': 7, '0x003d': 9} and
		any('user code: cache-misses' in w for w in d['warnings'])"
	# The order of modifiers does not matter.
	printf '%s\n' '5,,cycles:uk,10,100.00,,' '7,,instructions:ku,10,100.00,,' >counts
	imported --json counts | json "[e['count'] for e in d['events'][:2]] == [5, 7] and
		not any('left out' in w for w in d['warnings'])"
	# perf's own clock.
	printf '%s\n' '5,,cycles,10,100.00,,' '1500000,ns,duration_time,10,100.00,,' >counts
	imported --json counts | json "d['elapsed_seconds'] == 0.0015 and d['warnings'] and
		not any('duration' in w for w in d['warnings'])"
}

# gaps HEAD: every interval or CPU counts cycles, but only some count the backend's stalls.
gaps()
{
	printf '%s\n' "$1,1000,,cycles,10,100.00,," "$1,4000,,stall_slot_backend,10,100.00,," \
		"$1,9,,l1d_cache_refill,10,100.00,,"
	printf '%s\n' "$2,1000,,cycles,10,100.00,," "$2,<not counted>,,stall_slot_backend,0,0.00,," \
		"$2,9,,l1d_cache_refill,10,100.00,,"
}

@test "an event that an interval, a CPU or a row did not count has no total" {
	local total="[(e['name'], e['count']) for e in d['events'] if e['name'].lower() in
			('cpu_cycles', 'cycles', 'stall_slot_backend')] "

	gaps 1.0 2.0 >counts
	imported --json counts >out.json
	tail -n 1 out.json | json "[c for _, c in $total] == [2000, None] and
		$(metric backend_bound) is None and
		any('some intervals did not count them: stall_slot_backend' in w for w in d['warnings'])"
	head -n 1 out.json | json "$(metric backend_bound) == 80"
	gaps CPU0 CPU1 >counts
	imported --json counts | json "[c for _, c in $total] == [2000, None] and
		$(metric backend_bound) is None and
		[m['value'] for u in d['units'] for m in u['metrics'] if m['name'] == 'backend_bound'] == [80, None]"
	{ gaps 1.0,CPU0,1 1.0,CPU1,1 && gaps 2.0,CPU0,1 2.0,CPU1,1; } >counts
	imported --json counts | head -n 1 | json "[c for _, c in $total] == [2000, None]"
	imported --json counts | tail -n 1 | json "[c for _, c in $total] == [4000, None] and
		[u['events'][1]['count'] for u in d['units']] == [8000, None]"
	# A CPU that slept counted nothing.
	gaps 1.0 2.0 | sed -E 's/^2.0,[0-9]+,(.*),10,100.00/2.0,<not counted>,\1,0,0.00/' >counts
	echo '2.0,1000000000,ns,duration_time,1000000000,100.00,,' >>counts
	imported --json counts | tail -n 1 | json "[c for _, c in $total] == [1000, 4000] and
		not any('no total' in w for w in d['warnings'])"
	printf '%s\n' Function,CPU_CYCLES,STALL_SLOT_BACKEND,Line f,1000,4000,7 g,1000,, h,, >counts.csv
	imported --json counts.csv | json "[c for _, c in $total] == [2000, None] and
		any('some rows did not count them: STALL_SLOT_BACKEND' in w for w in d['warnings'])"
	printf '%s\n' Function,CPU_CYCLES,STALL_SLOT_BACKEND f,1000,4000 g,1000 >counts.csv
	imported --json counts.csv | json "[c for _, c in $total] == [2000, None]"
}

@test "a byte order mark is skipped" {
	local mark=$'\xef\xbb\xbf'

	for text in '5,,cycles,1,100.00,,' '{"event" : "cycles", "counter-value" : "5"}' \
		'run,time,event,value\n1,,CPU_CYCLES,5' 'CPU_CYCLES,LINE\n5,1'; do
		printf '%b\n' "$mark$text" >counts
		imported --json counts | json "d['events'][0]['count'] == 5"
	done
}

@test "unknown events are named, and uncounted ones have no value" {
	printf '%s\n' '5,,cycles,10,100.00,,' '7,,no_such_event,10,100.00,,' '<not counted>,,instructions,0,0.00,,' >counts
	imported --json counts | json "
		any(w.endswith('which are left out: no_such_event') for w in d['warnings']) and
		d['events'][1]['count'] is None and $(metric ipc) is None"
}

@test "several runs in one file are averaged with a note" {
	counted , >counts
	imported --json counts | json "not any(' runs' in w for w in d['warnings'])"
	counted , | sed 's/^1000000,/3000000,/' >>counts
	imported --json counts | json "d['events'][0]['count'] == 2000000 and
		any('2 times, as from 2 runs; the counts are means' in w for w in d['warnings'])"
	for _ in 1 2 3; do
		echo '# started on Fri Nov 27 08:15:19 2026' && echo && counted ,
	done >appended
	imported --json appended | json "
		any('means over 3 runs in the input' in w for w in d['warnings'])"
	sed '/^[0-9]/s/^/1.0,/' appended >bad
	run --separate-stderr imported bad
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: bad: intervals of several runs cannot be combined"* ]]
}

@test "reads topdown-tool's metrics and events" {
	cat >metrics.csv <<-END
		time,group,stage,level,metric,value,units
		,Topdown_L1,1,1,Retiring,17.02,%
		,Topdown_L1,1,1,Frontend Bound,10.50,%
		,Topdown_L1,1,1,Backend Bound,70.00,%
		,Topdown_L1,1,1,Bad Speculation,2.48,%
		,Topdown_Backend,1,2,Backend Memory Bound,,%
		,Topdown_L1,1,1,Nothing Bound,1,%
	END
	imported --json metrics.csv | json "$(metric backend_bound) == 70 and $(metric retiring) == 17.02 and
		d['diagnosis']['path'] == ['backend_bound'] and d['source'] == 'topdown-tool' and
		any(w.endswith('Nothing Bound') for w in d['warnings'])"
	# Each run counted some of the events, and cycles in all of them.
	printf 'run,time,event,value\r\n1,,CPU_CYCLES,100\r\n1,,STALL_SLOT_BACKEND,60\r\n2,,CPU_CYCLES,140\r\n2,,L1D_CACHE,\r\n' >events.csv
	imported --json events.csv | json "$(metric backend_bound) == 10 and d['events'][0]['count'] == 120"
	# Counts come before metrics that were computed elsewhere.
	imported --json events.csv metrics.csv | json "$(metric backend_bound) == 10 and $(metric retiring) == 17.02"
	sed 's/^,T/0.5,T/; $a1.0,Topdown_L1,1,1,Backend Bound,50.00,%' metrics.csv >intervals.csv
	imported --json intervals.csv >out.json
	[ "$(wc -l <out.json)" -eq 3 ]
	head -n 1 out.json | json "$(metric backend_bound) == 70"
	tail -n 1 out.json | json "$(metric backend_bound) is None and d['diagnosis'] is None and
		any('cannot be combined' in w for w in d['warnings'])"
}

@test "adds up tables with a column per event" {
	cat >functions.csv <<-END
		Function,Module,CPU_CYCLES,Metrics: STALL_SLOT_BACKEND,Samples
		main,a.out,100,300,7
		"f(int, char)",a.out,100,500,9
	END
	imported --json functions.csv | json "$(metric backend_bound) == 80 and d['source'] == 'table' and
		d['events'][0]['count'] == 200 and not any('Samples' in w for w in d['warnings'])"
	printf '%s\n' Function,CPU_CYCLES,STALL_SLOT_BACKEND '"f(1,2)","1,000","4,000.0"' \
		'g,"1,234,000",4000' >thousands.csv
	imported --json thousands.csv | json "d['events'][0]['count'] == 1235000 and
		d['events'][1]['count'] == 8000"
}

@test "a table's cell without a number leaves its column without a total" {
	printf '%s\n' Function,CPU_CYCLES,STALL_SLOT_BACKEND f,100,N/A g,100,500 >some.csv
	imported --json some.csv | json "d['events'][0]['count'] == 200 and
		d['events'][1]['count'] is None and
		any('some rows did not count them: STALL_SLOT_BACKEND' in w for w in d['warnings'])"
	# Where it is the row's only number, too.
	printf '%s\n' Function,CPU_CYCLES f,100 g,- >one.csv
	imported --json one.csv | json "d['events'][0]['count'] is None and
		any('STALL' not in w and 'CPU_CYCLES' in w for w in d['warnings'])"
}

@test "reads tables with semicolons and tabs, and decimal commas" {
	printf '%s\n' 'Function;Seconds;CPU_CYCLES;STALL_SLOT_BACKEND' \
		'f(1,2);0,5;1.000,0;1.234' 'g;1,25;1.234.000;4000' >semicolons.csv
	tr ';' '\t' <semicolons.csv >tabs.csv
	for arguments in semicolons.csv tabs.csv "-x ; semicolons.csv" "-x \\t tabs.csv" \
		"--format table semicolons.csv"; do
		# shellcheck disable=SC2086 # several words
		imported --json $arguments | json "d['source'] == 'table' and
			d['events'][0]['count'] == 1235000 and d['events'][1]['count'] == 5234" || {
			echo "$arguments" && return 1
		}
	done
	# A decimal point makes the same number another one.
	printf '%s\n' 'Function;Seconds;CPU_CYCLES' 'f;0.5;1,234' 'g;0.25;1.5e3' >points.csv
	imported --json points.csv | json "d['events'][0]['count'] == 2734"
}

@test "the events of the manual's example give all metrics of level 1" {
	# shellcheck disable=SC2154 # by lib.bash
	sed -n 's/.*perf stat -j .* -e \([^ ]*\) .*/\1/p' "$here/../../man/plumb-import.1.scd" >events
	[ -s events ]
	tr , '\n' <events | while read -r event; do
		echo "{\"counter-value\" : \"1000.000000\", \"event\" : \"$event\"}"
	done >stat.json
	plumb import --cpu neoverse-v2 --json stat.json | json "
		all($(metric retiring) is not None and $(metric bad_speculation) is not None and
		$(metric frontend_bound) is not None and $(metric backend_bound) is not None for _ in [0])"
}

@test "refuses what are no counts" {
	counted , >counts
	while IFS='|' read -r text message; do
		printf '%b' "$text" >bad
		run --separate-stderr imported bad
		[ "$status" -eq 2 ]
		[[ $stderr == "plumb: $message"* ]] || {
			echo "$text: $stderr" && return 1
		}
	done <<-'END'
		|bad: no counts
		{"event" : "cycles"}|bad:1: cycles has no "counter-value"
		{"event" : "cycles"|bad:1: malformed JSON
		{"event" : "cycles", "counter-value" : "many"}|bad:1: invalid count "many" of cycles
		5,,cycles,1,100.00\nnonsense\n|bad:2: not a line of perf stat -x with the separator ','
		-5,,cycles,1,100.00\n|bad:1: negative count of cycles
		5,,cycles,-1,100.00\n|bad:1: invalid running time -1 ns of cycles
		5,,cycles,1e20,100.00\n|bad:1: invalid running time 1e+20 ns of cycles
		5,,cycles,1,-1.00\n|bad:1: cycles was counted -1 % of the time, not 0 to 100 %
		5,,cycles,1,100.50\n|bad:1: cycles was counted 100.5 % of the time, not 0 to 100 %
		18446744073709551616,,cycles,1,100.00\n|bad:1: the count of cycles exceeds 64 bits
		time,event,value\n1,cycles,many\n|bad:2: invalid value "many" of cycles
		run,time,event,value\n2,1.0,cycles,5\n|bad:2: intervals of several runs cannot be combined
		Function,CPU_CYCLES\nf,"1,5"\n|bad:2: ambiguous number "1,5" of CPU_CYCLES
		Function,CPU_CYCLES\nf,1\nf,"0,125"\n|bad:3: ambiguous number "0,125" of CPU_CYCLES
		Function,CPU_CYCLES\nf,"1,0000"\n|bad:2: ambiguous number "1,0000" of CPU_CYCLES
		Function,CPU_CYCLES\nf,"1.000,5"\n|bad:2: ambiguous number "1.000,5" of CPU_CYCLES
		Function;CPU_CYCLES\nf;1,234\n|bad:2: ambiguous number "1,234" of CPU_CYCLES: "," and "."
		Function;CPU_CYCLES\nf;1,5\ng;1.5\n|bad:2: ambiguous number "1,5" of CPU_CYCLES
		Function;CPU_CYCLES\nf;0,5\ng;12.34,5\n|bad:3: ambiguous number "12.34,5" of CPU_CYCLES
		one two three\n|bad: neither perf stat -j or -x, nor a CSV table
		5,,nothing,1,100.00\n|neoverse-n3-r0p0 has none of the events in the input
		5,,armv8_a/cycles/,1,100.00\n6,,armv8_b/cycles/,1,100.00\n|these are counts of two PMUs, armv8_a and armv8_b
	END
	printf "\n Performance counter stats for 'a,b':\n\n   1,000   cycles\n" >plain
	run --separate-stderr imported plain
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: plain: perf stat's text for people is not supported"*"run perf stat again with -j" ]]
	run --separate-stderr imported missing
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: cannot read missing: "* ]]
	run --separate-stderr plumb import counts
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: missing --cpu: "* ]]
	run --separate-stderr imported --json --csv counts
	[ "$status" -eq 2 ]
	run --separate-stderr imported -o counts counts
	[ "$status" -eq 2 ]
	[ -s counts ]
}

@test "names values that cannot be, and why" {
	# Slots are 5 per cycle on an N3: these are of a CPU with 8.
	counted , | sed 's/^3000000,/6000000,/' >counts
	imported --json counts >out.json
	json "[(c['metric'], c['cause'], round(c['value'], 3)) for c in d['contradictions']] ==
			[(None, 'together', 160.0), ('backend_bound', 'together', 120.0)] and
		d['contradictions'][0]['possible'] == [95, 105] and
		sum('contradict' in w and 'another CPU' in w for w in d['warnings']) == 1" <out.json
	imported counts | tr -d '\n' | tr -s ' ' >text
	grep -q 'bad_speculation add up to 160.0 %, not 100 %. backend_bound is 120.0 %. Likely cause: the counts' text
	grep -q 'the diagnosis is uncertain, because it begins with backend_bound, which cannot be 120.0 %' text
	# The same, multiplexed.
	sed 's/,100\.00/,20.00/' counts >turns
	imported --json turns | json "{c['cause'] for c in d['contradictions']} == {'multiplexing'}"
	# Enabled for different times.
	sed '/stall_slot_backend/s/471022/4471022/' counts >times.csv
	imported --json times.csv | json "'times' in {c['cause'] for c in d['contradictions']}"
	# Nothing contradicts itself, or only for rounding: 6 of 5 slots of one cycle.
	counted , >fine
	imported --json fine | json "d['contradictions'] == []"
	printf '%s\n' '1,,cycles,10,100.00,,' '6,,stall_slot_backend,10,100.00,,' >few
	imported --json few | json "$(metric backend_bound) == 120 and d['contradictions'] == []"
	printf '%s\n' '1000,,cycles,10,100.00,,' '6000,,stall_slot_backend,10,100.00,,' >many
	imported --json many | json "len(d['contradictions']) == 1"
	# 96 and 104 % are within 5 points; 94 % is not.
	for backend in 2750000:0 2700000:1 3250000:0 3300000:1; do
		counted , | sed "s/^3000000,/${backend%:*},/" >counts
		imported --json counts | json "len(d['contradictions']) == ${backend#*:}" || {
			imported --json counts | grep -A8 contradictions
			return 1
		}
	done
}

@test "tables of functions as sl-analyze writes them, but no call paths" {
	cat >functions-app-bt.csv <<-END
		symbol,"Metrics: Sample Count","Metrics: CPU_CYCLES","Metrics: INST_RETIRED","Metrics: Retiring"
		"ns::f(int, char const*)",10,1000,2000,40.0
		"operator,(A, B)",5,500,100,20.5
	END
	[ "$(imported --json -e CPU_CYCLES,INST_RETIRED functions-app-bt.csv | jq -c '[.events[] | .name, .count]')" = \
		'["CPU_CYCLES",1500,"INST_RETIRED",2100]' ]
	cp functions-app-bt.csv callpaths-app-bt.csv
	run --separate-stderr imported ./callpaths-app-bt.csv
	[ "$status" -eq 3 ]
	said "plumb: ./callpaths-app-bt.csv: call paths cannot be imported: each count is in several rows" \
		"       import the table of functions instead: functions-*.csv"
	# As Arm's own program reads them: columns beside those of counts, and call paths under any name.
	cat >functions-capture-metrics.csv <<-END
		uid,image,symbol,inlined from,CPU_CYCLES,INST_RETIRED,STALL_BACKEND
		1,/usr/bin/a.out,main,,1000,2000,100
		2,/usr/bin/a.out,"f(int, char)",main,500,100,
	END
	imported --json -e CPU_CYCLES,INST_RETIRED,STALL_BACKEND functions-capture-metrics.csv |
		jq -c '[.events[].count], [.warnings[] | contains("some rows did not count them: STALL_BACKEND")]' >out
	[ "$(paste -s out)" = "$(printf '%s\t%s' '[1500,2100,null]' '[true]')" ]
	for headings in 'CPU_CYCLES (total),CPU_CYCLES (self),uid,image,symbol' \
		'CPU_CYCLES,uid,image,symbol,depth,node id,parent node id'; do
		printf '%s\n' "$headings" '1000,500,1,a.out,main,0,1' >paths.csv
		run --separate-stderr imported paths.csv
		[ "$status" -ne 0 ]
		[[ "$stderr" == *"paths.csv:1: a table of call paths: each count is in several rows"* ]]
	done
}

@test "what is no table of counts is told, also without --cpu" {
	printf 'PERFILE2\0\0\0\0' >recording
	run plumb import recording
	[ "$status" -eq 2 ]
	[ "$output" = "plumb: recording: not a text file" ]
	run plumb import /dev/null
	[ "$output" = "plumb: /dev/null: no counts" ]
}
