# SPDX-License-Identifier: Apache-2.0
# plumb export --format folded, speedscope, pprof, firefox: sums are those of plumb report and plumb
# script to the sample, and what others have for reading these formats reads them.

# shellcheck disable=SC2030,SC2031,SC2154 # status, output and here are set elsewhere

load lib.bash

formats=(folded speedscope pprof firefox)

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	cat >"$work/calls.c" <<-'END'
		#include <pthread.h>
		static volatile unsigned sum, table[1 << 18];
		static inline __attribute__((always_inline)) void divide(unsigned i)
		{
			sum += i / (sum + 1);
		}
		static inline __attribute__((always_inline)) void step(unsigned i)
		{
			divide(i);
			table[i * 977 % (1 << 18)]++;
		}
		__attribute__((noinline)) static void inner(unsigned n)
		{
			for (unsigned i = 0; i < n; i++)
				step(i);
		}
		__attribute__((noinline)) static void outer(unsigned n)
		{
			inner(n);
			sum++;
		}
		static void *work(void *times)
		{
			outer((unsigned)(unsigned long)times);
			return 0;
		}
		int main(int argc, char **argv)
		{
			pthread_t thread;

			pthread_create(&thread, 0, work, (void *)2000);
			pthread_join(thread, 0);
			outer(1000);
			inner(argc > 1 ? 20000000 : 3000);
			return sum == 1 && argv;
		}
	END
	aarch64-linux-gnu-gcc -g -O1 -static -pthread -o "$work/calls" "$work/calls.c" || return 0
	engine_path >/dev/null || return 0
	plumb record --exact -q -o "$work/exact.data" -- "$work/calls"
	plumb record -e spe -c 128 -q -o "$work/spe.data" -- "$work/calls"
	for format in "${formats[@]}"; do
		export_one exact "$format"
		export_one spe "$format"
	done
}

# export_one NAME FORMAT
export_one()
{
	plumb export --format "$2" -o "$work/$1.$2" "$work/$1.data"
}

need_model()
{
	[ -e "$work/spe.firefox" ] || skip "there is no compiler for AArch64, or no engine"
}

# same NAME FORMAT: that an export has the recording's sums.
same()
{
	/usr/bin/python3 "$here/viewers.py" "$2" "$work/$1.$2" "$PLUMB" "$work/$1.data"
}

# need_pprof: skips the test without Go's pprof.
need_pprof()
{
	export HOME=$BATS_TEST_TMPDIR PPROF_TMPDIR=$BATS_TEST_TMPDIR
	go tool -n pprof >/dev/null 2>&1 || skip "go tool pprof is missing: install golang-go"
}

@test "exact profiles: each function's counts and slots, with callers, threads, inlined functions" {
	need_model
	for format in "${formats[@]}"; do
		run same exact "$format"
		echo "$output"
		[ "$status" -eq 0 ]
		# Newer C libraries use SVE, and count its predicates if the engine tells them.
		[[ $output =~ ^7[03]" events, " ]]
	done
	# The calling contexts, and the functions that were inlined.
	grep -qE '^CPU_CYCLES;calls;.*;outer;inner;step \(inlined\);divide \(inlined\) [0-9]+$' \
		"$work/exact.folded"
}

@test "SPE records: samples, latencies and misses, by thread, CPU and source of data" {
	need_model
	for format in "${formats[@]}"; do
		run same spe "$format"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == "1 events, "* ]]
	done
}

@test "samples of events, with unwound call chains" {
	gcc -g -O1 -pthread -o "$work/native" "$work/calls.c"
	run plumb record -q --source perf -e cpu-clock -c 500000 --call-graph dwarf \
		-o "$work/host.data" -- "$work/native" long
	[ "$status" -eq 0 ] || skip "cpu-clock cannot be sampled: ${lines[0]}"
	for format in "${formats[@]}"; do
		export_one host "$format"
		run same host "$format"
		echo "$output"
		[ "$status" -eq 0 ]
	done
	/usr/bin/python3 "$here/firefox_profile.py" "$work/host.firefox"
	grep -q ';main;inner;step (inlined)' "$work/host.folded"
	# A thread's times are those of its samples, from the first one of all on. On a busy machine a
	# thread may have a single one.
	json 'min(t["samples"]["time"][0] for t in d["threads"]) == 0 and
		0 < max(t["samples"]["time"][-1] for t in d["threads"]) < 600000' <"$work/host.firefox"
}

@test "events of the same name, without times or exact, and a thread that changes its name" {
	cd "$BATS_TEST_TMPDIR"
	/usr/bin/python3 "$here/mixed_events.py" mixed.data
	for format in "${formats[@]}"; do
		plumb export --format "$format" -o "mixed.$format" mixed.data
		run /usr/bin/python3 "$here/viewers.py" "$format" "mixed.$format" "$PLUMB" mixed.data
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == *"4 events, "* ]]
	done
	/usr/bin/python3 "$here/firefox_profile.py" mixed.firefox
	# Times are those since the first sample that has one; the last is 22 microseconds later.
	json 'max(t for thread in d["threads"] if "CPU_CYCLES" not in thread["name"]
		for t in thread["samples"]["time"]) == 0.022' <mixed.firefox
	json '[t["name"] for t in d["threads"] if t["isMainThread"]] == ["before (untimed)"]' \
		<mixed.firefox
}

@test "pprof reads its profile, and has the same sums" {
	need_model
	need_pprof
	cd "$BATS_TEST_TMPDIR"
	for name in exact spe; do
		go tool pprof -symbolize=none -raw "$work/$name.pprof" >"$work/$name.raw"
		run same "$name" raw
		echo "$output"
		[ "$status" -eq 0 ]
	done
	# By name, with callers, and by label.
	go tool pprof -symbolize=none -sample_index=CPU_CYCLES -top "$work/exact.pprof" >top
	cycles=$(plumb report --json -s symbol --no-children -i "$work/exact.data" | /usr/bin/python3 -c '
import json, sys
for event in json.load(sys.stdin)["events"]:
    if event["name"] == "exact/CPU_CYCLES/":
        print(event["period"])')
	grep -E "^Showing nodes accounting for [0-9]+, .* of $cycles total$" top
	go tool pprof -symbolize=none -tags "$work/spe.pprof" | grep -E "^ *[0-9.]+ \( *100%\): calls$"
	# Lines of source, of inlined functions too.
	go tool pprof -symbolize=none -sample_index=CPU_CYCLES -lines -top "$work/exact.pprof" |
		grep -E ' divide .*calls\.c:5 \(inline\)$'
}

@test "firefox: a processed profile, with lines, addresses and slots by cause" {
	need_model
	cd "$BATS_TEST_TMPDIR"
	for name in exact spe; do
		/usr/bin/python3 "$here/firefox_profile.py" "$work/$name.firefox"
	done
	# Something that is no profile is refused.
	sed 's/"inlineDepth"/"inlinedepth"/' "$work/spe.firefox" >wrong
	run /usr/bin/python3 "$here/firefox_profile.py" wrong
	[ "$status" -ne 0 ]
	json '[c["name"] for c in d["meta"]["categories"]][3:] == ["Retiring", "Bad speculation",
		"Frontend bound", "Backend bound"] and
		"slots_backend_mem" in d["meta"]["categories"][6]["subcategories"]' <"$work/exact.firefox"
	# Addresses of functions are the linker's.
	inner=$(aarch64-linux-gnu-nm "$work/calls" | awk '$3 == "inner" { print "0x" $1 }')
	json "$((inner)) in [a for t in d['threads'] for a, n in zip(t['nativeSymbols']['address'],
		t['nativeSymbols']['name']) if d['shared']['stringArray'][n] == 'inner']" \
		<"$work/exact.firefox"
	json "{5} <= {l for t in d['threads'] for l, f in zip(t['frameTable']['line'],
		t['frameTable']['func'])
		if d['shared']['stringArray'][t['funcTable']['name'][f]] == 'divide'}" \
		<"$work/exact.firefox"
}

@test "speedscope's own importer reads its file" {
	need_model
	command -v node >/dev/null || skip "there is no node"
	command -v npm >/dev/null || skip "there is no npm"
	cd "$BATS_TEST_TMPDIR"
	HOME=$PWD timeout 60 npm pack --silent speedscope@1.25.0 >/dev/null 2>&1 ||
		skip "npm cannot download speedscope"
	tar xzf speedscope-1.25.0.tgz
	for name in exact spe; do
		node "$here/speedscope.mjs" package/dist/release/speedscope-*.js \
			"$work/$name.speedscope" >imported
		/usr/bin/python3 -c '
import json, sys
read, ours = json.load(open("imported")), json.load(open(sys.argv[1]))
weights = {p["name"]: sum(p["weights"]) for p in ours["profiles"]}
assert dict(map(tuple, read["totals"])) == weights, read["totals"]
assert sum(weight for _, weight in read["frames"]) == ours["profiles"][0]["endValue"]
assert "divide (inlined)" in [name for name, _ in read["frames"]]' "$work/$name.speedscope"
	done
	# Hostile names are its frames as well, two of them with samples.
	/usr/bin/python3 "$here/hostile.py" evil.data function
	plumb export --format speedscope -o evil.speedscope evil.data
	node "$here/speedscope.mjs" package/dist/release/speedscope-*.js evil.speedscope >imported
	/usr/bin/python3 -c '
import json
read, ours = json.load(open("imported")), json.load(open("evil.speedscope"))
assert sorted(n for n, _ in read["frames"]) == sorted(f["name"] for f in ours["shared"]["frames"]), read
assert sorted(w for _, w in read["frames"]) == [0, 1000, 1000], read'
}

@test "hostile names stay one frame, and do nothing to a terminal" {
	cd "$BATS_TEST_TMPDIR"
	/usr/bin/python3 "$here/hostile.py" evil.data function
	for format in "${formats[@]}"; do
		plumb export --format "$format" -o "evil.$format" evil.data
		/usr/bin/python3 "$here/viewers.py" --names "$format" "evil.$format" >names
		# Of each sample, its file's address or its function.
		json '{len(stack) for stack, labels in d} == {1} and
			len({stack[0] for stack, labels in d}) == 2' <names
	done
	/usr/bin/python3 "$here/firefox_profile.py" evil.firefox
	# Labels and functions of pprof, which it prints as they are.
	/usr/bin/python3 "$here/viewers.py" --names pprof evil.pprof | json "all(32 <= ord(c) < 127
		or ord(c) >= 160 for stack, labels in d for text in stack + list(labels.values())
		for c in text)"
	for format in folded speedscope firefox; do
		LC_ALL=C lacks -aP '[\x00-\x09\x0b-\x1f\x7f]|\x9b[^\x80-\xbf]' <"evil.$format"
	done
	# JSON keeps the name as it is, apart from bytes that are no text.
	json '[s for s, l in d][-1] == ["f\";a'"'"'b,\\n\n{c}\r\td 12\x1b[2J\ufffd\ufffd;g 7"]' <names
}

@test "pprof reads hostile names, one to a line" {
	need_pprof
	cd "$BATS_TEST_TMPDIR"
	/usr/bin/python3 "$here/hostile.py" evil.data function
	plumb export --format pprof -o evil.pprof evil.data
	go tool pprof -symbolize=none -raw evil.pprof >raw
	[ "$(grep -cE '^ +[12]: 0x[0-9a-f]+ M=[12] ' raw)" -eq 2 ]
	[ "$(go tool pprof -symbolize=none -top evil.pprof | grep -cE '^ +1000 50\.00% ')" -eq 2 ]
	LC_ALL=C lacks -aP '[\x00-\x08\x0b-\x1f\x7f]' <raw
}

@test "the same recording gives the same bytes, to standard output and to a file" {
	need_model
	for format in "${formats[@]}"; do
		plumb export --format "$format" "$work/spe.data" | cmp - "$work/spe.$format"
	done
}

@test "bare SPE data" {
	cd "$BATS_TEST_TMPDIR"
	# A load at 0x401000, and an end.
	printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80\x49\x00\x01' >load
	[ "$(plumb export --format folded --raw load)" = ":-1;0x401000 1" ]
	plumb export --format pprof --raw --core neoverse-n3 -o load.pprof load
	/usr/bin/python3 "$here/viewers.py" --names pprof load.pprof | json 'd[0][0] == ["0x401000"]'
}

@test "a recording without samples, a damaged one, and a terminal" {
	need_model
	cd "$BATS_TEST_TMPDIR"
	head -c 9000 "$work/spe.data" >cut.data
	for format in "${formats[@]}"; do
		run --separate-stderr plumb export --format "$format" -o out.cut cut.data
		[[ $stderr == "plumb: "* ]]
		head -c 50 "$work/spe.data" >short.data
		run --separate-stderr plumb export --format "$format" -o out.short short.data
		[ "$status" -eq 2 ]
		[ ! -e out.short ]
		cp "$work/spe.data" same.data
		run --separate-stderr plumb export --format "$format" -o same.data same.data
		[ "$status" -eq 2 ]
		cmp same.data "$work/spe.data"
	done
	need_terminal
	run in_terminal 80 "$PLUMB" export --format pprof "$work/spe.data"
	[[ $output == *"refusing to write a compressed profile to a terminal"* ]]
}
