# SPDX-License-Identifier: Apache-2.0
# plumb spec show

load lib.bash

@test "an event by name, code and title, in any case" {
	expected=$(plumb spec show --cpu neoverse-n3 CPU_CYCLES)
	[[ ${expected%%$'\n'*} == "CPU_CYCLES, event of neoverse-n3-r0p0" ]]
	for name in cpu_cycles 0x11 0x0011 0X11 r11 R0011 Cycle CYCLE; do
		[ "$(plumb spec show --cpu neoverse-n3 "$name")" = "$expected" ]
	done
}

@test "an event: everything about it, and what refers to it" {
	run --separate-stderr plumb spec show --cpu neoverse-n3 --json STALL_SLOT_BACKEND
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	json "len(d['results']) == 1 and all(d['results'][0][k] == v for k, v in {
		'kind': 'event', 'name': 'STALL_SLOT_BACKEND', 'cpu': 'neoverse-n3-r0p0',
		'code': '0x003d', 'accesses': ['PMU', 'ETE'], 'architecture_defined': True,
		'product_defined': False, 'debug': None, 'functional_groups': ['Stall'],
		'metrics': ['backend_bound'], 'metric_groups': ['Topdown_L1'],
		'sampled_for': ['backend_bound']}.items())" <<<"$output"
	run --separate-stderr plumb spec show --cpu neoverse-n3 STALL_SLOT_BACKEND
	for words in "Code +0x003d \(perf: r3d\)" "Seen by +PMU, ETE" "Functional groups +Stall" \
		"Metrics +backend_bound" "Metric groups +Topdown_L1" "Sampled for +backend_bound"; do
		grep -qE "^  $words\$" <<<"$output"
	done
}

@test "a metric: formula, events, place in the tree" {
	run --separate-stderr plumb spec show --cpu neoverse-n3 --json backend_mem_bound
	[ "$status" -eq 0 ]
	json "len(d['results']) == 1 and all(d['results'][0][k] == v for k, v in {
		'kind': 'metric', 'title': 'Backend Memory Bound', 'stage': 1,
		'units': 'percent of cycles', 'metric_groups': ['Topdown_Backend']}.items())" \
		<<<"$output"
	json "[{k: n[k] for k in ('level', 'reached_from', 'next_items')}
	       for n in d['results'][0]['nodes']] == [{'level': 2, 'reached_from': ['backend_bound'],
	       'next_items': [{'kind': 'metric', 'name': n} for n in ('backend_mem_cache_bound',
	                      'backend_mem_tlb_bound', 'backend_mem_store_bound')]}]" <<<"$output"
	run --separate-stderr plumb spec show --cpu neoverse-n3 backend_mem_bound
	grep -qE '^  Formula +STALL_BACKEND_MEM.* / ' <<<"$output"
	grep -qE '^  Reached from +backend_bound$' <<<"$output"
}

@test "a name shared by several kinds of thing shows them all" {
	plumb spec show --cpu neoverse-n3 --json general |
		json "[r['kind'] for r in d['results']] == ['metric_group', 'functional_group'] and
		      {r['name'] for r in d['results']} == {'General'}"
}

@test "an exact match hides matches that differ in case" {
	plumb spec show --cpu neoverse-n3 --json L1D_CACHE |
		json "[r['kind'] for r in d['results']] == ['event']"
	plumb spec show --cpu neoverse-n3 --json L1D_Cache |
		json "[r['kind'] for r in d['results']] == ['functional_group']"
	plumb spec show --cpu neoverse-n3 --json l1d_cache |
		json "[r['kind'] for r in d['results']] == ['event', 'functional_group']"
}

@test "a metric group: its metrics with units and formulas" {
	run --separate-stderr plumb spec show --cpu neoverse-n1 General
	[ "$status" -eq 0 ]
	grep -qE '^    ipc +per cycle +INST_RETIRED / CPU_CYCLES$' <<<"$output"
}

@test "a functional group: its events with codes and titles" {
	run --separate-stderr plumb spec show --cpu neoverse-n3 Chain
	[ "$status" -eq 0 ]
	grep -qE '^    0x001e +CHAIN +' <<<"$output"
}

@test "a CPU in any spelling" {
	expected=$(plumb spec show neoverse-n2-r0p3)
	[[ ${expected%%$'\n'*} == "neoverse-n2-r0p3, CPU" ]]
	for name in neoverse-n2 "Neoverse N2" 0x410fd493 n2; do
		[ "$(plumb spec show "$name")" = "$expected" ]
	done
	plumb spec show neoverse-n3 --json | json "d['results'][0]['kind'] == 'cpu' and
		(d['results'][0]['slots'], d['results'][0]['counters']) == (5, 6) and
		len(d['results'][0]['metric_groups']) == 18 and
		len(d['results'][0]['functional_groups']) == 19 and
		d['results'][0]['file'] is None"
}

@test "without --cpu all CPUs are shown, values they share once" {
	run --separate-stderr plumb spec show INST_RETIRED
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "INST_RETIRED, event of all 17 CPUs" ]
	[ "$(grep -c 'Code  ' <<<"$output")" -eq 1 ]
	plumb spec show --json INST_RETIRED | json "len(d['results']) == 17 ==
		len({r['cpu'] for r in d['results']}) and {r['code'] for r in d['results']} == {'0x0008'}"
}

@test "without --cpu, values that differ are followed by their CPUs" {
	run --separate-stderr plumb spec show backend_bound
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "backend_bound, metric of all but c1-sme2, neoverse-n1" ]
	flat=$(tr -s '\n ' ' ' <<<"$output")
	[[ $flat == *"STALL_SLOT_BACKEND / (8 * CPU_CYCLES) * 100 [neoverse-v1]"* ]]
	[[ $flat == *"STALL_SLOT_BACKEND / (5 * CPU_CYCLES) * 100 [neoverse-n3]"* ]]
	[[ $flat == *"[c1-premium, c1-ultra]"* ]]
	[[ $flat == *"Units percent of slots Events"* ]]
}

@test "one code that means different events on different CPUs" {
	listed=$(plumb spec list events -x ';' | grep '^0x0108;' | cut -d ';' -f 2 | sort -u | xargs)
	[[ $listed == *" "* ]]
	plumb spec show --json r108 |
		json "{r['code'] for r in d['results']} == {'0x0108'} and
		      {r['name'] for r in d['results']} == set('$listed'.split())"
}

@test "an unknown name, similar to a known one and not" {
	run --separate-stderr plumb spec show INST_RETIERD
	[ "$status" -eq 2 ]
	said "plumb: unknown name 'INST_RETIERD': not an event, metric, group or CPU" \
		"       did you mean INST_RETIRED?"
	run --separate-stderr plumb spec show frobnicate
	[ "$status" -eq 2 ]
	said "plumb: unknown name 'frobnicate': not an event, metric, group or CPU" \
		"       run 'plumb spec list' to list CPUs, or 'plumb spec list events' to list events"
	for name in cycles Cache-Misses cpu-cycles; do
		run --separate-stderr plumb spec show "$name"
		[ "$status" -eq 2 ]
		said "plumb: '$name' is perf's name for an event" \
			"       see plumb list generic for the CPU's event that it stands for"
	done
	for code in 0x10000 0xfffff r 0x 0x11z; do
		run --separate-stderr plumb spec show "$code"
		[ "$status" -eq 2 ]
		[[ $stderr == "plumb: unknown name '$code': "* ]]
	done
}

@test "a name that only other CPUs know" {
	run --separate-stderr plumb spec show --cpu neoverse-n1 retiring
	[ "$status" -eq 2 ]
	said "plumb: neoverse-n1-r4p1 has no 'retiring'" \
		"       available on all but c1-sme2, neoverse-n1"
	run --separate-stderr plumb spec show --cpu neoverse-n1 backend_stalled_cycle
	[ "$status" -eq 2 ]
	[[ $stderr == *"did you mean backend_stalled_cycles?" ]]
	run --separate-stderr plumb spec show --cpu neoverse-n3 l1d_tlb_rd
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: neoverse-n3-r0p0 has no 'l1d_tlb_rd'"*"available on "*neoverse-v3* ]]
}

@test "an unknown name does not hide known ones" {
	run --separate-stderr plumb spec show --cpu neoverse-n1 ipc frobnicate CPU_CYCLES
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: unknown name 'frobnicate'"* ]]
	[[ $output == "ipc, metric of neoverse-n1-r4p1"*$'\n\n'"CPU_CYCLES, event of neoverse-n1-r4p1"* ]]
	run --separate-stderr plumb spec show --json --cpu neoverse-n1 ipc frobnicate CPU_CYCLES
	[ "$status" -eq 2 ]
	json "[r['name'] for r in d['results']] == ['ipc', 'CPU_CYCLES']" <<<"$output"
	run --separate-stderr plumb spec show -o "$BATS_TEST_TMPDIR/none" frobnicate
	[ "$status" -eq 2 ]
	[ ! -e "$BATS_TEST_TMPDIR/none" ]
}

@test "everything of every CPU can be shown, in 80 columns" {
	for cpu in $(cpus); do
		mapfile -t all < <(names events 2 "$cpu" && names metrics 1 "$cpu" &&
			names groups 1 "$cpu" && names functions 1 "$cpu")
		[ "${#all[@]}" -gt 100 ]
		plumb spec show --cpu "$cpu" "${all[@]}" "$cpu" >"$BATS_TEST_TMPDIR/text"
		[ "$(grep -cE '^[^ ]+, .*(event|metric|group|CPU)' "$BATS_TEST_TMPDIR/text")" \
			-ge "${#all[@]}" ]
		[ -z "$(too_wide 80 <"$BATS_TEST_TMPDIR/text")" ]
	done
	mapfile -t all < <(plumb spec list metrics -x ';' | cut -d ';' -f 1 | sort -u)
	[ -z "$(plumb spec show "${all[@]}" | too_wide 80)" ]
}

@test "JSON has the keys listed in the manual page" {
	keys() { json "all(set(r) == set('kind name cpu $2'.split()) for r in d['results'])" <<<"$1"; }
	keys "$(plumb spec show --json CPU_CYCLES)" "code title description accesses \
		architecture_defined product_defined debug functional_groups metrics metric_groups \
		sampled_for"
	keys "$(plumb spec show --json backend_bound)" "title description stage formula units events \
		sample_events metric_groups nodes"
	keys "$(plumb spec show --json Topdown_L1)" "title description stage metrics events \
		reached_from"
	keys "$(plumb spec show --json Retired)" "title description events"
	keys "$(plumb spec show --json neoverse-n3)" "product revision midr architecture \
		pmu_architecture slots bus_slots counters event_count metric_count metric_group_count \
		functional_group_count metric_groups functional_groups methodologies file document"
	plumb spec show --json backend_bound | json "all(set(n) == {'methodology', 'metric', 'group',
		'level', 'reached_from', 'next_items', 'sample_events'} for r in d['results'] for n in r['nodes'])"
}

@test "cross-references of every event and metric agree with Arm's files" {
	need_reference
	for file in "$PLUMB_REFERENCE"/mrs/cpu/*_pmu.json; do
		mapfile -t events < <(plumb spec list events --cpu "$file" -x '|' | cut -d '|' -f 2)
		plumb spec show --cpu "$file" --json "${events[@]}" | json '
			len([r for r in d["results"] if r["kind"] == "event"]) == len(f["events"]) and
			all(set(r["metrics"]) == {n for n, m in f["metrics"].items()
			                          if r["name"] in m["events"]} and
			    set(r["sampled_for"]) == {n for n, m in f["metrics"].items()
			                              if r["name"] in m.get("sample_events", [])} and
			    set(r["functional_groups"]) == {n for n, g in f["groups"]["function"].items()
			                                    if r["name"] in g["events"]} and
			    set(r["metric_groups"]) == {n for n, g in f["groups"]["metrics"].items()
			                                if set(r["metrics"]) & set(g["metrics"])}
			    for r in d["results"] if r["kind"] == "event")' "f=$file"
		mapfile -t metrics < <(plumb spec list metrics --cpu "$file" -x '|' | cut -d '|' -f 1)
		plumb spec show --cpu "$file" --json "${metrics[@]}" | json '
			len([r for r in d["results"] if r["kind"] == "metric"]) == len(f["metrics"]) and
			all(r["formula"] == f["metrics"][r["name"]]["formula"] and
			    set(r["events"]) == set(f["metrics"][r["name"]]["events"]) and
			    set(r["metric_groups"]) == {n for n, g in f["groups"]["metrics"].items()
			                                if r["name"] in g["metrics"]} and
			    [i["name"] for n in r["nodes"] for i in n["next_items"]] ==
			    [i for m in f["methodologies"].values() for n in m["decision_tree"]["metrics"]
			     if n["name"] == r["name"] for i in n["next_items"]]
			    for r in d["results"] if r["kind"] == "metric")' "f=$file"
	done
}
