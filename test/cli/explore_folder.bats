# SPDX-License-Identifier: Apache-2.0
# plumb explore: its folders and its page: what they replace, what they refuse, and what a hostile one can do.

# shellcheck disable=SC2154 # status, output and stderr are set elsewhere

load lib.bash

setup_file()
{
	local compiler=aarch64-linux-gnu-gcc

	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	export work=$BATS_FILE_TMPDIR
	command -v "$compiler" >/dev/null || return 0
	# shellcheck disable=SC2154 # by lib.bash
	cp "$here"/../explored/{column_major,useful}.c "$work"
	"$compiler" -g -O2 -static -o "$work/columns" "$work/column_major.c"
	"$compiler" -g -O2 -static -o "$work/useful" "$work/useful.c"
	printf '%s\n' 'int main(int count, char **words) { return count == 1 ? 7 : words[1][0]; }' \
		>"$work/status.c"
	"$compiler" -static -o "$work/status" "$work/status.c"
	engine_path >/dev/null || return 0
	plumb explore --source model -o "$work/results" "$work/columns" 2>/dev/null
}

setup()
{
	[ -x "$work/status" ] || skip "no compiler for AArch64"
	engine_path >/dev/null || skip "no engine"
	cd "$BATS_TEST_TMPDIR" || return
}

@test "-o refuses other folders, and files" {
	mkdir other
	echo precious >other/file
	run -2 --separate-stderr plumb explore --source model -o other "$work/status"
	said "plumb: other: has file, which is no result of plumb explore" \
		"       use a new folder, an empty one, or one with earlier results"
	[ "$(cat other/file)" = precious ]
	# A recording that somebody made there is not overwritten.
	mkdir own
	echo precious >own/perf.data
	run -2 plumb explore --source model -o own "$work/status"
	[ "$(cat own/perf.data)" = precious ]
	# Nor what a link leads to.
	mkdir linked
	echo precious >target
	ln -s ../target linked/findings.json
	run -2 plumb explore --source model -o linked "$work/status"
	[ "$(cat target)" = precious ]
	run -2 --separate-stderr plumb explore --source model -o "$work/status" "$work/status"
	said "plumb: $work/status: not a folder" "       -o names a folder for all results"
	run -2 --separate-stderr plumb explore --source model -o nowhere/out "$work/status"
	said "plumb: cannot create folder nowhere/out: No such file or directory"
	# The program itself, in a folder of that name, is an input.
	mkdir input
	cp "$work/status" input/perf.data
	cp "$work/results/findings.json" input
	run -2 --separate-stderr plumb explore --source model -o input input/perf.data
	grep -q 'is the program' <<<"$stderr"
	cmp input/perf.data "$work/status"
}

@test "report, annotate, script and export read the recording in a folder of results" {
	for of in "report --no-children" annotate script "export --format folded"; do
		# shellcheck disable=SC2086 # words
		diff <(plumb $of -i "$work/results") <(plumb $of -i "$work/results/perf.data") ||
			false "$of"
		# shellcheck disable=SC2086
		[ "$(plumb $of -i "$work/results" | head -c 1000 | wc -c)" -gt 20 ]
	done
	mkdir alone
	cp "$work/results/findings.json" alone
	run -2 --separate-stderr plumb report -i alone
	grep -q 'alone/perf.data' <<<"$stderr"
}

@test "-o replaces earlier results" {
	plumb explore --source model -o out "$work/useful" 2>/dev/null
	run -7 plumb explore --source model -o out "$work/status"
	json 'd["exit_status"] == 7' <out/findings.json
	[ "$(echo out/*)" = "out/counts.json out/findings.json out/intervals.json out/perf.data" ]
	# What fails before it counts anything leaves nothing behind.
	run -3 plumb explore --source model --qemu /bin/true -o fails "$work/status"
	[ -z "$(ls fails)" ]
}

@test "folders that cannot be made, and no place for a temporary file" {
	TMPDIR=$PWD/nowhere run -1 --separate-stderr plumb explore --source model "$work/status"
	said "plumb: cannot create a temporary file in $PWD/nowhere: No such file or directory" \
		"       set TMPDIR to a folder for temporary files, or use -o DIR"
	# root may write everywhere.
	[ "$EUID" -ne 0 ] || skip "root ignores permissions"
	mkdir locked
	chmod a-w locked
	run -2 --separate-stderr plumb explore --source model -o locked/out "$work/status"
	said "plumb: cannot create folder locked/out: Permission denied"
}

@test "a folder without findings" {
	mkdir empty
	run -2 --separate-stderr plumb explore empty
	said "plumb: empty: the folder is empty" \
		"       plumb explore -o DIR ./program makes a folder with results"
	mkdir other
	: >other/file
	run -2 --separate-stderr plumb explore other
	[ "${stderr%%$'\n'*}" = "plumb: other: has no findings.json, but file" ]
}

# damaged PYTHON: a folder whose findings are changed so.
damaged()
{
	rm -rf damaged
	mkdir damaged
	/usr/bin/python3 - "$work/results/findings.json" damaged/findings.json "$1" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		exec(sys.argv[3])
		json.dump(d, open(sys.argv[2], "w"))
	END
}

@test "damaged findings are refused, with the place" {
	damaged 'd["findings"][0]["slots"] = "many"'
	run -2 --separate-stderr plumb explore damaged
	[ "$stderr" = "plumb: damaged/findings.json: /findings/0/slots: not a number" ]
	damaged 'd["findings"][0]["lines"]["places"][0]["share"] = 1e300'
	run -2 --separate-stderr plumb explore damaged
	[ "$stderr" = "plumb: damaged/findings.json: /findings/0/lines/places/0/share: 1e+300 is out of range, which is 0 to 100.5" ]
	damaged 'd["findings"] *= 20'
	run -2 --separate-stderr plumb explore damaged
	grep -q '/findings: [0-9]* elements, at most 8 are supported$' <<<"$stderr"
	damaged 'd["ruled_out"][0]["slots"] = 1e300'
	run -2 --separate-stderr plumb explore damaged
	grep -q '^plumb: damaged/findings.json: /ruled_out/0/slots: 1e+300 is out of range' <<<"$stderr"
	damaged 'd["ruled_out"] *= 20'
	run -2 --separate-stderr plumb explore damaged
	grep -q '/ruled_out: [0-9]* elements, at most 32 are supported$' <<<"$stderr"
	# Files of earlier versions have none.
	damaged 'del d["ruled_out"], d["least"]'
	run -0 plumb explore damaged
	lacks 'Ruled out' <<<"$output"
	damaged 'd["recording"] = "../../etc/passwd"'
	run -2 --separate-stderr plumb explore damaged
	[ "$stderr" = 'plumb: damaged/findings.json: /recording: not "perf.data"' ]
	damaged 'd["format"] = 2'
	run -2 --separate-stderr plumb explore damaged
	grep -q 'format 2 is unsupported' <<<"$stderr"
	damaged 'd = []'
	run -2 --separate-stderr plumb explore damaged
	grep -q 'not a file of findings' <<<"$stderr"
	damaged 'del d["cpu"]'
	run -2 --separate-stderr plumb explore damaged
	[ "$stderr" = "plumb: damaged/findings.json: /cpu: missing member" ]
	# Every part of the file, cut off.
	for size in 0 1 100 1000 2000; do
		head -c "$size" "$work/results/findings.json" >damaged/findings.json
		run -2 --separate-stderr plumb explore damaged
		grep -q '^plumb: damaged/findings.json:[0-9]*:[0-9]*: ' <<<"$stderr" ||
			{ echo "$stderr" && return 1; }
	done
}

@test "a hostile folder gives clear errors, and nothing else" {
	mkdir hostile
	ln -s /etc/passwd hostile/findings.json
	run -2 --separate-stderr plumb explore hostile
	[ "$stderr" = "plumb: hostile/findings.json: a symbolic link" ]
	rm hostile/findings.json
	mkfifo hostile/findings.json
	run -2 --separate-stderr timeout 10 "$PLUMB" explore hostile
	[ "$stderr" = "plumb: hostile/findings.json: not a regular file" ]
	rm hostile/findings.json
	truncate -s 1T hostile/findings.json 2>/dev/null || truncate -s 1G hostile/findings.json
	run -2 --separate-stderr plumb explore hostile
	[ "$stderr" = "plumb: hostile/findings.json: larger than 4 MiB" ]
	/usr/bin/python3 -c 'print("[" * 1000000)' >hostile/findings.json
	run -2 --separate-stderr plumb explore hostile
	# Control characters in texts do not reach the terminal.
	damaged 'd["findings"][0]["brief"] = d["findings"][0]["lines"]["places"][0]["name"] = "\x1b[2J\x07" + "\u202e"; d["command"] = ["\x1b]0;x\x07"]; d["warnings"] = ["\x1b[31m"]; d["findings"][0]["functions"]["places"][0]["name"] = "\x1b[2J; rm -rf /"'
	plumb explore damaged >out
	lacks -P '[\x00-\x08\x0b-\x1f\x7f]' <out
	lacks -P '\xe2\x80\xae' <out
}

@test "a name cannot begin a line" {
	local name=$'./x\n1. 99 % of the slots: forged'

	ln -s "$work/useful" "$name"
	run --separate-stderr plumb explore --source model -o out "$name"
	[ "$status" -eq 0 ]
	grep -qF './x?1. 99 % of the slots: forged on Neoverse N3' <<<"$stderr"
	plumb explore out | lacks '^1\. 99'
}

@test "a page" {
	run plumb explore --html page.html "$work/results"
	if [ "$status" -ne 0 ]; then
		[[ $output == "plumb: this plumb was built without its page"* ]]
		skip "this plumb was built without its page"
	fi
	grep -q 'slots' <<<"$output"
	[ "$(head -n 1 page.html)" = '<!DOCTYPE html>' ]
	mkdir other
	cp "$work/results/findings.json" other
	run -0 --separate-stderr plumb explore --html less.html other
	output='' said "plumb: other/counts.json: missing; the page does without it" \
		"plumb: other/perf.data: missing; the page does without it"
	[ "$(wc -c <less.html)" -lt "$(wc -c <page.html)" ]
	# Without what the folder lacks, messages tell of the rest.
	cp "$work/results/"{counts.json,intervals.json,perf.data} other
	echo '{"metrics": [' >other/counts.json
	run --separate-stderr plumb explore --html less.html other
	[ "$status" -eq 0 ]
	[ "$stderr" = "plumb: other/counts.json: cannot be used; the page has no counts" ]
	rm other/counts.json other/perf.data
	mkfifo other/counts.json other/perf.data
	run -0 --separate-stderr timeout 60 "$PLUMB" explore --html less.html other
	output='' said "plumb: other/counts.json: not a readable file; the page does without it" \
		"plumb: other/perf.data: not a readable file; the page does without it"
	rm other/counts.json other/perf.data other/intervals.json
	plumb explore --html less.html other >text
	# Counts by interval come from the folder, and may be damaged or no file.
	cp "$work/results/intervals.json" other
	lacking=("plumb: other/counts.json: missing; the page does without it"
		"plumb: other/perf.data: missing; the page does without it")
	plumb explore --html more.html other >text
	[ "$(wc -c <less.html)" -lt "$(wc -c <more.html)" ]
	echo '{"time": 2} {"time": 1}' >other/intervals.json
	run -0 --separate-stderr plumb explore --html again.html other
	output='' said "${lacking[@]}" "plumb: other/intervals.json: object 2: its time is not after that of the interval before" \
		"plumb: other/intervals.json: cannot be used; the page has no counts by interval"
	rm other/intervals.json
	mkfifo other/intervals.json
	run -0 --separate-stderr timeout 60 "$PLUMB" explore --html again.html other
	output='' said "${lacking[@]}" "plumb: other/intervals.json: cannot be used; the page has no counts by interval"
	cmp again.html less.html
	run --separate-stderr plumb explore --source model --html no/page.html "$work/useful"
	[ "$status" -ne 0 ]
	[ "$stderr" = "plumb: cannot write no/page.html: folder no does not exist" ]
}

@test "without the intervals of its page, the findings are printed even so" {
	printf '{"time": 1}\n{"ti' >in.json
	run -2 --separate-stderr plumb explore --source model --html page.html --intervals in.json "$work/status"
	grep -qx 'plumb: in.json: object 2: .*' <<<"$stderr"
	grep -q 'on Neoverse N3 (model): ' <<<"$stderr"
	[ ! -e page.html ]
}

@test "a page replaces no result, no program, and is not among what -o keeps" {
	cp -r "$work/results" kept
	run plumb explore --html page.html kept
	[ "$status" -eq 0 ] || skip "this plumb was built without its page"
	for file in findings.json counts.json intervals.json perf.data; do
		cp "kept/$file" before
		run --separate-stderr plumb explore --html "kept/$file" kept
		[ "$status" -eq 2 ]
		[ "${stderr_lines[0]}" = "plumb: refusing to write kept/$file: it is a result that is shown" ]
		cmp "kept/$file" before
		run --separate-stderr plumb explore --source model -o kept --html "kept/$file" "$work/useful"
		[ "$status" -eq 2 ]
		[ "${stderr_lines[0]}" = "plumb: kept/$file: the folder of -o has no other files than the results" ]
		cmp "kept/$file" before
	done
	# Nor does another file there, which would make the folder another one's.
	for command in "explore --html kept/page.html kept" "export --format folded -o ./kept/stacks kept"; do
		# shellcheck disable=SC2086
		run --separate-stderr plumb $command
		[ "$status" -eq 2 ]
		[[ ${stderr_lines[0]} == "plumb: refusing to write "*": the folder is for results of plumb explore alone" ]]
	done
	[ ! -e kept/page.html ] && [ ! -e kept/stacks ]
	cp "$work/useful" program
	run --separate-stderr plumb explore --source model --html program ./program
	[ "$status" -eq 2 ]
	[ "${stderr_lines[0]}" = "plumb: refusing to write program: it is the program" ]
	cmp program "$work/useful"
	for what in kept ./program; do
		run --separate-stderr plumb explore --source model --html - "$what"
		[ "$status" -eq 2 ]
		[ "$stderr" = "plumb: --html requires a file: standard output has the findings, or what the program prints" ]
		[ -z "$output" ]
	done
}
