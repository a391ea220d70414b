# SPDX-License-Identifier: Apache-2.0
# plumb spec diff

load lib.bash

@test "two revisions differ in three formulas" {
	run --separate-stderr plumb spec diff neoverse-n2-r0p2 neoverse-n2-r0p3
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = "- neoverse-n2-r0p2" ]
	[ "${lines[1]}" = "+ neoverse-n2-r0p3" ]
	[ "$(grep '^  [~+-]' <<<"$output")" = $'  ~ bad_speculation\n  ~ frontend_bound\n  ~ retiring' ]
	grep -qxF "Metrics: 3 changed" <<<"$output"
	[ "$(grep -cE '^      formula +- ' <<<"$output")" -eq 3 ]
	[[ $(tr -s '\n ' ' ' <<<"$output") == \
		*"+ 100 * (STALL_SLOT_FRONTEND / (CPU_CYCLES * 5) - BR_MIS_PRED / CPU_CYCLES)"* ]]
}

@test "the same CPU twice" {
	run --separate-stderr plumb spec diff neoverse-n1 neoverse-n1
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "No differences." ]
	plumb spec diff neoverse-n1 neoverse-n1 --json | json "d['differences'] == []"
}

@test "tells added, removed and changed things apart" {
	cd "$BATS_TEST_TMPDIR"
	plumb spec export --cpu neoverse-n1 --format mrs -o a.json
	/usr/bin/python3 -c '
import json
d = json.load(open("a.json"))
d["events"]["NEW_EVENT"] = dict(d["events"]["CHAIN"], code="0x1234")
d["events"]["CHAIN"]["title"] = "Another title"
d["metrics"]["ipc"]["description"] = "Other prose."
for g in d["groups"]["function"].values():
    if "CHAIN" in g["events"]:
        g["events"].append("NEW_EVENT")
json.dump(d, open("b.json", "w"))'
	run --separate-stderr plumb spec diff a.json b.json
	[ "$status" -eq 0 ]
	[ "$output" = "- neoverse-n1-r4p1, a.json
+ neoverse-n1-r4p1, b.json

Events: 1 added, 1 changed
  + NEW_EVENT
  ~ CHAIN
      title          - $(plumb spec list events --cpu n1 -x '|' CHAIN | cut -d '|' -f 3 | fold -sw 57 | sed '2,$s/^/                       /; s/ *$//')
                     + Another title

Functional groups: 1 changed
  ~ Chain
      events         + NEW_EVENT" ]
	# The other way around.
	run --separate-stderr plumb spec diff b.json a.json
	grep -qxF "Events: 1 removed, 1 changed" <<<"$output"
	grep -qxF "  - NEW_EVENT" <<<"$output"
	plumb spec diff a.json b.json --json | json "set(d) == {'plumb', 'a', 'b', 'differences'} and
		{'path': '/events/NEW_EVENT', 'a': None, 'b': 'NEW_EVENT'} in d['differences'] and
		len(d['differences']) == 3"
	# With descriptions.
	plumb spec diff -v a.json b.json | grep -qE '^ +\+ Other prose\.$'
}

@test "every two CPUs, in 80 columns" {
	for cpu in $(cpus); do
		plumb spec diff neoverse-n3 "$cpu" >"$BATS_TEST_TMPDIR/text"
		[ -s "$BATS_TEST_TMPDIR/text" ]
		[ -z "$(too_wide 80 <"$BATS_TEST_TMPDIR/text")" ]
	done
}

@test "events that only one CPU has agree with Arm's files" {
	need_reference
	cpu=$PLUMB_REFERENCE/mrs/cpu
	a=$cpu/neoverse_v1_r1p2_pmu.json b=$cpu/neoverse_v3_r0p0_pmu.json
	plumb spec diff "$a" "$b" --json | json '
		{x["b"] for x in d["differences"]
		 if x["path"].startswith("/events/") and x["a"] is None} ==
		set(g["events"]) - set(f["events"]) and
		{x["a"] for x in d["differences"]
		 if x["path"].startswith("/events/") and x["b"] is None} ==
		set(f["events"]) - set(g["events"]) and
		{(x["a"], x["b"]) for x in d["differences"] if x["path"].endswith("/formula")} ==
		{(f["metrics"][n]["formula"], g["metrics"][n]["formula"])
		 for n in set(f["metrics"]) & set(g["metrics"])
		 if f["metrics"][n]["formula"] != g["metrics"][n]["formula"]}' "f=$a" "g=$b"
}

@test "an unknown CPU, first or second" {
	for pair in "neoverse-n1 pentium" "pentium neoverse-n1"; do
		# shellcheck disable=SC2086 # two words
		run --separate-stderr plumb spec diff $pair
		[ "$status" -eq 2 ]
		[[ $stderr == "plumb: unknown CPU 'pentium': "* ]]
		[ -z "$output" ]
	done
}
