# SPDX-License-Identifier: Apache-2.0
# plumb script: how it is called, its JSON, its errors. That its lines are perf's, test/interop checks.

load lib.bash

# said LINE...: what is on standard error.
said()
{
	# shellcheck disable=SC2154 # by run
	[ "$stderr" = "$(printf '%s\n' "$@")" ] || { echo "$stderr" && return 1; }
}

# Two SPE records: a load at 0x403850 of 12 cycles that missed, and a branch.
records()
{
	printf '\xb0\x50\x38\x40\x00\x00\x00\x00\x80' # PC
	printf '\x64\xe9\x03\x00\x00'                 # context
	printf '\x49\x00\x52\x1e\x00'                 # load; retired, accessed, refilled, TLB
	printf '\x98\x0c\x00\x99\x05\x00\x9a\x01\x00' # latencies
	printf '\xb2\x00\x10\x00\x00\x00\x00\x00\x00' # address
	printf '\xb3\x00\x20\x00\x00\x00\x00\x00\x80' # physical
	printf '\x43\x08'                             # data source
	printf '\x71\x10\x00\x00\x00\x00\x00\x00\x00' # timestamp
	printf '\xb0\x60\x38\x40\x00\x00\x00\x00\x80'
	printf '\x4a\x01\x52\xc2\x00'                 # conditional branch; not taken, mispredicted
	printf '\xb1\x70\x38\x40\x00\x00\x00\x00\x80' # target
	printf '\x01'                                 # end
}

setup()
{
	mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return
	records >spe.data
}

record()
{
	# shellcheck disable=SC2016 # for the inner shell
	perf_records -e cpu-clock -F 4000 -o perf.data -- sh -c \
		'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
}

@test "--raw: one line per record, in perf's columns" {
	run plumb script --raw -i spe.data -F tid,event,addr,weight,ip,phys_addr
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 2 ]
	# "instructions" have the targets of branches for addresses, as in newer perfs.
	[ "${lines[0]}" = "   1001 instructions:                0              12           403850            2000" ]
	# Its record has no context: the thread is still the one before.
	[ "${lines[1]}" = "   1001 instructions:           403870               0           403860               0" ]
	run plumb script --raw -i spe.data --itrace M -F event,addr
	[ "$output" = "memory:             1000" ]
}

@test "--like-perf: the samples and columns of an older perf" {
	run plumb script --raw -i spe.data --like-perf 6.1 -F tid,event,addr,ip
	[ "$status" -eq 0 ]
	# It begins with a sample of nothing.
	[ "${lines[0]}" = "   -1 instructions:                0                0" ]
	[ "${lines[1]}" = "   -1 instructions:             1000           403850" ]
	[ "${lines[2]}" = "   -1 instructions:                0           403860" ]
	run --separate-stderr plumb script --raw -i spe.data --like-perf 5.4
	[ "$status" -eq 2 ]
	said "plumb: invalid value '5.4' for --like-perf" "       supported versions are 6.1, 6.12 and 7.3"
	run --separate-stderr plumb script --raw -i spe.data --like-perf 6.1 --json
	[ "$status" -eq 2 ]
	said "plumb: --like-perf and --json cannot be combined"
}

@test "-F brstack: prints the sampled branch with --itrace l" {
	run plumb script --raw -i spe.data --itrace bl -F ip,flags,brstack
	[ "$status" -eq 0 ]
	[ "$output" = "  jcc/miss,not_taken/              403860 0x403860/0x403870/MN/-/-/0/COND/- " ]
	run --separate-stderr plumb script --raw -i spe.data -F srcline,sym
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[ "${stderr_lines[0]}" = "plumb: spe.data: cannot print 'srcline' without 'ip'" ]
}

@test "--raw: reads standard input and filters" {
	run plumb script --raw -i - -F ip --filter 'load,latency>=12' <spe.data
	[ "$status" -eq 0 ]
	[ "$output" = "           403850" ]
	run plumb script --raw -i spe.data -F ip --filter branch
	[ "$output" = "           403860" ]
}

# fields: those that --help lists.
fields()
{
	plumb script --help | sed -n '/^Fields/,/^$/p' | tail -n +2
}

# with_fields OPTION...: checks that each field has a member in the first object.
with_fields()
{
	local count=0

	for field in $(fields); do
		plumb script --json -F "$field" "$@" >out
		head -n 1 out | json 'len(d) > 0' || { echo "nothing of $field" && return 1; }
		count=$((count + 1))
	done
	[ "$count" -ge 20 ]
}

@test "--json -F: every field has a member" {
	with_fields --raw -i spe.data
	plumb script --raw -i spe.data --json --itrace bl -F brstack,flags,ip >out
	json 'd == {"pc": "0x403860", "flags": "jcc/miss,not_taken/", "branches": [{"from": "0x403860",
		"to": "0x403870", "predicted": False, "mispredicted": True, "not_taken": True,
		"transaction": False, "abort": False, "cycles": 0, "type": "COND", "speculation": None}],
		"el": 0}' <out
	record
	with_fields
	plumb script --json -F ip,dsoff,misc,weight | head -n 1 | json 'set(d) == {"pc", "dso",
		"dso_offset", "misc", "weight"} and d["misc"] in "KU" and d["weight"] is None'
}

@test "--json -F srcline: the file and the line" {
	record
	cc -g -O0 -o program -x c - <<-'END'
		int main(void)
		{
			for (volatile int i = 0; i < 30000000; i++)
				;
			return 0;
		}
	END
	perf_records -e cpu-clock:u -o lines.data -- ./program
	plumb script -i lines.data --json -F srcline,sym >out
	grep -F '"symbol": "main"' out | head -n 1 |
		json 'd["source_line"] in (3, 4) and d["source_file"].endswith("<stdin>")'
}

@test "--json: has the documented members" {
	plumb script --raw -i spe.data --json >out
	[ "$(wc -l <out)" -eq 2 ]
	head -n 1 out | json 'd["pc"] == "0x403850" and d["el"] == 0 and d["op"] == "load"'
	head -n 1 out | json 'd["subclass"] == "general" and d["context"] == 1001 and d["tid"] == 1001'
	head -n 1 out | json '(d["total_latency"], d["issue_latency"], d["translation_latency"]) == (12, 5, 1)'
	head -n 1 out | json 'd["virtual_address"] == "0x1000" and d["physical_address"] == "0x2000"'
	head -n 1 out | json 'd["events"][:3] == ["RETIRED", "L1D-ACCESS", "L1D-REFILL"]'
	# The core is not known: neither is what the number means.
	head -n 1 out | json 'd["data_source"] == "0x8" and d["timestamp"] == 16'
	head -n 1 out | json 'd["branch_target"] is None and d["symbol"] is None and d["cpu"] is None'
	tail -n 1 out | json 'd["op"] == "branch" and d["branch_target"] == "0x403870"'
	tail -n 1 out | json 'd["virtual_address"] is None and d["total_latency"] is None'
	tail -n 1 out | json '"branch-miss" in d["groups"]'
	head -n 1 out | json 'd["conditional"] is None'
	tail -n 1 out | json 'd["subclass"] == "direct" and d["conditional"] is True'
	# The branch without its condition; and a select, which has one but does not branch.
	printf '\xb0\x60\x38\x40\x00\x00\x00\x00\x80\x4a\x00\x01' >others.data
	printf '\xb0\x60\x38\x40\x00\x00\x00\x00\x80\x48\x01\x01' >>others.data
	plumb script --raw -i others.data --json >out
	head -n 1 out | json 'd["op"] == "branch" and d["conditional"] is False'
	tail -n 1 out | json 'd["op"] == "other" and d["conditional"] is None'
}

@test "--core: sets the meaning of data sources" {
	for core in neoverse-n3 "Neoverse N1" graviton4 0x410fd490 410fd4f0; do
		plumb script --raw -i spe.data --json --core "$core" >out
		head -n 1 out | json 'd["data_source"] == "L2"'
	done
	# Of cores that have no specification, too: AmpereOne, HIP12.
	plumb script --raw -i spe.data --json --core 0xc00fac30 | head -n 1 | json 'd["data_source"] == "L1D"'
	plumb script --raw -i spe.data --json --core 0x480fd060 | head -n 1 |
		json 'd["data_source"] == "local memory"'
	plumb script --raw -i spe.data --json --core 0x61000000 | head -n 1 | json 'd["data_source"] == "0x8"'
	# A filter takes their names.
	[ "$(plumb script --raw -i spe.data --core n3 --filter source=L2 | wc -l)" -eq 1 ]
	[ "$(plumb script --raw -i spe.data --core n3 --filter source=DRAM | wc -l)" -eq 0 ]
	# And perf's encoding.
	plumb script --raw -i spe.data --core n1 -F data_src | grep -q 'L2 hit'
}

@test "--core: rejects an unknown core" {
	run --separate-stderr plumb script --raw -i spe.data --core neoverse-n33
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[ "${stderr_lines[0]}" = "plumb: unknown core 'neoverse-n33': not a name or a MIDR" ]
	[[ ${stderr_lines[1]} == "       did you mean neoverse-n3"* ]]
	for core in 0x 0x0 0x1410fd0c0 0xx "" neoverse; do
		run --separate-stderr plumb script --raw -i spe.data --core "$core"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
	done
}

@test "--json with fields prints only their members" {
	plumb script --raw -i spe.data --json -F ip,weight >out
	head -n 1 out | json 'sorted(d) == ["el", "issue_latency", "pc", "total_latency", "translation_latency"]'
}

@test "a recording: text, JSON, and totals agree" {
	record
	plumb script >text
	plumb script --json >json
	[ -s text ]
	[ "$(wc -l <text)" -eq "$(wc -l <json)" ]
	head -n 1 json | json 'd["event"].startswith("cpu-clock") and d["comm"] and d["period"] == 250000'
	[ "$(plumb script -q | awk '/cpu-clock/ { print $1 }')" -eq "$(wc -l <text)" ]
	plumb script -q --json | json 'sum(d["events"].values()) > 0 and d["lost"]["collisions"] == 0'
	# A pipe is read as well.
	plumb script -i - <perf.data | cmp - text
	plumb script -o file
	cmp file text
	[ "$(plumb script --filter kernel | wc -l)" -le "$(wc -l <text)" ]
	plumb script --header | grep -q '^# event : name = cpu-clock'
	plumb script -D | grep -q 'PERF_RECORD_SAMPLE'
}

# The samples that -q counts.
counted()
{
	plumb script -q "$@" | awk '/cpu-clock/ { print $1 }'
}

@test "-q counts what is printed, also with a filter or a damaged recording" {
	record
	[ "$(plumb script --filter user | wc -l)" -gt 0 ]
	[ "$(counted --filter user)" -eq "$(plumb script --filter user | wc -l)" ]
	# A record in the middle says that it has no bytes.
	# shellcheck disable=SC2154 # of lib.bash
	/usr/bin/python3 "$here/damage.py" perf.data damaged.data
	run --separate-stderr plumb script -i damaged.data
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -gt 0 ]
	[ "${#lines[@]}" -lt "$(plumb script | wc -l)" ]
	[[ "$stderr" = *"a record has a size of 0 bytes"* ]]
	run --separate-stderr plumb script -q -i damaged.data
	[ "$status" -eq 2 ]
	[ "$(awk '/cpu-clock/ { print $1 }' <<<"$output")" -eq "$(plumb script -i damaged.data 2>/dev/null | wc -l)" ]
	[[ "$stderr" = *"a record has a size of 0 bytes"* ]]
}

@test "-q counts bare SPE data, too" {
	run plumb script -q --raw -i spe.data
	[ "$status" -eq 0 ]
	[ "${lines[${#lines[@]} - 1]}" = "2 SPE records in 81 bytes" ]
	[ "$(plumb script -q --raw -i - --filter load <spe.data | tail -n 1)" = \
		"2 SPE records in 81 bytes, 1 of which match" ]
}

@test "--header-only prints only the header" {
	record
	run plumb script --header-only
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "# ========" ]
	[[ $output = *"# event : name = cpu-clock"* ]]
	[[ $output = *"# CPU_TOPOLOGY info available, use -I to display"* ]]
	[ "$(grep -vc '^#' <<<"$output")" -eq 0 ]
	plumb script --header-only -I | grep -q '^# sibling threads'
}

@test "--json: has the period that all samples of an event share" {
	# shellcheck disable=SC2016 # for the inner shell
	plumb record -q -e cpu-clock:u -c 200000 -o fixed.data -- sh -c \
		'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done' 2>/dev/null || skip "cannot record"
	plumb script -i fixed.data --json >json
	[ -s json ]
	head -n 1 json | json 'd["period"] == 200000'
	[ "$(plumb script -i fixed.data -F period | head -n 1 | tr -d ' ')" = 200000 ]
}

@test "rejects fields that are unknown, unsupported or not recorded" {
	run --separate-stderr plumb script -F tid,symof
	[ "$status" -eq 2 ]
	said "plumb: --fields: unknown field 'symof'" "       did you mean symoff?"
	run --separate-stderr plumb script -F tid,brstacksym
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	# shellcheck disable=SC2154 # by run
	[ "${stderr_lines[0]}" = \
		"plumb: --fields: field 'brstacksym' of perf script is not supported" ]
	run --separate-stderr plumb script -F tid,+ip
	[ "$status" -eq 2 ]
	record
	run --separate-stderr plumb script -F +addr
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	# shellcheck disable=SC2154 # by run
	[[ "${stderr_lines[0]}" = *"cannot print 'addr': samples of 'cpu-clock"*"' have no ADDR" ]]
}

@test "rejects invalid values of options" {
	for bad in '--itrace =' '--filter l1d-mis' '--pid x' '--cpu 3-1' '--reltime --deltatime' \
		'--raw -D' '-q --pid 1' '--nothing'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb script $bad -i spe.data
		[ "$status" -eq 2 ] || { echo "$bad" && return 1; }
		[ -z "$output" ]
		[[ "$stderr" = plumb:* ]]
	done
}

@test "errors come with a hint" {
	run --separate-stderr plumb script --raw -i spe.data --filter 'source=nowhere-at-all'
	said 'plumb: --filter: "nowhere-at-all": unknown data source of this core' \
		"       the core is unknown, so use a number"
	run --separate-stderr plumb script --raw -i spe.data --filter zzzzzz
	# shellcheck disable=SC2154 # by run
	[ "${stderr_lines[0]}" = 'plumb: --filter: "zzzzzz": unknown word' ]
	[[ ${stderr_lines[1]} = "       use load, store, "* ]]
	run --separate-stderr plumb script --raw -i spe.data --itrace =
	# shellcheck disable=SC2154 # by run
	[ "${stderr_lines[0]}" = "plumb: --itrace: unknown letter '=': expected a letter that selects samples" ]
	run --separate-stderr plumb script -i nowhere
	[ "${stderr_lines[1]}" = "       make a recording with plumb record PROGRAM" ]
	run --separate-stderr plumb script -i spe.data
	[[ ${stderr_lines[1]} = *"use --raw to read bare SPE data"* ]]
}

@test "empty SPE data is an error in every command" {
	: >nothing
	for command in "script --raw -i nothing" "script --raw -q -i nothing" "spe dump --raw nothing" \
		"export --raw --format spe-csv nothing" "script -i nothing" "script --raw -i -"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb $command <nothing
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ $stderr == plumb:\ *": the file is empty" ]]
	done
}

@test "warns of places without symbols, and of an unknown core" {
	: >file
	for option in "--symfs nowhere" "--symfs file" "--kallsyms nowhere" \
		"--kallsyms ." "--core 0x12345678"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb script --raw -i spe.data $option
		[ "$status" -eq 0 ]
		[ -n "$output" ]
		[[ "${stderr_lines[0]}" = "plumb: $option: "* ]]
	done
	run --separate-stderr plumb script --raw -i spe.data --symfs . --core 0x410fd8e0
	[ -z "$stderr" ]
	run --separate-stderr plumb spe dump --raw --core 0x12345678 spe.data
	[ "$status" -eq 0 ]
	[[ "$stderr" = "plumb: --core 0x12345678: no core with this MIDR is known"* ]]
}

@test "rejects missing files and files that are not recordings" {
	run --separate-stderr plumb script -i nowhere
	[ "$status" -eq 2 ]
	[[ "$stderr" = plumb:*nowhere* ]]
	run --separate-stderr plumb script --raw -i nowhere
	[ "$status" -eq 2 ]
	run --separate-stderr plumb script -i spe.data
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	record
	head -c 100 perf.data >short
	run --separate-stderr plumb script -i short
	[ "$status" -eq 2 ]
	run --separate-stderr plumb script -i - < <(cat perf.data)
	[ "$status" -eq 2 ]
	said "plumb: standard input: this recording has the format of files, which cannot be read from a pipe" \
		"       open the file itself"
}

@test "a truncated recording is printed up to its end, with a warning" {
	record
	plumb script >whole
	# The header has the place and the size of the data, which is only a part of a short recording.
	read -r begin size < <(od -A n -t u8 -j 40 -N 16 perf.data)
	head -c "$((begin + size / 2))" perf.data >half
	run --separate-stderr plumb script -i half
	[[ "$stderr" = plumb:* ]]
	[ "${#lines[@]}" -lt "$(wc -l <whole)" ]
}

@test "counts bytes that are not packets, with the place of the first" {
	{ records; printf '\xff\xff'; records; } >damaged
	run --separate-stderr plumb script --raw -i damaged -F ip
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 4 ]
	[[ "$stderr" = *"skipped 2 bytes of AUX data that begin no SPE packet, the first at 0x"* ]]
}

@test "--time in percent of a big-endian recording" {
	/usr/bin/python3 "$BATS_TEST_DIRNAME/big_endian.py" big.data
	run --separate-stderr plumb script -i big.data --time 50%-10%
	[ "$status" -eq 2 ]
	[ "${stderr_lines[0]}" = "plumb: --time: invalid time '50%-10%'" ]
	run plumb script -i big.data --time 10%-50% -F time
	[ "$status" -eq 0 ]
	# 10 % to 50 % of one second; what ends at 50 % has no part of the sample there.
	[ "${#lines[@]}" -eq 4 ]
	[ "${lines[0]}" = "    1.100000: " ]
	[ "${lines[3]}" = "    1.400000: " ]
}

# named TYPE CONFIG FLAGS: what plumb calls an event that has no name in its recording; as perf does.
named()
{
	/usr/bin/python3 "$here/recording.py" nameless "$@"
	plumb script -i nameless -F event >ours
	if command -v perf >/dev/null; then
		perf script -i nameless -F event 2>/dev/null >theirs
		diff theirs ours >&2
	fi
	sed 's/: *$//' ours
}

@test "events without a name in the file have one from their attributes, as in perf" {
	[ "$(named 0 0 0)" = cycles:HG ]
	[ "$(named 0 0 0x110000)" = cycles:ppH ]
	[ "$(named 0 1 0x40)" = instructions:ku ]
	[ "$(named 0 1 0x100060)" = instructions:uH ]
	[ "$(named 0 3 0x100000)" = cache-misses ]
	[ "$(named 0 99 0x100000)" = unknown-hardware ]
	[ "$(named 1 2 0x8020)" = page-faults:uhp ]
	[ "$(named 1 77 0x70)" = unknown-software ]
	[ "$(named 4 0x1234 0x80000)" = "raw 0x1234:G" ]
	[ "$(named 3 0x10203 0x18000)" = dTLB-prefetch-misses:ppp ]
	[ "$(named 3 0 0x100000)" = L1-dcache-loads ]
	[ "$(named 3 0x107 0x100000)" = unknown-ext-hardware-cache-type ]
	[ "$(named 3 0x300 0x100000)" = unknown-ext-hardware-cache-op ]
	[ "$(named 3 0x20000 0x100000)" = unknown-ext-hardware-cache-result ]
}

@test "modules of the kernel are called by their path if it is listed, as in perf" {
	/usr/bin/python3 "$here/recording.py" listed
	/usr/bin/python3 "$here/recording.py" unlisted 0 0 0
	for name in listed unlisted; do
		plumb script -i "$name" -F ip,dso >"$name-ours"
		if command -v perf >/dev/null; then
			perf script -i "$name" -F ip,dso 2>/dev/null | diff -b - "$name-ours"
		fi
	done
	grep -qF '(/lib/modules/6.1.0/kernel/net/mac80211/mac80211.ko)' listed-ours
	grep -qF '([mac80211])' unlisted-ours
}

@test "a sample of no process has no name of one, in JSON" {
	/usr/bin/python3 "$here/recording.py" nobody 0 0 0 nobody
	plumb script -i nobody --json | json 'd["pid"] is None and d["tid"] is None and d["comm"] is None'
	/usr/bin/python3 "$here/recording.py" somebody 0 0 0
	plumb script -i somebody --json | json 'd["pid"] == 7 and d["comm"] == ":7"'
}

@test "-q: the same groups as text and as JSON" {
	for options in "" "--itrace=t" "--filter branch"; do
		# shellcheck disable=SC2086 # several words
		plumb script -q --raw -i spe.data $options | awk 'NR > 1 && NF == 2 { print $2, $1 }' >text
		# shellcheck disable=SC2086
		plumb script -q --json --raw -i spe.data $options >object
		json '[f"{name} {count}" for name, count in d["groups"].items()] ==
			open("text").read().splitlines()' <object
	done
}

# counts_what_is_printed OPTION...: -q has the sums of what is printed, event by event.
counts_what_is_printed()
{
	plumb script -F event "$@" | sed 's/^ *//; s/: *$//' | sort | uniq -c | awk '{ print $2, $1 }' >printed
	plumb script -q "$@" | awk 'NR > 1 && NF == 2 { print $2, $1 }' | sort >counted
	[ -s printed ] || return
	diff printed counted
}

@test "-q: counts the samples that are printed, of SPE records too" {
	for options in "" "--itrace=i1i" "--itrace=tM" "--itrace=b" "--filter=branch" "--like-perf=6.1" \
		"--like-perf=6.1 --itrace=b" "--like-perf=7.3"; do
		# shellcheck disable=SC2086 # several words
		counts_what_is_printed --raw -i spe.data $options
	done
	plumb script -q --raw -i spe.data --like-perf 6.1 --itrace b | grep -qE '^ *1  branch-miss$'
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	cat >branchy.c <<-'END'
		int main(void)
		{
			volatile unsigned x = 1, n = 0;

			for (int i = 0; i < 20000; i++) {
				x = x * 1103515245 + 12345;
				if (x >> 30 & 1)
					n++;
			}
			return 0;
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -o branchy branchy.c
	plumb record --source model -e spe -c 256 -o spe.perf ./branchy || skip "no engine"
	plumb script --json -i spe.perf | grep -qF '"branch-miss"'
	for options in "" "--itrace=f" "--like-perf=6.1" "--like-perf=6.12" "--like-perf=7.3"; do
		# shellcheck disable=SC2086
		counts_what_is_printed -i spe.perf $options
	done
	plumb script -q -i spe.perf | lacks branch-miss
	plumb script -q -i spe.perf --like-perf 6.1 | grep -qE '^ *[0-9]+  branch-miss$'
}

@test "-q: leaves out the samples of guests, as the lines do" {
	/usr/bin/python3 "$here/recording.py" host 1 0 0
	/usr/bin/python3 "$here/recording.py" guest 1 0 0 nobody guest
	[ "$(plumb script -i host | wc -l)" -eq 1 ]
	plumb script -q --json -i host | json 'sum(d["events"].values()) == 1'
	[ -z "$(plumb script -i guest)" ]
	plumb script -q --json -i guest | json 'd["events"] == {}'
}

@test "--json: refuses what prints text" {
	for option in --header --header-only --dump-raw-trace; do
		run --separate-stderr plumb script "$option" --json
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		said "plumb: $option and --json cannot be combined"
	done
}

@test "-q --header prints the header before the counts" {
	record
	plumb script --header-only >header
	plumb script -q >counts
	plumb script -q --header | cmp - <(cat header counts)
	plumb script -q --header-only | cmp - header
}

@test "-I has no effect without a header, as in perf" {
	run --separate-stderr plumb script --raw -i spe.data -I
	[ "$status" -eq 0 ]
	[ "$output" = "$(plumb script --raw -i spe.data)" ]
	[ "$stderr" = "plumb: --show-info has no effect without --header or --header-only" ]
}

@test "--inline: the functions of each address, as addr2line has them" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	cat >inlines.c <<-'END'
		volatile unsigned sink;
		static inline __attribute__((always_inline)) unsigned leaf(unsigned x)
		{
			for (int i = 0; i < 300; i++)
				x = x * 31 + sink;
			return x;
		}
		static inline __attribute__((always_inline)) unsigned middle(unsigned x)
		{
			return leaf(x) + leaf(x + 1);
		}
		__attribute__((noipa)) unsigned outer(unsigned x) { return middle(x) * 3; }
		static inline __attribute__((always_inline)) unsigned calls(unsigned x)
		{
			return outer(x) + 1;
		}
		__attribute__((noipa)) unsigned twice(unsigned x)
		{
			sink += calls(x);
			return calls(x + 1) + 5;
		}
		int main(void)
		{
			for (int i = 0; i < 100; i++)
				twice(i);
			return 0;
		}
	END
	aarch64-linux-gnu-gcc -O2 -g -static -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o inlines inlines.c
	plumb record -g -e cycles -c 2000 -q -o inlines.data -- ./inlines || skip "the model cannot run here"
	plumb script -i inlines.data --inline -F ip,sym >inlined
	grep -qE $'^\t *[0-9a-f]+ leaf \\(inlined\\)$' inlined
	grep -qE $'^\t *[0-9a-f]+ outer$' inlined
	grep -qE $'^\t *[0-9a-f]+ calls \\(inlined\\)$' inlined
	# Without the option, and with both, there are only symbols; perf 6.1 leaves recorded chains alone.
	plumb script -i inlines.data -F ip,sym >plain
	[ "$(grep -v inlined inlined)" = "$(<plain)" ]
	plumb script -i inlines.data -F ip,sym --inline --no-inline | cmp - plain
	plumb script -i inlines.data -F ip,sym --like-perf=6.1 >like_6.1
	plumb script -i inlines.data -F ip,sym --inline --like-perf=6.1 | cmp - like_6.1
	plumb script -i inlines.data -F ip,sym --inline --like-perf=6.12 | grep -q 'calls (inlined)$'
	# Callers are the addresses behind calls: addr2line is asked about the calls.
	plumb script -i inlines.data --inline -F ip,sym,srcline --json >objects
	/usr/bin/python3 - <<-'END'
		import functools, itertools, json, subprocess

		@functools.cache
		def functions(place):
		    """[name, line, whether it is inlined] of each; none without debug information."""
		    command = ["aarch64-linux-gnu-addr2line", "-fie", "inlines", hex(place)]
		    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
		    found = [[name, line.rsplit(":", 1)[1].split(" ")[0], True]
		             for name, line in zip(lines[::2], lines[1::2])]
		    found[-1][2] = False
		    return [] if found[0][1] in ("?", "0") else found

		several = set()
		for line in open("objects"):
		    chain = itertools.groupby(json.loads(line)["frames"], key=lambda frame: frame["ip"])
		    for number, (ip, frames) in enumerate(chain):
		        ours = [[frame["symbol"], str(frame["source_line"]), frame["inlined"]] for frame in frames]
		        theirs = functions(int(ip, 16) - (number > 0))
		        assert ours == theirs or not theirs, (ip, ours, theirs)
		        several |= {ip} if len(theirs) > 1 else set()
		assert len(several) > 5, several
	END
}
