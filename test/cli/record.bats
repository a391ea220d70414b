# SPDX-License-Identifier: Apache-2.0
# plumb record: options, events, files. What is sampled here are software events, which any Linux
# has; perf, where there is one, reads what was written.

load lib.bash

# shellcheck disable=SC2016 # for the inner shell
loop='i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; '

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# said LINE...: that standard error is these lines.
said()
{
	# shellcheck disable=SC2154 # by run
	[ "$stderr" = "$(printf '%s\n' "$@")" ] || {
		echo "$stderr"
		return 1
	}
}

can_sample()
{
	plumb record -q -o probe -e cpu-clock -c 1000000 -- true 2>/dev/null || skip "no perf_event_open"
	rm -f probe
}

# samples FILE: how many perf finds, without a word of warning.
samples()
{
	command -v perf >/dev/null || skip "no perf"
	perf script -i "$1" -F time >lines 2>warnings
	[ ! -s warnings ]
	wc -l <lines
}

@test "rejects invalid values by name, with a hint" {
	run --separate-stderr plumb record -c 0 true
	[ "$status" -eq 2 ]
	said "plumb: invalid value '0' for --count" "       use a positive whole number: 4096, 10k"
	run --separate-stderr plumb record -C 3-1 true
	[ "$status" -eq 2 ]
	said "plumb: invalid value '3-1' for --cpus" "       list CPUs as in 0-2,4"
	for bad in "-F 0" "-p x" "-t 1," "-m 3x" "-m 1,2,3" "-z99" "-D -2" "-k sundial" "--max-size 7" \
		"--switch-output=7" "--seed x" "--call-graph lbr" "--call-graph dwarf,0" "--call-graph dwarf,65529" "--call-graph dwarfs" "-C 0-99999"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb record $bad true
		[ "$status" -eq 2 ]
		[ -n "$stderr" ]
	done
}

@test "says what there is instead where only a PMU can sample" {
	run --separate-stderr timeout 5 "$PLUMB" record -a -o file
	[ ! -e file ] || skip "there is a PMU"
	[ "$status" -eq 3 ]
	said "plumb: this machine has no Arm PMU, and the model requires a program to run" \
		"       give a program instead of a target, or use software events: -e cpu-clock; see plumb doctor"
	run --separate-stderr timeout 5 "$PLUMB" record -p $$ -o file
	[ "$status" -eq 3 ]
	# A program that only says how long need not be one that the model can run.
	for others in -a "-C 0" "-p $$"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr timeout 5 "$PLUMB" record $others -o file -- sleep 1
		[ "$status" -eq 3 ]
		said "plumb: this machine has no Arm PMU, and the model covers only the program that it runs" \
			"       leave out -a, -C, -G, -p and -t, or use software events: -e cpu-clock; see plumb doctor"
	done
	run --separate-stderr plumb record -a --source model -o file
	[ "$status" -eq 2 ]
}

@test "rejects options that cannot be combined" {
	for bad in "-c 1 -F 1 true" "--all-user --all-kernel true" "-a -p 1" "--per-thread -a" "" \
		"--switch-output -o - true" "--switch-max-files 3 true"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb record $bad
		[ "$status" -eq 2 ]
		[[ $stderr == *"see plumb record --help" ]]
	done
	run --separate-stderr plumb record
	said "plumb: missing PROGRAM, --all-cpus, --cpus, --pid or --tid" \
		"       see plumb record --help"
}

@test "-p PID with a program samples only the process, while the program runs" {
	can_sample
	sh -c 'ulimit -t 60; while :; do :; done' 3>&- &
	busy=$!
	run timeout 60 "$PLUMB" record -e cpu-clock -c 1000000 -p $busy -o file -- \
		sh -c 'sleep 1; exit 3'
	kill $busy
	[ "$status" -eq 3 ]
	[ "$(plumb script -i file -F pid | sort -u | xargs)" = $busy ]
}

@test "rejects invalid events by name, with a hint" {
	printf '#!/bin/sh\n' >program
	chmod +x program
	run --separate-stderr plumb record --source perf -e cpu-clok ./program
	[ "$status" -ne 0 ]
	run --separate-stderr plumb record -e cpu-clock:x true
	[ "$status" -ne 0 ]
	[ ! -e perf.data ]
}

@test "samples a program, which keeps its output and status" {
	can_sample
	run --separate-stderr plumb record -e cpu-clock -c 100000 -- sh -c "echo hello; $loop exit 7"
	[ "$status" -eq 7 ]
	[ "$output" = hello ]
	[[ $stderr == "plumb: "*" samples, "*" MB in perf.data" ]]
	said_count=$(sed -n 's/^plumb: \([0-9]*\) samples.*/\1/p' <<<"$stderr")
	[ "$said_count" -gt 10 ]
	[ "$(samples perf.data)" -eq "$said_count" ]
	perf report -i perf.data --stdio --header >header 2>warnings
	[ ! -s warnings ]
	grep -q "^# cmdline : plumb record -e cpu-clock" header
	grep -q "name = cpu-clock" header
}

@test "says which -c gives more samples, if there are few; and it does" {
	can_sample
	# Each page that is touched for the first time is a fault: hundreds, whatever the machine.
	run --separate-stderr plumb record -e page-faults:u -c 50 -- sh -c 'sleep 0; true'
	[ "$status" -eq 0 ]
	grep -qE '^plumb: [0-9]+ samples? (are|is) too few to show where time goes$' <<<"$stderr"
	grep -qE '^       use -c 1 for about [0-9]+$' <<<"$stderr"
	about=$(sed -n 's/^       use -c 1 for about //p' <<<"$stderr")
	few=$(sed -n 's/^plumb: \([0-9]*\) samples\?,.*/\1/p' <<<"$stderr")
	run --separate-stderr plumb record -e page-faults:u -c 1 -- sh -c 'sleep 0; true'
	many=$(sed -n 's/^plumb: \([0-9]*\) samples\?,.*/\1/p' <<<"$stderr")
	[ "$many" -gt $((20 * few)) ]
	# The count is known, not only how many samples it gave.
	[ "$many" -gt $((about * 8 / 10)) ] && [ "$many" -lt $((about * 12 / 10)) ]
	lacks few <<<"$stderr"
	run --separate-stderr plumb record -q -e page-faults:u -c 50 -- true
	[ -z "$stderr" ]
}

@test "says which -c is as often as -F, which SPE does not take" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	echo 'int main(void) { return 0; }' >ends.c
	aarch64-linux-gnu-gcc -static -o ends ends.c
	run --separate-stderr plumb record --source model -F 1000 -e spe ./ends
	[ "$status" -ne 3 ] || skip "no engine"
	[ "$status" -eq 2 ]
	# The core's 3 GHz, in a multiple of 256
	said "plumb: spe: SPE supports a period, not a frequency" \
		"       use -c 2999808, which is as often at one operation per cycle"
}

@test "--switch-output: each file has the names and mappings of what runs" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	cat >forks.c <<-'END'
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) static void work(void)
		{
			for (volatile int i = 0; i < 300000; i++)
				;
		}
		int main(void)
		{
			if (fork() == 0) {
				work();
				_exit(0);
			}
			wait(0);
			return 0;
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -o forks forks.c
	run --separate-stderr plumb record --source model -e INST_RETIRED:u -c 2000 \
		--switch-output=10K -o part ./forks
	[ "$status" -eq 0 ] || skip "no engine"
	set -- part.2*
	[ $# -ge 3 ]
	followed=0
	for part; do
		plumb script --show-task-events --show-mmap-events -i "$part" >lines
		grep -q 'PERF_RECORD_MMAP2 [0-9]*/[0-9]*: .*/forks$' lines
		# The child has the program's name, but executed nothing. The first file may end before
		# its first sample.
		grep -q ' work+0x' lines || continue
		child=$(sed -n 's/.* PERF_RECORD_COMM: forks:\([0-9]*\)\/.*/\1/p' lines | head -n 1)
		[ -n "$child" ] || continue
		grep -q "PERF_RECORD_MMAP2 $child/$child: .*/forks$" lines
		grep -q "forks  *$child .* work+0x" lines
		followed=$((followed + 1))
	done
	[ "$followed" -ge 2 ]
	[ "$(plumb script --show-task-events -i "${@: -1}" | grep -c 'PERF_RECORD_COMM exec: forks:')" -eq 1 ]
}

@test "says which -c gives 5,000 samples, if -F gives few" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	cat >works.c <<-'END'
		int main(void)
		{
			for (volatile int i = 0; i < 100000; i++)
				;
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -o works works.c
	# With so low a frequency there are a few samples, whose periods tell nothing of the count.
	for event in cycles task-clock 'cpu/event=0x8/'; do for rate in 100 20000; do
		run --separate-stderr plumb record --source model -e "$event" -F $rate ./works
		[ "$status" -eq 0 ] || skip "no engine"
		period=$(sed -n 's/^       use -c \([0-9]*\) instead of a frequency for about [0-9]*$/\1/p' <<<"$stderr")
		run --separate-stderr plumb record --source model -e "$event" -c "$period" ./works
		many=$(sed -n 's/^plumb: \([0-9]*\) samples,.*/\1/p' <<<"$stderr")
		[ "$many" -gt 4000 ] && [ "$many" -lt 6000 ] || { echo "$event: $stderr" && return 1; }
	done; done
	# Nor does a period tell it that is longer than the run.
	for event in cycles spe//; do
		run --separate-stderr plumb record --source model -e $event -c 100000000 ./works
		grep -qE '^plumb: 0 samples are too few' <<<"$stderr"
		period=$(sed -n 's/^       use -c \([0-9]*\) for about [0-9]*$/\1/p' <<<"$stderr")
		about=$(sed -n 's/^       use -c [0-9]* for about \([0-9]*\)$/\1/p' <<<"$stderr")
		run --separate-stderr plumb record --source model -e $event -c "$period" ./works
		many=$(sed -n 's/^plumb: \([0-9]*\) samples,.*/\1/p' <<<"$stderr")
		[ "$many" -gt $((about * 8 / 10)) ] && [ "$many" -lt $((about * 12 / 10)) ] ||
			{ echo "$event: $stderr" && return 1; }
	done
}

@test "says which -c gives 5,000 samples, if -F gives few, with Linux's events, too" {
	can_sample
	# shellcheck disable=SC2016 # for the other shell
	work='i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
	run --separate-stderr plumb record -e task-clock:u -F 20 -- sh -c "$work"
	[ "$status" -eq 0 ]
	period=$(sed -n 's/^       use -c \([0-9]*\) instead of a frequency for about [0-9]*$/\1/p' <<<"$stderr")
	[ "$period" -ge 10000 ]
	run --separate-stderr plumb record -e task-clock:u -F 97 -- sh -c 'sleep 0; true'
	grep -qE '^       use -c [0-9]+ instead of a frequency for about [0-9]+$' <<<"$stderr"
	run --separate-stderr plumb record -e emulation-faults -c 1 -- true
	grep -qxF 'plumb: 0 samples are too few to show where time goes' <<<"$stderr"
	grep -qxF '       it did not occur: choose another event, or give the program more work' \
		<<<"$stderr"
}

@test "names each event with few samples" {
	can_sample
	run --separate-stderr plumb record -e 'page-faults:u,{cs,faults:u}:S' -c 50 -- sh -c 'sleep 0; true'
	[ "$status" -eq 0 ]
	grep -qE '^plumb: [0-9]+ samples? of page-faults:u (is|are) too few to show where time goes$' \
		<<<"$stderr"
	grep -qxE '       add the term period=1 to it for about [0-9]+' <<<"$stderr"
	# A group's member does not sample.
	grep -qE 'samples? of cs (is|are) too few' <<<"$stderr"
	lacks 'of faults:u' <<<"$stderr"
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	echo 'int main(void) { for (volatile int i = 0; i < 100000; i++) ; }' >works.c
	aarch64-linux-gnu-gcc -O1 -static -o works works.c
	run --separate-stderr plumb record --source model -e cycles,l1d_cache_refill -c 10000 ./works
	[ "$status" -eq 0 ] || skip "no engine"
	lacks 'of cycles' <<<"$stderr" || grep -qE '^plumb: [0-9]+ samples of cycles are' <<<"$stderr"
	grep -qE '^plumb: 0 samples of l1d_cache_refill are too few' <<<"$stderr"
	grep -qE '^       add the term period=1 to it for about [0-9]+$' <<<"$stderr"
	# No operation takes so long, whatever the interval.
	run --separate-stderr plumb record --source model -e spe/load,min_latency=4095,period=1024/ ./works
	grep -qxF 'plumb: 0 samples are too few to show where time goes' <<<"$stderr"
	grep -qxF '       few operations match the terms of spe: use fewer or wider ones, or give the program more work' \
		<<<"$stderr"
}

@test "reads groups in new processes, or says that the kernel cannot" {
	can_sample
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr plumb record -e '{task-clock:u,page-faults:u}:S' -c 1000000 -- sh -c \
		'(i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done) & echo $!; wait; exit 0'
	[ "$status" -eq 0 ]
	samples=$(plumb script -F pid,event | awk -v child="$output" '$1 == child && /task-clock/' | wc -l)
	# Since 6.13, or some later releases of 6.12.
	newest=$(printf '%s\n' 6.13 "$(uname -r)" | sort -V | tail -n 1)
	if [ "$newest" != 6.13 ]; then
		[ "$samples" -gt 10 ]
		lacks 'are not sampled' <<<"$stderr"
	elif [ "$samples" -eq 0 ]; then
		grep -qxF 'plumb: new threads and processes are not sampled: this kernel cannot read groups in them' \
			<<<"$stderr"
		grep -qxF '       sample CPUs instead' <<<"$stderr"
	fi
}

@test "-v says which event of a group samples" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	echo 'int main(void) { return 0; }' >ends.c
	aarch64-linux-gnu-gcc -O1 -static -o ends ends.c
	run --separate-stderr plumb record --source model -v -e '{cycles,instructions}:S,branches' \
		-c 1000 ./ends
	[ "$status" -eq 0 ] || skip "no engine"
	grep -qxF 'plumb: sampling cycles every 1000' <<<"$stderr"
	grep -qxF 'plumb: reading instructions with each sample of cycles' <<<"$stderr"
	grep -qxF 'plumb: sampling branches every 1000' <<<"$stderr"
	run --separate-stderr plumb record --source model -a -e cycles ./ends
	[ "$status" -ne 0 ]
	grep -qxF '       leave out the CPUs, and name a program to run' <<<"$stderr"
}

@test "says that -g has no effect on SPE" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	echo 'int main(void) { return 0; }' >nothing.c
	aarch64-linux-gnu-gcc -static -o nothing nothing.c
	run --separate-stderr plumb record --source model -g ./nothing
	[ "$status" -eq 0 ] || skip "no engine"
	grep -qxF 'plumb: -g has no effect: SPE samples have no call chains' <<<"$stderr"
	run --separate-stderr plumb record --source model --call-graph dwarf -e spe ./nothing
	[ "$status" -eq 0 ]
	grep -qxF 'plumb: --call-graph has no effect: SPE samples have no call chains' <<<"$stderr"
	run --separate-stderr plumb record --source model -e cycles -g ./nothing
	lacks 'no effect' <<<"$stderr"
}

@test "the model refuses other units of its kinds than its own" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	echo 'int main(void) { return 0; }' >nothing.c
	aarch64-linux-gnu-gcc -static -o nothing nothing.c
	plumb record --source model -e arm_spe_0// -o works.data ./nothing || skip "no engine"
	run --separate-stderr plumb record --source model -e arm_spe_1// ./nothing
	[ "$status" -eq 2 ]
	[ "$stderr" = "plumb: arm_spe_1//: the model's SPE unit is arm_spe_0" ]
	run --separate-stderr plumb record --source model -e armv8_pmuv3_1/r11/ ./nothing
	[ "$status" -eq 2 ]
	[ "$stderr" = "plumb: armv8_pmuv3_1/r11/: the model's PMU is armv8_pmuv3_0" ]
}

@test "the model refuses copies of the stack, and to wait for ever" {
	plumb record --help | tr -s ' \n' ' ' | grep -qF 'the model takes only fp'
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	echo 'int main(void) { return 0; }' >nothing.c
	aarch64-linux-gnu-gcc -static -o nothing nothing.c
	plumb record --source model -o works.data ./nothing || skip "no engine"
	run --separate-stderr plumb record --source model --call-graph dwarf -e cycles ./nothing
	[ "$status" -ne 0 ]
	grep -qF 'plumb: the model cannot record copies of the stack, which unwinding with DWARF requires' \
		<<<"$stderr"
	grep -qF 'use --call-graph fp, with a program built with -fno-omit-frame-pointer' <<<"$stderr"
	run --separate-stderr plumb record --source model -D -1 ./nothing
	[ "$status" -ne 0 ]
	grep -qF 'does not support a delay of -1' <<<"$stderr"
}

@test "the model records the names that threads give themselves" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	cat >named.c <<-'EOF'
		#include <pthread.h>
		#include <sys/prctl.h>
		static void spin(void) { for (volatile int i = 0; i < 5000; i++) ; }
		static void *work(void *user)
		{
			spin();
			prctl(PR_SET_NAME, "longer-than-linux-keeps");
			spin();
			return user;
		}
		int main(void)
		{
			pthread_t other;
			prctl(PR_SET_NAME, "leader");
			prctl(PR_SET_NAME, 1L); /* nothing is there */
			if (pthread_create(&other, 0, work, 0)) return 1;
			spin();
			return pthread_join(other, 0);
		}
	EOF
	aarch64-linux-gnu-gcc -O1 -static -pthread -o named named.c
	plumb record --source model -e r11 -c 500 -o named.data ./named || skip "no engine"
	plumb script -i named.data -F tid,comm >lines
	[ "$(awk '{ print $2, $1 }' lines | sort -u)" = "1001 leader
1001 named
1002 leader
1002 longer-than-lin" ]
}

@test "a recording by the model names the engine, in a file and in a pipe" {
	local real

	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	real=$(engine_path) || skip "no engine"
	echo 'int main(void) { for (volatile int i = 0; i < 1000; i++) ; }' >works.c
	aarch64-linux-gnu-gcc -O1 -static -o works works.c
	"$real" --version | sed -n '1s/^qemu-aarch64 version /# cpudesc : neoverse-v2 (model), QEMU /p' >expected
	plumb record --source model --cpu neoverse-v2 -e cycles -c 100 -o works.data ./works
	plumb script --header-only -i works.data | grep '^# cpudesc' | diff expected -
	plumb record --source model --cpu neoverse-v2 -e cycles -c 100 -o - ./works |
		plumb script --header-only -i - | grep '^# cpudesc' | diff expected -
	# Nothing is left of a recording that never began.
	run --separate-stderr plumb record --source model --qemu "$PWD/none" -o none.data ./works
	[ "$status" -eq 3 ]
	[ ! -e none.data ]
}

@test "runs an AArch64 program in the model, or says that it is one" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	[ "$(uname -m)" != aarch64 ] || skip "it runs here"
	echo 'int main(void) { return 0; }' >nothing.c
	aarch64-linux-gnu-gcc -static -o nothing nothing.c
	run --separate-stderr plumb record --source perf -e task-clock ./nothing
	if [ "$status" -eq 126 ]; then # nothing of the system's takes it for its own
		said "plumb: ./nothing: an AArch64 program, which this machine cannot run" \
			"       use --source model to run it"
	fi
	run --separate-stderr plumb record -e task-clock -c 1000 ./nothing
	[ "$status" -eq 0 ] || skip "no engine"
	grep -q 'by the model$' <<<"$stderr"
}

@test "keeps the previous file; -q prints nothing" {
	can_sample
	for i in 1 2; do
		run --separate-stderr plumb record -q -e cpu-clock -c 100000 -- sh -c "$loop"
		[ -z "$stderr" ]
	done
	[ -s perf.data ]
	[ -s perf.data.old ]
}

@test "an older recording moves only where no pipe, link or folder is, and links to it stay" {
	local there

	can_sample
	record() { plumb record -q -e cpu-clock -c 1000000 "$@" -- sh -c "$loop"; }
	record -o r
	cp r first
	for there in pipe link folder; do
		rm -rf r.old
		case $there in
		pipe) mkfifo r.old ;;
		link) ln -s elsewhere r.old ;;
		folder) mkdir r.old ;;
		esac
		run --separate-stderr record -o r
		[ "$status" -eq 1 ]
		[[ $stderr == *"r.old: the older recording cannot be moved there"* ]]
		cmp r first
	done
	[ -d r.old ]
	rm -r r.old
	mkdir other
	mv r other
	ln -s other/r r
	record -o r
	[ -L r ]
	cmp other/r.old first
	[ -s other/r ] && [ ! -e r.old ]
	# A pipe, and a link to one, get the stream.
	mkfifo pipe
	ln -s pipe link
	cat pipe >got &
	record -o link
	wait
	[ -p pipe ] && [ -L link ] && [ -s got ]
	plumb script -q -i got >lines
	[ -s lines ]
}

@test "a compressed recording is smaller, and perf reads the same" {
	can_sample
	run --separate-stderr plumb record -z -g -o small -e cpu-clock -c 20000 -- sh -c "$loop"
	[ "$status" -eq 0 ]
	count=$(sed -n 's/^plumb: \([0-9]*\) samples.*/\1/p' <<<"$stderr")
	perf script -i small -F time,comm >lines 2>warnings
	[ ! -s warnings ]
	[ "$(grep -c . lines)" -eq "$count" ]
	perf report -i small --stdio --header | grep -q "compressed : Zstd, level = 1"
}

@test "writes to a pipe; the program's output goes to standard error" {
	can_sample
	command -v perf >/dev/null || skip "no perf"
	plumb record -o - -e cpu-clock -c 100000 -- sh -c "echo hello; $loop" 2>said >piped
	grep -qx hello said
	grep -q ' samples\?, [0-9.]* MB to standard output$' said
	perf script -i - -F time <piped >lines 2>warnings
	[ ! -s warnings ]
	[ "$(wc -l <lines)" -gt 10 ]
}

@test "a recording stops at --max-size, and can be read" {
	can_sample
	run --separate-stderr plumb record --max-size 64K -e cpu-clock -c 10000 -- sh -c "$loop$loop"
	[[ $stderr == *"reached --max-size"* ]]
	[ "$(stat -c %s perf.data)" -lt 80000 ]
	[ "$(samples perf.data)" -gt 100 ]
}

@test "--switch-output: each file can be read, and together they have all samples" {
	can_sample
	run --separate-stderr plumb record --switch-output=100ms -o s -e cpu-clock -c 100000 -- \
		sh -c "$loop$loop$loop$loop$loop"
	[ "$status" -eq 0 ]
	[ ! -e s ]
	sum=0
	# On a busy machine the program may not have run at all while one was written: it has none.
	for file in s.*; do
		count=$(samples "$file")
		sum=$((sum + count))
	done
	[ "$sum" -gt 10 ]
	[ "$(sed -n 's/^plumb: \([0-9]*\) samples.*/\1/p' <<<"$stderr")" -eq "$sum" ]
}

@test "renames no pipe, device or link: refused before the program starts" {
	local option file

	mkfifo pipe
	: >file
	ln -s file link
	ln -s nowhere dangling
	mkdir folder
	for option in --switch-output=1K --timestamp-filename; do
		for file in pipe link dangling folder; do
			run --separate-stderr timeout 20 "$PLUMB" record $option -o $file touch ran
			[ "$status" -eq 2 ]
			said "plumb: ${option%=*} cannot rename $file: not a regular file" \
				"       see plumb record --help"
		done
		run --separate-stderr plumb record $option -o - touch ran
		[ "$status" -eq 2 ]
		said "plumb: ${option%=*} cannot write to a pipe" "       see plumb record --help"
	done
	[ -p pipe ] && [ -L link ] && [ -L dangling ] && [ -d folder ] && [ ! -e ran ]
	# As root, a device of its own.
	if mknod device c 1 3 2>/dev/null; then
		run --separate-stderr plumb record --switch-output=1K -o device touch ran
		[ "$status" -eq 2 ]
		[ -c device ] && [ ! -e ran ]
	fi
}

@test "--switch-output does not rename what the program put in the file's place" {
	can_sample
	run --separate-stderr plumb record --switch-output=100K -o s -e cpu-clock -c 1000000 -- \
		sh -c 'rm s; exec mkfifo s'
	[ "$status" -eq 1 ]
	[[ $stderr == *"s: cannot be renamed: File exists"* ]]
	[ -p s ]
}

@test "--switch-max-files keeps the last files" {
	can_sample
	run --separate-stderr plumb record --switch-output=100ms --switch-max-files 2 -o s -e cpu-clock \
		-c 100000 -- sh -c "$loop$loop$loop$loop$loop"
	[ "$status" -eq 0 ]
	[ ! -e s ]
	count=0
	for file in s.*; do
		samples "$file"
		count=$((count + 1))
	done
	[ "$count" -le 2 ]
	[ "$count" -ge 1 ]
}

@test "a full disk is reported, and the recording is kept" {
	can_sample
	# The files of the shell, in blocks of 1024 bytes.
	run --separate-stderr bash -c 'ulimit -f 64; "$@"' - "$PLUMB" record -e cpu-clock -c 10000 -- \
		sh -c "$loop$loop"
	[ "$status" -eq 1 ]
	[[ $stderr == "plumb: perf.data: larger than a file may become "*" on "* ]]
	# Where / is the folder of a chroot, its disk cannot be told.
	! awk '$5 == "/" { found = 1 } END { exit !found }' /proc/self/mountinfo ||
		[[ $stderr == *"mounted at /"* ]]
	[ "$(samples perf.data)" -gt 100 ]
	run --separate-stderr plumb record -o /dev/full -e cpu-clock -- true
	[ "$status" -eq 1 ]
	[[ $stderr == *"/dev/full"* ]]
	run --separate-stderr plumb record -o nowhere/x -e cpu-clock -- true
	[ "$status" -eq 1 ]
}

@test "if plumb is killed, perf can read the file" {
	can_sample
	"$PLUMB" record -q -e cpu-clock -c 100000 -- sh -c "$loop$loop$loop sleep 60" 3>&- &
	for ((i = 0; i < 100; i++)); do
		[ ! -e perf.data ] || [ "$(stat -c %s perf.data)" -le 20000 ] || break
		sleep 0.1
	done
	child=$(pgrep -P $!)
	kill -KILL $!
	wait $! || true
	mapfile -t pids < <(pgrep -P "$child")
	kill "$child" "${pids[@]}" 2>/dev/null || true
	[ "$(samples perf.data)" -gt 10 ]
}

@test "a signal ends the recording and keeps it" {
	can_sample
	"$PLUMB" record -a -e cpu-clock -F 999 2>said 3>&- &
	sleep 1
	# A job in the background ignores SIGINT.
	kill -TERM $!
	wait $! || true
	grep -q "samples" said
	samples perf.data
}

@test "-g: an operation in flight has the callers of its own block" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	cd "$BATS_TEST_TMPDIR" || return
	cat >chains.c <<-'END'
		volatile unsigned sum;
		__attribute__((noipa)) unsigned leaf_a(unsigned n)
		{
			for (unsigned i = 0; i < n; i++)
				sum += i;
			return sum;
		}
		__attribute__((noipa)) unsigned leaf_b(unsigned n)
		{
			unsigned x = n;
			for (unsigned i = 0; i < n; i++)
				sum ^= x = x / 3 + i;
			return x;
		}
		__attribute__((noipa)) void only_a(unsigned n) { sum += leaf_a(n); sum--; }
		__attribute__((noipa)) void only_b(unsigned n) { sum += leaf_b(n); sum--; }
		__attribute__((noipa)) void drive(int n)
		{
			for (int i = 0; i < n; i++) {
				only_a(i % 7);
				only_b(i % 11);
			}
		}
		int main(void) { drive(5000); return 0; }
	END
	aarch64-linux-gnu-gcc -O1 -fno-omit-frame-pointer -static -o chains chains.c
	plumb record -e cycles -c 97 -g -q -o chains.data ./chains || skip "the model cannot run here"
	plumb script -i chains.data -F ip,sym >stacks
	# Leaves have no frame of their own, and others have none yet: the link register has their caller.
	/usr/bin/python3 - <<-'END'
		stacks = [[line.split()[1].split("+")[0] for line in stack.strip().splitlines()]
		          for stack in open("stacks").read().split("\n\n") if stack.strip()]
		callers = {"leaf_a": ["only_a"], "leaf_b": ["only_b"], "only_a": ["drive"],
		           "only_b": ["drive"], "drive": ["main"]}
		known = [s for s in stacks if s[0] in callers]
		assert len(known) > 300, len(known)
		wrong = [s for s in known if s[1] not in callers[s[0]]]
		assert not wrong, (len(wrong), len(known), wrong[0])
	END
}

@test "-b and -j: branch stacks" {
	for kind in "" any,foo "any," u,,k ANY; do
		run --separate-stderr plumb record -j "$kind" -e cpu-clock true
		[ "$status" -eq 2 ]
		[ "$(head -n 1 <<<"$stderr")" = "plumb: invalid value '$kind' for --branch-filter" ]
	done
	run --separate-stderr plumb record -b -j any true
	[ "$status" -eq 2 ]
	[ "$(head -n 1 <<<"$stderr")" = "plumb: --branch-any and --branch-filter cannot be combined" ]
	run --separate-stderr plumb record --exact -j u true
	[ "$status" -eq 2 ]
	[ "$(head -n 1 <<<"$stderr")" = "plumb: --exact cannot be combined with --branch-any or --branch-filter" ]
	# The kernel has none for software events, on any machine.
	can_sample
	run --separate-stderr plumb record -b -e cpu-clock -o branches true
	[ "$status" -ne 0 ]
	said "plumb: cpu-clock: it has no branch stacks, or not of these branches" \
		"       branch stacks require a PMU event and a branch buffer (BRBE), see plumb doctor; -e spe/branch/ samples branches, too"
}

@test "-b and -j: neither the model nor SPE has branch stacks" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	echo 'int main(void) { return 0; }' >ends.c
	aarch64-linux-gnu-gcc -static -o ends ends.c
	run --separate-stderr plumb record --source model -b -e cycles ./ends
	[ "$status" -ne 3 ] || skip "no engine"
	[ "$status" -eq 2 ]
	said "plumb: --branch-any requires perf: the model keeps no branch stacks" \
		"       sample branches with -e spe/branch/, or count them all with --exact"
	[ ! -e perf.data ]
}

@test "--control: the timeout runs while sampling is off; a stop before it is no timeout" {
	can_sample
	mkfifo control
	# Nobody enables anything.
	timeout 60 "$PLUMB" record -e cpu-clock -D -1 --timeout 200 --control fifo:control -- sleep 50 2>said
	grep -qx "plumb: ended the program after 200 ms" said
	exec 5<>control
	echo stop >&5
	timeout 60 "$PLUMB" record -e cpu-clock --timeout 40000 --control fifo:control -- sleep 50 2>said
	lacks "ended the program" <said
}

@test "--control: nothing is sampled while it is off; it stops the program" {
	can_sample
	mkfifo control ack
	exec 5<>control 6<>ack
	# The program's files are mapped while sampling is off.
	# shellcheck disable=SC2016 # for the inner shell
	plumb record -D -1 -e cpu-clock -c 500000 --control fifo:control,ack -- \
		timeout 120 bash -c 'echo >begun; while :; do :; done' 2>said 3>&- 5>&- 6>&- &
	recorder=$!
	until [ -e begun ]; do
		kill -0 "$recorder"
		sleep 0.02
	done
	tell ping
	tell enable
	sleep 0.1
	tell disable
	cat /proc/uptime >off
	sleep 0.3
	cat /proc/uptime >on
	tell enable
	sleep 0.1
	tell stop
	wait "$recorder"
	grep -Eq "^plumb: [0-9]+ samples, .* in perf.data$" said
	plumb script -F time >moments
	plumb report --no-children -s dso --json >report.json
	/usr/bin/python3 - <<-'END'
		import json

		off, on = (float(open(name).read().split()[0]) for name in ("off", "on"))
		times = [float(line.strip().rstrip(":")) for line in open("moments")]
		gaps = [(b - a) for a, b in zip(times, times[1:])]
		assert len(times) >= 10 and max(gaps) > (on - off) - 0.03, (max(gaps), off, on)
		assert any(row["dso"] == "bash" for row in json.load(open("report.json"))["events"][0]["rows"])
	END
}

@test "--control requires perf, and a channel" {
	for value in x fd: "fd:1," fifo: "fifo:a,"; do
		run --separate-stderr plumb record -e cpu-clock --control "$value" -- true
		[ "$status" -eq 2 ]
		# shellcheck disable=SC2154 # by run
		[[ "$stderr" == "plumb: invalid value '$value' for --control"* ]]
	done
	run --separate-stderr plumb record --exact --control fd:1 -- true
	[ "$status" -eq 2 ]
	said "plumb: --control requires --source perf" "       see plumb record --help"
	# A model that is chosen does not open the pipe: who writes to it goes on waiting.
	if ! compgen -G '/sys/bus/event_source/devices/armv*' >/dev/null; then
		mkfifo control
		bash -c 'echo stop >control && echo >written' 3>&- &
		writer=$!
		run --separate-stderr plumb record --control fifo:control -- true
		[ "$status" -ne 0 ]
		kill $writer
		[ ! -e written ]
	fi
	run --separate-stderr plumb record -e cpu-clock --control fifo:nothing -- true
	[ "$status" -ne 0 ]
	[[ "$stderr" == "plumb: --control: nothing: "* ]]
}

# shellcheck disable=SC2154 # by lib.bash and bats
@test "nobody misses samples of a unit that is to discard them" {
	aarch64-linux-gnu-gcc -O1 -static -o classes "$here/classes.c" || skip "no compiler for AArch64"
	run --separate-stderr plumb record --source model -e spe/discard/ -o none.data ./classes
	[ "$status" -eq 0 ] || skip "the model cannot run here"
	[[ "$stderr" == *"plumb: 0 samples, "* ]]
	[[ "$stderr" != *"too few"* ]]
}
