# SPDX-License-Identifier: Apache-2.0
# plumb list

load lib.bash

listed()
{
	plumb list --source model "$@"
}

@test "lists the model's cores, and the parameters of the first" {
	run --separate-stderr listed
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = "CORE         SPECIFICATION     SLOTS   MHZ  FIGURES  INFERRED  ASSUMED" ]
	grep -qE '^neoverse-n3 +neoverse-n3-r0p0 +5( +[0-9]+){4}$' <<<"$output"
	grep -qE '^neoverse-v2 +neoverse-v2-r0p0 +8( +[0-9]+){4}$' <<<"$output"
	grep -q '^--cpu also takes altramax (neoverse-n1), ' <<<"$output"
	grep -qE '^l1d.bytes +65536 +\[[0-9]+\]$' <<<"$output"
	grep -qE '^\[1\] .' <<<"$output"
	[ -z "$(too_wide 80 <<<"$output")" ]
}

@test "each parameter has a value and a source" {
	for cpu in $(listed cores -x '|' | cut -d '|' -f 1); do
		listed --cpu "$cpu" --json | json '
			len(d["parameters"]) > 100 and
			all(set(p) == {"name", "value", "source", "basis"} and all(p.values()) for p in d["parameters"]) and
			len({p["name"] for p in d["parameters"]}) == len(d["parameters"])'
	done
	[ "$(listed parameters --cpu neoverse-v2 -x '|' | grep '^slots|' | cut -d '|' -f 2)" = 8 ]
}

@test "lists platforms, which are cores with what is around them" {
	listed cores --json | json '
		(lambda cores: {"neoverse-" + name for name in ("n1", "n2", "n3", "v1", "v2", "v3")} |
			{"graviton2", "graviton3", "graviton4", "grace", "cobalt100", "altra"} == set(cores) and
			cores["graviton4"]["specification"] == cores["neoverse-v2"]["specification"] and
			all(0 < c["assumed"] and c["assumed"] + c["inferred"] < c["figures"]
			    for c in cores.values()))({c["name"]: c for c in d["cores"]})'
	# The processors that --cpu takes without a row of their own.
	listed cores --json | json '
		{c["name"]: c["aliases"] for c in d["cores"] if c.get("aliases")} ==
			{"neoverse-n1": ["altramax"], "neoverse-v1": ["graviton3e"],
			 "neoverse-v2": ["axion"], "neoverse-v3": ["graviton5", "v3ae"]}'
	# What V3 has from V2 is not listed as if it were published of V3; its own costs are.
	listed parameters --cpu neoverse-v3 --json | json '
		[[p["basis"] for p in d["parameters"] if p["name"] == name]
		 for name in ("reorder_entries", "classes.INT_ALU")] == [["inferred"], ["published"]]'
	# The figures of the machine, and those of its cores.
	of() { listed parameters --cpu "$1" -x '|' | grep "^$2|" | cut -d '|' -f 2; }
	[ "$(of graviton4 llc.bytes)" = 37748736 ]
	[ "$(of "Graviton 4" frequency_mhz)" = 2800 ]
	[ "$(of graviton4 reorder_entries)" = "$(of neoverse-v2 reorder_entries)" ]
	[ "$(of graviton2 dram_latency)" != "$(of altra dram_latency)" ]
	run --separate-stderr listed --cpu gravitron
	[ "$status" -eq 2 ]
	[[ $stderr == *"the model has no core 'gravitron'"*"graviton4"* ]]
}

@test "lists the events that plumb stat counts, and with -v the others" {
	listed events --json | json '
		{"CPU_CYCLES", "INST_RETIRED", "L1D_CACHE"} <= {e["name"] for e in d["events"] if e["counted"]}
		and "EXC_UNDEF" in {e["name"] for e in d["events"] if not e["counted"]}'
	[ "$(listed events -x '|' | wc -l)" -lt "$(listed events -v -x '|' | wc -l)" ]
	[ "$(listed events -v -x '|' | wc -l)" -eq "$(names events 1 neoverse-n3 | wc -l)" ]
	run listed events
	grep -qE '^[0-9]+ more are not counted; -v shows them$' <<<"$output"
	# Nothing but what is not counted: no empty table.
	run listed events PMU_OVFS
	[ "$output" = "1 is not counted; -v shows it" ]
	run listed events -v PMU_OVFS
	[ "${#lines[@]}" -eq 2 ]

	run --separate-stderr plumb spec show backend_queue_mx
	[[ $stderr == *"plumb-report(1), at --topdown" ]]
}

@test "a metric is counted only if all its events are" {
	listed metrics --json | json 'len(d["metrics"]) == 67 and all(m["counted"] for m in d["metrics"])'
	listed metrics --cpu neoverse-v2 --json | json '
		sorted(m["counted"] for m in d["metrics"] if m["name"] in ("ipc", "branch_percentage"))
			== [False, True]'
	listed groups --cpu neoverse-v2 --json | json '
		all(g["counted_metrics"] <= g["metrics"] for g in d["groups"]) and
		[g["metrics"] - g["counted_metrics"] for g in d["groups"]
		 if g["name"] == "Operation_Mix"] == [1]'
}

@test "lists what perf's generic names count, and software events" {
	[ "$(listed generic -x '|' | wc -l)" -eq 21 ]
	[ "$(listed generic -x '|' | grep '^LLC-load-misses|')" = \
		"LLC-load-misses||0x0037|LL_CACHE_MISS_RD" ]
	# N3's specification has PC_WRITE_RETIRED, which the model counts or not; Linux takes the
	# other event where it does not.
	listed generic --json | json '
		{e["name"]: (e["alias"], e["event"]) for e in d["generic"]}["branches"] in (
			("branch-instructions", "PC_WRITE_RETIRED"), ("branch-instructions", "BR_RETIRED"))'
	[ "$(listed software -x '|' | cut -d '|' -f 1 | xargs)" = "cpu-clock task-clock" ]
	[ "$(listed software -v -x '|' | wc -l)" -eq 12 ]
	plumb list software --source perf --json | json '
		d["source"] == "perf" and all(e["counted"] for e in d["software"])'
	# All are what plumb stat takes.
	listed -v --json | json '
		set(d) == {"plumb", "source", "cpu", "cores", "parameters", "generic", "software"}'
	listed --json | json 'set(d) == {"plumb", "source", "cpu", "cores", "parameters"}'
	[ -z "$(listed -v | too_wide 80)" ]
}

@test "rejects what cannot be listed" {
	run --separate-stderr listed cors
	[ "$status" -eq 2 ]
	said "plumb: nothing to list matches 'cors'" "       did you mean cores?"
	run --separate-stderr listed --cpu c1-ultra
	[ "$status" -eq 2 ]
	[ -z "$(find /sys/bus/event_source/devices -name 'armv[89]_*' 2>/dev/null)" ] || return 0
	run --separate-stderr plumb list --source perf
	[ "$status" -eq 3 ]
	[ "$(plumb list events)" = "$(listed events)" ]
}

@test "patterns choose names of every kind, as in perf list" {
	run --separate-stderr listed events 'l1d_cache*' -x ';'
	[ "$status" -eq 0 ]
	[ "$output" = "$(listed events -x ';' | grep -E '^[^;]*;L1D_CACHE')" ]
	[ "${#lines[@]}" -gt 5 ]
	# Without wildcards a part of a name or title, in any order.
	[ "$(listed events -x ';' walk dtlb)" = "$(listed events -x ';' | grep -iE 'walk|dtlb')" ]
	# perf's names lead to what they count, and the other way round.
	listed --json 'cache-m*' | json '[g["event"] for g in d["generic"]] == ["L1D_CACHE_REFILL"]'
	listed --json '*l1d*' | json '
		all("l1d" in (e["name"] + e["title"]).lower() for k in ("events", "metrics", "groups")
			for e in d[k]) and
		all("L1D" in g["event"] or "l1d" in g["name"] for g in d["generic"]) and
		min(len(d[k]) for k in ("events", "metrics", "groups", "generic")) > 0 and
		d["software"] == [] and "cores" not in d'
	# Only what is there has a heading.
	[ "$(listed task-clock 2>&1 | head -n 1 | cut -d ' ' -f 1)" != EVENT ]
	run --separate-stderr listed evnts
	[ "$status" -eq 2 ]
	said "plumb: nothing to list matches 'evnts'" "       did you mean events?"
	run --separate-stderr listed 'frob*'
	[ "$status" -eq 2 ]
	[ "$(head -n 1 <<<"$stderr")" = "plumb: nothing to list matches 'frob*'" ]
	for kind in cores parameters events metrics groups generic software; do
		[ "$(listed $kind --csv | tail -n +2)" = "$(listed $kind -x ,)" ]
		# Its columns have the names that JSON has.
		[ "$(listed $kind --csv | head -n 1 | tr , '\n' |
			grep -cvxFf <(listed $kind --json | sed -n 's/^ *"\([a-z_]*\)".*/\1/p'))" -eq 0 ]
	done
	run --separate-stderr listed --csv cycles
	[ "$status" -eq 2 ]
	[ "$stderr" = "plumb: --csv requires one kind of names: plumb list events 'cycles'" ]
	run --separate-stderr listed -x , cycles
	[ "$status" -eq 2 ]
	said "plumb: --field-separator requires one kind of names: plumb list events 'cycles'"
}
