# SPDX-License-Identifier: Apache-2.0
# plumb spec list

load lib.bash

@test "lists CPUs by default" {
	run --separate-stderr plumb spec list
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$output" = "$(plumb spec list cpus)" ]
	[[ ${lines[0]} =~ ^NAME\ +MIDR\ +ARCH\ +SLOTS\ +COUNTERS\ +EVENTS\ +METRICS\ +GROUPS$ ]]
	[[ $output =~ neoverse-n3-r0p0\ +0x410fd8e0\ +armv9\.2\ +5\ +6\ +224\ +67\ +18 ]]
	[ "${#lines[@]}" -eq 18 ]
}

@test "every listing of every CPU fits 80 columns" {
	for cpu in '' $(cpus); do
		for kind in cpus events metrics groups functions; do
			plumb spec list "$kind" ${cpu:+--cpu "$cpu"} >"$BATS_TEST_TMPDIR/text"
			[ "$(wc -l <"$BATS_TEST_TMPDIR/text")" -ge 2 ]
			[ -z "$(too_wide 80 <"$BATS_TEST_TMPDIR/text")" ]
			lacks ' $' <"$BATS_TEST_TMPDIR/text"
		done
	done
}

@test "text wraps without losing anything" {
	wrapped=$(plumb spec list functions --cpu neoverse-n3 | tail -n +2 | tr -s '\n ' ' ')
	fields=$(plumb spec list functions --cpu neoverse-n3 -x '	' | tr -s '\t\n ' ' ')
	[ "$(plumb spec list functions --cpu neoverse-n3 | wc -l)" -gt 20 ]
	# The words of the last column continue on later lines, in order.
	[ "$(tr ' ' '\n' <<<"$wrapped" | sort)" = "$(tr ' ' '\n' <<<"$fields" | sort)" ]
}

@test "sorts events by code, metrics by name, metric groups by stage" {
	codes=$(plumb spec list events -x ';' | cut -d ';' -f 1)
	[ "$(wc -l <<<"$codes")" -gt 300 ]
	[ "$codes" = "$(sort <<<"$codes")" ]
	metrics=$(plumb spec list metrics --cpu neoverse-n3 -x ';' | cut -d ';' -f 1)
	[ "$(wc -l <<<"$metrics")" -eq 67 ]
	[ "$metrics" = "$(LC_ALL=C sort -f <<<"$metrics")" ]
	stages=$(plumb spec list groups -x ';' | cut -d ';' -f 2)
	[ "$(sort -u <<<"$stages" | xargs)" = "1 2" ]
	[ "$stages" = "$(sort <<<"$stages")" ]
	# Within a stage, in the order of the specification.
	[ "$(names groups 1 neoverse-n3 | head -n 3 | xargs)" = \
		"Topdown_L1 Topdown_Frontend Topdown_Backend" ]
}

@test "a pattern matches names and titles, ignoring case" {
	run --separate-stderr plumb spec list events --cpu neoverse-n1 -x ';' TlB
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -gt 3 ]
	[ "$output" = "$(plumb spec list events --cpu neoverse-n1 -x ';' | grep -i tlb)" ]
}

@test "a pattern matches where all its words are, in any order" {
	run --separate-stderr plumb spec list events --cpu neoverse-n3 -x ';' 'walk  PAGE'
	[ "$status" -eq 0 ]
	[ "$output" = "$(plumb spec list events --cpu neoverse-n3 -x ';' 'page walk')" ]
	[ "$output" = "$(plumb spec list events --cpu neoverse-n3 -x ';' | grep -i walk | grep -i page)" ]
	[ "${#lines[@]}" -gt 1 ]
	# One in the name, the other in the title.
	[ -n "$(plumb spec list events --cpu neoverse-n3 -x ';' 'DTLB_WALK data')" ]
	# Several patterns are alternatives.
	[ "$(plumb spec list events --cpu neoverse-n3 -x ';' page walk | wc -l)" -gt "${#lines[@]}" ]
	run --separate-stderr plumb spec list events 'page frobnicate'
	[ "$status" -eq 2 ]
}

@test "a pattern with a wildcard must match the whole text" {
	run --separate-stderr plumb spec list events --cpu neoverse-n1 -x ';' 'l1d_cache*' 'BR_*_?PEC'
	[ "$status" -eq 0 ]
	wanted=$(plumb spec list events --cpu neoverse-n1 -x ';' |
		grep -E '^[^;]*;(L1D_CACHE|BR_.*_.PEC;)')
	[ "$output" = "$wanted" ]
}

@test "a pattern that matches nothing" {
	run --separate-stderr plumb spec list metrics frobnicate
	[ "$status" -eq 2 ]
	said "plumb: no metrics match 'frobnicate'" "       run 'plumb spec list metrics' to list them all"
}

@test "an unknown kind of thing, similar to a known one and not" {
	run --separate-stderr plumb spec list event
	[ "$status" -eq 2 ]
	said "plumb: cannot list 'event'" "       did you mean events?"
	run --separate-stderr plumb spec list frobnicate
	[ "$status" -eq 2 ]
	said "plumb: cannot list 'frobnicate'" \
		"       supported: cpus, events, metrics, groups, functions"
}

@test "-x: one row per line, quoting fields that contain the separator" {
	run --separate-stderr plumb spec list events --cpu neoverse-n1 -x ,
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 110 ]
	[ "${lines[0]}" = '0x0000,SW_INCR,"Instruction architecturally executed, Condition code check pass, software increment"' ]
	/usr/bin/python3 -c '
import csv, sys
rows = list(csv.reader(sys.stdin))
assert len(rows) == 110 and all(len(row) == 3 for row in rows), rows' <<<"$output"
}

@test "--csv: the rows of -x, below a header line" {
	for kind in cpus events metrics groups functions; do
		for cpu in "" "--cpu neoverse-n3"; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr plumb spec list $kind $cpu --csv
			[ "$status" -eq 0 ]
			# shellcheck disable=SC2086
			[ "$(tail -n +2 <<<"$output")" = "$(plumb spec list $kind $cpu -x ,)" ]
			# shellcheck disable=SC2086
			[ "$(tr a-z, 'A-Z ' <<<"${lines[0]}")" = \
				"$(plumb spec list $kind $cpu | head -n 1 | xargs)" ] ||
				[ "$kind" = metrics ] # whose titles text leaves out
		done
	done
	[ "$(plumb spec list metrics --csv | head -n 1)" = name,title,units,cpus ]
	for other in --json "-x ;"; do
		# shellcheck disable=SC2086
		run --separate-stderr plumb spec list --csv $other
		[ "$status" -eq 2 ]
		[[ $stderr == "plumb: --csv and --"*" cannot be combined"* ]]
	done
}

@test "-x: accepts a spelled-out tab" {
	[ "$(plumb spec list cpus -x '\t')" = "$(plumb spec list cpus -x $'\t')" ]
	[ "$(plumb spec list cpus -x '\t' | head -n 1 | tr -cd '\t' | wc -c)" -eq 7 ]
}

@test "with all CPUs, the last column counts them" {
	run --separate-stderr plumb spec list events --json '[I]NST_RETIRED'
	[ "$status" -eq 0 ]
	json "{e['name'] for e in d['events']} == {'INST_RETIRED'} and
	      sum(len(e['cpus']) for e in d['events']) == 17" <<<"$output"
	# 13 of them spell the title one way, 4 another way.
	[ "$(plumb spec list events -x ';' '[I]NST_RETIRED' | cut -d ';' -f 4 | sort | xargs)" = "13 4" ]
}

@test "JSON has the keys listed in the manual page" {
	cpu='bus_slots architecture counters event_count functional_group_count metric_count
	     metric_group_count midr name pmu_architecture product revision slots'
	for case in "cpus:$cpu" "events:code cpus name title" "metrics:cpus name title units" \
		"groups:cpus fewest_metrics most_metrics name stage title" \
		"functions:cpus description fewest_events most_events name title"; do
		kind=${case%%:*}
		plumb spec list "$kind" --json |
			json "set(d) == {'plumb', '$kind'} and d['$kind'] and
			      all(set(e) == set('''${case#*:}'''.split()) for e in d['$kind'])"
	done
}

@test "lists exactly what Arm's files contain" {
	need_reference
	for file in "$PLUMB_REFERENCE"/mrs/cpu/*_pmu.json; do
		plumb spec list events --cpu "$file" --json | json '
			{e["name"]: (int(e["code"], 16), e["title"]) for e in d["events"]} ==
			{n: (int(e["code"], 16), e["title"]) for n, e in f["events"].items()}' "f=$file"
		plumb spec list metrics --cpu "$file" --json | json '
			{m["name"]: (m["title"], m["units"]) for m in d["metrics"]} ==
			{n: (m["title"], m["units"]) for n, m in f["metrics"].items()}' "f=$file"
		plumb spec list groups --cpu "$file" --json | json '
			{g["name"]: (g["title"], g["stage"]) for g in d["groups"]} ==
			{n: (g["title"], next((i + 1 for m in f["methodologies"].values() for i in (0, 1)
			     if n in m["metric_grouping"]["stage_%d" % (i + 1)]), None))
			 for n, g in f["groups"]["metrics"].items()}' "f=$file"
		plumb spec list functions --cpu "$file" --json | json '
			{g["name"]: (g["title"], g["description"], g["most_events"])
			 for g in d["functions"]} ==
			{n: (g["title"], g["description"], len(g["events"]))
			 for n, g in f["groups"]["function"].items()}' "f=$file"
	done
}

@test "listings fit a narrow terminal" {
	need_terminal
	for listing in "list -v" "list generic" "list metrics" "list groups" "spec list events" \
		"spec list metrics" "spec list groups" "spec list cpus"; do
		# shellcheck disable=SC2086 # words
		in_terminal 60 "$PLUMB" $listing --no-pager --color never | tr -d '\r' >"$BATS_TEST_TMPDIR/lines"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/lines")" -gt 10 ]
		[ -z "$(too_wide 60 <"$BATS_TEST_TMPDIR/lines")" ]
	done
	# Columns of figures are left out from the last one on.
	grep -qE '^NAME +MIDR +ARCH +SLOTS +COUNTERS$' "$BATS_TEST_TMPDIR/lines"
	in_terminal 40 "$PLUMB" spec list cpus --no-pager --color never | tr -d '\r' >"$BATS_TEST_TMPDIR/lines"
	grep -qE '^neoverse-n3-r0p0 +0x[0-9a-f]+ +armv9' "$BATS_TEST_TMPDIR/lines"
	[ -z "$(too_wide 40 <"$BATS_TEST_TMPDIR/lines")" ]
	in_terminal 40 "$PLUMB" stat --help | sed 's/\x1b\[[0-9;]*m//g; s/\r//; 3q' \
		>"$BATS_TEST_TMPDIR/lines"
	[ -z "$(too_wide 40 <"$BATS_TEST_TMPDIR/lines")" ]
}

@test "perf's names of what to list" {
	for pair in hw=generic cache=generic hwcache=generic sw=software pmu=events metric=metrics \
		metricgroup=groups metricgroups=groups; do
		diff <(plumb list "${pair%=*}" --source model) <(plumb list "${pair#*=}" --source model)
		[ "$(plumb list "${pair%=*}" --source model | wc -l)" -ge 2 ]
	done
}
