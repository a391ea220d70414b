# SPDX-License-Identifier: Apache-2.0
# plumb record --exact: whatever becomes of a program, its threads and its children, each execution
# of a loop whose length is known is in the profile, once.

load lib.bash

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	cat >"$work/endings.c" <<-'END'
		#include <pthread.h>
		#include <setjmp.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile unsigned sum;
		static jmp_buf place;
		__attribute__((noinline)) static void *loop(void *times)
		{
			for (size_t i = 0; i < (size_t)times; i++)
				sum++;
			return NULL;
		}
		static void *sleeps(void *times)
		{
			loop(times);
			pause();
			return NULL;
		}
		__attribute__((noinline)) static void deep(int left)
		{
			if (!left)
				longjmp(place, 1);
			deep(left - 1);
			sum++;
		}
		static void handler(int number)
		{
			(void)number;
			loop((void *)70);
		}
		__attribute__((noinline)) static void jumps(int calls)
		{
			if (!setjmp(place))
				deep(calls);
			loop((void *)50);
		}
		int main(int argc, char **argv)
		{
			const char *what = argc > 1 ? argv[1] : "";
			pthread_t thread;

			if (strcmp(what, "thread") == 0) {
				pthread_create(&thread, NULL, loop, (void *)500);
				pthread_join(thread, NULL);
			} else if (strcmp(what, "sleeping") == 0) {
				pthread_create(&thread, NULL, sleeps, (void *)600);
				usleep(100000);
			} else if (strcmp(what, "child") == 0) {
				if (fork() == 0) {
					loop((void *)700);
					_exit(0);
				}
				wait(NULL);
			} else if (strcmp(what, "jump") == 0) {
				jumps(5);
			} else if (strcmp(what, "jump-far") == 0) {
				jumps(5000);
			} else if (strcmp(what, "signal") == 0) {
				signal(SIGUSR1, handler);
				raise(SIGUSR1);
			}
			loop((void *)300);
			if (strcmp(what, "exec") == 0)
				execl(argv[0], argv[0], "again", NULL);
			if (strcmp(what, "abort") == 0)
				abort();
			if (strcmp(what, "interrupt") == 0) {
				raise(SIGINT);
			}
			return 0;
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -pthread -o "$work/endings" "$work/endings.c" || return 0
	engine_path >"$work/engine" || rm -f "$work/endings"
}

# loops WHAT [OPTION]...: records, and prints "THREAD PATH TIMES" for each path of calls to the loop.
loops()
{
	[ -e "$work/endings" ] || skip "there is no compiler for AArch64, or no engine"
	plumb record --exact -q -o "$work/exact.data" "${@:2}" -- "$work/endings" "$1" \
		2>"$work/errors" || grep -q "^qemu: uncaught" "$work/errors" || [ "$1" = interrupt ]
	plumb script -i "$work/exact.data" -F tid,event,period,ip,sym >"$work/samples"
	/usr/bin/python3 - "$work/samples" <<-'END'
		import collections
		import re
		import sys

		times = collections.defaultdict(dict)
		for sample in re.split(r"\n(?= *\d+ +\d+ )", open(sys.argv[1]).read()):
		    match = re.match(r" *(\d+) +(\d+) +exact/INST_RETIRED/: *\n", sample)
		    frames = re.findall(r"^\t *([0-9a-f]+) (\S+)", sample, re.MULTILINE)
		    if match and frames[0][1] == "loop":
		        path = "<".join(name for _, name in frames if not name.startswith("_"))
		        times[match[1], path][frames[0][0]] = \
		            times[match[1], path].get(frames[0][0], 0) + int(match[2])
		for (thread, path), counts in sorted(times.items()):
		    print(thread, path, max(counts.values()))
	END
}

@test "threads, and one that sleeps when the program ends" {
	run loops thread
	[[ $output == *"1001 loop<main 300"* ]]
	[[ $output == *"1002 loop<start_thread"*" 500"* ]]
	run loops sleeping
	[[ $output == *"1001 loop<main 300"* ]]
	[[ $output == *"1002 loop<sleeps<start_thread"*" 600"* ]]
}

@test "children, or not" {
	run loops child
	[[ $output == *"1001 loop<main 300"* ]]
	[[ $output == *"1002 loop<main"*" 700"* ]] || [[ $output == *"1002 loop 700"* ]]
	run loops child --no-inherit
	[ "$output" = "1001 loop<main 300" ]
	run loops thread --no-inherit
	[ "$output" = "1001 loop<main 300" ]
}

@test "samples of the first thread only" {
	[ -e "$work/endings" ] || skip "there is no compiler for AArch64, or no engine"
	for event in spe cycles; do
		for threads in 1 2; do
			[ "$threads" -eq 1 ] && option=--no-inherit || option=--quiet
			plumb record -q -e "$event" -c 500 "$option" -o "$work/some.data" -- \
				"$work/endings" thread
			plumb script -i "$work/some.data" -F tid | sort -u >"$work/threads"
			[ "$(wc -l <"$work/threads")" -eq "$threads" ]
		done
	done
}

@test "another program instead of the first" {
	run loops exec
	[ "$output" = "1001 loop<main 600" ]
}

@test "programs that signals end" {
	run loops abort
	[ "$output" = "1001 loop<main 300" ]
	run loops interrupt
	[ "$output" = "1001 loop<main 300" ]
}

@test "calls, through longjmp and a signal's handler" {
	for far in jump jump-far; do
		run loops $far
		[[ $output == *"1001 loop<jumps<main 50"* ]]
		[[ $output == *"1001 loop<main 300"* ]]
	done
	run loops signal
	[[ $output == *"1001 loop<handler<raise<main 70"* ]]
	[[ $output == *"1001 loop<main 300"* ]]
}

@test "a library in the place of another one" {
	cat >"$work/library.c" <<-'END'
		volatile unsigned sum;
		__attribute__((noinline)) void FUNCTION(unsigned times)
		{
			for (unsigned i = 0; i < times; i++)
				sum++;
		}
		void run(unsigned times) { FUNCTION(times); sum++; }
	END
	cat >"$work/loads.c" <<-'END'
		#include <dlfcn.h>
		int main(int argc, char **argv)
		{
			void *before = 0;
			for (int i = 1; i < argc; i++) {
				void *library = dlopen(argv[i], RTLD_NOW);
				void *run = dlsym(library, "run");
				if (before && run != before)
					return 3;
				before = run;
				((void (*)(unsigned))run)(i * 1000);
				dlclose(library);
			}
			return 0;
		}
	END
	for name in one two; do
		aarch64-linux-gnu-gcc -O1 -shared -fPIC -DFUNCTION=$name -o "$work/$name.so" "$work/library.c"
	done
	aarch64-linux-gnu-gcc -O1 -o "$work/loads" "$work/loads.c"
	cd "$work"
	run --separate-stderr "$PLUMB" record --exact -o loads.data ./loads ./one.so ./two.so ./one.so
	# QEMU may place the second library elsewhere.
	[ "$status" -ne 3 ] || skip "the second library is elsewhere"
	[ "$status" -eq 0 ]
	run --separate-stderr "$PLUMB" report -i loads.data --csv --no-children -e INST_RETIRED \
		-s dso,symbol -F period,dso,symbol
	# Six instructions each time.
	grep ',24...,one.so,one$' <<<"$output"
	grep ',12...,two.so,two$' <<<"$output"
}

@test "calls after an exception that was caught" {
	command -v aarch64-linux-gnu-g++ >/dev/null && [ -e "$work/engine" ] ||
		skip "there is no C++ compiler for AArch64, or no engine"
	cat >"$work/catches.cc" <<-'END'
		static volatile long sum;
		#define APART __attribute__((noipa))
		APART void loop(long n) { while (n--) sum = sum + 1; }
		APART void throws(int deep) { if (!deep) throw 1; throws(deep - 1); sum = sum + 1; }
		APART void cleans(int deep)
		{
			struct last { ~last() { loop(20); } } last;
			throws(deep);
		}
		APART void catches(void) { try { cleans(3); } catch (int) { } loop(40); sum = sum + 1; }
		APART void later(void) { loop(500); sum = sum + 1; }
		int main()
		{
			for (int i = 0; i < 3; i++) {
				try { throws(i); } catch (int) { sum = sum + 1; }
				catches();
			}
			later();
			return 0;
		}
	END
	for how in "-O0" "-O2" "-O2 -static"; do
		# shellcheck disable=SC2086 # options
		aarch64-linux-gnu-g++ $how -o "$work/catches" "$work/catches.cc"
		plumb record --exact -q -L /usr/aarch64-linux-gnu -o "$work/exact.data" -- "$work/catches"
		plumb report -i "$work/exact.data" --folded -e INST_RETIRED |
			sed -n 's/.*;main/main/; /^main.*loop/p' | sed 's/ [0-9]*$//; s/([^)]*)//g; s/cleans::last::~last;//' |
			sort -u >"$work/paths"
		diff "$work/paths" - <<-'END' || { echo "$how" && return 1; }
			main;catches;cleans;loop
			main;catches;loop
			main;later;loop
		END
	done
}

@test "a program has the libraries of one system, even where the machine has others" {
	local root=/usr/aarch64-linux-gnu

	[ -e "$work/engine" ] && [ "$(uname -m)" != aarch64 ] && [ -e "$root/lib/libc.so.6" ] &&
		[ -e /lib/ld-linux-aarch64.so.1 ] || skip "this machine lacks one of the systems"
	printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' \
		'int main(void) { const char *path = getenv("LD_LIBRARY_PATH"); puts(path && *path ? path : "none"); }' >"$work/path.c"
	aarch64-linux-gnu-gcc -o "$work/path" "$work/path.c"
	[ "$(LD_LIBRARY_PATH=/x plumb record --exact -q -L "$root" -o dynamic.data -- "$work/path")" = /x:/lib:/usr/lib ]
	plumb script -i dynamic.data --show-mmap-events >maps
	grep -qF "$root/lib/libc.so.6" maps
	lacks '/lib/aarch64-linux-gnu/' <maps
	[ "$(LD_LIBRARY_PATH='' plumb record --exact -q -L / -o dynamic.data -- "$work/path")" = none ]
}

@test "what could not be written is not called a program that was killed" {
	[ -e "$work/endings" ] || skip "there is no compiler for AArch64, or no engine"
	run --separate-stderr plumb record --exact -o /dev/full -- "$work/endings" thread
	[ "$status" -eq 1 ]
	[ "$stderr" = "plumb: /dev/full: No space left on device" ]
	run --separate-stderr plumb record --exact -o nowhere/x -- "$work/endings" none
	[ "$status" -eq 1 ]
	[ "$stderr" = "plumb: nowhere/x: cannot be written: folder nowhere does not exist" ]
}

@test "--reference and --host-threads record the same" {
	[ -e "$work/endings" ] || skip "there is no compiler for AArch64, or no engine"
	for options in "--host-threads 1" "--host-threads 2" "--reference --host-threads 1"; do
		# shellcheck disable=SC2086 # several words
		plumb record --exact -q $options -o "$work/same.data" -- "$work/endings" none
		plumb report -i "$work/same.data" -s symbol,ip --csv >"$work/same.csv"
		[ -s "$work/same.csv" ]
		[ -e "$work/first.csv" ] || cp "$work/same.csv" "$work/first.csv"
		cmp "$work/same.csv" "$work/first.csv"
	done
	run --separate-stderr plumb record --exact --host-threads 3 -- "$work/endings" none
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: invalid value '3' for --host-threads"$'\n'"       use 1 or 2"* ]]
	run --separate-stderr plumb record --source perf --reference -- true
	[ "$status" -ne 0 ]
}

# Makes deep.c: a tree of calls, LEVELS high, below 100 others, so that each sample is large.
deep_program()
{
	local i

	echo 'volatile int sink;'
	echo 'static __attribute__((noinline)) void t0(int x) { sink += x; }'
	for i in $(seq "$1"); do
		echo "static __attribute__((noinline)) void t$i(int x)"
		echo "{ t$((i - 1))(2 * x); sink ^= x; t$((i - 1))(2 * x + 1); sink++; }"
	done
	echo "static __attribute__((noinline)) void d0(void) { t$1(1); sink++; }"
	for i in $(seq 100); do
		echo "static __attribute__((noinline)) void d$i(void) { d$((i - 1))(); sink++; }"
	done
	echo 'int main(void) { d100(); return 0; }'
}

@test "beyond 1 GiB, a message says what makes the recording smaller" {
	[ -e "$work/endings" ] || skip "there is no compiler for AArch64, or no engine"
	deep_program 16 >deep.c
	aarch64-linux-gnu-gcc -O1 -static -o deep deep.c
	plumb record --exact -o - -- ./deep 2>said | wc -c >bytes
	[ "$(<bytes)" -gt 1073741824 ]
	[ "$(grep -c "the recording has grown beyond 1 GiB" said)" -eq 1 ]
	grep -qF "use -z to compress it" said
	deep_program 5 >deep.c
	aarch64-linux-gnu-gcc -O1 -static -o deep deep.c
	plumb record --exact -o - -- ./deep 2>said >/dev/null
	lacks "1 GiB" <said
}

@test "a program in a folder whose name has a line break" {
	[ -e "$work/endings" ] || skip "there is no compiler for AArch64, or no engine"
	folder=$work/$'two\nlines'
	mkdir -p "$folder"
	cp "$work/endings" "$folder/"
	plumb record --exact -q -o "$work/break.data" -- "$folder/endings" none
	run --separate-stderr plumb report -i "$work/break.data" -e INST_RETIRED --csv -F period,symbol
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	grep -q ',loop$' <<<"$output"
}

@test "rejects what an exact profile cannot be combined with" {
	run plumb record --exact -e cycles true
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: --exact cannot be combined with --event, --count or --freq" ]
	run plumb record --exact --all-kernel true
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: --exact cannot be combined with --all-user or --all-kernel" ]
	run plumb record --exact --snapshot true
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: --exact cannot be combined with --snapshot or --call-graph dwarf" ]
	run plumb record --exact --max-size 1M ./nothing
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: --exact cannot be combined with --max-size: it covers the whole run" ]
	run plumb record --exact --source perf true
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: --exact requires --source model" ]
}

# The loop repeats itself, so that its periods are only compared and counted when the signal comes.
@test "a signal from elsewhere ends an exact recording, which keeps what there was" {
	local i recorder engine status

	engine_path >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null ||
		skip "there is no compiler for AArch64, or no engine"
	cat >"$work/spins.c" <<-'END'
		#include <unistd.h>

		int main(void)
		{
			volatile unsigned long sum = 0;

			write(1, "begins\n", 7);
			for (;;)
				for (int i = 0; i < 1000; i++)
					sum += i;
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -o "$work/spins" "$work/spins.c"
	for i in 1 2 3; do
		"$PLUMB" record --exact -q --source model -o "$work/spins.data" -- "$work/spins" \
			>"$work/spins.out" 2>"$work/spins.err" 3>&- &
		recorder=$!
		until grep -qs begins "$work/spins.out"; do
			kill -0 "$recorder"
			sleep 0.1
		done
		sleep "0.$((3 * i))"
		engine=$(pgrep -P "$recorder" | head -n 1)
		kill -TERM "$engine"
		# A hang ends the test here.
		timeout 60 tail --pid "$recorder" -f /dev/null || kill -KILL "$recorder" "$engine"
		status=0
		wait "$recorder" || status=$?
		[ "$status" -eq 143 ]
		plumb report --stdio -s symbol -i "$work/spins.data" >"$work/spins.report"
		grep -qw main "$work/spins.report"
	done
}
