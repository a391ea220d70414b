# SPDX-License-Identifier: Apache-2.0
# plumb explore: what it prints and keeps, and the command that it leads to.

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

@test "what a root loses in cycles that were partly used is said, and is no finding's" {
	printf '%s\n' 'volatile long z;' \
		'int main(void) { for (long i = 0; i < 200000; i++) z++; }' >spin.c
	"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -g -O1 -static -o spin spin.c
	plumb explore --source model -o spun ./spin 2>text
	# By the counts: what the root loses, less the cycles in which the backend stalled.
	/usr/bin/python3 - "$work/results" spun <<-'END' | tee expected
		import json, sys
		for folder in sys.argv[1:]:
		    found, counts = (json.load(open(f"{folder}/{n}.json")) for n in ("findings", "counts"))
		    count = {e["name"]: e["count"] for e in counts["events"]}
		    expected = {}
		    for root, event in (("frontend_bound", "STALL_FRONTEND"), ("backend_bound", "STALL_BACKEND")):
		        lost = next(m["value"] for m in counts["metrics"] if m["name"] == root and m["level"] == 1)
		        stalled = 100 * count[event] / count["CPU_CYCLES"]
		        if stalled >= lost / 2 and lost - stalled >= found["least"]:
		            expected[root] = lost - stalled
		    said = {u["node"]: u["slots"] for u in found["undivided"]}
		    assert said.keys() == expected.keys(), (said, expected)
		    assert all(abs(said[n] - expected[n]) < 1e-6 for n in said), (said, expected)
		left, first = found["undivided"][0], found["findings"][0]
		assert left["finding"] == 1 and left["slots"] > 20, left
		# The only cause, and what is beside it, are all that the root loses.
		print(f"{left['slots']:.0f} % more of the slots: backend_bound, in cycles that were partly used, "
		      "which the tree does not divide among causes. If finding 1 is behind them, too, "
		      f"up to {left['slots'] + first['slots']:.0f} % could be won.")
	END
	tr -s ' \n' ' ' <text | grep -qF "$(cat expected)"
	plumb explore spun | tr -s ' \n' ' ' | grep -qF "$(cat expected)"
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
	tr -s ' \n' ' ' <said | grep -q ' Ruled out, unless the tie hides them, with less than 5 % of the slots: '
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
	# Without the recording, the program runs again: with its input, and even if it fails.
	cd "$BATS_TEST_TMPDIR"
	echo x >"an input"
	COLUMNS=300 run -7 plumb explore --source model --seed 3 "$work/status" <"an input"
	command=$(sed -n 's/^   More   //p' <<<"$output" | head -n 1)
	[[ $command == "plumb record --exact --source model --seed 3 -- $work/status < '$PWD/an input' ; plumb "* ]]
	run bash -c "PATH=${PLUMB%/*}:\$PATH; $command"
	[ "$status" -eq 0 ]
	grep -q 'counted exactly by the model' <<<"$output"
	# Samples of events have call chains, where these tell who called.
	COLUMNS=80 plumb explore --source model --sampled "$work/status" 2>text || true
	sed -n '/^   More/,/^$/p' text >suggested
	grep -q 'plumb record -e [^,]*/ ' suggested
	[ "$(too_wide 80 <suggested | grep -cvF "$work")" -eq 0 ]
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

@test "a full disk for temporary files is named" {
	mkdir small
	run unshare -Urm true
	[ "$status" -eq 0 ] || skip "no file systems of one's own here"
	# shellcheck disable=SC2016 # for the shell inside
	run unshare -Urm sh -c 'mount -t tmpfs -o size=64k none small &&
		TMPDIR=$PWD/small "$@"' sh "$PLUMB" explore --source model "$work/columns"
	[ "$status" -eq 2 ]
	grep -qF "$PWD/small: the temporary recording could not be completed" <<<"$output"
	[[ $output != *'is kept'* ]]
}
