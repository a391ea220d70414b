# SPDX-License-Identifier: Apache-2.0
# plumb export --format callgrind: callgrind_annotate of Debian's valgrind reads it, and its totals
# are those of the recording.

load lib.bash

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	cat >"$work/calls.c" <<-'END'
		#include <stdio.h>
		static volatile unsigned sum;
		__attribute__((noinline)) static void inner(unsigned n)
		{
			for (unsigned i = 0; i < n; i++)
				sum += i;
		}
		__attribute__((noinline)) static void outer(void)
		{
			inner(1000);
			sum++;
		}
		int main(void)
		{
			for (volatile int i = 0; i < 7; i++)
				outer();
			inner(3000);
			return sum == 1;
		}
	END
	aarch64-linux-gnu-gcc -g -O1 -static -o "$work/calls" "$work/calls.c" || return 0
	engine_path >/dev/null || return 0
	plumb record --exact -q -o "$work/exact.data" -- "$work/calls"
	plumb export --format callgrind -o "$work/callgrind.out" "$work/exact.data"
}

need_profile()
{
	[ -e "$work/callgrind.out" ] || skip "there is no compiler for AArch64, or no engine"
}

# total_of EVENT: the sum of its samples.
total_of()
{
	plumb script -i "$work/exact.data" -F event,period |
		awk -v event="exact/$1/:" '$2 == event { sum += $1 } END { print sum }'
}

# annotated EVENT [OPTION]...: what callgrind_annotate says of it, numbers without commas.
annotated()
{
	callgrind_annotate --threshold=100 --show="$1" --sort="$1" "${@:2}" \
		"$work/callgrind.out" | sed 's/\([0-9]\),/\1/g'
}

@test "totals are the recording's" {
	need_profile
	for event in INST_RETIRED CPU_CYCLES OP_RETIRED BR_RETIRED L1D_CACHE_RD slots_frontend_flow; do
		total=$(total_of "$event")
		[ "$total" -gt 0 ]
		[ "$(annotated "$event" | awk '/PROGRAM TOTALS/ { print $1 }')" = "$total" ]
	done
}

@test "functions add up to the total" {
	need_profile
	sum=$(annotated INST_RETIRED --auto=no | awk '/:.*\[/ { sum += $1 } END { print sum }')
	[ "$sum" = "$(total_of INST_RETIRED)" ]
}

@test "calls have their number, and inclusive costs" {
	need_profile
	grep -A1 '^cfn=outer$' "$work/callgrind.out" | grep -q '^calls=7 '
	# From main and from outer.
	[ "$(grep -A1 '^cfn=inner$' "$work/callgrind.out" | grep -c '^calls=')" -eq 2 ]
	inner=$(annotated INST_RETIRED --auto=no | awk '/calls.c:inner/ { print $1 }')
	outer=$(annotated INST_RETIRED --auto=no --inclusive=yes | awk '/calls.c:outer/ { print $1 }')
	main=$(annotated INST_RETIRED --auto=no --inclusive=yes | awk '/calls.c:main/ { print $1 }')
	[ "$outer" -gt 7000 ]
	[ "$inner" -gt 10000 ]
	[ "$main" -gt "$((inner))" ]
	[ "$main" -lt "$((inner + outer))" ]
}

# linked_at PROGRAM FUNCTION: the address that the linker gave it.
linked_at()
{
	aarch64-linux-gnu-nm "$1" | awk -v name="$2" '$3 == name { sub("^0*", "0x", $1); print $1 }'
}

# begins_at FUNCTION FILE: the first address that has costs of its own.
begins_at()
{
	awk -v name="fn=$1" '$0 == name { getline; print $1; exit }' "$2"
}

@test "addresses are the linker's" {
	need_profile
	[ "$(begins_at outer "$work/callgrind.out")" = "$(linked_at "$work/calls" outer)" ]
	grep -q "^calls=7 $(linked_at "$work/calls" outer) " "$work/callgrind.out"

	# Where a position-independent program's segments have other addresses than offsets.
	aarch64-linux-gnu-gcc -O1 -static-pie -Wl,--section-start=.text=0x90000 -o "$work/pie" \
		"$work/calls.c"
	plumb record --exact -q -o "$work/pie.data" -- "$work/pie"
	plumb export --format callgrind -o "$work/pie.out" "$work/pie.data"
	outer=$(linked_at "$work/pie" outer)
	[ "$(begins_at outer "$work/pie.out")" = "$outer" ]
	grep -q "^calls=7 $outer " "$work/pie.out"

	# Without any symbol, the same code is still there, and its functions have names by their addresses.
	aarch64-linux-gnu-strip -o "$work/stripped" "$work/calls"
	plumb record --exact -q -o "$work/stripped.data" -- "$work/stripped"
	plumb export --format callgrind -o "$work/stripped.out" "$work/stripped.data"
	outer=$(linked_at "$work/calls" outer)
	[ "$(begins_at "stripped+$outer" "$work/stripped.out")" = "$outer" ]
	grep -q "^calls=7 $outer " "$work/stripped.out"
}

@test "lines of source have their costs" {
	need_profile
	cd "$work"
	annotated INST_RETIRED --auto=yes >lines
	grep -E '^ *[0-9]{5} .*sum \+= i;' lines
	# Seven calls of outer, one of inner.
	grep -E '=> .*calls.c:outer \(7x\)' lines
	grep -E '=> .*calls.c:inner \(1x\)' lines
}

@test "callgrind_annotate has nothing to warn about" {
	need_profile
	cd "$work"
	cat >child.c <<-'END'
		#include <unistd.h>
		#include <sys/wait.h>
		int main(void)
		{
			if (fork() == 0)
				return 0;
			return wait(0) < 0;
		}
	END
	aarch64-linux-gnu-gcc -g -O1 -static -o child child.c
	plumb record --exact -q -o child.data -- ./child
	plumb export --format callgrind -o child.out child.data
	for file in callgrind.out child.out; do
		callgrind_annotate --threshold=100 --auto=yes "$file" >annotated 2>said
		[ ! -s said ]
		grep -q 'events annotated' annotated
	done
}

@test "a recording without events is refused" {
	need_profile
	plumb record -q -e spe -o "$work/spe.data" -- "$work/calls"
	run --separate-stderr plumb export --format callgrind "$work/spe.data"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	said "plumb: $work/spe.data: no samples of events in this file" \
		"       record some with plumb record --exact"
}
