# SPDX-License-Identifier: Apache-2.0
# plumb spec tree

load lib.bash

@test "the tree of the Neoverse N3, drawn" {
	run --separate-stderr plumb spec tree --cpu neoverse-n3
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = "neoverse-n3-r0p0, Topdown Methodology" ]
	grep -qxF '  │  │  │  └─ → L1I_Cache_Effectiveness' <<<"$output"
	grep -qxE '  backend_bound +percent of slots' <<<"$output"
	grep -qxE '  │  ├─ backend_mem_tlb_bound +percent of cycles' <<<"$output"
	grep -qxE '  Operation_Mix +9  retiring' <<<"$output"
	# Metrics that no root leads to are still shown.
	grep -A 1 -xF '  Not reachable from a root' <<<"$output" | grep -qE '^  backend_busy_bound '
}

@test "without --cpu, on a machine without an Arm CPU, draws the Neoverse N3's" {
	[ ! -e /sys/devices/system/cpu/cpu0/regs/identification/midr_el1 ] || skip "an Arm machine"
	[ "$(plumb spec tree)" = "$(plumb spec tree --cpu neoverse-n3-r0p0)" ]
}

@test "draws in ASCII if the locale is not UTF-8" {
	LC_ALL=C run --separate-stderr plumb spec tree --cpu neoverse-n3
	[ "$status" -eq 0 ]
	grep -qxF '  |  |  |  `- -> L1I_Cache_Effectiveness' <<<"$output"
	lacks '[^ -~]' <<<"$output"
	for locale in LC_ALL LC_CTYPE LANG; do
		# shellcheck disable=SC2030,SC2031 # for this command alone
		(unset LC_ALL && export "$locale=de_DE.utf8" && plumb spec tree --cpu neoverse-n3) |
			grep -qF '└─'
	done
}

@test "every CPU's tree fits 80 columns and has every node with its units, and every group" {
	for cpu in $(cpus); do
		plumb spec tree --cpu "$cpu" >"$BATS_TEST_TMPDIR/text"
		plumb spec tree -v --cpu "$cpu" >"$BATS_TEST_TMPDIR/more"
		[ -z "$(cat "$BATS_TEST_TMPDIR/text" "$BATS_TEST_TMPDIR/more" | too_wide 80)" ]
		plumb spec tree --cpu "$cpu" --json >"$BATS_TEST_TMPDIR/json"
		plumb spec list metrics --cpu "$cpu" -x '|' >"$BATS_TEST_TMPDIR/metrics"
		/usr/bin/python3 - "$BATS_TEST_TMPDIR" <<-'END'
			import json, re, sys

			def text_of(name):
			    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as file:
			        return file.read()

			units = {fields[0]: fields[2] for fields in
			         (line.split("|") for line in text_of("metrics").splitlines())}
			nodes = [node["metric"] for methodology in json.loads(text_of("json"))["methodologies"]
			         for node in methodology["nodes"]]
			assert len(nodes) >= 2
			for node in nodes:
			    drawn = re.findall(rf"(?m)(?:^|[ ─]){node} +{re.escape(units[node])}$", text_of("text"))
			    assert units[node] and len(drawn) == 1, (node, units[node], drawn)
		END
		for group in $(names groups 1 "$cpu"); do
			grep -qE " $group( |\$)" "$BATS_TEST_TMPDIR/text" ||
				plumb spec list groups --cpu "$cpu" -x '|' "$group" | grep -q "^$group|1|"
		done
	done
}

@test "on a terminal of 40 columns, units stand below names and names end between words" {
	COLUMNS=40 plumb spec tree --cpu neoverse-v3 >"$BATS_TEST_TMPDIR/text"
	[ -z "$(too_wide 40 <"$BATS_TEST_TMPDIR/text")" ]
	grep -A 1 -xF '  ├─ frontend_core_bound' "$BATS_TEST_TMPDIR/text" |
		grep -qxE '  │  │ +percent of cycles'
	grep -A 1 -E '^  LL_Cache_ +3  ' "$BATS_TEST_TMPDIR/text" | grep -qE '^  Effectiveness '
}

@test "a metric that several nodes lead to is drawn once, nearest to a root" {
	run --separate-stderr plumb spec tree --cpu c1-nano
	[ "$status" -eq 0 ]
	[ "$(grep -c 'backend_mem_bound  *percent of cycles' <<<"$output")" -eq 1 ]
	[ "$(grep -c 'backend_mem_bound  *see below' <<<"$output")" -eq 3 ]
	# On the second level, not at its first occurrence.
	grep -qE '^  └─ backend_mem_bound ' <<<"$output"
}

@test "-v adds formulas and the events to sample" {
	run --separate-stderr plumb spec tree -v --cpu neoverse-n1
	[ "$status" -eq 0 ]
	grep -qxF '  │     STALL_FRONTEND / CPU_CYCLES * 100' <<<"$output"
	grep -qxF '  │     sample STALL_FRONTEND' <<<"$output"
}

@test "JSON agrees with Arm's files" {
	need_reference
	for file in "$PLUMB_REFERENCE"/mrs/cpu/*_pmu.json; do
		plumb spec tree --cpu "$file" --json | json '
			set(d) == {"plumb", "cpu", "methodologies"} and
			{m["name"]: (m["title"], m["roots"],
			             {s["name"]: s["metric_groups"] for s in m["stages"]},
			             [(n["metric"], n["group"], [i["name"] for i in n["next_items"]],
			               n["sample_events"]) for n in m["nodes"]])
			 for m in d["methodologies"]} ==
			{name: (m["title"], m["decision_tree"]["root_nodes"], m["metric_grouping"],
			        [(n["name"], n["group"], n["next_items"], n["sample_events"])
			         for n in m["decision_tree"]["metrics"]])
			 for name, m in f["methodologies"].items()}' "f=$file"
	done
}
