# SPDX-License-Identifier: Apache-2.0
# Names that strangers chose, and files that must not be lost.

# shellcheck disable=SC2030,SC2031 # status is of the test at hand

load lib.bash

setup()
{
	mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return
	# shellcheck disable=SC2154 # by lib.bash
	/usr/bin/python3 "$here/hostile.py" perf.data
}

# That there is text on stdin, and no control character in it but newlines: as UTF-8 or as single
# bytes.
harmless()
{
	/usr/bin/python3 -c '
import sys
data = sys.stdin.buffer.read()
text = data.decode("utf-8", "surrogateescape")
bad = [c for c in text if c != "\n" and (ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or
       0xd800 <= ord(c) < 0xe000 or 0x202a <= ord(c) <= 0x202e)]
if not text or bad:
    sys.exit(f"{len(data)} bytes with {bad!r}")'
}

@test "names in a recording do nothing to the terminal" {
	# What is meant to be printed is there.
	plumb script | grep -qF 'x?[2J?2J?2J'
	for options in "" "-D" "--header" "--header-only" "-q" "--json" "-q --json" "-F +symoff"; do
		# shellcheck disable=SC2086 # words
		plumb script $options | harmless
	done
	plumb export --format callgrind perf.data | harmless
	plumb export --format callgrind perf.data | grep -q '?\[2J'
}

@test "names in a recording do nothing to the terminal, nor through a pager" {
	need_terminal
	for options in "" "-D" "--header" "--json"; do
		# shellcheck disable=SC2086 # words
		PLUMB_PAGER='' in_terminal 80 "$PLUMB" script $options | harmless
		# shellcheck disable=SC2086
		PLUMB_PAGER='sed s/^/paged:/' in_terminal 80 "$PLUMB" script $options >shown
		grep -q '^paged:' shown
		harmless <shown
	done
}

@test "names in a specification do nothing to the terminal" {
	need_terminal
	export PLUMB_PAGER=''
	plumb spec export --cpu n1 --format mrs |
		sed 's/Cycles per/Cy\xc2\x9b2Jcles per/; s/"title": "/&\xc2\x9b2J/' >cpu.json
	grep -q $'\xc2\x9b' cpu.json
	for format in mrs csv markdown perf-json; do
		in_terminal 80 "$PLUMB" spec export --cpu ./cpu.json --format "$format" |
			tr -d '\r' | harmless
	done
	in_terminal 80 "$PLUMB" spec list events --cpu ./cpu.json -x , | harmless
	in_terminal 80 "$PLUMB" spec show CPU_CYCLES --cpu ./cpu.json --json | harmless
}

@test "--json of such a recording is JSON, and has the names" {
	plumb script --json | json 'd["comm"].startswith("x\x1b[2J\ufffd2J\x9b2J") and
		d["event"].startswith("x\x1b[2J") and d["dso"].endswith("\u202e")'
}

@test "messages about such names, too" {
	local evil=$'x\e[2J\x9b2J\xc2\x9b2J'

	run --separate-stderr plumb script -i "$evil"
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	harmless <<<"$stderr"
	run -127 --separate-stderr plumb stat -- "./$evil"
	harmless <<<"$stderr"
	run --separate-stderr plumb "$evil"
	[ "$status" -eq 2 ]
	harmless <<<"$stderr"
}

# latin: compiles `program` with a function and a line of source that are Latin-1, as old sources are.
latin()
{
	local compiler=aarch64-linux-gnu-gcc

	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null || skip "no compiler for AArch64"
	engine_path >/dev/null || skip "no engine"
	printf '%s\n' 'static volatile int sum;' 'void zahl(void);' 'void zahl(void)' '{' \
		$'\tfor (int i = 0; i < 300000; i++) sum += i / (i % 7 + 1); /* z\xe4hle */' '}' \
		'int main(void) { zahl(); return 0; }' >latin.c
	"$compiler" -g -O1 -static -o program latin.c
	"${compiler%gcc}objcopy" --redefine-sym zahl=$'z\xe4hl' program
}

@test "findings in a source that is not UTF-8 are kept whole" {
	latin
	plumb explore --source model -o results ./program 2>first
	grep -qF '/* z?hle' first
	json 'any("z\ufffdhle" in p["text"] for f in d["findings"]
		for p in f["lines"]["places"] if "text" in p)' <results/findings.json
	plumb explore results | grep -qF '/* z'
	plumb explore --json results | json 'd["findings"]'
}

@test "a baseline takes functions whose names are not UTF-8, and knows them again" {
	latin
	plumb record -q --source model --exact -o exact ./program
	plumb diff --write-baseline baseline.json exact
	json '"z\ufffdhl" in d["functions"]' <baseline.json
	# It is neither new nor gone.
	plumb diff --json baseline.json exact | json '[(f["before"] > 0, f["before"] == f["after"])
		for f in d["comparisons"][0]["functions"] if f["name"] == "z\ufffdhl"] == [(True, True)]'
}

# kept FILE COMMAND...: that the command is refused, and FILE stays.
kept()
{
	local file=$1 before

	shift
	before=$(cksum <"$file")
	run --separate-stderr "$@"
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: refusing to write "*": it is the "* ]]
	[ "$(cksum <"$file")" = "$before" ]
}

@test "no output replaces an input, whatever it is called" {
	ln -s perf.data link
	ln perf.data twin
	for name in perf.data ./perf.data "$PWD/perf.data" link twin; do
		kept perf.data plumb script -o "$name"
		kept perf.data plumb script -q -o "$name"
		kept perf.data plumb script --json -o "$name"
		kept perf.data plumb spe dump -o "$name"
	done
	kept perf.data plumb script -i link -o twin
	plumb spec export --cpu n1 --format mrs >cpu.json
	kept cpu.json plumb spec validate cpu.json -o cpu.json
	kept cpu.json plumb spec list events --cpu cpu.json -o ./cpu.json
	kept cpu.json plumb spec show CPU_CYCLES --cpu ./cpu.json -o cpu.json
	kept cpu.json plumb spec diff n1 ./cpu.json -o cpu.json
	kept cpu.json plumb spec tree --cpu ./cpu.json -o cpu.json
	kept cpu.json plumb spec export --cpu ./cpu.json --format csv -o cpu.json
}

@test "nor the file that is standard input" {
	local name

	ln -s perf.data a_link
	# shellcheck disable=SC2094 # that it is the same file is the point
	for name in perf.data a_link; do
		kept perf.data plumb script -i - -o "$name" <perf.data
		kept perf.data plumb report -i - -o "$name" <a_link
		kept perf.data plumb export --format folded -o "$name" - <perf.data
		kept perf.data plumb export --format callgrind -o "$name" - <perf.data
		kept perf.data plumb spe dump -o "$name" -i - <perf.data
	done
}

@test "no output replaces the program" {
	cp "$(type -P true)" program
	chmod +x program
	kept program plumb stat -e task-clock -o program ./program
	kept program plumb stat -e task-clock -I 100 -o program ./program
	kept program plumb record -e cpu-clock -o program ./program
	# An older recording is moved to NAME.old.
	cp program name.old
	echo old >name
	kept name.old plumb record -e cpu-clock -o name ./name.old
	[ "$(cat name)" = old ]
}

@test "the model's plugin is taken from where it was installed, not from folders that look alike" {
	mkdir -p bin model/qemu qemu/model
	cp "$PLUMB" bin/plumb
	for api in 1 2 3; do
		echo junk >model/qemu/plumb-model-$api.so
	done
	printf '#!/bin/sh\necho taken >"%s/taken"\nexit 1\n' "$PWD" >model/qemu/qemu-aarch64
	chmod +x model/qemu/qemu-aarch64
	{
		printf '\177ELF\2\1\1'
		head -c 9 /dev/zero
		printf '\2\0\267\0\1\0\0\0'
		head -c 40 /dev/zero
	} >arm
	chmod +x arm
	run --separate-stderr bin/plumb stat --source model -v ./arm
	[[ $stderr != *model/qemu* ]]
	[ ! -e taken ]
}
