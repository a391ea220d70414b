# SPDX-License-Identifier: Apache-2.0
# plumb spec validate

load lib.bash

# good.json: a specification without findings. broken NAME EXPRESSION: writes a changed copy to
# NAME; EXPRESSION is a Python statement that changes `d`.
setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	plumb spec export --cpu neoverse-n1 --format mrs -o good.json
}

broken()
{
	/usr/bin/python3 -c '
import json, sys
d = json.load(open("good.json"))
exec(sys.argv[2])
json.dump(d, open(sys.argv[1], "w"), indent=4)' "$@"
}

@test "a good file" {
	run --separate-stderr plumb spec validate good.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$output" = "good.json: Neoverse N1 r4p1, 110 events, 31 metrics: fine" ]
}

@test "every error and warning, with its line and path; exit status 2" {
	broken bad.json 'd["events"]["CPU_CYCLES"]["code"] = "0x12345"
d["metrics"]["ipc"]["formula"] = "INST_RETIRED / NOTHING"
d["groups"]["function"]["Bus"]["events"].append("BUS_ACCESS")'
	run --separate-stderr plumb spec validate bad.json
	[ "$status" -eq 2 ]
	[ -z "$stderr" ]
	line=$(grep -n '"0x12345"' bad.json | cut -d : -f 1)
	[ "$(grep -cE '^bad\.json:[0-9]+:[0-9]+: error: .*\[[a-z-]+\]$' <<<"$output")" -ge 2 ]
	grep -qE "^bad\.json:$line:[0-9]+: error: " <<<"$output"
	grep -qxF '    at /events/CPU_CYCLES/code' <<<"$output"
	grep -qxF '    at /metrics/ipc/formula' <<<"$output"
	grep -qE '^bad\.json:[0-9]+:[0-9]+: warning: duplicate item BUS_ACCESS \[duplicate-item\]$' <<<"$output"
	[[ ${lines[-1]} =~ ^bad\.json:\ [0-9]+\ errors,\ 1\ warning$ ]]
}

@test "a file with warnings can be used" {
	broken doubtful.json 'd["groups"]["function"]["Bus"]["events"].append("BUS_ACCESS")'
	run --separate-stderr plumb spec validate doubtful.json
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = \
		"doubtful.json: Neoverse N1 r4p1, 110 events, 31 metrics: 0 errors, 1 warning" ]
	run --separate-stderr plumb spec show --cpu ./doubtful.json ipc
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	run --separate-stderr plumb spec show -v --cpu ./doubtful.json ipc
	[ "$status" -eq 0 ]
	[ "$stderr" = "plumb: ./doubtful.json: 1 warning"$'\n'"       see plumb spec validate ./doubtful.json" ]
}

@test "several files: reports each, and a summary" {
	broken doubtful.json 'd["groups"]["function"]["Bus"]["events"].append("BUS_ACCESS")'
	head -c 5000 good.json >cut.json
	mkdir folder
	run --separate-stderr plumb spec validate good.json cut.json nowhere.json folder doubtful.json good.json
	[ "$status" -eq 2 ]
	[ -z "$stderr" ]
	[ "$(grep -c '^good\.json: .*: fine$' <<<"$output")" -eq 2 ]
	grep -qE '^cut\.json:[0-9]+:[0-9]+: error: ' <<<"$output"
	grep -qE '^nowhere\.json: error: No such file or directory' <<<"$output"
	grep -qE '^folder: error: Is a directory' <<<"$output"
	[ "${lines[-1]}" = "6 files: 2 fine, 1 with warnings, 3 with errors" ]
}

@test "JSON: one report per file" {
	broken bad.json 'd["events"]["CPU_CYCLES"]["code"] = "0x12345"'
	run --separate-stderr plumb spec validate --json good.json bad.json
	[ "$status" -eq 2 ]
	line=$(grep -n '"0x12345"' bad.json | cut -d : -f 1)
	json "set(d) == {'plumb', 'files'} and
	      [(f['file'], f['usable'], f['cpu'], f['errors'] > 0, f['warnings'])
	       for f in d['files']] == [('good.json', True, 'neoverse-n1-r4p1', False, 0),
	                                ('bad.json', False, None, True, 0)] and
	      all(set(f) == {'file', 'usable', 'cpu', 'errors', 'warnings', 'findings'} and
	          len(f['findings']) == f['errors'] + f['warnings'] for f in d['files']) and
	      [(x['severity'], x['line']) for x in d['files'][1]['findings']
	       if x['path'] == '/events/CPU_CYCLES/code'] == [('error', $line)] and
	      all(set(x) == {'severity', 'id', 'line', 'column', 'path', 'message', 'hint'}
	          for f in d['files'] for x in f['findings'])" <<<"$output"
}

@test "a file whose name is not UTF-8 is still reported in JSON" {
	name=$'bad\xff.json'
	cp good.json "$name"
	plumb spec validate --json "$name" |
		json "d['files'][0]['file'] == 'bad\ufffd.json' and d['files'][0]['usable']"
}

@test "text from hostile files cannot move the cursor" {
	broken hostile.json 'd["events"]["CPU_CYCLES"]["title"] = "\x1b[2J\u009b\u202eevil"
d["metrics"]["ipc"]["formula"] = "\x1b[31m"'
	LC_ALL=C.UTF-8 plumb spec validate hostile.json >text || true
	lacks -P '\x1b|\xc2\x9b|\xe2\x80\xae' <text
	broken hostile.json 'd["events"]["CPU_CYCLES"]["title"] = "\x1b[2J\u009b\u202eevil"'
	if plumb spec show --cpu ./hostile.json CPU_CYCLES >text 2>&1; then
		grep -q 'evil' text
	fi
	lacks -P '\x1b|\xc2\x9b|\xe2\x80\xae' <text
}

@test "a file that is not a CPU specification" {
	need_reference
	run --separate-stderr plumb spec validate "$PLUMB_REFERENCE"/mrs/cmn/*.json
	[ "$status" -eq 2 ]
	[[ $output == *"not a CPU specification"* ]]
}

@test "Arm's files have no errors" {
	need_reference
	run --separate-stderr plumb spec validate "$PLUMB_REFERENCE"/mrs/cpu/*_pmu.json
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} =~ ^17\ files:\ [0-9]+\ fine,\ [0-9]+\ with\ warnings,\ 0\ with\ errors$ ]]
}
