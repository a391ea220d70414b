# SPDX-License-Identifier: Apache-2.0
# plumb record --topdown: samples of a group of counters, which plumb report --topdown adds up by function.
# shellcheck disable=SC2154 # by lib.bash and bats

load lib.bash

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	command -v aarch64-linux-gnu-gcc >/dev/null || return 0
	aarch64-linux-gnu-gcc -O2 -static "-DLENGTH=${LENGTH:-1}" -o "$work/classes" "$here/classes.c"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	[ -f "$work/classes" ] || skip "no compiler for AArch64"
	plumb record -q -e task-clock --source model -o try.data "$work/classes" || skip "the model cannot run here"
}

# group: the events that a recording was made of, those that are read with a colon.
group()
{
	sed -n 's/^plumb: sampling \([A-Z0-9_]*\) every \([0-9]*\)$/\1=\2/p
		s/^plumb: reading \([A-Z0-9_]*\) with each sample of CPU_CYCLES$/:\1/p'
}

@test "samples cycles with the events of the core's first level" {
	# As Arm's formulas of Topdown_L1 name them: they differ among cores.
	for core in neoverse-n3 neoverse-n2 neoverse-v2 neoverse-v3; do
		run --separate-stderr plumb record --topdown -v --source model --cpu $core "$work/classes"
		[ "$status" -eq 0 ]
		[ "$(group <<<"$stderr" | head -n 1)" = "CPU_CYCLES=1009" ]
		made=$(group <<<"$stderr" | sed -n 's/^://p' | sort)
		wanted=$(for metric in retiring bad_speculation frontend_bound backend_bound; do
			plumb spec show --cpu $core $metric --json | /usr/bin/python3 -c 'import json, sys
print(*json.load(sys.stdin)["results"][0]["events"], sep="\n")'
		done | sort -u | grep -vx CPU_CYCLES)
		[ -n "$made" ]
		[ "$made" = "$wanted" ]
		run --separate-stderr plumb report --topdown --limit 1
		[ "$status" -eq 0 ]
	done
	run --separate-stderr plumb record --topdown -v --source model -c 5003 "$work/classes"
	[ "$(group <<<"$stderr" | head -n 1)" = "CPU_CYCLES=5003" ]
	run --separate-stderr plumb record --topdown -v --source model -F 50000 "$work/classes"
	grep -qx 'plumb: sampling CPU_CYCLES at 50000 Hz' <<<"$stderr"
}

@test "refuses what cannot be sampled" {
	run --separate-stderr plumb record --topdown --source model --cpu neoverse-n1 "$work/classes"
	[ "$status" -eq 3 ]
	said "plumb: --topdown: Neoverse N1 has no metrics of slots" \
		"       sample stalled cycles instead: -e '{cycles,stall_frontend,stall_backend}:S'"
	plumb record -q --source model --cpu neoverse-n1 -e '{cycles,stall_frontend,stall_backend}:S' "$work/classes"
	for option in '-e cycles' --exact -S; do
		# shellcheck disable=SC2086 # an option and its argument
		run --separate-stderr plumb record --topdown $option "$work/classes"
		[ "$status" -eq 2 ]
		said "plumb: --topdown cannot be combined with --event, --exact or --snapshot" \
			"       see plumb record --help"
	done
}

@test "calls that are shorter than windows, and marks, are explained below the table" {
	cat >turns.c <<-'END'
		#define F __attribute__((noipa)) static void
		F nops(void) { __asm__ volatile(".rept 200\n nop\n .endr"); }
		F barriers(void) { for (int i = 0; i < 2; i++) __asm__ volatile("isb"); }
		F adds(void) { __asm__ volatile(".rept 60\n add x9, x9, x9\n .endr" ::: "x9"); }
		int main(void) { for (int i = 0; i < 15000; i++) { nops(); barriers(); adds(); } }
	END
	aarch64-linux-gnu-gcc -O2 -static -o turns turns.c
	plumb record -q --topdown --source model -o turns.data ./turns
	plumb report -i turns.data --topdown --stdio --limit 4 >text
	grep -q '^~: this row, or the one above or below it, may be the larger one$' text
	[ "$(sed -n 's/^calls of \(.*\) are too short for the windows of samples: .*/\1/p' text | tr -d , |
		tr ' ' '\n' | grep -cxE 'nops|barriers|adds')" -ge 2 ]
	# Calls of thousands of cycles are not.
	plumb record -q --topdown --source model -o s.data "$work/classes"
	plumb report -i s.data --topdown --stdio --limit 4 | lacks 'too short'
}

@test "--strobe: pairs of samples, which the model takes by default" {
	for strobe in "" 500 0; do
		run --separate-stderr plumb record --topdown ${strobe:+--strobe=$strobe} -v --source model -o s.data "$work/classes"
		[ "$status" -eq 0 ]
		# Half of the samples end a short window. Where one operation takes longer, so does the window.
		plumb script -i s.data -F event,period | awk '$2 == "CPU_CYCLES:" { print $1 }' >cycles
		case $strobe in
		"") awk '$1 > 180 && $1 < 220 { near++ } END { exit !(near > 0.3 * NR) }' cycles ;;
		500) awk '$1 > 470 && $1 < 530 { near++ } END { exit !(near > 0.6 * NR) }' cycles ;;
		0) awk '$1 < 800 { near++ } END { exit near > 0.2 * NR }' cycles ;;
		esac
	done
	# Plain samples of a frequency, and of a short period.
	plumb record -q --topdown -F 50000 --source model -o f.data "$work/classes"
	plumb script -i f.data -F event | lacks strobe
	plumb record -q --topdown -c 101 --source model -o c.data "$work/classes"
	plumb script -i c.data -F event | lacks strobe
	# Without the sum of two events, the shares are the same.
	event='{CPU_CYCLES,OP_RETIRED,OP_SPEC,STALL_FRONTEND_FLUSH,STALL_SLOT_FRONTEND,STALL_SLOT_BACKEND,CPU_CYCLES/strobe=200/}:uS'
	plumb record -q --topdown --source model --cpu neoverse-n3 -o all.data "$work/classes"
	plumb record -q -c 1009 -e "$event" --source model --cpu neoverse-n3 -o parts.data "$work/classes"
	shares='.rows[:7][] | [.symbol, (.retiring, .bad_speculation, .frontend_bound, .backend_bound | . * 1000 | round)]'
	[ "$(plumb report -i all.data --topdown --json | jq -c "$shares")" = "$(plumb report -i parts.data --topdown --json | jq -c "$shares")" ]
}

@test "--strobe: what cannot be" {
	run --separate-stderr plumb record --strobe "$work/classes"
	[ "$status" -eq 2 ]
	said "plumb: --strobe requires --topdown" "       see plumb record --help"
	run --separate-stderr plumb record --topdown --strobe -F 99 "$work/classes"
	[ "$status" -eq 2 ]
	said "plumb: --strobe cannot be combined with --freq" "       see plumb record --help"
	run --separate-stderr plumb record --topdown --strobe=few "$work/classes"
	[ "$status" -eq 2 ]
	said "plumb: --strobe: invalid number of cycles 'few'" "       use 0 to 4294967295"
	run --separate-stderr plumb record --topdown --strobe=400 -c 700 --source model "$work/classes"
	[ "$status" -ne 0 ]
	[[ "$stderr" == *"strobe requires a period at least twice as long"* ]]
}

@test "the model samples no process, thread or CPU, and neither branches nor stacks" {
	for target in "-p $$" "-t $$" -a "-C 0"; do
		# shellcheck disable=SC2086 # an option and its argument
		run --separate-stderr plumb record --topdown --source model $target -o of.data
		[ "$status" -eq 2 ]
		said "plumb: the model requires a program to run"
		[ ! -e of.data ]
	done
	run --separate-stderr plumb record --topdown --source model -b "$work/classes"
	[ "$status" -eq 2 ]
	[[ "${stderr_lines[0]}" == "plumb: --branch-any requires perf"* ]]
	run --separate-stderr plumb record --topdown --source model --call-graph dwarf "$work/classes"
	[ "$status" -ne 0 ]
	[[ "$stderr" == *"the model cannot record copies of the stack"* ]]
}

@test "-g adds call chains and changes no share" {
	plumb record -q --topdown --source model -o plain.data "$work/classes"
	plumb record -q --topdown --source model -g -o chains.data "$work/classes"
	[ "$(plumb script -i chains.data -F ip | grep -c .)" -gt "$(plumb script -i plain.data -F ip | grep -c .)" ]
	plumb report -i plain.data --topdown --json | jq .rows >plain.json
	plumb report -i chains.data --topdown --json | jq .rows >chains.json
	[ "$(jq length plain.json)" -gt 7 ]
	cmp plain.json chains.json
}

@test "tells seven functions apart, whose windows it does not mix" {
	run /usr/bin/python3 "$here/topdown_classes.py" "$PLUMB" "$work/classes" "${PERIODS:-3}"
	[ "$status" -eq 0 ] || { echo "$output" && return 1; }
	[[ ${lines[0]} == *"of $((35 * ${PERIODS:-3})) true shares inside their intervals"* ]]
}
