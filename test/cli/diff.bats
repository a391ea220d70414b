# SPDX-License-Identifier: Apache-2.0
# plumb diff. The gate of doc/ci.md runs here, against two builds of examples/parse.c.

# shellcheck disable=SC2030,SC2031,SC2154 # status, output, stderr and here are set elsewhere

load lib.bash

examples=$here/../../examples

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	aarch64-linux-gnu-gcc -g -O2 -static -o "$work/old" "$examples/parse.c" || return 0
	aarch64-linux-gnu-gcc -g -O2 -static -DREGRESSION -o "$work/new" "$examples/parse.c"
	engine_path >/dev/null || return 0
	for build in old new; do
		same_environment stat --source model --json -o "$work/$build.json" "$work/$build" >/dev/null
		same_environment record --exact -q -o "$work/$build.exact" "$work/$build" >/dev/null
		(cd "$work" && same_environment record -e spe -c 256 -q -o "$build.spe" "./$build" >/dev/null)
	done
	touch "$work/modelled"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# The program's environment is part of its run, for it is on its stack. So is where its output goes.
same_environment()
{
	env -i PATH=/usr/bin:/bin "$PLUMB" "$@"
}

need_model()
{
	[ -e "$work/modelled" ] || skip "there is no compiler for AArch64, or no engine"
}

# counts SOURCE VALUE...: one run of each value of the event E, on stdout.
counts()
{
	local source=$1 value

	shift
	for value; do
		printf '{"source": "%s", "cpu": {"name": "N1"}, "events": [{"name": "E", "count": %s, "units": "events"}], "metrics": []}\n' \
			"$source" "$value"
	done
}

# holds EXPRESSION...: that all of them are true of the JSON on stdin.
holds()
{
	local all=True expression

	for expression; do all+=" and ($expression)"; done
	json "$all"
}

# said LINE...: that these are all lines of standard error.
said()
{
	[ "$stderr" = "$(printf '%s\n' "$@")" ] || { echo "$stderr" && return 1; }
}

@test "tables fit a terminal: without columns that others imply, as is said" {
	need_terminal
	counts perf 20000000 21000000 22000000 23000000 | sed s/'"E"'/'"AN_EVENT_WITH_A_LONG_NAME_RETIRED"'/ >before.json
	counts perf 30000000 31000000 32000000 33000000 | sed s/'"E"'/'"AN_EVENT_WITH_A_LONG_NAME_RETIRED"'/ >after.json
	for width in 40 60 80; do
		in_terminal "$width" "$PLUMB" diff --no-pager --color never before.json after.json | tr -d '\r' >seen
		[ -z "$(too_wide "$width" <seen | tee /dev/stderr)" ]
		grep -q '^+46.5 .*AN_EVENT' seen
	done
	grep -q AFTER seen
	in_terminal 60 "$PLUMB" diff --no-pager --color never before.json after.json | tr -d '\r' >seen
	grep -qx '60 columns have no room for AFTER: use a wider terminal' seen
	need_model
	for width in 40 60; do
		for kind in spe exact json; do
			in_terminal "$width" "$PLUMB" diff --no-pager --color never -v "$work/old.$kind" \
				"$work/new.$kind" | tr -d '\r' >seen
			[ -z "$(too_wide "$width" <seen | tee /dev/stderr)" ]
		done
	done
}

@test "the model's counts are exact, and the first line explains the change" {
	need_model
	run plumb diff "$work/old.json" "$work/new.json"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == "  CPU_CYCLES +"*" %: "* ]]
	grep -q '"exact": the model counted both' <<<"$output"
	[ -z "$(too_wide 80 <<<"$output")" ]
	# -v lists it wherever it ranks, which depends on the compiler.
	plumb diff -v "$work/old.json" "$work/new.json" |
		grep -E '^ *\+[0-9.]+ % +[0-9,]+ +[0-9,]+ +exact +CPU_CYCLES$'
	# The difference is that of the files.
	plumb diff --json "$work/old.json" "$work/new.json" >diff.json
	/usr/bin/python3 - "$work/old.json" "$work/new.json" diff.json <<-'END'
		import json
		import sys
		old, new, diff = (json.load(open(path)) for path in sys.argv[1:])
		counts = [{e["name"]: e["count"] for e in side["events"] if e["count"] is not None} for side in (old, new)]
		changes = diff["comparisons"][0]["events"]
		assert len(changes) == len(counts[0]) > 20
		for change in changes:
		    before, after = (side[change["name"]] for side in counts)
		    assert change["change"] == after - before, change
		    assert change["more_than_noise"] == (after != before)
		    assert change["method"] == "exact" and change["p"] is None
	END
}

@test "an exact profile names the function, its cause and its line" {
	need_model
	run plumb diff "$work/old.exact" "$work/new.exact"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == "  CPU_CYCLES +"*" % in parse_line, "*", line "* ]]
	grep -q '^Functions, by slots$' <<<"$output"
	[ -z "$(too_wide 80 <<<"$output")" ]
	# The function's change is that of plumb report.
	plumb diff --json "$work/old.exact" "$work/new.exact" >diff.json
	for build in old new; do
		plumb report -i "$work/$build.exact" --topdown -s symbol --json >"$build.json"
	done
	/usr/bin/python3 - old.json new.json diff.json <<-'END'
		import json
		import sys
		old, new, diff = (json.load(open(path)) for path in sys.argv[1:])
		def slots(report):
		    rows = [r for r in report["rows"] if r["symbol"] == "parse_line"]
		    return sum(r["slots"] for r in rows)
		change, = [c for c in diff["comparisons"][0]["functions"]
		           if c["name"] == "parse_line" and c["by"] == "slots"]
		assert (change["before"], change["after"]) == (slots(old), slots(new)), change
		assert diff["comparisons"][0]["explanation"]["function"] == "parse_line"
	END
}

@test "SPE records: the function, within its interval of the exact change" {
	need_model
	plumb diff --json "$work/old.spe" "$work/new.spe" |
		holds '[c["more_than_noise"] for c in d["comparisons"][0]["functions"]
			if c["name"] == "parse_line" and c["by"] == "spe_operations"] == [True]' \
			'd["comparisons"][0]["explanation"]["function"] == "parse_line"'
	# Runs of the model differ by their sampling only, so several make intervals narrower.
	width='[c["interval"][1] - c["interval"][0] for c in d["comparisons"][0]["functions"]
		if c["name"] == "parse_line" and c["by"] == "spe_operations"][0]'
	one=$(plumb diff --json "$work/old.spe" "$work/new.spe" |
		/usr/bin/python3 -c "import json, sys; d = json.load(sys.stdin); print($width)")
	four=$(plumb diff --json "$work/old.spe,$work/old.spe,$work/old.spe,$work/old.spe" \
		"$work/new.spe,$work/new.spe,$work/new.spe,$work/new.spe" |
		/usr/bin/python3 -c "import json, sys; d = json.load(sys.stdin); print($width)")
	/usr/bin/python3 -c "assert abs($one / $four - 2) < 0.01, ($one, $four)"
	run plumb diff "$work/old.spe" "$work/old.spe"
	[[ ${lines[0]} == "  spe_latency unchanged" ]]
}

@test "filtered SPE records: how many pass is random, too" {
	need_model
	for seed in 1 2; do
		(cd "$work" && same_environment record -e spe/load/ -c 512 --seed $seed -q \
			-o "$BATS_TEST_TMPDIR/$seed.spe" ./old >/dev/null)
		plumb report --json -i $seed.spe >$seed.json
	done
	plumb diff -v --json 1.spe 2.spe >diff.json
	/usr/bin/python3 - <<-'END'
		import json, math
		n = [json.load(open(f"{seed}.json"))["events"][0]["samples"] for seed in (1, 2)]
		d = json.load(open("diff.json"))["comparisons"][0]
		whole, = [c for c in d["events"] if c["name"] == "spe_operations"]
		half = 1.96 * math.hypot(whole["before"] / math.sqrt(n[0]), whole["after"] / math.sqrt(n[1]))
		low, high = whole["interval"]
		assert abs((high - low) / 2 / half - 1) < 0.02, (n, whole, half)
		real = [c for v in ("events", "functions") for c in d[v] if c["more_than_noise"]]
		assert not real, real
	END
}

@test "renamed functions are recognized by their code" {
	need_model
	# A function and a program with names of the same length: the program's is on its stack.
	sed 's/parse_line/read_lines/g' "$examples/parse.c" >parse.c
	aarch64-linux-gnu-gcc -g -O2 -static -o new parse.c
	cp "$work/old" old
	for build in old new; do
		same_environment record --exact -q -o "$build.exact" "./$build" >/dev/null
	done
	plumb diff -v old.exact new.exact |
		grep ' same .* exact  *read_lines (was parse_line)$'
	plumb diff --json old.exact new.exact |
		holds '[(c["was"], c["match"], c["change"]) for c in d["comparisons"][0]["functions"]
			if c["name"] == "read_lines" and c["by"] == "slots"] ==
			[("parse_line", "renamed", 0)]'
	# A baseline has a hash of the code; older ones have none.
	plumb diff --write-baseline baseline.json old.exact
	plumb diff --write-baseline again.json baseline.json
	cmp baseline.json again.json
	plumb diff --json --baseline baseline.json new.exact |
		holds '[(c["was"], c["match"], c["change"]) for c in d["comparisons"][0]["functions"]
			if c["name"] == "read_lines" and c["by"] == "slots"] ==
			[("parse_line", "renamed", 0)]'
	grep -vE '"code": "[0-9a-f]{16}/[0-9]+",' baseline.json >older.json
	[ "$(wc -l <older.json)" -lt "$(wc -l <baseline.json)" ]
	plumb diff --json --baseline older.json new.exact |
		holds '[c["before"] for c in d["comparisons"][0]["functions"]
			if c["name"] == "read_lines" and c["by"] == "slots"] == [0]'
	sed 's/"code": ".*",/"code": "x",/' baseline.json >broken.json
	run -2 --separate-stderr plumb diff --baseline broken.json new.exact
	grep -q 'invalid baseline: the code of a function is malformed' <<<"$stderr"
	plumb diff --by-name --json old.exact new.exact |
		holds '[c["before"] for c in d["comparisons"][0]["functions"]
			if c["name"] == "read_lines" and c["by"] == "slots"] == [0]'
}

@test "other seeds are named beside exact counts" {
	need_model
	plumb stat --source model --seed 5 --json -o seeded.json "$work/old" >/dev/null
	same_environment record --exact --seed 5 -q -o seeded.exact "$work/old" >/dev/null
	for kind in json exact; do
		plumb diff --json "$work/old.$kind" "seeded.$kind" | holds \
			'd["comparisons"][0]["seeds"] == {"before": 0, "after": 5}' \
			'any("seeds 0 and 5" in note for note in d["comparisons"][0]["notes"])' \
			'not any("settings differ" in note for note in d["comparisons"][0]["notes"])'
		plumb diff "seeded.$kind" "seeded.$kind" | lacks 'seed'
	done
}

# Without debug information: diff_inlined.bats has the tests with it.
# inlined OPTION: whether, compiled with OPTION, the function that is inlined is found in main().
inlined()
{
	sed 's/static __attribute__((noinline)) unsigned long parse_line/static inline __attribute__((always_inline)) unsigned long parse_line/' \
		"$examples/parse.c" >parse.c
	aarch64-linux-gnu-gcc "$1" -static -o called "$examples/parse.c"
	aarch64-linux-gnu-gcc "$1" -static -o inlined parse.c
	same_environment record --exact -q -o called.exact ./called >/dev/null
	same_environment record --exact -q -o inlined.exact ./inlined >/dev/null
	plumb diff --json called.exact inlined.exact |
		holds '[(c["was"], c["match"], abs(c["relative"]) < .2)
			for c in d["comparisons"][0]["functions"]
			if c["name"] == "main" and c["by"] == "slots"] ==
			[("parse_line", "inlined_after", True)]' \
			'not [c for c in d["comparisons"][0]["functions"] if c["name"] == "parse_line"]'
}

@test "inlined functions are compared with what contains them" {
	need_model
	inlined -Os
}

@test "inlined functions are compared with what contains them, when optimized for speed" {
	need_model
	[ "$(aarch64-linux-gnu-gcc -dumpversion)" -lt 14 ] ||
		skip "gcc 14 reorders what it inlines, and diff does not recognize it"
	inlined -O2
}

@test "a function that was split in two, or that two are inlined in, loses nothing" {
	need_model
	# Built for size, so that what is inlined keeps its code.
	cat >parts.c <<-'END'
		#ifndef PART
		#define PART __attribute__((noinline)) static
		#endif
		static unsigned table[4096];
		PART void low(unsigned seed)
		{
		    for (unsigned i = 0; i < 2048; i++)
		        table[i] = (seed + i ^ seed >> 3) * 2654435761u + (table[i] >> 7);
		}
		PART void high(unsigned seed)
		{
		    for (unsigned i = 2048; i < 4096; i++)
		        table[i] = table[i - 2048] / (seed | 3) + (table[i] & 0xff00) - seed;
		}
		__attribute__((noinline)) void fill(unsigned seed)
		{
		    low(seed);
		    high(seed);
		}
		int main(void)
		{
		    for (unsigned i = 0; i < 9; i++)
		        fill(i);
		    return 0;
		}
	END
	aarch64-linux-gnu-gcc -Os -static -o apart parts.c
	aarch64-linux-gnu-gcc -Os -static -DPART='static inline __attribute__((always_inline))' -o joined parts.c
	for build in apart joined; do
		same_environment record --exact -q -o "$build.exact" "./$build"
	done
	for sides in "apart joined" "joined apart"; do
		# shellcheck disable=SC2086 # two words
		set -- $sides
		plumb diff --json --percent-limit 0 "$1.exact" "$2.exact" >diff.json
		# What functions changed by is what the whole did, of each count.
		holds '(lambda c: all(sum(f["change"] for f in c["functions"] if f["by"] == e["name"]) == e["change"]
				for e in c["events"]) and len(c["events"]) > 20)(d["comparisons"][0])' \
			'[abs(f["relative"]) < .5 for f in d["comparisons"][0]["functions"]
				if f["name"] == "fill" and f["by"] == "slots" and f["was"] in ("low", "high")] == [True]' \
			'not [f for f in d["comparisons"][0]["functions"] if f["name"] in ("low", "high")]' <diff.json
	done
}

@test "several runs: an exact rank test and its effect, adjusted for all comparisons" {
	counts perf 10 11 12 13 >a.json
	counts perf 20 21 22 23 >b.json
	run plumb diff a.json b.json
	[ "$status" -eq 0 ]
	grep -q 'p 0.0286, effect +1.00  E$' <<<"$output"
	counts perf 10 11 12 13 >c.json
	plumb diff --json a.json c.json b.json |
		holds 'len(d["comparisons"]) == 2' \
			'd["comparisons"][0]["events"][0]["more_than_noise"] is False' \
			'd["comparisons"][1]["events"][0]["more_than_noise"] is True' \
			'abs(d["comparisons"][1]["events"][0]["p"] - 2 / 70) < 1e-9'
	# The same from separate files, by commas and from a folder.
	mkdir runs
	for value in 20 21 22 23; do counts perf "$value" >"runs/$value.json"; done
	echo '{"findings": []}' >runs/findings.json
	echo text >runs/notes
	plumb diff --json a.json runs | holds 'd["comparisons"][0]["events"][0]["after"] == 21.5'
	plumb diff --json a.json runs/20.json,runs/21.json,runs/23.json,runs/22.json |
		holds 'abs(d["comparisons"][0]["events"][0]["p"] - 2 / 70) < 1e-9'
	plumb diff --json a.json <(counts perf 20 21 22 23) |
		holds 'abs(d["comparisons"][0]["events"][0]["p"] - 2 / 70) < 1e-9'
}

@test "-r: plumb stat keeps each run" {
	need_model
	same_environment stat -r 3 --source model -e cycles --json -o runs.json "$work/old" >/dev/null
	holds 'len(d["repeats"]) == 3' \
		'all(r["events"] == [d["events"][0]["count"]] for r in d["repeats"])' \
		'all(len(r["metrics"]) == len(d["metrics"]) for r in d["repeats"])' <runs.json
	plumb diff --json runs.json "$work/old.json" |
		holds 'd["comparisons"][0]["events"][0]["method"] == "exact"' \
			'd["comparisons"][0]["events"][0]["change"] == 0'
}

@test "says what limits a comparison" {
	# Intervals are explained where they are shown.
	echo '{"source": "model", "sampled": {}, "metrics": [], "events": [{"name": "CPU_CYCLES",
		"count": 100, "interval": [90, 110], "units": "events"}]}' >sampled.json
	plumb diff sampled.json sampled.json >out
	lacks -F 'LOW..HIGH' <out
	plumb diff -v sampled.json sampled.json | grep -qF '"LOW..HIGH" is'
	counts perf 1 >a.json
	counts perf 2 >b.json
	plumb diff a.json b.json >text
	grep -q '+100.0 % *1 *2 *unknown *E' text
	grep -q '"unknown": a side has one run' text
	counts model 2 | sed 's/"N1"/"N3"/' >c.json
	plumb diff a.json c.json >text
	grep -q 'The sources differ: perf and model' text
	grep -q 'The CPUs differ: N1 and N3' text
	counts perf 1 2 3 >a.json
	counts perf 4 5 6 >b.json
	plumb diff a.json b.json | grep -q '4 runs of each'
	counts perf 1 | sed 's/"E"/"F"/' >c.json
	run --separate-stderr plumb diff a.json c.json
	[ "$status" -eq 2 ]
	said "plumb: a.json and c.json have nothing in common"
}

@test "an exact event that happens for the first time since a baseline counts as new" {
	need_model
	plumb diff --write-baseline baseline.json "$work/old.exact"
	sed '/"IMP_STALL_BACKEND_MCQ": {/,/},/d' baseline.json >without.json
	[ "$(wc -l <without.json)" -lt "$(wc -l <baseline.json)" ]
	plumb diff --json --baseline without.json "$work/old.exact" |
		holds '[(e["before"], e["after"] > 0) for e in d["comparisons"][0]["events"]
			if e["name"] == "IMP_STALL_BACKEND_MCQ"] == [(0, True)]'
	run plumb diff --baseline without.json --fail-above IMP_STALL_BACKEND_MCQ:5% "$work/old.exact"
	[ "$status" -eq 4 ]
	grep -q 'IMP_STALL_BACKEND_MCQ new' <<<"$output"
}

@test "the gate of doc/ci.md: a baseline, limits, and what CI systems read" {
	need_model
	plumb diff --write-baseline baseline.json "$work/old.json"
	# Small and stable: the same again, and without times and paths.
	same_environment stat --source model --json -o again.json "$work/old" >/dev/null
	plumb diff --write-baseline again.baseline again.json
	cmp baseline.json again.baseline
	lacks -F "$work" <baseline.json
	[ "$(wc -c <baseline.json)" -lt 30000 ]
	run plumb diff --baseline baseline.json --fail-above cycles:2% again.json
	[ "$status" -eq 0 ]
	grep -q '^  above cycles:2% passed: CPU_CYCLES same (exact)$' <<<"$output"
	run plumb diff --baseline baseline.json --fail-above cycles:2% --fail-below ipc:50% \
		--markdown gate.md --junit gate.xml --otava gate.csv --commit abc "$work/new.json"
	[ "$status" -eq 4 ]
	grep -q '^  above cycles:2% failed: CPU_CYCLES +' <<<"$output"
	grep -q '^  below ipc:50% passed: ipc ' <<<"$output"
	grep -q '^### CPU' gate.md
	/usr/bin/python3 - gate.xml gate.csv "$work/new.json" <<-'END'
		import csv
		import datetime
		import json
		import sys
		import xml.etree.ElementTree as tree
		root = tree.parse(sys.argv[1]).getroot()
		assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "2", "1")
		suite, = root.findall("testsuite")
		cases = suite.findall("testcase")
		assert [c.get("name") for c in cases] == ["above cycles:2%", "below ipc:50%"]
		assert [len(c.findall("failure")) for c in cases] == [1, 0]
		assert "CPU_CYCLES" in cases[0].find("failure").get("message")
		# As Otava reads it: each row as long as the headings, the time and floats.
		with open(sys.argv[2], newline="") as file:
		    headings, row = csv.reader(file, delimiter=",", quotechar='"')
		assert headings[:2] == ["time", "commit"] and row[1] == "abc"
		datetime.datetime.strptime(row[0], "%Y-%m-%d %H:%M:%S %z")
		assert len(row) == len(headings) == len(set(headings))
		values = dict(zip(headings[2:], map(float, row[2:])))
		counts = {e["name"]: e["count"] for e in json.load(open(sys.argv[3]))["events"]}
		assert values["CPU_CYCLES"] == counts["CPU_CYCLES"]
	END
	# By function, from exact profiles.
	plumb diff --write-baseline functions.json "$work/old.exact"
	run plumb diff --baseline functions.json --fail-above 'slots@parse_line:5%' "$work/new.exact"
	[ "$status" -eq 4 ]
	grep -q 'failed: parse_line by slots +' <<<"$output"
	run plumb diff --baseline functions.json --fail-above 'slots@*:5%' "$work/old.exact"
	[ "$status" -eq 0 ]
	# A baseline is rounded: equal counts are within every limit.
	run plumb diff --baseline baseline.json --fail-above backend_bound:0 --fail-below ipc:0 \
		--fail-above ipc:0 --fail-below backend_bound:0 again.json
	[ "$status" -eq 0 ]
	plumb diff --json --baseline baseline.json again.json | holds \
		"not [m for m in d['comparisons'][0]['metrics'] if m['change']]"
	# A name that matches nothing passes no gate.
	run --separate-stderr plumb diff -S no_such --fail-above cycles:2% "$work/old.exact" \
		"$work/new.exact"
	[ "$status" -eq 2 ]
	said "plumb: $work/new.exact: no samples match"
	# A failed gate leaves the baseline alone.
	cp baseline.json kept.json
	run plumb diff --baseline baseline.json --fail-above cycles:2% \
		--write-baseline kept.json "$work/new.json"
	[ "$status" -eq 4 ]
	cmp baseline.json kept.json
}

@test "a gate fails without anything to compare, and refuses other CPUs" {
	counts perf 1 >a.json
	counts perf 1 >b.json
	run plumb diff --fail-above cycles:2% a.json b.json
	[ "$status" -eq 4 ]
	grep -q 'above cycles:2% failed: there is nothing to compare' <<<"$output"
	counts perf 1 | sed 's/"N1"/"N3"/' >c.json
	run --separate-stderr plumb diff --fail-above E:2% a.json c.json
	[ "$status" -eq 2 ]
	said "plumb: the gate requires the same CPU: a.json has N1, c.json has N3"
	# What may be noise passes, what cannot be told fails.
	counts perf 10 11 12 13 >a.json
	counts perf 11 14 13 12 >b.json
	run plumb diff --fail-above E:2% a.json b.json
	[ "$status" -eq 0 ]
	grep -q 'above E:2% passed, for this may be noise' <<<"$output"
	counts perf 10 >a.json
	counts perf 11 >b.json
	run plumb diff --fail-above E:2% a.json b.json
	[ "$status" -eq 4 ]
}

@test "an exact profile: a cause that only one side has, and a copy of a function" {
	need_model
	cat >count.c <<-'END'
		unsigned long count(unsigned long x, unsigned long n) __asm__("count.constprop.0");
		__attribute__((noinline)) unsigned long count(unsigned long x, unsigned long n)
		{
			for (unsigned long i = 0; i < n; i++)
		#ifdef SLOW
				x = x / (i | 1) + n;
		#else
				__asm__ volatile("" : "+r"(x));
		#endif
			return x;
		}
		int main(int argc, char **argv)
		{
			return argv && count((unsigned long)argc, 100000) == 7;
		}
	END
	aarch64-linux-gnu-gcc -g -O2 -static -o fast count.c
	aarch64-linux-gnu-gcc -g -O2 -static -DSLOW -o slow count.c
	plumb record --source model --exact -q -o fast.data ./fast
	plumb record --source model --exact -q -o slow.data ./slow
	run plumb diff --fail-above slots@count:5% --fail-above slots@coun:5% fast.data slow.data
	[ "$status" -eq 4 ]
	grep -q 'in count.constprop.0, backend_' <<<"${lines[0]}"
	grep -q 'above slots@count:5% failed: count.constprop.0 by slots +' <<<"$output"
	grep -q 'above slots@coun:5% failed: there is nothing to compare' <<<"$output"
	# What an exact profile could have and does not have is 0; a name it does not know is no event.
	run plumb diff --fail-above L1D_CACHE_INVAL:0 --fail-above L1D_CACHE_INVAL@count:0 \
		--fail-above L1D_CACHE_INVAL@coun:0 --fail-above L1D_CACHE_INVALID:0 fast.data slow.data
	[ "$status" -eq 4 ]
	grep -q 'above L1D_CACHE_INVAL:0 passed: it happened on neither side' <<<"$output"
	grep -q 'above L1D_CACHE_INVAL@count:0 passed: it happened on neither side' <<<"$output"
	grep -q 'above L1D_CACHE_INVAL@coun:0 failed: there is nothing to compare' <<<"$output"
	grep -q 'above L1D_CACHE_INVALID:0 failed: there is nothing to compare' <<<"$output"
	plumb diff --write-baseline fast.json fast.data
	plumb diff --fail-above L1D_CACHE_INVAL:0 --baseline fast.json fast.data >seen
	grep -q 'above L1D_CACHE_INVAL:0 passed: it happened on neither side' seen
}

@test "hostile names stay text in every format" {
	name='<b>|`&\"]]>\u001b[31m\u202e'
	counts model 1 | sed "s/\"E\"/\"${name//[&\\]/\\&}\"/" >a.json
	counts model 2 | sed "s/\"E\"/\"${name//[&\\]/\\&}\"/" >b.json
	plumb diff --fail-above E:1 --markdown m.md --junit j.xml --otava o.csv a.json b.json >text ||
		[ $? -eq 4 ]
	for file in text m.md j.xml o.csv; do
		lacks -P '\x1b|\xe2\x80\xae' <"$file"
	done
	lacks -F '<b>' <m.md
	/usr/bin/python3 -c '
import sys, xml.etree.ElementTree as tree
tree.parse(sys.argv[1])' j.xml
}

@test "-s, --compute, --order, --limit, --csv" {
	need_model
	plumb diff -s dso --json "$work/old.exact" "$work/new.exact" |
		holds 'all(c["name"] in ("old", "new") for c in d["comparisons"][0]["functions"])' \
			'd["comparisons"][0]["lines"] == []'
	plumb diff -v -c ratio "$work/old.json" "$work/new.json" | grep -Eq '^ *x1\.[0-9]{3} .* CPU_CYCLES$'
	[ "$(plumb diff --limit 2 "$work/old.json" "$work/new.json" | grep -c exact)" -eq 5 ]
	plumb diff -v --order name "$work/old.json" "$work/new.json" |
		sed -n '/^Events/,/^$/p' | awk 'NR > 2 && NF { print $NF }' >names
	LC_ALL=C sort -c names
	plumb diff --csv "$work/old.json" "$work/new.json" >diff.csv
	[ "$(head -1 diff.csv)" = "compared,view,name,in,by,unit,before,after,change,relative,method,p,adjusted_p,effect,low,high,real,before_at_most,after_at_most" ]
	grep -q ',events,CPU_CYCLES,,,events,' diff.csv
}

@test "bad options and bad input" {
	counts perf 1 >a.json
	echo '{"events": [' >bad.json
	echo text >text
	check()
	{
		run --separate-stderr plumb diff "${@:2}"
		[ "$status" -eq 2 ]
		[[ $stderr == *"plumb: $1"* ]] || { echo "$stderr" && return 1; }
	}
	check "missing files to compare: there is no perf.data.old here"
	check "missing second file to compare" a.json
	check "missing file to compare with the baseline" --baseline a.json
	check "cannot read none.json: No such file or directory" a.json none.json
	check "bad.json: line 2: malformed JSON" a.json bad.json
	check "text: " a.json text
	check "--fail-above: malformed limit 'cycles'" --fail-above cycles a.json a.json
	check "unknown key 'symbl'" -s symbl a.json a.json
	check "invalid value '101' for --percent-limit"$'\n'"       use a number from 0 to 100" \
		--percent-limit 101 a.json a.json
	check "--markdown and --junit cannot both write x" --markdown x --junit x a.json a.json
	check "--markdown and --html cannot both write x" --markdown x --html x a.json a.json
	check "--markdown and --html cannot both write x" --markdown x --html ./x a.json a.json
	mkdir folder
	ln -s folder/y link
	check "--output and --junit cannot both write folder/../x" -o folder/../x --junit x a.json a.json
	check "--markdown and --html cannot both write link" --markdown link --html folder/y a.json a.json
	check "--markdown - and --json cannot both write standard output"$'\n'"       use -o FILE for one of them" \
		--markdown - --json a.json a.json
	check "--junit - and --field-separator cannot both write standard output" \
		--junit - -t : a.json a.json
	check "missing second file to compare" --write-baseline b.json --fail-above E:1% a.json
	[ ! -e b.json ]
	check "missing second file to compare" --write-baseline b.json --junit x a.json
	plumb diff --markdown - --json -o both.json a.json a.json | grep -q '^#'
	json 'd["comparisons"]' <both.json
	check "--commit requires --otava" --commit x a.json a.json
	check "--json and --csv cannot be combined" --json --csv a.json a.json
	if [ -e "$work/modelled" ]; then
		head -c 20000 "$work/new.exact" >cut.data
		check "cut.data: this recording is incomplete, so it cannot be compared" \
			"$work/old.exact" cut.data
	fi
	mkdir empty
	check "a.json,,a.json: a name is missing beside a comma" a.json a.json,,a.json
	check "a.json,: a name is missing beside a comma" a.json, a.json
	check "/dev/null: the file is empty" a.json /dev/null
	mkdir lost
	cp a.json lost
	: >lost/notes
	plumb diff a.json lost >/dev/null
	: >lost/counts.json
	check "lost/counts.json: the file is empty" a.json lost
	check "empty: neither counts nor recordings are in it" a.json empty
	check "refusing to write a.json: it is the input" -o a.json a.json a.json
}
