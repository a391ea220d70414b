# SPDX-License-Identifier: Apache-2.0
# plumb spec export: the command line. test/unit and test/interop check the contents of the formats.

load lib.bash

setup()
{
	mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return
}

@test "mrs: every CPU reads back unchanged" {
	for cpu in $(cpus); do
		plumb spec export --cpu "$cpu" --format mrs -o "$cpu.json"
		run --separate-stderr plumb spec diff -v "$cpu" "./$cpu.json"
		[ "$status" -eq 0 ]
		# All but what Arm's form has no place for.
		[ "$(grep -cE '^  [+~-] ' <<<"$output")" -eq 0 ]
	done
}

@test "standard output, a file and a folder get the same contents" {
	plumb spec export --cpu neoverse-n3 --format csv >stream.csv
	plumb spec export --cpu neoverse-n3 --format csv -o file.csv
	plumb spec export --cpu neoverse-n3 --format csv -o folder/
	cmp stream.csv file.csv
	cmp stream.csv folder/events.csv
	plumb spec export --cpu neoverse-n3 --format csv --part metrics | cmp - folder/metrics.csv
	[ "$(ls folder)" = $'events.csv\nmetrics.csv' ]
	# An existing folder needs no slash.
	rm folder/events.csv
	plumb spec export --cpu neoverse-n3 --format csv -o folder
	cmp stream.csv folder/events.csv
}

@test "all CPUs go to one folder without overwriting each other" {
	for format in mrs perf-json markdown csv; do
		plumb spec export --format "$format" -o "$format/"
		for cpu in $(cpus); do
			[ "$(find "$format" -path "*$cpu*" -type f | wc -l)" -ge 1 ]
		done
	done
	[ "$(find csv -type f | wc -l)" -eq 34 ]
	[ "$(find mrs -type f | wc -l)" -eq 17 ]
	cmp csv/neoverse-n3-r0p0/metrics.csv \
		<(plumb spec export --cpu neoverse-n3 --format csv --part metrics)
}

@test "refuses to write all CPUs to one file" {
	[ ! -e /sys/devices/system/cpu/cpu0/regs/identification/midr_el1 ] || skip "an Arm machine"
	for output in "" "-o file"; do
		# shellcheck disable=SC2086 # two words or none
		run --separate-stderr plumb spec export --format mrs $output
		[ "$status" -eq 2 ]
		said "plumb: cannot write 17 CPUs to one file" \
			"       select a CPU with --cpu, or write all of them to a folder with -o FOLDER/"
		[ ! -e file ]
	done
}

@test "a format that is missing or unknown, similar to a known one and not" {
	run --separate-stderr plumb spec export --cpu neoverse-n1
	[ "$status" -eq 2 ]
	said "plumb: --format is required" "       supported formats: mrs, perf-json, markdown, csv"
	run --separate-stderr plumb spec export --cpu neoverse-n1 --format perf-jsno
	[ "$status" -eq 2 ]
	said "plumb: unknown format 'perf-jsno'" "       did you mean perf-json?"
	run --separate-stderr plumb spec export --cpu neoverse-n1 --format docx
	[ "$status" -eq 2 ]
	said "plumb: unknown format 'docx'" "       supported formats: mrs, perf-json, markdown, csv"
}

@test "--help lists the formats" {
	run --separate-stderr plumb spec export --help
	for format in mrs perf-json markdown csv; do
		grep -qE "^  $format +[A-Za-z]" <<<"$output"
	done
}

@test "an unknown part leaves no file" {
	echo old >file
	run --separate-stderr plumb spec export --cpu neoverse-n1 --format csv --part frobs -o file
	[ "$status" -eq 2 ]
	said "plumb: cannot export neoverse-n1-r4p1 part frobs: not found"
	[ "$(cat file)" = old ]
	[ "$(ls)" = file ]
}

@test "a folder that cannot be created" {
	touch file
	run --separate-stderr plumb spec export --format csv -o file/folder/
	[ "$status" -eq 1 ]
	# shellcheck disable=SC2154 # by bats
	[[ $stderr == "plumb: cannot create folder file"*": Not a directory" ]]
}

@test "reports how much a format cannot express, and lists it with -v" {
	/usr/bin/python3 -c '
import json, subprocess, os
d = json.loads(subprocess.check_output(
    [os.environ["PLUMB"], "spec", "export", "--cpu", "n1", "--format", "mrs"]))
d["metrics"]["ipc"]["formula"] = "INST_RETIRED << CPU_CYCLES"
json.dump(d, open("shifts.json", "w"))'
	run --separate-stderr plumb spec export --cpu shifts.json --format perf-json
	[ "$status" -eq 0 ]
	[ -n "$output" ]
	[ "$stderr" = "plumb: neoverse-n1-r4p1: left out 1 thing that perf-json cannot express
       use --verbose to list them" ]
	run --separate-stderr plumb spec export -v --cpu shifts.json --format perf-json
	[ "$status" -eq 0 ]
	[[ $stderr == "plumb: neoverse-n1-r4p1: /metrics/ipc: "* ]]
}
