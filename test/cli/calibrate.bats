# SPDX-License-Identifier: Apache-2.0
# plumb calibrate, and --core

load lib.bash

core_file()
{
	printf '%s' "$1" >"$BATS_TEST_TMPDIR/core.json"
	echo "$BATS_TEST_TMPDIR/core.json"
}

# The counts in a file of plumb stat --json.
json_counts()
{
	/usr/bin/python3 -c 'import json, sys
for event in json.load(open(sys.argv[1], encoding="utf-8"))["events"]:
	print(event["name"], event["count"])' "$1"
}

# refuses FILE-CONTENT STATUS MESSAGE: what --model says of a core file.
refuses()
{
	run --separate-stderr plumb calibrate --model "$(core_file "$1")" l2
	[ "$status" -eq "$2" ] || { echo "status $status: $stderr" && return 1; }
	[ -z "$output" ]
	[[ $stderr == *core.json*"$3"* ]] || { echo "said: $stderr" && return 1; }
}

@test "calibrate: requires an Arm machine, or --model" {
	[ "$(uname -m)" != aarch64 ] || skip "this is an Arm machine"
	run --separate-stderr plumb calibrate
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ $stderr == *"calibration requires an Arm machine"* ]]
	[[ $stderr == *$'\n'*"--model CORE"* ]]
}

@test "calibrate: --list names each figure once, and fits 80 columns" {
	run --separate-stderr plumb calibrate --list
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ ${lines[0]} =~ ^FIGURE\ +WHAT\ IT\ IS$ ]]
	[[ $output =~ queues.SX.entries\ +issue\ queue ]]
	[[ $output =~ llc.bytes\ +system\ cache\ \(with\ --all\) ]]
	[ -z "$(too_wide 80 <<<"$output")" ]
	plumb calibrate --list --json | json 'len({f["name"] for f in d["figures"]}) ==
		len(d["figures"]) > 50 and [f["name"] for f in d["figures"] if not f["default"]] ==
		["llc.bytes"]'
	# Each is a figure of the model's core.
	plumb calibrate --list --json | json "{f['name'].removesuffix('.latency') if
		f['name'].startswith('classes') else f['name'] for f in d['figures']} <=
		{p['name'] for p in $(plumb list parameters --source model --json |
			/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["parameters"])')}"
}

@test "calibrate: finds what the model's core has" {
	engine_path >/dev/null || skip "no engine"
	run --separate-stderr plumb calibrate --model neoverse-n3 -o "$BATS_TEST_TMPDIR/n3.json" \
		classes.FP_DIV_D classes.INT_DIV64 l1d.ways predictor.return_entries store_entries
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output =~ classes.FP_DIV_D.latency\ +12\ +exact\ +double-precision ]]
	[[ $output =~ l1d.ways\ +4\ +exact ]]
	[[ $output =~ predictor.return_entries\ +16\ +exact ]]
	[[ $output =~ store_entries\ +48\ +exact ]]
	# A busy port hides the latency.
	[[ $output =~ classes.INT_DIV64.latency\ +-\ +- ]]
	[[ ${lines[-1]} == "4 of 5 figures are known, by the model's cycles" ]]
	json 'd["like"] == "neoverse-n3" and d["core"]["l1d"]["ways"] ==
		{"value": 4, "source": "measured", "interval": [4, 4]} and
		d["classes"] == {"FP_DIV_D": {"latency": 12, "source": "measured",
			"interval": [12, 12]}} and "unknown" not in d' <"$BATS_TEST_TMPDIR/n3.json"
}

@test "calibrate: finds what a core file changes, and its own file works as one" {
	engine_path >/dev/null || skip "no engine"
	plumb calibrate --model "$(core_file '{"like": "neoverse-n3",
		"core": {"l1d": {"ways": {"value": 6}, "bytes": {"value": 98304}},
			"forward_latency": {"value": 6}},
		"queues": [{"name": "MX", "entries": {"value": 30}}],
		"classes": {"LOAD": {"latency": 5}}}')" -o "$BATS_TEST_TMPDIR/found.json" --json \
		l1d.ways forward_latency queues.MX classes.LOAD >"$BATS_TEST_TMPDIR/printed.json"
	for file in found printed; do
		json 'd["core"]["l1d"]["ways"]["value"] == 6 and
			d["core"]["forward_latency"]["value"] == 6 and
			d["queues"][0]["name"] == "MX" and
			d["queues"][0]["entries"]["value"] == 30 and
			d["classes"]["LOAD"]["latency"] == 5' <"$BATS_TEST_TMPDIR/$file.json"
	done
	json 'd["unknown"] == []' <"$BATS_TEST_TMPDIR/printed.json"
	plumb calibrate --model "$BATS_TEST_TMPDIR/found.json" --json forward_latency |
		json 'd["core"]["forward_latency"]["value"] == 6'
}

@test "calibrate: says which name no figure has" {
	run --separate-stderr plumb calibrate --model neoverse-n3 l3
	[ "$status" -eq 2 ]
	[ "$(head -n 1 <<<"$stderr")" = "plumb: no microbenchmark measures 'l3'" ]
	# shellcheck disable=SC2154 # by run
	[[ ${stderr_lines[1]} == *"plumb calibrate --list"* ]]
	run --separate-stderr plumb calibrate --model neoverse-n3 --like neoverse-n2
	[ "$status" -eq 2 ]
	run --separate-stderr plumb calibrate --list --like nothing
	[ "$status" -eq 2 ]
	[[ $stderr == *"no core 'nothing'"* ]]
}

@test "a core file that is damaged is refused with its place" {
	refuses '{' 2 ''
	refuses '[]' 2 'which core it is like'
	refuses '{"like": 1}' 2 'which core it is like'
	refuses '{"like": "other"}' 2 'other: the model has no such core'
	refuses '{"like": "neoverse-n3", "core": {"slots": {"value": 4}}}' 2 'slots: not a figure'
	refuses '{"like": "neoverse-n3", "core": {"l2": {"latency": {"value": -1}}}}' 2 \
		'l2.latency: -1 is out of range, which is 0 to 2000'
	refuses '{"like": "neoverse-n3", "core": {"l2": {"latency": {"value": "9"}}}}' 2 \
		'l2.latency: not a number'
	refuses '{"like": "neoverse-n3", "core": {"l2": {"latency": {"value": 9.5}}}}' 2 \
		'l2.latency: not a whole number'
	refuses '{"like": "neoverse-n3", "core": {"l2": {"cycles_per_line": {"value": 0}}}}' 2 \
		'l2.cycles_per_line: 0 is out of range, which is 0.01 to 600'
	refuses '{"like": "neoverse-n3", "core": {"l2": 5}}' 2 'l2: not an object'
	refuses '{"like": "neoverse-n3", "core": {"l2": {"a": {"b": {"value": 1}}}}}' 2 'l2.a: not an'
	refuses '{"like": "neoverse-n3", "core": {"l1d": {"bytes": {"value": 1024},
		"ways": {"value": 64}}}}' 2 'a cache is smaller'
	refuses '{"like": "neoverse-n3", "core": {"fetch_bytes": {"value": 24}}}' 2 'power of two'
	refuses '{"like": "neoverse-n3", "queues": [{"name": "QX", "entries": {"value": 9}}]}' 2 \
		'queues.QX.entries: not a figure'
	refuses '{"like": "neoverse-n3", "classes": {"NONE": {"latency": 9}}}' 2 'classes.NONE.latency'
	refuses "{\"like\": \"neoverse-n3\", \"core\": {\"$(printf 'x%.0s' {1..200})\": 1}}" 2 'too long'
	# What is misspelt would change nothing.
	refuses '{"like": "neoverse-n3", "cores": {"l2": {"latency": {"value": 9}}}}' 2 \
		'cores: unknown member'
	refuses '{"like": "neoverse-n3", "core": {"l2": {"latency": {"value": 9, "leats": 1}}}}' 2 \
		'l2.latency.leats: unknown member'
	refuses '{"like": "neoverse-n3", "queues": [{"name": "SX", "entries": {"value": 60}, "ways": 1}]}' \
		2 'queues.SX.ways: unknown member'
	refuses '{"like": "neoverse-n3", "classes": {"INT_MUL": {"latency": 3, "value": 1}}}' 2 \
		'classes.INT_MUL.value: unknown member'
	refuses '{"like": "neoverse-n3", "core": 5}' 2 'core: not an object'
	refuses '{"like": "neoverse-n3", "queues": {}}' 2 'queues: not an array'
}

@test "a core file may be a pipe; sizes that the model rounds are named" {
	# Without an engine, too: the file is read before the program is looked at.
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	for command in stat record; do
		echo '{"like": "neoverse-n3", "core": {"l2_tlb": {"entries": {"value": 1000},
			"ways": {"value": 4}}, "l2": {"bytes": {"value": 100000}}}}' \
			>"$BATS_TEST_TMPDIR/pipe" &
		run --separate-stderr timeout 60 "$PLUMB" "$command" --core "$BATS_TEST_TMPDIR/pipe" \
			-o "$BATS_TEST_TMPDIR/out" "$BATS_TEST_DIRNAME/calibrate.bats"
		wait
		[ "$status" -eq 126 ]
		[[ $stderr == *"pipe: l2_tlb.entries: 1000 is rounded down to 512: "* ]]
		[[ $stderr == *"pipe: l2.bytes: 100000 is rounded down to "* ]]
		[ -p "$BATS_TEST_TMPDIR/pipe" ]
	done
	# What the core that it is like has, is not the file's.
	run --separate-stderr plumb stat --core "$(core_file '{"like": "neoverse-n1",
		"core": {"l2": {"latency": {"value": 9}}}}')" "$BATS_TEST_DIRNAME/calibrate.bats"
	[[ $stderr != *rounded* ]]
}

@test "--core: stat and record run the model with the file's figures" {
	file=$(core_file '{"like": "neoverse-n3", "core": {"l2": {"latency": {"value": 9}}}}')
	run --separate-stderr plumb stat --core "$file" --cpu neoverse-n3 -- true
	[ "$status" -eq 2 ]
	[[ $stderr == *"--core cannot be combined with --cpu"* ]]
	run --separate-stderr plumb stat --core "$file" --source perf -- true
	[ "$status" -eq 2 ]
	[[ $stderr == *"--core requires the model"* ]]
	run --separate-stderr plumb record --core /nonexistent -- true
	[ "$status" -ne 0 ]
	[[ $stderr == *"/nonexistent: No such file"* ]]
	# The file is named, and not replaced.
	engine_path >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler or engine"
	cd "$BATS_TEST_TMPDIR"
	echo 'int main(void) { return 0; }' | aarch64-linux-gnu-gcc -static -o empty -x c -
	run --separate-stderr plumb stat --core "$file" ./empty
	[[ $stderr == *"Neoverse N3 (model changed by $file): ./empty"* ]]
	plumb stat --json -o stat.json --core "$file" ./empty
	json "d[\"model\"][\"core_file\"] == \"$file\"" <stat.json
	plumb record -q --core "$file" -o named.data ./empty
	plumb script --header-only -i named.data |
		grep -qF "cpudesc : neoverse-n3 changed by $file (model), QEMU "
	# Read once, so it can be a pipe.
	plumb stat --json -o piped.json --core <(cat "$file") ./empty
	json 'd["model"]["core_file"].startswith("/dev/fd/")' <piped.json
	cmp <(json_counts stat.json) <(json_counts piped.json)
	for command in stat record; do
		run --separate-stderr plumb "$command" --core "$file" -o "$file" ./empty
		[ "$status" -eq 2 ]
		[[ $stderr == "plumb: refusing to write $file: it is the core file"* ]]
	done
}

@test "calibrate: a limit on files is named" {
	engine_path >/dev/null || skip "no engine"
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr bash -c 'ulimit -f 8; exec "$PLUMB" calibrate --model neoverse-n3 l1d.ways'
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot keep the microbenchmarks in memory, "*" KiB: File too large"* ]]
}

@test "calibrate: Ctrl-C keeps what was measured" {
	engine_path >/dev/null || skip "no engine"
	# A shell has what it starts so ignore SIGINT.
	env --default-signal=INT "$PLUMB" calibrate --model neoverse-n3 --json --all \
		>"$BATS_TEST_TMPDIR/part.json" 2>"$BATS_TEST_TMPDIR/said" 3>&- &
	sleep 3
	kill -INT $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 130 ]
	grep -q "interrupted: these are the figures measured until then" "$BATS_TEST_TMPDIR/said"
	json 'd["unknown"] and d["like"] == "neoverse-n3"' <"$BATS_TEST_TMPDIR/part.json"
}
