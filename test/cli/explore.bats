# SPDX-License-Identifier: Apache-2.0
# plumb explore: what it prints and keeps, what it refuses, and what a hostile folder can do.

# shellcheck disable=SC2154 # status, output and stderr are set elsewhere

load lib.bash

setup_file()
{
	local compiler=aarch64-linux-gnu-gcc

	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	export work=$BATS_FILE_TMPDIR
	command -v "$compiler" >/dev/null || return 0
	# shellcheck disable=SC2154 # by lib.bash
	cp "$here"/../explored/{column_major,divisions,useful}.c "$work"
	"$compiler" -g -O2 -static -o "$work/columns" "$work/column_major.c"
	"$compiler" -g -O2 -static -o "$work/divisions" "$work/divisions.c"
	"$compiler" -g -O2 -static -o "$work/useful" "$work/useful.c"
	printf '%s\n' 'int main(int count, char **words) { return count == 1 ? 7 : words[1][0]; }' \
		>"$work/status.c"
	"$compiler" -static -o "$work/status" "$work/status.c"
	printf '%s\n' '#include <unistd.h>' \
		'int main(void) { write(2, "ready\n", 6); for (volatile long i = 0;; i++); }' \
		>"$work/forever.c"
	"$compiler" -static -g -o "$work/forever" "$work/forever.c"
	engine_path >/dev/null || return 0
	plumb explore --source model -o "$work/results" "$work/columns" 2>"$work/text"
}

setup()
{
	[ -x "$work/forever" ] || skip "no compiler for AArch64"
	engine_path >/dev/null || skip "no engine"
	cd "$BATS_TEST_TMPDIR" || return
}

@test "says where the time goes, and why, in lines that fit" {
	COLUMNS=80 run plumb explore "$work/results"
	[ "$status" -eq 0 ]
	# The line wraps where the folder's name is long.
	tr -s ' \n' ' ' <<<"$output" |
		grep -q "^$work/columns on Neoverse N3 (model): [0-9.]* [um]s of model time "
	grep -q '^1\. [67][0-9] % of the slots: backend_cache_l2d_bound: data from memory$' \
		<<<"$output"
	grep -q '^   Time   [0-9.]* [mu]s of [0-9.]* [mu]s$' <<<"$output"
	grep -q '^   Where  column_major.c:20, in add_up: 9[0-9]\.[0-9] % of the stalled cycles, exactly$' \
		<<<"$output"
	grep -qF '          20  sum += matrix[row * 517 % ROWS][column * 8]; /* guilty */' <<<"$output"
	grep -q '^   Data   matrix (16.5 MiB): ' <<<"$output"
	grep -q '^   Means  ' <<<"$output"
	grep -q '^   Helps  ' <<<"$output"
	grep -qF "   More   plumb annotate -i $work/results/perf.data add_up" <<<"$output" ||
		grep -qF "add_up" <<<"$output"
	[ "$(too_wide 80 <<<"$output" | grep -cvF "$work")" -eq 0 ]
}

@test "what was ruled out is named: all nodes that were met, and have too little" {
	plumb explore "$work/results" | tr -s ' \n' ' ' >joined
	grep -q ' Ruled out, with less than 5 % of the slots: [a-z0-9_]* \([0-4]\.[0-9]\|5\.0\) %, ' joined
	# By the counts: each node of the tree, from the losses at the top on, while they have 5 %.
	/usr/bin/python3 - "$work/results" <<-'END'
		import json, sys
		found, counts = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("findings", "counts"))
		nodes = {m["name"]: m for m in counts["metrics"] if m["level"]}
		out = {}
		def walk(parent):
		    for name, m in nodes.items():
		        if (m["parent"] if m["level"] > 1 else None) != parent or name.endswith("retiring"):
		            continue
		        if m["slots"] is None or m["slots"] < found["least"]:
		            out[name] = m["slots"]
		        else:
		            walk(name)
		walk(None)
		said = {r["node"]: r["slots"] for r in found["ruled_out"]}
		assert said.keys() == out.keys() and len(said) > 3, (said, out)
		assert all(abs(said[n] - out[n]) < 1e-6 for n in out), (said, out)
		first = found["findings"][0]
		assert abs(first["seconds"] - first["slots"] / 100 * found["seconds"]) < 1e-12
	END
}

@test "a folder shows the same again, without the program, its source and the recording" {
	cp -r "$work/results" copy
	rm copy/perf.data
	plumb explore copy >again
	# What was printed begins with which source was chosen; the folder has another name.
	sed "s,$work/results,copy," "$work/text" | tr -s ' \\\n' ' ' >before
	tr -s ' \\\n' ' ' <again >after
	cmp before after
	mv "$work/column_major.c" "$work/hidden.c"
	plumb explore copy >third
	mv "$work/hidden.c" "$work/column_major.c"
	cmp again third
}

@test "--json prints what the folder keeps" {
	plumb explore --json "$work/results" >out
	cmp out "$work/results/findings.json"
	json 'd["format"] == 1 and d["source"] == "model" and d["verdict"] == "loss" and d["runs"] == 1' <out
	json 'd["findings"][0]["slots"] >= d["findings"][-1]["slots"]' <out
	json 'd["findings"][0]["lines"]["exact"] and d["findings"][0]["lines"]["places"][0]["interval"] is None' <out
	json 'not d["findings"][0]["data"]["exact"] and len(d["findings"][0]["data"]["places"][0]["interval"]) == 2' <out
	json 'd["findings"][0]["view"] == "function"' <out
	# Losses and work are parts of all slots.
	json 'sum(f["slots"] for f in d["findings"]) + d["work"] < 101' <out
}

@test "the folder's counts and recording are those of stat and record" {
	# Here, because the environment is a part of the program's stack.
	plumb explore --source model -o again "$work/columns"
	plumb stat --source model --json -o stat.json "$work/columns"
	/usr/bin/python3 - stat.json again/counts.json <<-'END'
		import json, sys
		one, two = ({e["name"]: e["count"] for e in json.load(open(p))["events"]} for p in sys.argv[1:])
		assert one == two and len(one) > 50
	END
	# The exact profile is the same as without counts and SPE.
	plumb record -q --source model --exact -o exact.data "$work/columns"
	for recording in exact.data again/perf.data; do
		plumb annotate -i "$recording" --json add_up |
			/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["functions"])' |
			sed "s,$recording,,g"
	done >both
	[ "$(sort -u both | wc -l)" -eq 1 ]
	# The SPE records are there, too.
	plumb script -i again/perf.data 2>/dev/null | grep -q ' l1d-access: '
}

@test "counts by interval are kept as stat -I has them, and say when a loss is" {
	local compiler=aarch64-linux-gnu-gcc

	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	# Work, then a walk through memory, then work again.
	cat >phases.c <<-'END'
		static void *places[1 << 20];
		static void work(void)
		{
		    for (volatile long i = 0; i < 3000000; i++)
		        ;
		}
		int main(void)
		{
		    unsigned at = 0;
		    void **walk;
		    for (int i = 0; i < 1 << 20; i++) {
		        unsigned next = (at * 1664525u + 1013904223u) % (1 << 20);
		        places[at] = &places[next];
		        at = next;
		    }
		    work();
		    walk = places[0];
		    for (int i = 0; i < 100000; i++)
		        walk = *walk;
		    work();
		    return walk == 0;
		}
	END
	"$compiler" -g -O1 -static -o phases phases.c
	plumb explore --source model -o out ./phases 2>said
	plumb stat --source model -I 1 --json -o stat.json ./phases
	/usr/bin/python3 - stat.json out <<-'END'
		import json, sys
		def objects(path):
		    text, at, decoder = open(path, encoding="utf-8").read(), 0, json.JSONDecoder()
		    while text[at:].strip():
		        found, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
		        yield found
		kept, stat = list(objects(sys.argv[2] + "/intervals.json")), list(objects(sys.argv[1]))
		assert len(kept) > 8, len(kept)
		events = lambda of: {e["name"]: e["count"] for e in of["events"]}
		metrics = lambda of: {m["name"]: m["slots"] for m in of["metrics"]}
		# Neighbours are joined if there are many, so compare what ends at the same time.
		stat = [s for s in stat if not s.get("summary")]
		for one in kept:
		    parts = [s for s in stat if one["time"] - one["elapsed_seconds"] + 1e-9 < s["time"] < one["time"] + 1e-9]
		    assert parts and abs(parts[-1]["time"] - one["time"]) < 1e-9, one["time"]
		    for name, count in events(one).items():
		        assert count == sum(events(p)[name] for p in parts), (one["time"], name)
		whole = events(json.load(open(sys.argv[2] + "/counts.json")))
		assert all(sum(events(k)[name] for k in kept) == count for name, count in whole.items())
		# The walk is where most of its node is.
		findings = json.load(open(sys.argv[2] + "/findings.json"))["findings"]
		[walk] = [f for f in findings if f["node"] == "backend_cache_l2d_bound"]
		[[begin, end]] = walk["when"]["ranges"]
		for one in kept:
		    inside = begin + 1e-9 < one["time"] < end + 1e-9
		    assert ((metrics(one)[walk["node"]] or 0) > 30) == inside, (one["time"], begin, end)
		assert 0 < begin < end < kept[-1]["time"] and walk["when"]["slots"] > 60 > 5 > walk["when"]["elsewhere"]
	END
	grep -q '^   When   from [0-9.]* ms to [0-9.]* ms: [6-9][0-9] % of the slots there, [0-9] % in the' said
	grep -q '^   When   from [0-9.]* ms to [0-9.]* ms and from [0-9.]* ms on: ' said
	grep -q '^   When   until [0-9.]* ms: ' said
	# Of a core whose tree ends at its root, several findings have one node, whose course is none of theirs.
	plumb explore --source model --cpu neoverse-n1 --json --log-fd 3 ./phases 3>n1.json
	json 'len({f["node"] for f in d["findings"]}) == 1 < len(d["findings"])' <n1.json
	json 'not any(f["when"] for f in d["findings"])' <n1.json
	# The other program ends before there are intervals to compare.
	json 'd["findings"][0]["when"] is None and d["seconds"] < 0.004' <"$work/results/findings.json"
}

@test "functions without source are shown with the lines that called them" {
	local compiler=aarch64-linux-gnu-gcc

	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	cat >concat.c <<-'END'
		#include <string.h>
		static char report[200000];
		static void append(const char *text)
		{
		    strcat(report, text); /* guilty */
		}
		int main(void)
		{
		    for (int i = 0; i < 5000; i++)
		        append("item; ");
		    return strlen(report) != 30000;
		}
	END
	"$compiler" -g -O1 -fno-inline -fno-builtin -static -o concat concat.c
	plumb explore --source model -o out ./concat 2>text
	tr -s ' \n' ' ' <text >joined
	grep -q ' Called concat.c:5, in append: 9[0-9]\.[0-9] % of the lost slots, exactly 5 strcat(report, text); /\* guilty \*/ ' joined
	plumb explore out | tr -s ' \n' ' ' | grep -q ' Called concat.c:5, in append: '
	json 'd["findings"][0]["callers"]["places"][0]["line"] == 5' <out/findings.json
	# Where the lines are known, they suffice.
	lacks 'Called' <"$work/text"
	# Headers of the toolchain are not the program's own source: inlined, or called.
	mkdir -p include/c++/1
	cat >include/c++/1/box.h <<-'END'
		static inline unsigned divide(unsigned a, unsigned b) { return a / b; }
		static __attribute__((noinline)) unsigned all(unsigned sum)
		{
		    for (unsigned i = 1; i < 30000; i++)
		        sum = divide(0xffffffff - sum, i);
		    return sum;
		}
	END
	cat >boxes.c <<-'END'
		#include "box.h"
		int main(int count, char **words)
		{
		    unsigned sum = (unsigned)count;
		    for (unsigned i = 1; i < 30000; i++)
		        sum = divide(0xffffffff - sum, i); /* inlined */
		    sum = all(sum); /* called */
		    return sum == 1 && words;
		}
	END
	"$compiler" -g -O1 -I"$PWD/include/c++/1" -static -o boxes boxes.c
	plumb explore --source model --json ./boxes 2>boxes.json
	json '{p["line"]: p["share"] > 30 for p in d["findings"][0]["callers"]["places"][:2]} == {6: True, 7: True}' <boxes.json
	plumb explore --source model ./boxes 2>&1 | tr -s ' \n' ' ' | grep -q ' Where box.h:1, in divide: .* Called boxes.c:[67], in main: '
}

@test "a system library's source is not the program's own, and long names lose template arguments" {
	command -v aarch64-linux-gnu-g++ >/dev/null || skip "no C++ compiler for AArch64"
	mkdir -p usr/lib
	cat >sum.cc <<-'END'
		#include "sum.h"
		unsigned sum(unsigned from)
		{
		    for (unsigned i = 1; i < 30000; i++)
		        from = (0xffffffff - from) / i;
		    return from;
		}
	END
	cat >sum.h <<-'END'
		template <class First, class Second> struct pair_of {};
		unsigned sum(unsigned from);
	END
	cat >main.cc <<-'END'
		#include "sum.h"
		template <class Kind> __attribute__((noinline)) unsigned twice(unsigned from)
		{
		    return sum(sum(from)) + sizeof(Kind); /* guilty */
		}
		int main(int count, char **)
		{
		    return twice<pair_of<pair_of<int, unsigned long>, pair_of<long, double>>>(count) == 7;
		}
	END
	aarch64-linux-gnu-g++ -g -O1 -fPIC -shared -o usr/lib/libsum.so sum.cc
	aarch64-linux-gnu-g++ -g -O1 -o main main.cc usr/lib/libsum.so -Wl,-rpath,"$PWD/usr/lib"
	plumb explore --source model -o out ./main 2>text
	tr -s ' \n' ' ' <text >joined
	grep -q ' Where sum.cc:5, in sum: .* Called main.cc:4, in twice<…>: 9[0-9]\.[0-9] % of the ' joined
	COLUMNS=200 plumb explore -v out | grep -q 'Called main.cc:4, in twice<pair_of<pair_of<int, unsigned long>, pair_of<long, double> > >: '
}

@test "nothing to win: the work is where the recording's retired operations are" {
	run --separate-stderr plumb explore --source model -o out "$work/useful"
	[ "$status" -eq 0 ]
	grep -q '^Nothing to win here: 9[0-9] % retiring\.$' <<<"$stderr"
	lacks '^1\.' <<<"$stderr"
	grep -q '^   Where  useful.c:[0-9]*, in [a-z]*: [0-9.]* % of the retired operations, exactly$' \
		<<<"$stderr"
	plumb report -i out/perf.data -s symbol --json >report.json
	/usr/bin/python3 - <<-'END'
		import json
		work = json.load(open("out/findings.json"))["work_at"]["functions"]
		events = json.load(open("report.json"))["events"]
		[event] = [e for e in events if e["name"] == "exact/OP_RETIRED/"]
		rows = sorted(((r["share"], r["symbol"]) for r in event["rows"]), reverse=True)
		assert work["exact"] and work["basis"] == "retired operations", work
		for place, (share, name) in zip(work["places"], rows):
		    assert abs(place["share"] - share) < 1e-6, (place, share, name)
	END
	# The folder shows it again; of a file without it, nothing is said.
	plumb explore out | grep -q '^The slots are well used: to run faster, do less work\. Most of it is here:$'
	/usr/bin/python3 - <<-'END'
		import json
		found = json.load(open("out/findings.json"))
		del found["work_at"]
		json.dump(found, open("out/findings.json", "w"))
	END
	plumb explore out >text
	lacks 'do less work' <text
	# Where slots are lost, they are what helps.
	plumb explore "$work/results" >text
	lacks 'do less work' <text
}

@test "the operations that the core waits for are named, also in the folder" {
	plumb explore --source model -o out "$work/divisions" 2>text
	for shown in text <(plumb explore out); do
		tr -s ' \n' ' ' <"$shown" >joined
		grep -q '1\. [67][0-9] % of the slots: backend_core_rename_bound: waits for integer division Time [0-9.]* [mu]s of [0-9.]* [mu]s\(, throughout\)* Where divisions.c:17, in divide: ' joined
		grep -q ' Waits for integer division: [0-9.]* % of the stalled cycles, exactly ' joined
	done
	json 'd["findings"][0]["waits"]["places"][0]["name"] == "integer division" and d["findings"][0]["waits"]["exact"]' <out/findings.json
	# Data that comes late is no operation.
	json 'not any("waits" in f for f in d["findings"] if f["node"] == "backend_cache_l2d_bound")' <"$work/results/findings.json"
}

@test "limits that coincide are named" {
	local compiler=aarch64-linux-gnu-gcc

	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	# A loop whose chain takes as long as its two fetches, one in each of two lines.
	printf '%s\n' 'int main(void) { asm volatile("mov x1, 0xa120; movk x1, 7, lsl 16; .balign 64; .rept 14; nop; .endr;"' \
		'"1: fadd d0, d0, d1; subs x1, x1, 1; nop; b.ne 1b" ::: "x1", "v0", "cc"); return 0; }' >tie.c
	"$compiler" -O2 -static -o tie tie.c
	plumb explore --source model -o out ./tie 2>said
	grep -q '^   Tie    in about 9[0-9] % of the cycles, these take equally long: fetching code,' said
	plumb explore out | grep -q '^   Tie    in about 9[0-9] %'
	json 'd["diagnosis"]["ties"][0]["limits"] == ["fetch", "chain"]' <out/counts.json
	# The other program has one limit.
	json 'd["tie"] is None' <"$work/results/findings.json"
}

@test "wide characters without spaces fit in the lines" {
	mkdir wide
	/usr/bin/python3 - "$work/results/findings.json" >wide/findings.json <<-'END'
		import json, sys
		with open(sys.argv[1]) as file:
		    findings = json.load(file)
		findings["tie"] = "\u6f22\u5b57" * 60
		print(json.dumps(findings))
	END
	COLUMNS=80 plumb explore wide >text
	/usr/bin/python3 - <<-'END'
		import unicodedata
		with open("text", encoding="utf-8") as file:
		    lines = [line.rstrip("\n") for line in file if "\u6f22" in line]
		wide = [sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line) for line in lines]
		assert sum(line.count("\u6f22") for line in lines) == 60, lines
		assert len(wide) == 4 and max(wide) in (79, 80), wide
	END
}

@test "a long line of source with wide, combining and invalid characters is cut to fit" {
	local compiler=aarch64-linux-gnu-gcc

	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	/usr/bin/python3 - >long.c <<-'END'
		import sys
		mixed = "\u6f22e\u0301".encode() * 60 + b"\xff\xfe" * 40
		sys.stdout.buffer.write(b"int main(void) {\n/* " + mixed + b" */ for (volatile long i = 0; i < 100000; i++);"
		                        b" /* " + b"x" * 5000000 + b" */ return 0; }\n")
	END
	"$compiler" -g -O1 -static -o long long.c
	plumb explore --source model -o out ./long 2>/dev/null
	[ "$(wc -c <out/findings.json)" -lt 100000 ]
	COLUMNS=80 plumb explore out >text
	grep -q 'long.c:2, in main' text
	/usr/bin/python3 - <<-'END'
		import unicodedata
		with open("text", encoding="utf-8") as file:
		    [line] = {line.strip("\n") for line in file if "\u6f22" in line}
		wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in line)
		assert line.startswith(" " * 10 + "2  /* \u6f22e\u0301\u6f22"), line
		assert wide in (79, 80), wide
	END
}

@test "--sampled counts in one run, and samples in the next, with a period by the counts" {
	# Start-up is a part of this short run, and differs with what is on the stack.
	ln -s "$work/columns" .
	env -i "$PLUMB" explore --source model --sampled -v -o out --json ./columns 2>said
	grep -q '^plumb: sampling .*spe/load,period=[0-9]*/$' said
	json 'd["runs"] == 2 and not d["findings"][0]["lines"]["exact"]' <out/findings.json
	json 'd["findings"][0]["lines"]["samples"] > 10' <out/findings.json
	plumb explore out | grep -q 'Where  column_major.c:20, in add_up: [0-9.]* % ([0-9.]* to [0-9.]*) of the latency'
}

@test "the exit status is the program's, and the findings say that it failed" {
	run -7 plumb explore --source model -o out "$work/status"
	tr '\n' ' ' <<<"$output" | grep -q 'warning: .*status failed, with exit status 7: the findings are those of a failed run'
	json 'd["exit_status"] == 7 and d["signal"] is None and any("failed run" in w for w in d["warnings"])' <out/findings.json
	plumb explore out | tr '\n' ' ' | grep -q 'with exit status 7'
	run -120 plumb explore --source model -- "$work/status" x
	run -127 plumb explore ./nowhere
	run -3 plumb explore --source model --qemu /bin/true "$work/status"
}

@test "Ctrl-C prints what is known so far" {
	run /usr/bin/python3 "$here/explore_interrupted.py" "$PLUMB" "$work/forever" out
	[ "$status" -eq 0 ] || { echo "$output" && return 1; }
	json 'd["interrupted"] and d["findings"] is not None and d["seconds"] > 0' <out/findings.json
	plumb explore out | grep -q 'interrupted$'
}

@test "the command that shows more works" {
	cd "$work"
	command=$(COLUMNS=300 plumb explore results | sed -n 's/^   More   plumb //p' | head -n 1)
	# shellcheck disable=SC2086 # words
	run plumb $command
	[ "$status" -eq 0 ]
	grep -q add_up <<<"$output"
}

@test "options that cannot be combined" {
	run --separate-stderr plumb explore
	[ "$status" -eq 2 ]
	said "plumb: missing PROGRAM, DIR, --pid or --all-cpus" "       see plumb explore --help"
	run -2 --separate-stderr plumb explore -p 1 true
	said "plumb: --pid and --all-cpus cannot be combined with a program" \
		"       see plumb explore --help"
	run -2 --separate-stderr plumb explore -p 1 -a
	run -2 --separate-stderr plumb explore --source model -p 1
	run -2 --separate-stderr plumb explore --once --sampled "$work/status"
	run -2 --separate-stderr plumb explore --source model --timeout 10 "$work/status"
	grep -q '^plumb: --timeout requires --sampled' <<<"$stderr"
	run -2 --separate-stderr plumb explore --pid x
	mkdir results
	run -2 --separate-stderr plumb explore -o out results
	said "plumb: --output requires a program, but results is a folder" \
		"       show its findings without --output"
	: >results/findings.json
	run -2 --separate-stderr plumb explore results/findings.json
	said "plumb: results/findings.json: not a program" \
		"       name the folder to show its findings"
}

@test "-o refuses other folders, and files" {
	mkdir other
	echo precious >other/file
	run -2 --separate-stderr plumb explore --source model -o other "$work/status"
	said "plumb: other: has file, which is no result of plumb explore" \
		"       use a new folder, an empty one, or one with earlier results"
	[ "$(cat other/file)" = precious ]
	# A recording that somebody made there is not overwritten.
	mkdir own
	echo precious >own/perf.data
	run -2 plumb explore --source model -o own "$work/status"
	[ "$(cat own/perf.data)" = precious ]
	# Nor what a link leads to.
	mkdir linked
	echo precious >target
	ln -s ../target linked/findings.json
	run -2 plumb explore --source model -o linked "$work/status"
	[ "$(cat target)" = precious ]
	run -2 --separate-stderr plumb explore --source model -o "$work/status" "$work/status"
	said "plumb: $work/status: not a folder" "       -o names a folder for all results"
	run -2 plumb explore --source model -o nowhere/out "$work/status"
	# The program itself, in a folder of that name, is an input.
	mkdir input
	cp "$work/status" input/perf.data
	cp "$work/results/findings.json" input
	run -2 --separate-stderr plumb explore --source model -o input input/perf.data
	grep -q 'is the program' <<<"$stderr"
	cmp input/perf.data "$work/status"
}

@test "report, annotate, script and export read the recording in a folder of results" {
	for of in "report --no-children" annotate script "export --format folded"; do
		# shellcheck disable=SC2086 # words
		diff <(plumb $of -i "$work/results") <(plumb $of -i "$work/results/perf.data") ||
			false "$of"
		# shellcheck disable=SC2086
		[ "$(plumb $of -i "$work/results" | head -c 1000 | wc -c)" -gt 20 ]
	done
	mkdir alone
	cp "$work/results/findings.json" alone
	run -2 --separate-stderr plumb report -i alone
	grep -q 'alone/perf.data' <<<"$stderr"
}

@test "-o replaces earlier results" {
	plumb explore --source model -o out "$work/useful" 2>/dev/null
	run -7 plumb explore --source model -o out "$work/status"
	json 'd["exit_status"] == 7' <out/findings.json
	[ "$(echo out/*)" = "out/counts.json out/findings.json out/intervals.json out/perf.data" ]
	# What fails before it counts anything leaves nothing behind.
	run -3 plumb explore --source model --qemu /bin/true -o fails "$work/status"
	[ -z "$(ls fails)" ]
}

@test "a folder without findings" {
	mkdir empty
	run -2 --separate-stderr plumb explore empty
	said "plumb: empty: the folder is empty" \
		"       plumb explore -o DIR ./program makes a folder with results"
	mkdir other
	: >other/file
	run -2 --separate-stderr plumb explore other
	[ "${stderr%%$'\n'*}" = "plumb: other: has no findings.json, but file" ]
}

# damaged PYTHON: a folder whose findings are changed so.
damaged()
{
	rm -rf damaged
	mkdir damaged
	/usr/bin/python3 - "$work/results/findings.json" damaged/findings.json "$1" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		exec(sys.argv[3])
		json.dump(d, open(sys.argv[2], "w"))
	END
}

@test "damaged findings are refused, with the place" {
	damaged 'd["findings"][0]["slots"] = "many"'
	run -2 --separate-stderr plumb explore damaged
	[ "$stderr" = "plumb: damaged/findings.json: /findings/0/slots: not a number" ]
	damaged 'd["findings"][0]["lines"]["places"][0]["share"] = 1e300'
	run -2 --separate-stderr plumb explore damaged
	[ "$stderr" = "plumb: damaged/findings.json: /findings/0/lines/places/0/share: 1e+300 is out of range, which is 0 to 100.5" ]
	damaged 'd["findings"] *= 20'
	run -2 --separate-stderr plumb explore damaged
	grep -q '/findings: [0-9]* elements, at most 8 are supported$' <<<"$stderr"
	damaged 'd["ruled_out"][0]["slots"] = 1e300'
	run -2 --separate-stderr plumb explore damaged
	grep -q '^plumb: damaged/findings.json: /ruled_out/0/slots: 1e+300 is out of range' <<<"$stderr"
	damaged 'd["ruled_out"] *= 20'
	run -2 --separate-stderr plumb explore damaged
	grep -q '/ruled_out: [0-9]* elements, at most 32 are supported$' <<<"$stderr"
	# Files of earlier versions have none.
	damaged 'del d["ruled_out"], d["least"]'
	run -0 plumb explore damaged
	lacks 'Ruled out' <<<"$output"
	damaged 'd["recording"] = "../../etc/passwd"'
	run -2 --separate-stderr plumb explore damaged
	[ "$stderr" = 'plumb: damaged/findings.json: /recording: not "perf.data"' ]
	damaged 'd["format"] = 2'
	run -2 --separate-stderr plumb explore damaged
	grep -q 'format 2 is unsupported' <<<"$stderr"
	damaged 'd = []'
	run -2 --separate-stderr plumb explore damaged
	grep -q 'not a file of findings' <<<"$stderr"
	damaged 'del d["cpu"]'
	run -2 --separate-stderr plumb explore damaged
	[ "$stderr" = "plumb: damaged/findings.json: /cpu: missing member" ]
	# Every part of the file, cut off.
	for size in 0 1 100 1000 2000; do
		head -c "$size" "$work/results/findings.json" >damaged/findings.json
		run -2 --separate-stderr plumb explore damaged
		grep -q '^plumb: damaged/findings.json:[0-9]*:[0-9]*: ' <<<"$stderr" ||
			{ echo "$stderr" && return 1; }
	done
}

@test "a hostile folder gives clear errors, and nothing else" {
	mkdir hostile
	ln -s /etc/passwd hostile/findings.json
	run -2 --separate-stderr plumb explore hostile
	[ "$stderr" = "plumb: hostile/findings.json: a symbolic link" ]
	rm hostile/findings.json
	mkfifo hostile/findings.json
	run -2 --separate-stderr timeout 10 "$PLUMB" explore hostile
	[ "$stderr" = "plumb: hostile/findings.json: not a regular file" ]
	rm hostile/findings.json
	truncate -s 1T hostile/findings.json 2>/dev/null || truncate -s 1G hostile/findings.json
	run -2 --separate-stderr plumb explore hostile
	[ "$stderr" = "plumb: hostile/findings.json: larger than 4 MiB" ]
	/usr/bin/python3 -c 'print("[" * 1000000)' >hostile/findings.json
	run -2 --separate-stderr plumb explore hostile
	# Control characters in texts do not reach the terminal.
	damaged 'd["findings"][0]["brief"] = d["findings"][0]["lines"]["places"][0]["name"] = "\x1b[2J\x07" + "\u202e"; d["command"] = ["\x1b]0;x\x07"]; d["warnings"] = ["\x1b[31m"]; d["findings"][0]["functions"]["places"][0]["name"] = "\x1b[2J; rm -rf /"'
	plumb explore damaged >out
	lacks -P '[\x00-\x08\x0b-\x1f\x7f]' <out
	lacks -P '\xe2\x80\xae' <out
}

@test "a name cannot begin a line" {
	local name=$'./x\n1. 99 % of the slots: forged'

	ln -s "$work/useful" "$name"
	run --separate-stderr plumb explore --source model -o out "$name"
	[ "$status" -eq 0 ]
	grep -qF './x?1. 99 % of the slots: forged on Neoverse N3' <<<"$stderr"
	plumb explore out | lacks '^1\. 99'
}

@test "a page" {
	run plumb explore --html page.html "$work/results"
	if [ "$status" -ne 0 ]; then
		[[ $output == "plumb: this plumb was built without its page"* ]]
		skip "this plumb was built without its page"
	fi
	grep -q 'slots' <<<"$output"
	[ "$(head -n 1 page.html)" = '<!DOCTYPE html>' ]
	mkdir other
	cp "$work/results/findings.json" other
	run -0 --separate-stderr plumb explore --html less.html other
	output='' said "plumb: other/counts.json: missing; the page does without it" \
		"plumb: other/perf.data: missing; the page does without it"
	[ "$(wc -c <less.html)" -lt "$(wc -c <page.html)" ]
	# Without what the folder lacks, messages tell of the rest.
	cp "$work/results/"{counts.json,intervals.json,perf.data} other
	echo '{"metrics": [' >other/counts.json
	run --separate-stderr plumb explore --html less.html other
	[ "$status" -eq 0 ]
	[ "$stderr" = "plumb: other/counts.json: cannot be used; the page has no counts" ]
	rm other/counts.json other/perf.data
	mkfifo other/counts.json other/perf.data
	run -0 --separate-stderr timeout 60 "$PLUMB" explore --html less.html other
	output='' said "plumb: other/counts.json: not a readable file; the page does without it" \
		"plumb: other/perf.data: not a readable file; the page does without it"
	rm other/counts.json other/perf.data other/intervals.json
	plumb explore --html less.html other >text
	# Counts by interval come from the folder, and may be damaged or no file.
	cp "$work/results/intervals.json" other
	lacking=("plumb: other/counts.json: missing; the page does without it"
		"plumb: other/perf.data: missing; the page does without it")
	plumb explore --html more.html other >text
	[ "$(wc -c <less.html)" -lt "$(wc -c <more.html)" ]
	echo '{"time": 2} {"time": 1}' >other/intervals.json
	run -0 --separate-stderr plumb explore --html again.html other
	output='' said "${lacking[@]}" "plumb: other/intervals.json: object 2: its time is not after that of the interval before" \
		"plumb: other/intervals.json: cannot be used; the page has no counts by interval"
	rm other/intervals.json
	mkfifo other/intervals.json
	run -0 --separate-stderr timeout 60 "$PLUMB" explore --html again.html other
	output='' said "${lacking[@]}" "plumb: other/intervals.json: cannot be used; the page has no counts by interval"
	cmp again.html less.html
	run --separate-stderr plumb explore --source model --html no/page.html "$work/useful"
	[ "$status" -ne 0 ]
	[ "$stderr" = "plumb: cannot write no/page.html: No such file or directory" ]
}

@test "without the intervals of its page, the findings are printed even so" {
	printf '{"time": 1}\n{"ti' >in.json
	run -2 --separate-stderr plumb explore --source model --html page.html --intervals in.json "$work/status"
	grep -qx 'plumb: in.json: object 2: .*' <<<"$stderr"
	grep -q 'on Neoverse N3 (model): ' <<<"$stderr"
	[ ! -e page.html ]
}

@test "a page replaces no result, no program, and is not among what -o keeps" {
	cp -r "$work/results" kept
	run plumb explore --html page.html kept
	[ "$status" -eq 0 ] || skip "this plumb was built without its page"
	for file in findings.json counts.json intervals.json perf.data; do
		cp "kept/$file" before
		run --separate-stderr plumb explore --html "kept/$file" kept
		[ "$status" -eq 2 ]
		[ "${stderr_lines[0]}" = "plumb: refusing to write kept/$file: it is a result that is shown" ]
		cmp "kept/$file" before
		run --separate-stderr plumb explore --source model -o kept --html "kept/$file" "$work/useful"
		[ "$status" -eq 2 ]
		[ "${stderr_lines[0]}" = "plumb: kept/$file: the folder of -o has no other files than the results" ]
		cmp "kept/$file" before
	done
	# Nor does another file there, which would make the folder another one's.
	for command in "explore --html kept/page.html kept" "export --format folded -o ./kept/stacks kept"; do
		# shellcheck disable=SC2086
		run --separate-stderr plumb $command
		[ "$status" -eq 2 ]
		[[ ${stderr_lines[0]} == "plumb: refusing to write "*": the folder is for results of plumb explore alone" ]]
	done
	[ ! -e kept/page.html ] && [ ! -e kept/stacks ]
	cp "$work/useful" program
	run --separate-stderr plumb explore --source model --html program ./program
	[ "$status" -eq 2 ]
	[ "${stderr_lines[0]}" = "plumb: refusing to write program: it is the program" ]
	cmp program "$work/useful"
	for what in kept ./program; do
		run --separate-stderr plumb explore --source model --html - "$what"
		[ "$status" -eq 2 ]
		[ "$stderr" = "plumb: --html requires a file: standard output has the findings, or what the program prints" ]
		[ -z "$output" ]
	done
}
