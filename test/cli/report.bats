# SPDX-License-Identifier: Apache-2.0
# plumb report: its tables, CSV, JSON and errors. That its shares are perf's, test/interop checks.

load lib.bash

# said LINE...: what is on standard error.
said()
{
	# shellcheck disable=SC2154 # by run
	[ "$stderr" = "$(printf '%s\n' "$@")" ] || { echo "$stderr" && return 1; }
}

# load_record PC LATENCY SOURCE, branch_record PC: an SPE record; the numbers are bytes.
load_record()
{
	bytes b0 "$1" 38 40 00 00 00 00 80
	bytes 64 e9 03 00 00
	bytes 49 00 52 1e 00
	bytes 98 "$2" 00
	bytes b2 45 10 00 00 00 00 00 00
	bytes 43 "$3"
	bytes 71 10 00 00 00 00 00 00 00
}
branch_record()
{
	bytes b0 "$1" 38 40 00 00 00 00 80
	bytes 4a 01 52 c2 00
	bytes 01
}

setup()
{
	mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return
	{
		load_record 50 0c 08
		load_record 50 0e 08
		load_record 60 40 00
		branch_record 70
	} >spe.data
}

@test "branches of wrong paths are not mispredicted branches" {
	# Of two that retired one was mispredicted; of two others one.
	for events in 82 02 80 00; do
		bytes b0 70 38 40 00 00 00 00 80
		bytes 4a 01 52 "$events" 00
		bytes 01
	done >spe.data
	plumb report --raw -i spe.data --branch --json |
		json '[r["mispredictions"] for r in d["events"][0]["rows"]] == [50.0]'
	plumb report --raw -i spe.data --branch | grep -qE ' 50.0% '
}

@test "a table by address, with the mean latency" {
	run --separate-stderr plumb report --raw -i spe.data -s sym
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "instructions: 4 SPE records; shares are of operations, not of time" ]
	[ "${lines[1]}" = " SHARE  95 % INTERVAL  SAMPLES  LATENCY  FUNCTION" ]
	[[ ${lines[2]} =~ ^"50.00%"\ +[~0-9.]+"        2     13.0  0x403850"$ ]]
	[[ ${lines[3]} =~ ^"25.00%"\ +[~0-9.]+"        1     64.0  0x403860"$ ]]
	[[ ${lines[4]} =~ ^"25.00%"\ +[~0-9.]+"        1        -  0x403870"$ ]]
	[ "${#lines[@]}" -eq 5 ]
}

@test "rows of many threads at the same instructions" {
	# Thread 1000 + t has t records at 0x403850, and one at 0x403870, in turn.
	for t in 1 2 3 4 5 6 7 8 9 10 11 12; do
		for at in $(yes 50 | head -n "$t") 70; do
			bytes b0 "$at" 38 40 00 00 00 00 80 64 "$(printf %x $((0xe8 + t)))" 03 00 00
			bytes 4a 01 52 02 00 01
		done
	done >once.data
	cat once.data once.data once.data >threads.data
	plumb report --raw -i threads.data -s tid,ip --json >out.json
	json 'sorted((int(r["tid"]), int(r["ip"], 16), r["samples"]) for r in d["events"][0]["rows"]) ==
		sorted((1000 + t, at, n) for t in range(1, 13)
			for at, n in ((0x403850, 3 * t), (0x403870, 3)))' <out.json
	plumb report --raw -i threads.data -s ip --json |
		json '[r["samples"] for r in d["events"][0]["rows"]] == [234, 36]'
}

@test "says how many records did not retire, if they are many" {
	plumb report --raw -i spe.data | lacks "did not retire"
	plumb report --raw -i spe.data --json | json 'd["events"][0]["not_retired"] == 0'
	# A branch that was mispredicted, and no more; and one whose events are not known.
	{
		cat spe.data
		bytes b0 80 38 40 00 00 00 00 80 4a 01 52 80 00 01
		bytes b0 90 38 40 00 00 00 00 80 4a 01 01
	} >wrong.data
	plumb report --raw -i wrong.data --json | json 'd["events"][0]["not_retired"] == 1'
	# One by one, for the call trees.
	plumb report --raw -i wrong.data --children --json | json 'd["events"][0]["not_retired"] == 1'
	plumb report --raw -i wrong.data | tail -n 1 >note
	[ "$(cat note)" = "17 % of the records did not retire (speculation); --filter retired leaves them out" ]
	plumb report --raw -i wrong.data --filter retired | lacks "did not retire"
	# One in twenty is not many.
	for _ in 1 2 3 4 5; do
		head -c "$(stat -c %s spe.data)" wrong.data
	done >many.data
	bytes b0 80 38 40 00 00 00 00 80 4a 01 52 80 00 01 >>many.data
	plumb report --raw -i many.data --json | json 'd["events"][0]["not_retired"] == 1'
	plumb report --raw -i many.data | lacks "did not retire"
}

@test "-s: keys, by plumb's and by perf's names" {
	run --separate-stderr plumb report --raw -i spe.data -F samples,op,event,tid,cache_line
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "SAMPLES  OPERATION  EVENT                                      TID  CACHE LINE" ]
	[ "${lines[2]}" = "      3  load       RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS  1001  0x1040" ] ||
		{ echo "$output" && return 1; }
	# As many keys as there can be, beside all other columns.
	keys=ip,op,event,tid,page,srcfile,cpu,pid,subclass,offset,inline,group,mem,srcline,time,symbol_to
	run --separate-stderr plumb report --raw -i spe.data --children -s "$keys"
	[ "$status" -eq 0 ]
	run --separate-stderr plumb report --raw -i spe.data -s "$keys,sym"
	[ "$status" -eq 2 ]
	said "plumb: too many keys: at most 16 are supported"
	run --separate-stderr plumb report --raw -i spe.data -s sym,daddr
	[ "$status" -eq 2 ]
	said "plumb: unknown key 'daddr'" "       instead of perf's daddr, use -s data_symbol"
	run --separate-stderr plumb report --raw -i spe.data --core neoverse-n1 -F sample,mem
	[ "${lines[2]}" = "      2  L2" ]
	[ "${lines[3]}" = "      1  -" ] || [ "${lines[4]}" = "      1  -" ]
}

@test "-s and -F as perf has them: columns among keys, and additions to the defaults" {
	# What is named by perf's options, in the order of the columns.
	first_line()
	{
		plumb report --raw -i spe.data "$@" | sed -n 3p | tr -s ' '
	}
	usual=$(first_line)
	[ "$usual" = " SHARE 95 % INTERVAL SAMPLES LATENCY COMMAND FILE FUNCTION" ] ||
		{ echo "$usual" && return 1; }
	[ "$(first_line -n)" = "$usual" ]
	[ "$(first_line --sort=overhead,sym)" = "$(first_line -s sym)" ]
	[ "$(first_line -s sym,period)" = " SHARE 95 % INTERVAL SAMPLES LATENCY EVENTS FUNCTION" ]
	[ "$(first_line -s +tid,cpu)" = "$usual TID CPU" ]
	[ "$(first_line -F +period)" = " SHARE 95 % INTERVAL SAMPLES LATENCY EVENTS COMMAND FILE FUNCTION" ]
	[ "$(first_line -s op -F +period)" = " SHARE 95 % INTERVAL SAMPLES LATENCY EVENTS OPERATION" ]
	[ "$(first_line -s +op -F samples)" = "SAMPLES COMMAND FILE FUNCTION OPERATION" ]
	# Columns alone: a row of all samples.
	total=$(plumb report --raw -i spe.data -s op --csv | awk -F, 'NR > 1 { n += $6 } END { print n }')
	[ "$(plumb report --raw -i spe.data -F overhead,samples | sed -n '3,$p' | tr -s ' ')" \
		= $' SHARE SAMPLES\n100.00% '"$total" ]
	run --separate-stderr plumb report --raw -i spe.data -s +symbl
	said "plumb: unknown key 'symbl'" "       did you mean symbol?"
	run --separate-stderr plumb report --raw -i spe.data -s sym,in_tx
	said "plumb: unsupported key 'in_tx'" "       recordings of Arm CPUs lack x86 transactions"
	run --separate-stderr plumb report --raw -i spe.data -F +shares
	said "plumb: unknown column 'shares'" "       did you mean share?"
}

@test "--percentage: shares of all samples, with the intervals that they have there, or of those that match" {
	# The recording's only file has no symbols.
	plumb report --raw -i spe.data -s ip --csv >whole
	read -r place < <(sed -n '2s/.*,//p' whole)
	plumb report --raw -i spe.data -s ip -S "$place" --csv >part
	diff <(sed -n "1p; /$place/p" whole) part
	run --separate-stderr plumb report --raw -i spe.data -s ip -S "$place"
	samples=$(sed -n 2p part | cut -d, -f6)
	total=$(awk -F, 'NR > 1 { n += $6 } END { print n }' whole)
	[[ ${lines[0]} == *": $total SPE records; $samples match; shares are of operations, not of time" ]]
	[ "$(sed -n 4p <<<"$output" | awk '{ print $1 }')" != 100.00% ]
	plumb report --raw -i spe.data -s ip -S "$place" --json |
		json "d['events'][0]['samples'] == $total and d['events'][0]['matching'] == $samples
			and d['events'][0]['left_out'] == 0 and d['events'][0]['row_count'] == 1"
	plumb report --raw -i spe.data -s ip -S "$place" --percentage=relative --json |
		json "d['events'][0]['samples'] == $samples and 'matching' not in d['events'][0]
			and d['events'][0]['left_out'] == $((total - samples))
			and d['events'][0]['rows'][0]['share'] == 100"
	# What leaves samples out does so either way, as in perf.
	plumb report --raw -i spe.data -s ip --filter "pc=$place" --json |
		json "d['events'][0]['rows'][0]['share'] == 100"
	run --separate-stderr plumb report --raw -i spe.data -S nothing
	[ "$status" -eq 2 ]
	said "plumb: spe.data: no samples match"
	run --separate-stderr plumb report --raw -i spe.data --percentage total
	[ "$status" -eq 2 ]
	said "plumb: invalid value 'total' for --percentage" "       use absolute or relative"
	run --separate-stderr plumb report --raw -i spe.data --percentage absolute --latency-histogram
	[ "$status" -eq 2 ]
	said "plumb: --percentage absolute cannot be combined with --latency-histogram"
}

@test "--filter, --limit, --percent-limit and -w" {
	run --separate-stderr plumb report --raw -i spe.data --filter 'latency>=14' -F share,ip
	[ "$status" -eq 0 ]
	[ "${lines[2]}" = "50.00%  0x403850" ]
	run --separate-stderr plumb report --raw -i spe.data -F share,ip --limit 1 -w 0,6
	[ "${lines[2]}" = "50.00%  0x4038" ]
	[ "${lines[3]}" = "2 more rows" ]
	run --separate-stderr plumb report --raw -i spe.data -F share,ip,op --limit 1 -w 9,12,0
	[ "${lines[1]}" = "    SHARE  ADDRESS       OPERATION" ]
	[[ ${lines[2]} = "   50.00%  0x403850      "* ]]
	# Without -F in perf's order: shares, then keys. The rest follows.
	run --separate-stderr plumb report --raw -i spe.data -s ip,op --limit 1 -w 0,6,12,20
	[[ ${lines[1]} = " SHARE         95 % INTERVAL  SAMPLES  LATENCY  ADDRESS  OPERATION"* ]]
	[[ ${lines[2]} = "50.00%"*"  0x4038 "* ]]
	run --separate-stderr plumb report --raw -i spe.data -F share,ip --percent-limit 30
	[ "${#lines[@]}" -eq 4 ]
	run --separate-stderr plumb report --raw -i spe.data --tid 5
	[ "$status" -eq 2 ]
	said "plumb: spe.data: no samples match"
}

@test "--itrace: one table for each of perf's events" {
	run --separate-stderr plumb report --raw -i spe.data --itrace fM -F samples,op
	[ "$status" -eq 0 ]
	[ "$(printf '%s\n' "${lines[@]}" | grep -c 'SPE records')" -eq 3 ]
	[ "${lines[0]}" = "l1d-miss: 3 SPE records; shares are of operations, not of time" ]
}

@test "--itrace: what does not apply to SPE data is said where there is some" {
	run --separate-stderr plumb report --raw -i spe.data --itrace i1000i -F samples,op
	[[ $stderr == *"each record is a sample already: only one in 1000 is used"* ]]
	run --separate-stderr plumb report --raw -i spe.data --itrace i1ic -F samples,op
	[ "$(grep -c "itrace letter 'c' has no effect" <<<"$stderr")" -eq 1 ]
	plumb script --raw -i spe.data --itrace i1000i 2>&1 >/dev/null | grep -q "only one in 1000 is used"
	perf_records -e cpu-clock -F 4000 -o clock.data -- sh -c "i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done"
	for command in "report -F samples,comm" "script -F comm" "script -q"; do
		# shellcheck disable=SC2086 # words
		cmp <(plumb $command -i clock.data 2>&1) <(plumb $command -i clock.data --itrace=i1000i 2>&1)
	done
}

@test "--mem, --branch and --mix" {
	run --separate-stderr plumb report --raw -i spe.data --core neoverse-n1 --mem
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "instructions: 3 SPE records; shares are of operations, not of time" ]
	[[ ${lines[1]} =~ ^" SHARE  95 % INTERVAL  SAMPLES  LATENCY  95 % INTERVAL  P50  P90  P99  DATA SOURCE  FUNCTION" ]]
	[[ ${lines[2]} =~ ^"66.67%"\ +[~0-9.]+\ +2\ +13.0\ +[0-9.]+"   12   14   14  L2           0x403850  [unknown]"$ ]]
	run --separate-stderr plumb report --raw -i spe.data --branch -F share,mispredictions,ip
	[ "${lines[1]}" = "  SHARE  MISPREDICTED  ADDRESS" ]
	[ "${lines[2]}" = "100.00%        100.0%  0x403870" ]
	run --separate-stderr plumb report --raw -i spe.data --mix
	[[ ${lines[1]} =~ "LATENCY  L1D MISSES  MISPREDICTED  OPERATION  SUBCLASS"$ ]]
	[[ ${lines[2]} =~ ^"75.00%"\ +[~0-9.]+\ +3\ +30.0\ +"100.0%             -  load       general"$ ]]
	run --separate-stderr plumb report --raw -i spe.data --mix --filter branch --csv -F mispredictions,misprediction_interval,op
	[ "${lines[1]}" = "instructions,0,100,,,branch" ]
	plumb report --raw -i spe.data --mix --json | json '
		[r["l1d_misses"] for r in d["events"][0]["rows"]] == [100, None]
		and d["events"][0]["rows"][1]["mispredictions"] == 100'
	run --separate-stderr plumb report --raw -i spe.data --mem --filter latency\>=4000
	[ "$status" -eq 2 ]
	said "plumb: spe.data: no SPE records match"
	run --separate-stderr plumb report --raw -i spe.data --mem --mix
	said "plumb: --mem, --branch and --mix cannot be combined"
}

@test "--filter chooses among what --mem, --branch, --mix and --sharing show" {
	ops() { plumb report --raw -i spe.data "$@" -s op --csv -F samples,op | sed 1d | sort | paste -sd' '; }
	[ "$(ops)" = "instructions,0,1,branch instructions,0,3,load" ]
	[ "$(ops --mem --filter 'latency>=1')" = "instructions,0,3,load" ]
	[ "$(ops --mem --filter '')" = "instructions,0,3,load" ]
	[ "$(ops --mem --filter 'latency>=1,BRANCH,Load')" = "instructions,0,3,load" ]
	[ "$(ops --branch --filter retired,!l1d-miss)" = "instructions,0,1,branch" ]
	[ "$(ops --branch --filter branch,memory)" = "instructions,0,1,branch" ]
	[ "$(ops --mix --filter 'latency>=1')" = "instructions,0,3,load" ]
	run --separate-stderr plumb report --raw -i spe.data --mem --filter branch
	[ "$status" -eq 2 ]
	said "plumb: spe.data: no SPE records match" \
		"       this view shows loads and stores only; --filter selects others"
	run --separate-stderr plumb report --raw -i spe.data --branch --filter load,store
	said "plumb: spe.data: no SPE records match" \
		"       this view shows branches only; --filter selects others"
	run --separate-stderr plumb report --raw -i spe.data --mem --filter loads
	[ "$status" -eq 2 ]
	[[ $stderr == *"loads"*"load"* ]]
}

@test "--csv and --json: the same shares" {
	run --separate-stderr plumb report --raw -i spe.data --csv -F share,samples,latency,ip
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "event_name,exact,share,samples,latency,ip" ]
	[ "${lines[1]}" = "instructions,0,50,2,13,0x403850" ]
	[ "${lines[3]}" = "instructions,0,25,1,,0x403870" ]
	plumb report --raw -i spe.data -t '|' -F share,ip | grep -qxF 'instructions|0|50|0x403850'
	plumb report --raw -i spe.data --json -s ip | json '
		d["keys"] == ["ip"] and len(d["events"]) == 1
		and [r["share"] for r in d["events"][0]["rows"]] == [50, 25, 25]
		and d["events"][0]["rows"][0]["interval"][0] < 50 < d["events"][0]["rows"][0]["interval"][1]
		and d["events"][0]["rows"][2]["latency"] is None'
}

@test "a recorded program that is gone is named; headings fit a terminal" {
	need_compiler
	echo 'int main(void) { for (volatile int i = 0; i < 1000; i++); }' >loop.c
	aarch64-linux-gnu-gcc -O1 -static -o loop loop.c
	# The model's shortest period is longer, but -q does not say so.
	run --separate-stderr plumb record -q -e spe -c 256 -o gone.data -- ./loop
	[ "$status" -eq 0 ] || skip "the model cannot run here"
	[ -z "$stderr" ]
	run --separate-stderr plumb report -i gone.data
	[ "$status" -eq 0 ] && said
	[[ ${lines[0]} == "instructions: "*" SPE records of the model; shares are of operations, not of time" ]]
	in_terminal 60 "$PLUMB" report --stdio --no-pager --color never -i gone.data | tr -d '\r' >seen
	[[ $(head -n 1 seen) == "instructions: "*" SPE records of the model;"* ]]
	[ -z "$(too_wide 60 <seen)" ]
	rm loop
	run --separate-stderr plumb report -i gone.data
	[ "$status" -eq 0 ]
	said "plumb: $PWD/loop cannot be read, so its functions are unknown" \
		"       --symfs names a folder with the programs"
}

@test "keys have headings that differ, and not only by a letter" {
	perf_records -e cpu-clock -F 4000 -o short.data -- true
	plumb report --stdio -i short.data -s cgroup,cgroup_id | grep -qE ' CONTROL GROUP +CGROUP NAMESPACE$'
}

@test "perf's -f, -G and --show-total-period" {
	perf_records -g -e cpu-clock -F 4000 -o short.data -- sh -c "i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done"
	cmp <(plumb report -f -i short.data -G) <(plumb report -i short.data -g caller)
	cmp <(plumb report -i short.data --show-total-period) <(plumb report -i short.data -F +period)
	plumb report -i short.data -F share,symbol --show-total-period | grep -qE '^ *SHARE +FUNCTION +EVENTS$'
	run --separate-stderr plumb report -i short.data -G -g callee
	[ "$status" -eq 2 ]
	said "plumb: --inverted and --call-graph cannot be combined" "       use -g caller,PERCENT"
}

@test "perf's options that ask for what happens anyway" {
	for same in "--percentage relative" --percentage=relative --group --demangle --skip-empty --full-source-path; do
		# shellcheck disable=SC2086 # words
		cmp <(plumb report --raw -i spe.data $same 2>&1) <(plumb report --raw -i spe.data 2>&1)
	done
	run --separate-stderr plumb report --raw -i spe.data --group=yes
	[ "$status" -eq 2 ]
	said "plumb: unknown option '--group'" "       see plumb report --help"
	for command in "annotate --demangle -P --full-paths --group --skip-missing --source" \
		"diff -f --percentage relative" "script -f -a --demangle --full-source-path"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb $command --what
		said "plumb: unknown option '--what'" "       see plumb ${command%% *} --help"
	done
}

@test "an exact profile: data has addresses where lines of the cache were accessed" {
	need_compiler
	cat >shared.c <<-'END'
		#include <pthread.h>
		volatile int shared;
		static void *adds(void *turns)
		{
			for (long i = 0; i < (long)turns; i++)
				shared = i;
			return turns;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, 0, adds, (void *)3000);
			adds((void *)2000);
			pthread_join(thread, 0);
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -pthread -o shared shared.c
	plumb record --exact -q -o exact.data -- ./shared || skip "the model cannot run here"
	page=$((0x$(aarch64-linux-gnu-nm shared | sed -n 's/ [BbDd] shared$//p') & ~4095))
	for key in page cache_line data_symbol symbol,page; do
		for form in "" --json --csv; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr plumb report -i exact.data -s $key $form
			[ "$status" -eq 0 ] || { echo "$key $form: $stderr" && false; }
			[[ $output == *line_accesses* ]] && [[ $output != *INST_RETIRED* ]]
		done
	done
	plumb report -i exact.data -s symbol,page --json | json "
		[r['period'] for r in d['events'][0]['rows']
		 if r['symbol'] == 'adds' and int(r['page'], 16) == $page] == [5000]"
	# Where no event has addresses, every form says so.
	for form in "" --json --csv; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb report -i exact.data -e INST_RETIRED -s page $form
		[ "$status" -eq 2 ] && [ -z "$output" ]
		[[ $stderr == *"no values for page"* ]]
	done
}

@test "names with newlines do not break rows" {
	need_compiler
	echo 'int main(void) { for (volatile int i = 0; i < 1000; i++); }' >loop.c
	aarch64-linux-gnu-gcc -O1 -static -o $'we ird\nn\x1b' loop.c
	plumb record --exact -q -o exact.data -- $'./we ird\nn\x1b' || skip "the model cannot run here"
	for options in "-s comm,dso" "-s comm,dso -e CPU_CYCLES" "--mem -s comm,dso" "--branch -s dso" \
		"--sharing" "--folded" "-e INST_RETIRED -s dso -g"; do
		# shellcheck disable=SC2086 # words
		plumb report -i exact.data --stdio $options >seen 2>&1 || [ -s seen ]
		lacks '^ *n[?]' <seen
		lacks $'\x1b' <seen
	done
	plumb report -i exact.data -s comm,dso | grep -qF 'we ird?n?'
	plumb annotate -i exact.data main 2>&1 | lacks '^ *n[?]'
	plumb diff exact.data exact.data 2>&1 | lacks '^ *n[?]'
}

@test "an exact profile: shares are exact" {
	need_compiler
	echo 'int main(void) { for (volatile int i = 0; i < 1000; i++); }' >loop.c
	aarch64-linux-gnu-gcc -O1 -static -o loop loop.c
	plumb record --exact -q -o exact.data -- ./loop || skip "the model cannot run here"
	run --separate-stderr plumb report -i exact.data -e '*' --no-children -s sym --limit 2
	[ "$status" -eq 0 ]
	grep -qE '^exact/CPU_CYCLES/: [0-9,]+ events, counted exactly by the model$' <<<"$output"
	grep -qE '^ ?[0-9.]+% +exact +main$' <<<"$output"
	# The rows' periods are the count of the event, to the last.
	plumb report -i exact.data --no-children -s sym --json | json '
		all(e["exact"] and sum(r["period"] for r in e["rows"]) == e["period"]
		    and all(r["interval"] is None for r in e["rows"]) for e in d["events"])'
}

@test "stripped: the PLT, and assembly between two functions, are a row each" {
	need_compiler
	cat >spin.S <<-END
		.globl spin, other
		spin: subs x0, x0, #1
		b.ne spin
		ret
		.balign 16
		other: subs x0, x0, #1
		b.ne other
		ret
	END
	cat >calls.c <<-END
		#include <string.h>
		void spin(long), other(long);
		volatile int n = 64;
		int main(void)
		{
			static char bytes[256];
			for (int i = 0; i < 200; i++)
				memcpy(bytes, bytes + 128, n);
			spin(2000);
			other(1000);
		}
	END
	aarch64-linux-gnu-gcc -O1 -fno-builtin -static -o named calls.c spin.S
	aarch64-linux-gnu-strip -o calls named
	plumb record --exact -q -o exact.data -- ./calls || skip "the model cannot run here"
	plumb report -i exact.data --no-children -s dso,symbol -e exact/INST_RETIRED/ --json >out.json
	# The judges are the sections and symbols that binutils shows: an entry has four instructions.
	plt=$(aarch64-linux-gnu-objdump -h calls | sed -nE 's/^ *[0-9]+ \.i?plt +[^ ]+ +0*([^ ]+) .*/\1/p')
	spin=$(aarch64-linux-gnu-nm named | sed -nE 's/^0*([^ ]+) . spin$/\1/p')
	/usr/bin/python3 - "0x$plt" "0x$spin" <<-END
		import json
		import sys
		plt, spin = (int(word, 16) for word in sys.argv[1:])
		rows = {int(row["symbol"].split("+")[1], 16): row["period"] for event in json.load(open("out.json"))["events"]
		        for row in event["rows"] if row["symbol"].startswith("calls+0x")}
		assert rows[plt] % 4 == 0 and rows[plt] >= 4 * 200, rows
		# From the end of the function before it on, with what aligns it.
		gap = max(start for start in rows if start <= spin)
		assert spin - gap < 16 and rows[gap] == 2 * 2000 + 1 + 2 * 1000 + 1, (spin, rows)
		assert not any(gap < start < spin + 28 for start in rows), rows
	END
}

@test "an exact profile: what is left out and where, and one without its end" {
	need_compiler
	echo 'int main(void) { for (volatile int i = 0; i < 1000; i++); }' >loop.c
	aarch64-linux-gnu-gcc -O1 -static -s -o loop loop.c
	plumb record --exact -q -o exact.data -- ./loop || skip "the model cannot run here"
	run --separate-stderr plumb report -i exact.data --time 10%
	[ "$status" -eq 2 ]
	said "plumb: --time is not supported for an exact profile, which counts over the whole run" \
		"       sample the program instead, as with plumb record -e spe"
	for options in "-s time" "--topdown -s symbol,time"; do
		# shellcheck disable=SC2086
		run --separate-stderr plumb report -i exact.data $options
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		grep -qx "plumb: exact.data: no values for time: an exact profile counts over the whole run" <<<"$stderr"
	done
	run --separate-stderr plumb report -i exact.data --sharing
	[ "$status" -eq 0 ] && said
	[ "$output" = "No cache line is used by several threads and written." ]
	# Without symbols, the name in the table chooses the row; both parts have the table's unit.
	plumb report -i exact.data --stdio --no-children -F period,symbol >whole 2>note
	grep -qE '^plumb: [0-9]+ % of the total is in functions of loop whose names are unknown$' note
	grep -q DEBUGINFOD_URLS note
	read -r hottest place < <(sed -n 4p whole)
	[[ $place == "loop+0x"* ]]
	run --separate-stderr plumb report -i exact.data --no-children -F share,symbol -S "$place"
	[ "$status" -eq 0 ]
	total=$(sed -nE '1s/.*: ([0-9,]+) events, .*/\1/p' whole | tr -d ,)
	[[ ${lines[0]//,/} == *": $total events counted exactly by the model; $hottest match" ]]
	[ "${lines[2]}" = "$(awk "BEGIN { printf \"%.2f%%\", 100 * $hottest / $total }")  $place" ]
	plumb report -i exact.data --no-children -s symbol -S "$place" --json |
		json "d['events'][0]['period'] == $total and d['events'][0]['matching_period'] == $hottest
			and d['events'][0]['left_out_period'] == 0"
	run --separate-stderr plumb report -i exact.data --no-children -F share,symbol -S "$place" --percentage relative
	[[ ${lines[0]//,/} == *": $hottest events counted exactly by the model; $((total - hottest)) events left out" ]]
	[ "${lines[2]}" = "100.00%  $place" ]
	slots_of() { sed -nE '1s/.*: ([0-9,]+) slots, .*/\1/p' | tr -d ,; }
	whole=$(plumb report -i exact.data --topdown | slots_of)
	plumb report -i exact.data --topdown -S "$place" >part
	part=$(slots_of <part)
	[ "$part" -gt 0 ]
	[[ $(head -n 1 part | tr -d ,) == "Top-down: $part slots counted exactly by the model; $((whole - part)) slots left out" ]]
	plumb report -i exact.data --topdown -S "$place" --json | json "d['slots_left_out'] == $((whole - part))"
	# The list of PMUs is at the end; the names of events are not.
	head -c $(($(stat -c %s exact.data) / 2)) exact.data >cut.data
	run --separate-stderr plumb report -i cut.data
	[[ ${lines[0]} == "Top-down: "*" slots, counted exactly by the model; the recording is incomplete" ]]
	run --separate-stderr plumb report -i cut.data -F share,symbol
	[[ ${lines[0]} == "exact/INST_RETIRED/: "*" events, counted exactly by the model; the recording is incomplete" ]]
	for options in "" "--topdown" "--sharing"; do
		# shellcheck disable=SC2086 # words
		plumb report -i cut.data $options --json 2>/dev/null | json 'd["incomplete"] is True'
		# shellcheck disable=SC2086 # words
		plumb report -i exact.data $options --json | json 'd["incomplete"] is False'
	done
	plumb annotate -i cut.data --json 2>/dev/null | json 'd["incomplete"] is True'
	plumb annotate -i exact.data --json | json 'd["incomplete"] is False'
}

@test "an exact profile: code that the program made has names and lines" {
	need_compiler
	# shellcheck disable=SC2154 # by lib.bash
	aarch64-linux-gnu-gcc -O1 -static -DROUNDS=3000 -o generating "$here/../interop/generating.c"
	engine_path >/dev/null || skip "there is no engine"
	plumb record --exact -q -o exact.data -- ./generating "$PWD"
	dump=$(echo jit-*.dump)
	pid=${dump//[!0-9]/}
	run --separate-stderr plumb report -i exact.data -e INST_RETIRED --no-children -s symbol,srcline,dso --csv -F period -o rows.csv
	[ "$status" -eq 0 ]
	# Exact counts have no times.
	[[ $stderr == *"jit-$pid.dump: new code replaced old code at the same addresses, and "*" cannot tell which of them ran when; both have the newest name" ]]
	# Two instructions 3,000 times, and the return; the second function is at two places, and two
	# others were before it at a third one. Before the loop, on another line, two instructions make
	# its number.
	grep -E 'jit-|\[JIT\] tid 1001' rows.csv | cut -d, -f3-5 | sort >made.csv
	diff made.csv - <<-'END'
		10,counts_second,source.js:20
		2,counts_first,source.js:10
		30005,counts_second,source.js:21
		6001,counts_first,source.js:11
		6003,counts_mapped,counts_mapped
	END
	# The dump has the code.
	plumb annotate -i exact.data --json counts_second >annotated.json 2>/dev/null
	rm "/tmp/perf-$pid.map"
	jq -c '[.functions[0].lines[].instructions[] | [.word, .executions]] | sort' annotated.json >words
	echo '[["52817700",5],["54ffffe1",15000],["71000400",15000],["72a00000",5],["d65f03c0",5]]' | cmp - words
	# Without its map, code is named by its place, which can be given back.
	name=$(plumb report -i exact.data -e INST_RETIRED --no-children -s symbol --csv -F period 2>/dev/null |
		grep -o '\[JIT\] tid [0-9]*+0x[0-9a-f]*' | head -n 1)
	[ "${name%+*}" = "[JIT] tid 1001" ]
	plumb report -i exact.data -e INST_RETIRED --no-children -s symbol -S "$name" --csv -F period 2>/dev/null |
		grep -F "$name"
	plumb report -i exact.data -e INST_RETIRED --no-children -s symbol -d "[JIT] tid 1001" --csv -F period 2>/dev/null |
		grep -F "$name"
	plumb annotate -i exact.data --stdio "$name" 2>/dev/null | grep -E "3,000 .* ${name##*0x}"
}

@test "percentiles, and --latency-histogram" {
	run --separate-stderr plumb report --raw -i spe.data -s op -F samples,latency_p50,latency_p99,issue,latency_share
	[ "${lines[1]}" = "SAMPLES  P50  P99  ISSUE  OF LATENCY  OPERATION" ]
	[ "${lines[2]}" = "      3   14   64      -     100.00%  load" ]
	plumb report --raw -i spe.data -s op -F latency_p90,op --json | json '
		d["events"][0]["rows"][0]["total_latency"]
			== {"samples": 3, "mean": 30, "p50": 14, "p90": 64, "p99": 64, "saturated": 0}
		and {k: d["events"][0]["rows"][0][k] for k in ("mispredictions", "misprediction_interval", "saturated")}
			== {"mispredictions": None, "misprediction_interval": None, "saturated": 0}'
	run --separate-stderr plumb report --raw -i spe.data --latency-histogram
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "instructions: total latency of 3 SPE records" ]
	[[ ${lines[2]} =~ ^"  8-15        2  66.67%  "\#{40}$ ]]
	[[ ${lines[3]} =~ ^" 16-31        0   0.00%"\ *$ ]]
	[[ ${lines[5]} =~ ^"64-127        1  33.33%  "\#{20}$ ]]
	[ "${#lines[@]}" -eq 6 ]
	plumb report --raw -i spe.data --latency-histogram --json | json '
		[b["samples"] for b in d["events"][0]["total"]] == [0, 0, 0, 0, 2, 0, 0, 1]
		and d["events"][0]["issue"] == []'
	plumb report --raw -i spe.data --filter load -s latency_range,op --json | json '
		[(r["latency_range"], r["op"], r["samples"]) for r in d["events"][0]["rows"]]
			== [("8-15", "load", 2), ("64-127", "load", 1)]'
	# What a filter leaves out is counted.
	all=$(plumb report --raw -i spe.data -s op --json | jq '.events[0].samples')
	plumb report --raw -i spe.data --filter load -s op --json |
		jq -e --argjson all "$all" '.events[0] | .left_out > 0 and .samples + .left_out == $all'
	run --separate-stderr plumb report --raw -i spe.data --filter load -s op
	[[ ${lines[0]} == "instructions: 3 SPE records; $((all - 3)) record"*" left out; "* ]]
	run --separate-stderr plumb report --raw -i spe.data --latency-histogram --filter branch
	[ "$status" -eq 2 ]
	said "plumb: spe.data: no samples have latencies" \
		"       record SPE records with plumb record -e spe"
	plumb report --raw -i spe.data --latency-histogram --csv >histogram.csv
	plumb report --raw -i spe.data --latency-histogram --json >histogram.json
	/usr/bin/python3 - <<-'END'
		import csv, json
		rows = list(csv.DictReader(open("histogram.csv")))
		[event] = json.load(open("histogram.json"))["events"]
		expected = [{"event": event["name"], "latency": kind, **{k: str(v) for k, v in bin.items()}}
		            for kind in ("total", "issue", "translation") for bin in event[kind]]
		assert rows == expected and len(rows) > 3, (rows, expected)
	END
	plumb report --raw -i spe.data --latency-histogram -t ';' | head -n 1 | grep -qx 'event;latency;low;high;samples'
	for option in "-s op" "-F op" "--limit 1" "--percent-limit 1" "--children" "-g caller" "--callers f" "--folded"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb report --raw -i spe.data --latency-histogram $option
		[ "$status" -eq 2 ]
		[[ $stderr == "plumb: --latency-histogram cannot be combined with --"*": it adds up all records, without rows" ]]
	done
}

@test "latencies at which counters stop are marked" {
	# 12 cycles, and twice 4095, at one place; 4095 at another.
	load_record_of() { load_record 50 0c 08 | LC_ALL=C sed "s/\x98\x0c\x00/\x98\x$2\x$1/"; }
	{
		load_record 50 0c 08
		load_record_of 0f ff
		load_record_of 0f ff
	} >stopped.data
	plumb report --raw -i stopped.data -s op -F latency,latency_p50,latency_p90,op >text
	[ "$(sed -n 4p text)" = ">=2734.0  >=4095  >=4095  load" ]
	[ "$(tail -n 1 text)" = "2 records took 4095 cycles or more, the most that the counters hold; >= marks latencies that include them" ]
	plumb report --raw -i stopped.data -F latency_p50,latency_p90,op --json | json '
		[(e["saturated"], r["saturated"], r["total_latency"]["saturated"], r["total_latency"]["p50"])
			for e in d["events"] for r in e["rows"]] == [(2, 2, 2, 4095)]'
	[ "$(plumb report --raw -i stopped.data -F latency_p90,op --csv | tail -n 1)" = "instructions,0,4095,load" ]
	plumb report --raw -i stopped.data --latency-histogram |
		grep -qx "2 records took 4095 cycles or more, the most that the counters hold"
	plumb report --raw -i stopped.data --latency-histogram --json | json 'd["events"][0]["saturated"] == 2'
	# A counter that holds more has not stopped there.
	load_record_of 10 00 >>stopped.data
	plumb report --raw -i stopped.data -s op -F latency,latency_p50,op >text
	[ "$(sed -n 4p text)" = " 3074.5  4095  load" ]
	[ "$(wc -l <text)" -eq 4 ]
	plumb report --raw -i stopped.data -F latency_p50,op --json | json '
		[(e["saturated"], r["saturated"], r["total_latency"]["saturated"])
			for e in d["events"] for r in e["rows"]] == [(0, 0, 0)]'
}

@test "-F sources: where data came from, as a bar" {
	# Data sources of Neoverse N1: L1D 0, L2 8, DRAM 14.
	{
		for source in 00 00 00 00 00 00 08 08 08 0e; do
			load_record 50 0c "$source"
		done
		branch_record 60
	} >sources.data
	run --separate-stderr plumb report --raw --core neoverse-n1 -i sources.data -F sources,ip
	[ "$status" -eq 0 ]
	[[ ${lines[1]} =~ ^"DATA SOURCES "+"ADDRESS"$ ]]
	[[ ${lines[2]} =~ ^"######===- L1D 60% L2 30%  0x403850"$ ]] || { printf '%s\n' "${lines[@]}" && return 1; }
	[[ ${lines[3]} =~ ^"-"" "+"0x403860"$ ]]
	plumb report --raw --core neoverse-n1 -i sources.data -F sources,ip --csv | cut -d, -f3 |
		diff - <(printf '%s\n' sources 'L1D:6;L2:3;DRAM:1' '')
	plumb report --raw --core neoverse-n1 -i sources.data -F sources,ip --json | json '
		[r["sources"] for r in d["events"][0]["rows"]] == [{"L1D": 6, "L2": 3, "DRAM": 1}, {}]'
}

@test "--folded: a stack of one function without call chains" {
	run --separate-stderr plumb report --raw -i spe.data --folded
	[ "$status" -eq 0 ]
	[ "$output" = $':1001;0x403850 2\n:1001;0x403860 1\n:1001;0x403870 1' ] || { echo "$output" && return 1; }
	run --separate-stderr plumb report --raw -i spe.data --folded --json
	said "plumb: --folded and --json cannot be combined"
	run --separate-stderr plumb report --raw -i spe.data --folded --limit 1
	[ "$status" -eq 2 ]
	said "plumb: --folded and --limit cannot be combined"
	run --separate-stderr plumb report --raw -i spe.data --folded --percent-limit 1
	[ "$status" -eq 2 ]
	said "plumb: --folded and --percent-limit cannot be combined"
	run --separate-stderr plumb report --raw -i spe.data --folded -s dso
	said "plumb: --folded cannot be combined with --call-graph, --sort, --children or --no-children"
	run --separate-stderr plumb report --raw -i spe.data --callers main
	said "plumb: --callers requires samples with call chains" \
		"       record them with plumb record -g"
	run --separate-stderr plumb report --raw -i spe.data --callers main --callees main
	said "plumb: --callers and --callees cannot be combined"
	run --separate-stderr plumb report --raw -i spe.data --callers main --folded
	said "plumb: --folded and --callers cannot be combined"
}

@test "a caller is the function of the call, also if the call never returns" {
	need_compiler
	cat >ends.c <<-'END'
		#include <stdlib.h>
		void ends(void);
		__attribute__((noipa, noreturn)) void leave(void)
		{
			for (volatile int i = 0; i < 1000; i++);
			exit(0);
		}
		/* What follows the call belongs to another function. */
		__asm__(".text\n.type ends, %function\nends: bl leave\n.size ends, 4\n"
			".type decoy, %function\ndecoy: ret\n.size decoy, 4\n");
		int main(void) { ends(); }
	END
	aarch64-linux-gnu-gcc -O1 -static -o ends ends.c
	plumb record --exact -q -o ends.data -- ./ends || skip "the model cannot run here"
	plumb report -i ends.data --folded | grep ';leave [0-9]*$' >stacks
	grep -q ';main;ends;leave ' stacks
	run ! grep decoy stacks
	# perf takes what the call would return to.
	plumb report -i ends.data -F children,symbol --like-perf=6.1 | grep -q ' decoy$'
	plumb report -i ends.data -F children,symbol >right
	run ! grep decoy right
	plumb script -i ends.data -F ip,sym,symoff --like-perf=6.1 | grep -q ' decoy+0x0$'
	plumb script -i ends.data -F ip,sym,symoff >right
	run ! grep decoy right
	grep -A1 ' leave+' right | grep -q ' ends+0x4$'
	plumb script -i ends.data --json -F ip,sym --inline >right
	run ! grep decoy right
	grep -q '"leave", .*"ends", .*"main", ' right
}

@test "mutual recursion in an exact profile: shares with callees" {
	need_compiler
	cat >mutual.c <<-'END'
		#define APART __attribute__((noipa))
		APART void work(long turns) { while (turns--) asm volatile("nop; nop"); }
		APART void odd(long n);
		APART void even(long n) { work(20); if (n) odd(n - 1); asm volatile(""); }
		APART void odd(long n) { work(60); if (n) even(n - 1); asm volatile(""); }
		APART void begin(void) { even(1000); even(4); asm volatile(""); }
		int main(void) { begin(); return 0; }
	END
	aarch64-linux-gnu-gcc -g -O1 -static -o mutual mutual.c
	plumb record --exact -q -o mutual.data -- ./mutual || skip "the model cannot run here"
	plumb report -i mutual.data --json -s symbol -F children,share >rows
	plumb report -i mutual.data --json --no-children -s symbol >alone
	/usr/bin/python3 - <<-'END'
		import json
		rows, alone = (next({r["symbol"]: r for r in e["rows"]} for e in json.load(open(name))["events"]
		                    if e["name"] == "exact/INST_RETIRED/") for name in ("rows", "alone"))
		share = {name: rows[name]["children"] for name in ("begin", "even", "odd", "work")}
		# All but what begin does itself is below even, and all but even's first calls below odd.
		assert share["even"] > 0.999 * share["begin"], share
		assert share["even"] > share["odd"] > 0.99 * share["begin"], share
		assert abs(share["work"] - alone["work"]["share"]) < 1e-6, share
		assert share["work"] > 0.8 * share["begin"], share
	END
	# What is below odd and above: 20 turns of 80 are even's.
	plumb report -i mutual.data --callees odd >below
	grep -q ' even' below
	command -v callgrind_annotate >/dev/null || return 0
	plumb export --format callgrind -o mutual.out mutual.data
	callgrind_annotate --inclusive=yes --threshold=100 --show=INST_RETIRED mutual.out >annotated
	/usr/bin/python3 - <<-'END'
		import json, re
		rows = next({r["symbol"]: r for r in e["rows"]} for e in json.load(open("rows"))["events"]
		            if e["name"] == "exact/INST_RETIRED/")
		text = open("annotated").read()
		for name in "begin", "even", "odd", "work":
		    percent = re.search(r"\( *([0-9.]+)%\)\s+mutual\.c:" + name + r" \[", text)[1]
		    assert abs(float(percent) - rows[name]["children"]) < 0.006, (name, percent, rows[name])
	END
}

@test "-s data_symbol, data_dso: the variables that nm has at the addresses" {
	need_compiler
	cat >data.c <<-'END'
		#include <stdlib.h>
		static volatile long first[5000], second[3000];
		int main(void)
		{
			volatile long *heap = calloc(4000, sizeof(*heap));

			for (int turn = 0; turn < 40; turn++)
				for (int i = 0; i < 3000; i++)
					heap[i] += first[i + 1000] + (second[i] = i);
			return 0;
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -o data data.c
	plumb record -q --source model -e spe/load,store/ -c 1024 -o data.data -- ./data || skip "the model cannot run here"
	plumb script --json -F addr -i data.data >addresses
	aarch64-linux-gnu-nm -S data >symbols
	plumb report --json -s data_symbol,data_dso -F samples -i data.data >rows
	/usr/bin/python3 - <<-'END'
		import collections, json
		ranges = [(int(w[0], 16), int(w[1], 16), w[3]) for w in map(str.split, open("symbols"))
		          if len(w) == 4 and w[2] in "dDbBrR"]
		expected = collections.Counter()
		for line in open("addresses"):
		    address = json.loads(line)["virtual_address"]
		    if address:
		        at = int(address, 16)
		        expected[next((n for a, size, n in ranges if a <= at < a + size), None)] += 1
		found = collections.Counter()
		for row in json.load(open("rows"))["events"][0]["rows"]:
		    assert row["data_dso"] == (row["data_symbol"] and "data"), row
		    found[row["data_symbol"]] += row["samples"]
		assert found["first"] > 50 and found["second"] > 50 and found[None] > 50, found
		for name in "first", "second":
		    assert found[name] == expected[name], (found, expected)
	END
	plumb report -s symbol_daddr -i data.data | grep -q '  first$'
}

@test "--callers and --callees of an exact profile" {
	need_compiler
	cat >calls.c <<-'END'
		__attribute__((noipa)) void leaf(int n) { for (volatile int i = 0; i < n; i++); }
		__attribute__((noipa)) void work(void) { leaf(100); leaf(200); }
		__attribute__((noipa)) void rest(void) { leaf(100); }
		int main(void) { work(); rest(); }
	END
	aarch64-linux-gnu-gcc -O1 -static -fno-optimize-sibling-calls -o calls calls.c
	plumb record --exact -q -o exact.data -- ./calls || skip "the model cannot run here"
	run --separate-stderr plumb report -i exact.data --callers leaf
	[ "$status" -eq 0 ]
	grep -qE '^  .*[0-9.]+% work$' <<<"$output"
	grep -qE '^  .*[0-9.]+% rest$' <<<"$output"
	run --separate-stderr plumb report -i exact.data --callees work
	[ "$status" -eq 0 ]
	grep -qE '^  .*[0-9.]*%? ?leaf$' <<<"$output"
	run ! grep -q rest <<<"$output"
	# The limit is one of such functions, wherever they stand.
	run --separate-stderr plumb report -i exact.data --callees work --limit 1
	grep -qE '^  .*[0-9.]*%? ?leaf$' <<<"$output"
	run --separate-stderr plumb report -i exact.data --callers nobody
	[ "$status" -eq 2 ]
	said "plumb: exact.data: no samples in function 'nobody' or below it"
	# Each stack of the flame graph has its events; their sum is the count.
	plumb report -i exact.data --folded >folded
	sum=$(awk '/^exact\/CPU_CYCLES\/;/ { sum += $NF } END { print sum }' folded)
	plumb report -i exact.data --no-children -s dso --json | json "
		[e['period'] for e in d['events'] if e['name'] == 'exact/CPU_CYCLES/'] == [$sum]"
	grep -q ';main;work;leaf [0-9]*$' folded
}

# A program two functions of which lose slots for different reasons.
make_slots()
{
	need_compiler
	cat >slots.c <<-'END'
		volatile double sum;
		__attribute__((noipa)) void divides(int n)
		{
			double x = 1;
			for (int i = 1; i < n; i++)
				x = x / 1.01 + 1;
			sum = x;
		}
		__attribute__((noipa)) void adds(int n)
		{
			for (int i = 0; i < n; i++)
				__asm__ volatile("add x9, x9, 1\n add x10, x10, 1\n add x11, x11, 1" ::: "x9", "x10", "x11");
		}
		int main(void) { divides(30000); adds(30000); } /* much more than start-up */
	END
	aarch64-linux-gnu-gcc -O1 -static -o slots slots.c
	plumb record --exact -q -o exact.data -- ./slots || skip "the model cannot run here"
}

@test "--topdown: the slots of each function, whose sum is that of plumb stat" {
	make_slots
	run --separate-stderr plumb report -i exact.data --topdown --limit 1
	[ "$status" -eq 0 ]
	[[ ${lines[0]} =~ ^"Top-down: "[0-9,]+" slots, counted exactly by the model"$ ]]
	[ "${lines[1]}" = " SLOTS  RETIRING  BAD SPEC  FRONTEND  BACKEND  LARGEST CAUSE     FUNCTION" ]
	[[ ${lines[2]} =~ "backend_queue_vx  divides"$ ]]
	# By default, too, but for those who ask for events.
	shown=$output
	run --separate-stderr plumb report -i exact.data --limit 1
	[ "$output" = "$shown" ]
	run --separate-stderr plumb report -i exact.data --limit 1 -e '*'
	[[ ${lines[0]} =~ ^"exact/INST_RETIRED/: " ]]
	plumb report -i exact.data --json | json 'len(d["events"]) > 20'
	plumb report -i exact.data --topdown --json >topdown.json
	json 'all(abs(r["retiring"] + r["bad_speculation"] + r["frontend_bound"] + r["backend_bound"] - 100) < 1e-6
			for r in d["rows"])
		and d["rows"][0]["symbol"] == "divides" and d["rows"][0]["backend_bound"] > 90
		and [r["retiring"] > 50 for r in d["rows"] if r["symbol"] == "adds"] == [True]
		and abs(sum(r["slots_share"] for r in d["rows"]) - 100) < 1e-6' <topdown.json
	# Each cycle has five slots. Of the four shares, the formulas of plumb stat differ only in what a
	# flush cost, which they count in cycles.
	plumb stat --json -o stat.json --metric-group Topdown_L1 -- ./slots
	/usr/bin/python3 - <<-'END'
		import json
		rows = json.load(open("topdown.json"))["rows"]
		stat = json.load(open("stat.json"))
		slots = sum(row["slots"] for row in rows)
		assert [5 * e["count"] for e in stat["events"] if e["name"] == "CPU_CYCLES"] == [slots], slots
		for metric in stat["metrics"]:
		    if metric["name"] in ("retiring", "bad_speculation", "frontend_bound", "backend_bound"):
		        ours = sum(row[metric["name"]] * row["slots"] for row in rows) / slots
		        assert abs(ours - metric["value"]) < 0.1, (metric["name"], ours, metric["value"])
	END
	# A second cause is named if it has nine tenths of the first one's slots.
	plumb report -i exact.data -s symbol --no-children --json >events.json
	/usr/bin/python3 - <<-'END'
		import json
		# Events whose names are not those of the tree's nodes.
		nodes = {"frontend_flow": "frontend_core_flow", "frontend_flush": "frontend_core_flush",
		         "frontend_tlb": "frontend_mem_tlb", "frontend_l1i": "frontend_cache_l1i",
		         "frontend_mem": "frontend_cache_l2i", "backend_l1d": "backend_cache_l1d",
		         "backend_mem": "backend_cache_l2d", "backend_tlb": "backend_mem_tlb",
		         "backend_store": "backend_mem_store"}
		causes = {}
		for e in json.load(open("events.json"))["events"]:
		    if e["name"].startswith("exact/slots_") and e["name"] != "exact/slots_retiring/":
		        for row in e["rows"]:
		            cause = nodes.get(e["name"][12:-1], e["name"][12:-1])
		            causes.setdefault(row["symbol"], []).append((row["period"], cause))
		ties = 0
		for row in json.load(open("topdown.json"))["rows"]:
		    most = sorted(causes.get(row["symbol"], []), reverse=True)[:2]
		    tied = len(most) == 2 and most[1][0] >= 0.9 * most[0][0]
		    assert (row["other_cause"] is not None) == tied, (row, most)
		    if tied:
		        ties += 1
		        assert {row["cause"], row["other_cause"]} <= {c for n, c in causes[row["symbol"]] if n >= most[1][0]}, (row, most)
		        assert abs(row["other_cause_share"] - 100 * most[1][0] / row["slots"]) < 1e-6, row
		    elif most:
		        assert row["cause"] == most[0][1], (row, most)
		assert ties
	END
	run --separate-stderr plumb report -i exact.data --topdown --csv -s dso
	[ "${lines[0]}" = "slots,slots_share,retiring,bad_speculation,frontend_bound,backend_bound,cause_share,cause,dso" ]
	[[ ${lines[1]} =~ ^[0-9]+",100,".*,[a-z_]+",slots"$ ]]
	run --separate-stderr plumb report --raw -i spe.data --topdown
	[ "$status" -eq 2 ]
	said "plumb: --topdown requires an exact recording, or samples of a group with the events of Topdown_L1" \
		"       make one with plumb record --exact or plumb record --topdown"
	run --separate-stderr plumb report --raw -i spe.data --topdown --mem
	said "plumb: --topdown cannot be combined with other views"
	run --separate-stderr plumb report --raw -i spe.data --sharing --mix
	said "plumb: --sharing cannot be combined with other views"
	run --separate-stderr plumb report --raw -i spe.data --topdown -g
	said "plumb: --topdown with --call-graph requires an exact recording" \
		"       make one with plumb record --exact"
}

# access_record PC THREAD KIND ADDRESS...: an SPE record of a load (00), a store (01), an atomic
# load (06, as of ldadd and cas) or a load-exclusive (0a).
access_record()
{
	bytes b0 "$1" 38 40 00 00 00 00 80 64 "$2" 03 00 00 49 "$3" 52 02 00
	bytes b2 "$4" "$5" 00 00 00 00 00 00 71 10 00 00 00 00 00 00 00
}

@test "--sharing of a helper for atomic operations, whose loop does not run" {
	need_compiler
	cat >atomic.c <<-'END'
		#include <pthread.h>
		static long count;
		static void *add(void *unused)
		{
			for (int i = 0; i < 1500; i++)
				__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
			return unused;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, 0, add, 0);
			add(0);
			return pthread_join(thread, 0);
		}
	END
	aarch64-linux-gnu-gcc -O1 -g -static -moutline-atomics -o atomic atomic.c
	plumb record --exact -q -o atomic.data -- ./atomic || skip "the model cannot run here"
	run --separate-stderr plumb report -i atomic.data --sharing --limit 2
	[ "$status" -eq 0 ]
	[ "${lines[-3]}" = "__aarch64_ldadd8_acq_rel performs atomic operations for:" ]
	[[ ${lines[-2]} =~ ^"  100.00%  add  atomic.c:"[0-9]+$ ]]
	# Both threads count 1,500 times, each time in one load and one store.
	grep -qE '^ +[1-6],[0-9]{3} ' <<<"$output"
	plumb report -i atomic.data --sharing --json |
		jq -e '[.helper_callers[] | select(.helper == "__aarch64_ldadd8_acq_rel") | [.symbol, .share]] == [["add", 100]]'
	plumb report -i atomic.data -e INST_RETIRED --callers __aarch64_ldadd8_acq_rel | grep -q '% add$'
	run --separate-stderr plumb annotate -i atomic.data __aarch64_ldadd8_acq_rel
	[ "$status" -eq 0 ]
	grep -qx Code <<<"$output"
	lacks -x Loops <<<"$output"
}

@test "--sharing: false where threads use other bytes of a line, and true where they use the same" {
	{
		for _ in 1 2 3; do
			access_record 50 e9 01 40 10
			access_record 60 ea 00 48 10
		done
		access_record 70 e9 01 00 20
		access_record 70 ea 01 00 20
		# Of one thread alone, and never written.
		access_record 70 e9 01 00 30
		access_record 70 e9 00 08 30
		access_record 70 e9 00 00 40
		access_record 70 ea 00 00 40
		# An atomic writes what it loads; an exclusive load does not.
		access_record 80 e9 06 10 50
		access_record 80 ea 06 10 50
		access_record 90 e9 0a 00 60
		access_record 90 ea 0a 00 60
	} >shared.data
	run --separate-stderr plumb report --raw -i shared.data --sharing --csv
	[ "$status" -eq 0 ]
	printf '%s\n' "${lines[@]}" | cut -d, -f1-6,8,9 >got
	diff - got <<-'END'
		cache_line,sharing,threads,samples,offset,access,tid,symbol
		0x1040,false,2,3,0x0,store,1001,0x403850
		0x1040,false,2,3,0x8,load,1002,0x403860
		0x2000,true,2,1,0x0,store,1001,0x403870
		0x2000,true,2,1,0x0,store,1002,0x403870
		0x5000,true,2,1,0x10,atomic,1001,0x403880
		0x5000,true,2,1,0x10,atomic,1002,0x403880
	END
	plumb report --raw -i shared.data --sharing --json | json '
		not d["modelled"] and [(a["cache_line"], a["line_samples"]) for a in d["accesses"]]
			== [("0x1040", 6)] * 2 + [("0x2000", 2)] * 2 + [("0x5000", 2)] * 2'
	run --separate-stderr plumb report --raw -i shared.data --sharing --limit 1
	[ "${lines[0]}" = "Sharing: accesses in SPE records" ]
	[[ ${lines[1]} == "0x1040: false sharing by 2 threads of process "* ]]
	[[ ${lines[2]} =~ ^"  SAMPLES  OFFSET  ACCESS  TID   FUNCTION  SOURCE LINE"$ ]]
	[[ ${lines[3]} =~ ^"        3  0x0     store   1001  0x403850  -"$ ]]
	[ "${lines[4]}" = "5 more rows" ]
	[ "${#lines[@]}" -eq 5 ]
	# The first line has 6 of the 10 samples, the others 2 each.
	plumb report --raw -i shared.data --sharing --percent-limit 21 >lines
	grep -q '^0x1040:' lines
	[ "$(grep -c ' sharing by 2 threads of process ' lines)" -eq 1 ]
	plumb report --raw -i shared.data --sharing --percent-limit 20 --csv | cut -d, -f1 | sort -u >lines
	[ "$(paste -sd' ' lines)" = "0x1040 0x2000 0x5000 cache_line" ]
	plumb report --raw -i shared.data --sharing >lines
	[ "$(grep -c ' sharing by 2 threads of process ' lines)" -eq 3 ]
	[ "$(grep -c '^$' lines)" -eq 3 ]
	[ -z "$(too_wide 80 <lines)" ]
	# The lines are shared with threads that the options leave out.
	for only in --tid=1001 --symbols=0x403850; do
		run --separate-stderr plumb report --raw -i shared.data --sharing "$only"
		[ "$status" -eq 0 ]
		[ "$output" = "Among the selected samples, no cache line is used by several threads and written." ] ||
			{ echo "$only: $output" && return 1; }
	done
	run --separate-stderr plumb report --raw -i spe.data --sharing
	[ "$output" = "No sampled cache line is used by several threads and written." ]
	run --separate-stderr plumb report --raw -i spe.data --sharing -s tid
	[ "$status" -eq 2 ]
	said "plumb: --sharing cannot be combined with --sort or --fields"
	run --separate-stderr plumb report --raw -i spe.data --sharing --topdown
	said "plumb: --topdown cannot be combined with other views"
}

# What was counted exactly lies within the intervals, or as near as a sample's function, which has
# all counts since the sample before, lets it.
@test "--topdown: from samples of a group of counters, beside the exact shares" {
	make_slots
	plumb report -i exact.data --topdown --json >exact.json
	plumb record -q -c 101 -o groups.data \
		-e '{cpu_cycles,stall_slot,stall_slot_frontend,stall_slot_backend,op_retired,op_spec,stall_frontend_flush}:S' -- ./slots
	plumb report -i groups.data --topdown --json >groups.json
	/usr/bin/python3 - <<-'END'
		import json
		names = "slots_share", "retiring", "bad_speculation", "frontend_bound", "backend_bound"
		exact, groups = (json.load(open(name + ".json")) for name in ("exact", "groups"))
		assert exact["exact"] and not groups["exact"]
		assert exact["modelled"] and groups["modelled"]
		exact = {row["symbol"]: row for row in exact["rows"]}
		rows = {row["symbol"]: row for row in groups["rows"]}
		assert abs(sum(row["slots_share"] for row in groups["rows"]) - 100) < 1e-6
		for function in "divides", "adds":
		    for name in names:
		        low, high = rows[function][name + "_interval"]
		        share, true = rows[function][name], exact[function][name]
		        assert low <= share <= high and (share == 0 or low < high), (function, name)
		        assert low - 2.5 <= true <= high + 2.5, (function, name, low, true, high)
		        assert high - low < 20, (function, name, low, high)
		assert rows["divides"]["cause"] == "backend", rows["divides"]
		ratio = rows["divides"]["slots"] / rows["adds"]["slots"]
		true = exact["divides"]["slots"] / exact["adds"]["slots"]
		assert true / 1.5 < ratio < 1.5 * true, (ratio, true)
		assert any(row["retiring_interval"] is None for row in groups["rows"]), "single samples"
	END
	run --separate-stderr plumb report -i groups.data --topdown --limit 1
	[[ ${lines[0]} =~ ^"Top-down: about "[0-9,]+" slots, from sampled groups of counters of the model; 95 % intervals"$ ]]
	[[ ${lines[2]} =~ [0-9.]+"% ±"[0-9.]+.*" backend"\ +"divides"$ ]]
	run --separate-stderr plumb report -i groups.data --topdown --csv --limit 1
	[[ ${lines[0]} == *",cause_share,slots_share_low,slots_share_high,retiring_low,"*",backend_bound_high,cause,symbol" ]]
	[ "$(tr -cd , <<<"${lines[0]}")" = "$(tr -cd , <<<"${lines[1]}")" ]
	# Without all events, or with a core that nobody knows, there is nothing to say.
	plumb record -q -c 101 -o groups.data -e '{cpu_cycles,stall_slot}:S' -- ./slots
	run --separate-stderr plumb report -i groups.data --topdown
	[ "$status" -eq 2 ]
	said "plumb: --topdown requires an exact recording, or samples of a group with the events of Topdown_L1" \
		"       make one with plumb record --exact or plumb record --topdown"
}

@test "call trees and children" {
	# shellcheck disable=SC2016 # for the inner shell
	perf_records -g -e cpu-clock -F 4000 -o perf.data -- sh -c \
		'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
	run --separate-stderr plumb report -g
	[ "$status" -eq 0 ]
	grep -q '^CHILDREN  *SHARE' <<<"$output"
	grep -qE '^  .*[0-9.]+% ' <<<"$output"
	run --separate-stderr plumb report -g callee,5 --no-children -s dso --json
	json 'any(r["tree"] for r in d["events"][0]["rows"])
		and all("children" not in r for r in d["events"][0]["rows"])' <<<"$output"
	# -g none leaves out the trees, and nothing else.
	plumb report >all
	plumb report -g none | diff all -
	# Without the column of shares with callees, rows are chosen by the share that is printed.
	plumb report -F share,sym --limit 5 | sed -n '4,8s/%.*//p' | tr -d ' ' >shares
	[ "$(wc -l <shares)" -eq 5 ]
	sort -rn shares | diff shares -
	plumb report -F share,sym --json |
		json 'all("children" not in r for r in d["events"][0]["rows"])'
	plumb report -F children,sym --json |
		json 'all("children" in r for r in d["events"][0]["rows"])'
}

@test "files without symbols, and files that have changed" {
	local address

	command -v perf >/dev/null || skip "no perf"
	export HOME=$PWD # perf's cache would have a copy
	cp /bin/sh prog
	# shellcheck disable=SC2016 # for the inner shell
	perf_records -e cpu-clock:u -F 4000 -o perf.data -- ./prog -c \
		'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
	rm -r .debug
	run --separate-stderr plumb report --stdio -s sym
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154 # by run
	[[ ${stderr_lines[0]} =~ ^"plumb: "[0-9]+" % of the total is in functions of prog whose names are unknown"$ ]]
	[[ ${stderr_lines[1]} == "       use --symfs to name a folder with the unstripped program, "* ]]
	address=$(grep -oE 'prog\+0x[0-9a-f]+' <<<"$output" | head -n 1)
	address=${address#prog+}
	# objdump takes it: that is where it begins.
	objdump -d --start-address="$address" prog | sed -n '/^ /{p;q}' | grep -q "^ *${address#0x}:"
	cp /bin/true prog
	run --separate-stderr plumb report --stdio -s sym
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154 # by run
	[[ ${stderr_lines[0]} == "plumb: $PWD/prog has changed since it was recorded, so it is not used: "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "a file that is newer than a recording without its build-id" {
	need_compiler
	echo 'int main(void) { for (volatile int i = 0; i < 100; i++); }' >loop.c
	aarch64-linux-gnu-gcc -O1 -static -o loop loop.c
	plumb record -q --exact --no-buildid -o loop.data -- ./loop || skip "no engine"
	run -0 --separate-stderr plumb report --stdio -i loop.data
	[ -z "$stderr" ]
	touch -d 'now + 1 minute' loop
	for command in report annotate; do
		run --separate-stderr plumb $command --stdio -i loop.data
		grep -qxF "plumb: $PWD/loop is newer than the recording, which has no build-id of it: symbols and lines may be wrong" <<<"$stderr"
	done
	# A copy elsewhere has another time, and a recorded build-id tells.
	mkdir -p "root$PWD"
	cp loop "root$PWD/"
	touch -d 'now + 1 minute' "root$PWD/loop"
	run -0 --separate-stderr plumb report --stdio -i loop.data --symfs "$PWD/root"
	[ -z "$stderr" ]
	aarch64-linux-gnu-gcc -O1 -static -Wl,--build-id -o loop loop.c
	plumb record -q --exact -o loop.data -- ./loop
	touch -d 'now + 1 minute' loop
	run -0 --separate-stderr plumb report --stdio -i loop.data
	[ -z "$stderr" ]
}

@test "errors" {
	run --separate-stderr plumb report -i missing.data
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[ "${stderr_lines[0]}" = "plumb: missing.data: cannot be opened: No such file or directory" ]
	mkdir others
	run --separate-stderr plumb report -i others
	[ "$status" -eq 2 ]
	said "plumb: others: not a recording: the folder has no file data"
	run --separate-stderr plumb report --raw -i spe.data -s symbl
	[ "$status" -eq 2 ]
	said "plumb: unknown key 'symbl'" "       did you mean symbol?"
	run --separate-stderr plumb report --raw -i spe.data -F shares,sym
	said "plumb: unknown column 'shares'" "       did you mean share?"
	run --separate-stderr plumb report --raw -i spe.data -g
	said "plumb: --call-graph requires samples with call chains" \
		"       record them with plumb record -g"
	run --separate-stderr plumb report --raw -i spe.data -g flat
	[ "$status" -eq 2 ]
	[ "${stderr_lines[0]}" = "plumb: unsupported value 'flat' for --call-graph" ]
	run --separate-stderr plumb report --raw -i spe.data --percent-limit 200
	said "plumb: invalid value '200' for --percent-limit: not a percentage"
	run --separate-stderr plumb report --children --no-children
	said "plumb: --children and --no-children cannot be combined"
	run --separate-stderr plumb report spe.data
	said "plumb: unexpected argument 'spe.data'" "       use -i to name the recording"
	run --separate-stderr plumb report --raw -i spe.data -w 1,x
	[ "${stderr_lines[0]}" = "plumb: invalid value 'x' for --column-widths" ]
}

@test "a page" {
	run --separate-stderr plumb report --raw -i spe.data --html page.html
	if [ "$status" -ne 0 ]; then
		said "plumb: this plumb was built without its page" \
			"       install esbuild and node-typescript, and build it again"
		skip "this plumb was built without its page"
	fi
	[ "$(head -n 1 page.html)" = '<!DOCTYPE html>' ]
	[ -z "$output" ]
	plumb report --raw -i spe.data --html - | cmp - page.html
	run --separate-stderr plumb report --raw -i spe.data --html spe.data
	[ "$status" -eq 2 ]
	[ "${stderr_lines[0]}" = "plumb: refusing to write spe.data: it is the input" ]
	run --separate-stderr plumb report --raw -i spe.data --html no/page.html
	[ "$status" -eq 1 ]
	said "plumb: cannot write no/page.html: folder no does not exist"
	run --separate-stderr plumb report -i missing.data --html other.html
	[ "$status" -eq 2 ]
	[ "${stderr_lines[0]}" = "plumb: missing.data: cannot be opened: No such file or directory" ]
	[ ! -e other.html ]
	run --separate-stderr plumb report --raw -i spe.data --filter 'latency>=4000000' --html other.html
	[ "$status" -eq 2 ]
	[ ! -e other.html ]
}

@test "a page does not replace the intervals that it shows" {
	printf '{"time": 1}\n' >intervals.json
	cp intervals.json before.json
	run --separate-stderr plumb report --raw -i spe.data --html intervals.json --intervals intervals.json
	[ "$status" -eq 2 ]
	said "plumb: refusing to write intervals.json: it is the input" "       give the output another name"
	cmp intervals.json before.json
}

@test "intervals that are damaged, go back or are too many are refused, with the place" {
	refused()
	{
		run --separate-stderr plumb report --raw -i spe.data --html page.html --intervals in.json
		[ "$status" -eq 2 ]
		[[ ${stderr_lines[0]} == "plumb: in.json: $1"* ]] || { echo "$stderr" && return 1; }
		[ ! -e page.html ]
	}
	printf '{"time": 1}\n{"time": 2, "ev' >in.json
	refused "object 2: premature end of input"
	printf '{"time": 1}\nnonsense\n{"time": 2}\n' >in.json
	refused "object 2: "
	printf '{"time": 1}\n{"time": 1}\n' >in.json
	refused "object 2: its time is not after that of the interval before"
	printf '{"time": 1e300}\n' >in.json
	refused "object 1: its time is too large"
	printf '[]\n' >in.json
	refused "object 1: not an object"
	printf ' \n' >in.json
	refused "there are no intervals in this file"
	seq 20001 | sed 's/.*/{"time": &}/' >in.json
	refused "object 20001: too many intervals: at most 20000"
	# A new name in each.
	seq 2100 | sed 's/.*/{"time": &, "events": [{"name": "e&", "count": 1}]}/' >in.json
	refused "object 2001: too many values: at most 4000000"
	printf '{"time": 1}{"time": 2}' >in.json
	plumb report --raw -i spe.data --html page.html --intervals in.json
	[ -s page.html ]
}

@test "a page cannot be combined with one view" {
	for option in --json --csv '-o out' --stdio '-s symbol' '-F share' '-w 1' '--limit 3' \
		'--percent-limit 1' -g '--callers main' '--callees main' --folded --latency-histogram \
		--topdown --sharing --mem --branch --mix --children --no-children '-t ,'; do
		# shellcheck disable=SC2086 # an option and its value
		run --separate-stderr plumb report --raw -i spe.data --html page.html $option
		[ "$status" -eq 2 ]
		[[ ${stderr_lines[0]} == "plumb: --html and --"*" cannot be combined" ]]
		[ "${stderr_lines[1]}" = "       the page has all views, each with its own order" ]
	done
	run --separate-stderr plumb report -i - --html page.html <spe.data
	[ "$status" -eq 2 ]
	said "plumb: --html requires a file: the recording is read once for each view"
	[ ! -e page.html ]
}
