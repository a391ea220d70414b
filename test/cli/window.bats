# SPDX-License-Identifier: Apache-2.0
# The part of a run that plumb stat counts and plumb record samples: --from, --to, --delay, --timeout
# and --max-instructions.

load lib.bash

# A program whose instructions can be counted by hand, and one in C for everything else.
setup_file()
{
	local compiler=aarch64-linux-gnu-gcc

	cd "$BATS_FILE_TMPDIR" || return
	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null && engine_path >/dev/null || return 0
	cat >rounds.S <<-'END'
			.global _start
			.type _start, %function
		_start:	mov x19, #5
		0:	bl before		// a round: 5 instructions,
			bl work
			bl after
			subs x19, x19, #1
			b.ne 0b
			mov x0, #3
			mov x8, #93
			svc #0
			.size _start, . - _start
		before:	mov x0, #1000		// 1 + 2 * 1000 + 1,
		1:	subs x0, x0, #1
			b.ne 1b
			ret
			.size before, . - before
			.type before, %function
		work:	mov x0, #100		// 2 + 4 * 100 + 1,
			mov x1, #0
		2:	add x1, x1, x0
		inner:	eor x1, x1, x0
			subs x0, x0, #1
			b.ne 2b
			ret
			.size work, . - work
			.type work, %function
		after:	mov x0, #300		// 1 + 3 * 300 + 1
		3:	nop
			subs x0, x0, #1
			b.ne 3b
			ret
			.size after, . - after
			.type after, %function
			.data
		number:	.quad 1
	END
	"$compiler" -nostdlib -static -o rounds rounds.S
	"$compiler" -nostdlib -static-pie -o rounds-pie rounds.S
	"$compiler" -nostdlib -static -s -o rounds-stripped rounds.S
	cat >threads.c <<-'END'
		#include <pthread.h>

		static volatile int sink[4][64];

		static void turn(int n, int turns)
		{
			for (int i = 0; i < turns; i++)
				sink[n][0] += i;
		}

		void begin(void) { __asm__ volatile("nop"); }
		void end(void) { __asm__ volatile("nop"); }

		static void *thread(void *n)
		{
			turn((int)(long)n, 20000);
			return 0;
		}

		int main(void)
		{
			pthread_t threads[2];

			turn(0, 50000);
			begin();
			for (long i = 0; i < 2; i++)
				pthread_create(&threads[i], 0, thread, (void *)(i + 1));
			for (int i = 0; i < 2; i++)
				pthread_join(threads[i], 0);
			end();
			turn(0, 50000);
		}
	END
	"$compiler" -O1 -fno-inline -static -pthread -o threads threads.c
	"$compiler" -O1 -fno-inline -pie -fPIE -pthread -o threads-dynamic threads.c
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || return
}

need_model()
{
	[ -x threads ] || skip "no compiler for AArch64, or no engine"
}

# instructions OPTION... PROGRAM: how many the model counts.
instructions()
{
	counts instructions "$@"
}

# counts EVENT OPTION... PROGRAM
counts()
{
	local event=$1

	shift
	plumb stat --source model -e "$event" -x , -o - "$@" 2>errors | grep ",$event" | cut -d , -f 1
}

# What a round has between one function and the next.
before=$((2 + 2 * 1000 + 1)) work=$((3 + 4 * 100 + 1)) after=$((2 + 3 * 300 + 1 + 2))
all=$((1 + 5 * (before + work + after) + 3))

@test "counts each passage from --from to --to, to the instruction" {
	need_model
	for program in ./rounds ./rounds-pie; do
		[ "$(instructions $program)" -eq $all ]
		[ "$(instructions --from before --to work $program)" -eq $((5 * before)) ]
		[ "$(instructions --from work --to after $program)" -eq $((5 * work)) ]
		[ "$(instructions --from before --to after $program)" -eq $((5 * (before + work))) ]
		# From the first one on; until the first one.
		[ "$(instructions --from work $program)" -eq $((all - 2 - before)) ]
		[ "$(instructions --to work $program)" -eq $((2 + before)) ]
		# Within a function, where no branch leads: the body but its first three instructions.
		[ "$(instructions --from work+0xc --to after $program)" -eq $((5 * (work - 3))) ]
		[ "$(instructions --from inner --to after $program)" -eq $((5 * (work - 3))) ]
	done
}

@test "takes addresses of the file and of the running program" {
	need_model
	for program in rounds rounds-pie; do
		nm=$(aarch64-linux-gnu-nm $program 2>/dev/null || nm $program)
		from=$(sed -n 's/ t work$//p' <<<"$nm") to=$(sed -n 's/ t after$//p' <<<"$nm")
		[ "$(instructions --from "0x$from" --to "$to" ./$program)" -eq $((5 * work)) ]
		cp $program stripped && { strip stripped || aarch64-linux-gnu-strip stripped; } 2>/dev/null
		[ "$(instructions --from "0x$from" --to "0x$to" ./stripped)" -eq $((5 * work)) ]
		# What plumb script prints can be given back.
		plumb record -q --source model -e instructions -c 7 --from work --to after -o data ./$program ||
			[ $? -eq 3 ]
		ip=$(plumb script -i data -F ip | head -n 1 | tr -d ' ')
		[ "$(instructions --from "$ip" ./$program)" -gt $((4 * (before + work + after))) ]
	done
}

@test "counts parts that add up to the whole" {
	need_model
	for event in instructions cycles L1D_CACHE BR_RETIRED; do
		whole=$(counts $event ./threads) parts=0
		for part in "--to begin" "--from begin --to end" "--from end"; do
			# shellcheck disable=SC2086 # options
			parts=$((parts + $(counts $event $part ./threads)))
		done
		# Threads take turns at locks as the host runs them.
		[ $((100 * parts)) -gt $((99 * whole)) ] && [ $((100 * parts)) -lt $((101 * whole)) ]
	done
	# The work of other threads is counted, too.
	for program in ./threads ./threads-dynamic; do
		count=$(instructions --from begin --to end $program)
		[ "$count" -gt $((2 * 20000 * 4)) ] && [ "$count" -lt $((2 * 20000 * 8)) ]
	done
}

@test "ends the program after --max-instructions" {
	need_model
	for many in 1 1000 1001 10001; do
		[ "$many" -eq 1 ] && unit=instruction || unit=instructions
		run --separate-stderr plumb stat --source model -e instructions -x , -o out \
			--max-instructions "$many" ./rounds
		[ "$status" -eq 0 ]
		[ "$stderr" = "plumb: ended the program after $many $unit" ]
		[ "$(grep -v '^#' out | cut -d , -f 1)" = "$many" ]
	done
	[ "$(instructions --max-instructions 2k --from work --to after ./rounds)" -eq 2000 ]
	# More than it has.
	run --separate-stderr plumb stat --source model -e instructions -x , -o out \
		--max-instructions 1G ./rounds
	[ "$status" -eq 3 ]
	[ "$(grep -v '^#' out | cut -d , -f 1)" = $all ]
	[ -z "$stderr" ]
}

@test "delays and times out by the model's time; both add up to the whole" {
	need_model
	[ "$(counts cycles --timeout 1 ./rounds)" -eq "$(counts cycles ./rounds)" ]
	cat >long.S <<-'END'
			.global _start
		_start:	mov x0, #0x600000
		1:	subs x0, x0, #1
			b.ne 1b
			mov x8, #93
			svc #0
	END
	{ aarch64-linux-gnu-gcc -nostdlib -static -o long long.S ||
		gcc -nostdlib -static -o long long.S; } 2>errors
	whole=$(counts cycles ./long)
	first=$(counts cycles --timeout 1 ./long)
	rest=$(counts cycles --delay 1 ./long)
	[ $((first + rest)) -eq "$whole" ]
	[ $((first / 1000)) -eq 3000 ] # of a core of 3 GHz
	[ $(("$(counts cycles --delay 1 --timeout 1 ./long)" / 1000)) -eq 3000 ]
	plumb stat --source model -e cycles --timeout 1 --json -o out ./long
	json 'abs(d["elapsed_seconds"] - 0.001) < 1e-6 and d["exit_status"] == 0' <out
}

@test "prints intervals and repeats runs of a part" {
	need_model
	plumb stat --source model -e instructions -I 1 --from work --to after --json -o out ./rounds || :
	tail -n 1 out | json "d['events'][0]['count'] == $((5 * work))"
	# A millisecond is none of its time.
	[ "$(wc -l <out)" -ge 1 ]
	[ "$(instructions -r 3 --from work --to after ./rounds)" -eq $((5 * work)) ]
}

@test "warns of places that were never reached" {
	need_model
	run --separate-stderr plumb stat --source model -e instructions -o - --delay 1000 ./rounds
	grep -qF 'nothing was measured: the program ended within the delay' <<<"$output"
	# What was not measured is missing; it is not 0.
	lacks 'not counted' <<<"$output"
	lacks '^Events' <<<"$output"
	# Nor is there a tree of it.
	run --separate-stderr plumb stat --source model -o - --delay 1000 ./rounds
	grep -qxF 'Note: nothing was measured: the program ended within the delay' <<<"$output"
	lacks 'Stage 1' <<<"$output"
	lacks '–' <<<"$output"
	plumb stat --source model -e instructions,task-clock -M ipc -x , -o out -D 1000 ./rounds || :
	grep -qx '<not counted>,,instructions,0,100.00,,' out
	grep -qx '<not counted>,msec,task-clock,0,100.00,,' out
	plumb stat --source model -e instructions,task-clock --csv -o out -D 1000 ./rounds || :
	tr -d '\r' <out | grep -qx ',model,,,,INST_RETIRED,,events'
	tr -d '\r' <out | grep -qx ',model,,,,task-clock,,ns'
	plumb stat --source model -e instructions --json -o out -D 1000 ./rounds || :
	json 'd["events"][0]["count"] is None and d["events"][0]["enabled_ns"] == 0' <out
	run --separate-stderr plumb stat --source model -e instructions -o - --delay 1000 --from work \
		./rounds
	grep -qF 'nothing was measured: the program never reached work after the delay' <<<"$output"
	run --separate-stderr plumb stat --source model -e instructions -o - --from end --to begin \
		./threads
	grep -qF 'measured to the end: the program never reached begin' <<<"$output"
}

@test "rejects places that are none" {
	need_model
	refused()
	{
		local text=$1 why=$2 hint=${3:-}

		run --separate-stderr plumb stat --source model --from "$text" -o out ./rounds
		[ "$status" -eq 2 ] || { echo "$text: status $status, $stderr" && return 1; }
		said "plumb: ./rounds: '$text': $why" ${hint:+"       $hint"}
	}
	refused wurk "the program has no such function" "did you mean work?"
	refused number "this is data, not code"
	refused work+2 "not the address of an instruction" "use a multiple of 4"
	refused work+x "invalid offset" "use a hexadecimal offset: main+0x138"
	refused work+100 "the function is not that long"
	refused 0xwork "invalid address" "use a hexadecimal address: 0x400668"
	refused 0 "not the address of code"
	refused "" "not a function or address" \
		"name a function, or give an address as nm prints it"
	run --separate-stderr plumb stat --source model --from work ./rounds-stripped
	[ "$status" -eq 2 ]
	said "plumb: ./rounds-stripped: 'work': the program has no symbols" \
		"       use an address, or build the program without stripping it"
	run --separate-stderr plumb stat --source model --from work --to work+0 ./rounds
	[ "$status" -eq 2 ]
	said "plumb: 'work' and 'work+0' are the same place"
}

@test "rejects invalid values" {
	for option in --delay --timeout; do
		# --delay -1 leaves counting disabled.
		for value in -2 1.5 x ""; do
			run --separate-stderr plumb stat "$option" "$value" true
			[ "$status" -eq 2 ]
			said "plumb: invalid value '$value' for $option" "       use a whole number of milliseconds"
		done
	done
	for value in 0 -1 1T 1.5M; do
		run --separate-stderr plumb stat --max-instructions "$value" true
		[ "$status" -eq 2 ]
		said "plumb: invalid value '$value' for --max-instructions" \
			"       use a positive whole number: 5000000, 5000k, 5M"
	done
}

@test "delays and times out with perf, and rejects the rest by name" {
	run --separate-stderr plumb stat -e task-clock -o out true
	[ "$status" -eq 0 ] || skip "the kernel lets nobody count"
	run --separate-stderr plumb stat -e task-clock -x , -o out --timeout 200 -D 100 \
		sh -c 'while :; do :; done'
	[ "$status" -eq 0 ]
	said "plumb: ended the program after 200 ms"
	# No more than that time, on one CPU; a busy machine gives it less.
	clock=$(cut -d , -f 1 out)
	[ "${clock%.*}" -gt 0 ] && [ "${clock%.*}" -le 400 ] || [ "${clock%.*}" -le 400000000 ]
	run --separate-stderr plumb stat -e task-clock -o - --delay 10000 true
	[ "$status" -eq 0 ]
	grep -qF 'nothing was measured: the program ended within the delay' <<<"$output"
	run --separate-stderr plumb record -e task-clock -o late.data --delay 10000 true
	[ "$status" -eq 0 ]
	grep -qF 'nothing was measured: the program ended within the delay' <<<"$stderr"
	plumb stat -e task-clock,cs -x , -o out --delay 10000 true
	[ "$(cut -d , -f 1 out | sort -u)" = '<not counted>' ]
	# While the program sleeps, nothing is counted: as perf prints it.
	plumb stat -e task-clock,cs -x , -I 20 -o out sleep 0.5
	grep -qE '^ *[0-9.]+,<not counted>,msec,task-clock,0,100.00,,$' out
	grep -qE '^ *[0-9.]+,<not counted>,,cs,0,100.00,,$' out
	grep -qE '^ *[0-9.]+,[0-9.]+,msec,task-clock,[0-9]+,100.00,[0-9.]+,CPUs utilized$' out
	lacks ',0,msec,' <out
	for command in stat "record -o data"; do
		# shellcheck disable=SC2086 # options
		run --separate-stderr plumb $command -e task-clock --from main true
		[ "$status" -ne 0 ]
		said "plumb: perf cannot begin or end at a place in the program" \
			"       use --source model"
		# shellcheck disable=SC2086
		run --separate-stderr plumb $command -e task-clock --max-instructions 5 true
		[ "$status" -ne 0 ]
		said "plumb: perf cannot end a program after a number of instructions" \
			"       use --source model"
	done
	run --separate-stderr plumb record -e cpu-clock -F 1000 --timeout 100 -o data \
		sh -c 'while :; do :; done'
	[ "$status" -eq 0 ]
	grep -qxF "plumb: ended the program after 100 ms" <<<"$stderr"
	# What ran already goes on.
	sleep 60 &
	run --separate-stderr plumb record -e cpu-clock -p $! --timeout 100 -o data
	kill $!
	[ "$status" -eq 0 ]
	grep -qxF "plumb: stopped after 100 ms" <<<"$stderr"
}

# sampled OPTION...: "SAMPLES FUNCTION" of each function, in one line.
sampled()
{
	plumb record -q --source model -o data "$@" ./rounds || [ $? -eq 3 ]
	plumb script -i data --itrace i1i -F ip,sym | awk '{ print $2 }' | sort | uniq -c | xargs
}

@test "samples the same part, and nothing else" {
	need_model
	# An instruction of each passage is the call of after().
	run sampled -e instructions -c 5 --from work --to after
	grep -qE '^([0-9]+ _start )?[0-9]+ inner [0-9]+ work$' <<<"$output" ||
		{ echo "$output" && return 1; }
	[ "$(plumb script -i data -F ip | wc -l)" -eq "$work" ]
	[ "$(sampled -e instructions -c 10 --max-instructions 100)" = "1 _start 9 before" ] ||
		[ "$(sampled -e instructions -c 10 --max-instructions 100)" = "10 before" ]
	grep -qE '^([0-9]+ _start )?[0-9]+ before$' <<<"$(sampled -e spe -c 1024 --from before --to work)"
	grep -qE '^([0-9]+ _start )?[0-9]+ after$' <<<"$(sampled -e cycles -c 50 --from after --to before)"
	# Each sample of a group has the counts of this part alone.
	plumb record -q --source model -e '{instructions,BR_RETIRED}:S' -c 100 --from work --to after \
		-o data ./rounds || [ $? -eq 3 ]
	[ "$(plumb script -i data -F event,period | grep -c instructions)" -eq $((5 * work / 100)) ]
}

@test "advises to sample the part that was counted" {
	need_model
	run plumb stat --source model --from work --to after ./rounds
	# Its lines but the last end with a backslash; notes on the event follow.
	command=$(awk '/^  Sample / { on = 1 } on { print; if (!/\\$/) exit }' <<<"$output" |
		sed 's/^  Sample //; s/\\$//' | xargs)
	[[ $command == "plumb record --source model --from work --to after -e "*" -- ./rounds" ]] ||
		{ echo "$command: $output" && return 1; }
}
