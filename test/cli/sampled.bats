# SPDX-License-Identifier: Apache-2.0
# plumb stat --sampled: estimates from windows, beside what the whole model counts.

load lib.bash

setup_file()
{
	local compiler=aarch64-linux-gnu-gcc

	cd "$BATS_FILE_TMPDIR" || return
	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null && engine_path >/dev/null || return 0
	# Turns as many rounds as its argument says: three phases, with branches and misses at random.
	cat >phases.c <<-'END'
		#include <pthread.h>
		#include <stdint.h>
		#include <stdlib.h>

		static uint32_t table[1 << 18];
		static volatile uint32_t sink;

		static uint32_t turn(unsigned rounds)
		{
			uint32_t state = 1, sum = 0;

			for (unsigned i = 0; i < rounds; i++) {
				state = state * 1664525 + 1013904223;
				if (i / 50000 % 3 == 0)
					sum += table[state >> 14]++;
				else if (i / 50000 % 3 == 1)
					sum += state >> 31 ? sum >> 3 : state;
				else
					sum = sum * 3 + i;
			}
			return sum;
		}

		static void *thread(void *argument)
		{
			sink += turn(*(unsigned *)argument);
			return NULL;
		}

		int main(int count, char **arguments)
		{
			unsigned rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 100;
			pthread_t other;

			sink += turn(rounds);
			if (count > 2) {
				pthread_create(&other, NULL, thread, &rounds);
				pthread_join(other, NULL);
			}
			return 0;
		}
	END
	"$compiler" -g -O1 -static -pthread -o phases phases.c
	# The same loop all the time; then code for which each cache is cold.
	cat >steady.c <<-'END'
		#include <stdio.h>

		int main(void)
		{
			unsigned long state = 1;

			for (unsigned long i = 0; i < 4000000; i++)
				state = (state ^ i) * 3 + (state >> 7);
			return printf("%lu %f\n", state, (double)state) < 0;
		}
	END
	"$compiler" -O1 -static -o steady steady.c
	# Eleven instructions, as often as its argument says.
	cat >loop.c <<-'END'
		#include <stdlib.h>

		int main(int count, char **arguments)
		{
			unsigned long turns = count > 1 ? strtoul(arguments[1], NULL, 10) : 0, sum = 1;

			for (unsigned long i = 0; i < turns; i++)
				__asm__ volatile("add %0, %0, %1\n\teor %0, %0, %1, lsl 3\n\t"
						 "add %0, %0, 7\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop"
						 : "+r"(sum)
						 : "r"(i));
			return sum == 0;
		}
	END
	"$compiler" -O1 -static -o loop loop.c
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || return
	[ -e phases ] || skip "no compiler for AArch64, or no engine"
}

model()
{
	plumb stat --source model --cpu neoverse-n3 --no-progress "$@"
}

@test "sampled: the whole model's cycles lie within three times the error; instructions are exact" {
	model --json -o whole.json ./phases 1500000
	model --sampled=1 --json -o sampled.json ./phases 1500000
	/usr/bin/python3 - <<-'END'
		import json

		whole, sampled = (json.load(open(name)) for name in ("whole.json", "sampled.json"))
		exact = {e["name"]: e["count"] for e in whole["events"]}
		events = {e["name"]: e for e in sampled["events"]}
		assert "sampled" not in whole and "interval" not in whole["events"][0]
		about = sampled["sampled"]
		assert events["INST_RETIRED"]["count"] == exact["INST_RETIRED"] == about["instructions"]
		for end in events["INST_RETIRED"]["interval"]:
		    assert abs(end - exact["INST_RETIRED"]) < 1
		assert about["error_asked"] == 0.01 and about["confidence"] == 0.95
		assert about["modelled_instructions"] < about["instructions"] and about["windows"] > 100
		assert 0 <= about["instructions"] - about["estimated_instructions"] - 2000000 < 1000
		cycles = events["CPU_CYCLES"]
		low, high = cycles["interval"]
		half = (high - low) / 2
		assert 0 < half and abs(half / cycles["count"] - about["error"]) < 1e-4
		assert about["reached"] == (about["error"] <= 0.01)
		# 95 % of seeds are within the interval; this one, always the same, within three of them.
		assert abs(cycles["count"] - exact["CPU_CYCLES"]) < 3 * half, (cycles, exact["CPU_CYCLES"])
		for m, w in zip(sampled["metrics"], whole["metrics"]):
		    if m["interval"] and m["name"] in ("backend_bound", "bad_speculation", "retiring"):
		        low, high = m["interval"]
		        assert low <= m["value"] <= high
		        assert low - (high - low) <= w["value"] <= high + (high - low), (m, w)
		assert sampled["diagnosis"]["path"] == whole["diagnosis"]["path"]
		assert 100 < sampled["diagnosis"]["same"] <= sampled["diagnosis"]["redraws"] == 200
	END
}

@test "sampled: equal seeds give equal windows, others give others" {
	model --sampled --seed 1 --json -o one.json ./phases 1000000
	model --sampled --seed 1 --json -o again.json ./phases 1000000
	model --sampled --seed 2 --json -o two.json ./phases 1000000
	/usr/bin/python3 - <<-'END'
		import json

		one, again, two = (json.load(open(n + ".json"))["events"] for n in ("one", "again", "two"))
		assert one == again and one != two
	END
}

@test "sampled: far from windows, nothing is modelled; instructions are exact all the same" {
	model --json -o whole.json ./phases 6000000
	model --sampled=50 --json -o sampled.json ./phases 6000000
	/usr/bin/python3 - <<-'END'
		import json

		whole, sampled = (json.load(open(name)) for name in ("whole.json", "sampled.json"))
		exact, counts = ({e["name"]: e["count"] for e in d["events"]} for d in (whole, sampled))
		about = sampled["sampled"]
		assert counts["INST_RETIRED"] == exact["INST_RETIRED"]
		assert abs(counts["CPU_CYCLES"] - exact["CPU_CYCLES"]) < 0.1 * exact["CPU_CYCLES"]
		assert 0.5 < about["bare_instructions"] / about["instructions"] < 0.98
	END
}

@test "sampled: the core is warmed by accesses that QEMU does not report" {
	# One of 64 instructions reads, with SVE or without it.
	cat >vectors.c <<-'END'
		#include <stdlib.h>

		static double table[64];

		int main(int count, char **arguments)
		{
			unsigned long turns = strtoul(arguments[1], NULL, 10);

			for (unsigned long i = 0; i < turns; i++) {
				if (count > 2)
					__asm__ volatile(".arch_extension sve\n\tptrue p0.d\n\t"
							 "ld1d {z0.d}, p0/z, [%0]" ::"r"(table)
							 : "v0", "memory");
				else
					__asm__ volatile("nop\n\tldr d0, [%0]" ::"r"(table)
							 : "v0", "memory");
				__asm__ volatile(".rept 58\n\tnop\n\t.endr");
			}
			return 0;
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -o vectors vectors.c || gcc -O1 -static -o vectors vectors.c
	model --sampled=50 --json -o sve.json ./vectors 500000 sve
	model --sampled=50 --json -o plain.json ./vectors 500000
	/usr/bin/python3 - <<-'END'
		import json

		sve, plain = (json.load(open(name + ".json"))["sampled"] for name in ("sve", "plain"))
		assert sve["windows"] > 200 and sve["bare_instructions"] == 0, sve
		assert plain["bare_instructions"] > 2000000, plain
	END
}

@test "sampled: --max-instructions ends the run there, also far from windows" {
	local error

	model --sampled=off --max-instructions 12345678 --json -o whole.json ./phases 3000000
	for error in 2 50; do
		run --separate-stderr model --sampled=$error --max-instructions 12345678 --json \
			-o sampled.json ./phases 3000000
		[ "$status" -eq 0 ]
		# shellcheck disable=SC2154 # by run
		[ "$stderr" = "plumb: ended the program after 12345678 instructions" ]
		/usr/bin/python3 - <<-'END'
			import json

			whole, sampled = (json.load(open(n)) for n in ("whole.json", "sampled.json"))
			exact, counts = ({e["name"]: e["count"] for e in d["events"]} for d in (whole, sampled))
			assert counts["INST_RETIRED"] == exact["INST_RETIRED"] == 12345678
			assert sampled["sampled"]["windows"] > 100
			assert abs(counts["CPU_CYCLES"] / exact["CPU_CYCLES"] - 1) < 0.1
			assert abs(sampled["elapsed_seconds"] / whole["elapsed_seconds"] - 1) < 0.1
		END
	done
}

@test "sampled: text has the intervals, the error and how many draws agree" {
	model --sampled -o out ./phases 1000000
	grep -q "estimates, with their 95 % intervals" out
	[[ $(tr -s ' \n' ' ' <out) =~ sampled:\ [0-9,]+\ windows,\ [0-9,]+\ instructions\ \([0-9.]+\ %\)\ in\ detail\;\ cycles\ within\ [0-9.]+\ %\ at\ 95\ %\ confidence,\ asked\ for\ 2\ % ]]
	grep -q "of 200 random draws of the windows give this diagnosis" out
	grep -Eq "retiring +[0-9.]+ % +[0-9.]+\.\.[0-9.]+" out
	model --sampled=0.01 -o out ./phases 200000
	[[ $(tr -s ' \n' ' ' <out) =~ confidence,\ more\ than\ the\ 0.01\ %\ asked\ for\;\ --sampled=off\ counts\ everything ]]
}

@test "sampled: a short program is modelled as a whole, and is exact" {
	model --json -o whole.json ./phases 1000
	model --sampled --json -o sampled.json ./phases 1000
	/usr/bin/python3 - <<-'END'
		import json

		whole, sampled = (json.load(open(name)) for name in ("whole.json", "sampled.json"))
		assert [e["count"] for e in whole["events"]] == [e["count"] for e in sampled["events"]]
		assert sampled["sampled"]["error"] == 0 and sampled["sampled"]["windows"] == 0
		assert all(e["interval"] is None for e in sampled["events"])
	END
	model --sampled -o out ./phases 1000
	grep -q "sampled: nothing, because the program is short: all of it was modelled" out
}

@test "sampled: from its second thread on, a program is modelled as a whole" {
	model --json -o whole.json ./phases 400000 threads
	model --sampled --json -o sampled.json ./phases 400000 threads
	/usr/bin/python3 - <<-'END'
		import json

		whole, sampled = (json.load(open(name)) for name in ("whole.json", "sampled.json"))
		about = sampled["sampled"]
		assert about["threads"] and about["modelled_instructions"] > about["instructions"] / 2
		exact, counts = ({e["name"]: e["count"] for e in d["events"]} for d in (whole, sampled))
		assert abs(counts["INST_RETIRED"] - exact["INST_RETIRED"]) < 1e-3 * exact["INST_RETIRED"]
		assert abs(counts["CPU_CYCLES"] - exact["CPU_CYCLES"]) < 0.1 * exact["CPU_CYCLES"]
		assert 0 < about["estimated_instructions"] < about["instructions"] / 2
	END
}

@test "sampled: a program below a billion instructions has the same counts as with --sampled=off" {
	env -i PATH="$PATH" "$PLUMB" stat --source model --no-progress --json -o default.json ./phases 400000
	env -i PATH="$PATH" "$PLUMB" stat --source model --no-progress --json -o off.json --sampled=off ./phases 400000
	diff <(grep -v host_seconds default.json) <(grep -v host_seconds off.json)
	/usr/bin/python3 - <<-'END'
		import json

		whole = json.load(open("default.json"))
		assert "sampled" not in whole and "interval" not in whole["events"][0]
		# The same for a run that could have been sampled: its end comes just before.
		n = next(e["count"] for e in whole["events"] if e["name"] == "INST_RETIRED")
		open("before", "w").write(str(n + 1))
		open("within", "w").write(str(n // 2))
	END
	env -i PATH="$PATH" "$PLUMB" stat --source model --no-progress --json -o never.json \
		--sampled-after="$(cat before)" ./phases 400000
	diff <(grep -v host_seconds default.json) <(grep -v host_seconds never.json)
}

@test "sampled: what comes before --sampled-after is exact, and only the rest is estimated" {
	local most

	env -i PATH="$PATH" "$PLUMB" stat --source model --no-progress --json -o whole.json ./phases 1500000
	most=$(/usr/bin/python3 - <<-'END'
		import json

		events = json.load(open("whole.json"))["events"]
		print(next(e["count"] for e in events if e["name"] == "INST_RETIRED") * 3 // 4)
	END
	)
	env -i PATH="$PATH" "$PLUMB" stat --source model --no-progress --json -o late.json \
		--sampled-after="$most" ./phases 1500000
	env -i PATH="$PATH" "$PLUMB" stat --source model --no-progress --json -o early.json --sampled ./phases 1500000
	/usr/bin/python3 - "$most" <<-'END'
		import json, sys

		whole, late, early = (json.load(open(n + ".json")) for n in ("whole", "late", "early"))
		exact, a, b = ({e["name"]: e for e in d["events"]} for d in (whole, late, early))
		about, first = late["sampled"], int(sys.argv[1])
		instructions = exact["INST_RETIRED"]["count"]
		assert a["INST_RETIRED"]["count"] == instructions
		assert 0 <= instructions - first - about["estimated_instructions"] < 1000, about
		assert about["modelled_instructions"] >= first and about["windows"] > 20
		# A quarter is estimated, so the interval is narrower than if nearly all is.
		width = [e["CPU_CYCLES"]["interval"][1] - e["CPU_CYCLES"]["interval"][0] for e in (a, b)]
		assert 0 < width[0] < width[1], width
		low, high = a["CPU_CYCLES"]["interval"]
		assert low - (high - low) <= exact["CPU_CYCLES"]["count"] <= high + (high - low)
		# Which limits coincide is known of the first part.
		assert late["diagnosis"]["ties"] is not None
	END
	model --sampled-after="$most" -o out ./phases 1500000
	[[ $(tr -s ' \n' ' ' <out) =~ sampled:\ after\ [0-9,]+\ instructions,\ [0-9,]+\ windows,\  ]]
}

@test "sampled: what comes after a billion instructions is sampled by default, and said to be" {
	model --json -o short.json ./loop 1000000 2>said
	[ ! -s said ]
	model --json -o twice.json ./loop 2000000
	model --json -o long.json ./loop 100000000 2>said
	/usr/bin/python3 - <<-'END'
		import json

		short, twice, long = (json.load(open(n + ".json")) for n in ("short", "twice", "long"))
		brief, more, counts = ({e["name"]: e["count"] for e in d["events"]}
				       for d in (short, twice, long))
		about = long["sampled"]
		assert "sampled" not in short
		# Each turn has as many instructions and cycles as any other.
		for name, error in ("INST_RETIRED", 1e-6), ("CPU_CYCLES", 0.01):
		    turn, turns = more[name] - brief[name], counts[name] - brief[name]
		    assert abs(turns / turn / 99 - 1) < error, (name, turn, turns)
		assert 0 <= counts["INST_RETIRED"] - 1e9 - about["estimated_instructions"] < 1000, about
		assert 1e9 <= about["modelled_instructions"] < 1.02e9 and about["windows"] > 20, about
	END
	[ "$(head -1 said)" = "plumb: the program is long: after 1,000,000,000 of 1,100,000,000 instructions, its counts are estimated from samples" ]
	grep -q -- "--sampled=off counts everything; --sampled-after=N changes where samples begin" said
	# What cannot be sampled is counted as a whole, as is whatever is asked to be.
	model --csv -o counts.csv ./loop 1000 2>said
	[ ! -s said ]
	model -r 2 ./loop 1000 >text 2>&1
	lacks sampled <text
}

@test "sampled: -I prints a timeline with phases, in text, JSON and CSV" {
	model --sampled -I 1 -s 1 -l 1 -e CPU_CYCLES,INST_RETIRED --json -o parts.json ./phases 1500000
	model --sampled -I 1 -s 1 -l 1 -e CPU_CYCLES,INST_RETIRED --csv -o parts.csv ./phases 1500000
	model --sampled -I 1 -s 1 -l 1 ./phases 1500000 2>text
	/usr/bin/python3 - <<-'END'
		import csv
		import json

		*parts, whole = map(json.loads, open("parts.json"))
		counts = [{e["name"]: e for e in part["events"]} for part in (*parts, whole)]
		total = counts.pop()
		# Instructions are exact, times are those of the cycles, and the parts are the whole.
		assert sum(c["INST_RETIRED"]["count"] for c in counts) == total["INST_RETIRED"]["count"]
		cycles = sum(c["CPU_CYCLES"]["count"] for c in counts)
		assert abs(cycles / total["CPU_CYCLES"]["count"] - 1) < 0.02, cycles
		before = 0
		for part, c in zip(parts, counts):
		    assert part["time"] > before and not part["summary"]
		    length, before = part["time"] - before, part["time"]
		    assert abs(c["CPU_CYCLES"]["count"] / 3e9 / length - 1) < 0.05 or length < 1e-4
		assert all(abs(p["time"] - 1e-3 * (i + 1)) < 2e-4 for i, p in enumerate(parts[:-1])), parts
		assert sum(c["CPU_CYCLES"]["interval"] is not None for c in counts) > len(counts) / 2
		for part in parts[1:-1]:
		    assert part["sampled"]["windows"] >= 8, part["sampled"]
		named = [part["phase"] for part in parts]
		assert [p["name"] for p in whole["phases"]] == sorted(set(named) - {None}), named
		for phase in whole["phases"]:
		    assert phase["intervals"] == named.count(phase["name"]) > 1
		    assert {m["name"] for m in phase["metrics"]} == {m["name"] for m in whole["metrics"]}
		rows = list(csv.DictReader(open("parts.csv")))
		assert {row["phase"] for row in rows} == {name or "" for name in named}
		firsts = [r for r in rows if r["metric"] == "CPU_CYCLES"]
		for row, c in zip(firsts, counts, strict=True):
		    assert float(row["value"]) == round(c["CPU_CYCLES"]["count"])
		    if c["CPU_CYCLES"]["interval"]:
		        assert abs(float(row["low"]) - c["CPU_CYCLES"]["interval"][0]) < 1
	END
	grep -q "^     time s ph  frontend" text
	grep -Eq "^   0.00[0-9]{4} [A–-] .*±" text
}

@test "sampled: code that executes once, for the first time, is not missed" {
	model --json -o whole.json ./steady
	model --sampled --json -o sampled.json ./steady
	/usr/bin/python3 - <<-'END'
		import json

		whole, sampled = (json.load(open(name)) for name in ("whole.json", "sampled.json"))
		exact, counts = ({e["name"]: e["count"] for e in d["events"]} for d in (whole, sampled))
		about = sampled["sampled"]
		assert about["windows"] > 100 and about["modelled_instructions"] < about["instructions"] / 2
		# The end alone takes tens of thousands of cycles, in which few instructions execute.
		error = counts["CPU_CYCLES"] - exact["CPU_CYCLES"]
		assert abs(error) < 3000, (error, exact["CPU_CYCLES"])
		refills = exact["L1I_CACHE_REFILL"]
		assert refills > 100 and abs(counts["L1I_CACHE_REFILL"] - refills) < refills / 20
	END
}

@test "sampled: an exact profile of windows has the shares of the whole one, and its instructions" {
	record=(plumb record --exact --source model --cpu neoverse-n3 --no-progress)
	"${record[@]}" -q -o whole.data ./phases 1500000
	"${record[@]}" -q --sampled=1 -o windows.data ./phases 1500000
	model --sampled=1 --json -o counts.json ./phases 1500000
	for name in whole windows; do
		plumb report -i $name.data --no-children --sort sym --json -o $name.json
	done
	plumb report -i windows.data -o out
	grep -Eq "about [0-9,]+ slots, estimated from [0-9]{3,} windows of the model; 95 % intervals" out
	grep -Eq "^ *[0-9]+\.[0-9]% ±[0-9.]+ .* turn" out
	# Other windows are no change.
	"${record[@]}" -q --sampled=1 --seed 2 -o others.data ./phases 1500000
	plumb diff -v windows.data others.data >out
	grep -Eq " [-+][0-9.]+\.\.[-+][0-9.]+ % +CPU_CYCLES$" out
	run ! grep -qw exact out
	plumb report -i windows.data --mix -o out
	grep -Eq "^Mix: .*, estimated from [0-9]{3,} windows of the model$" out
	plumb annotate -i windows.data -o out turn
	grep -Eq "^turn in .*% ±[0-9.]+ of all slots, estimated from [0-9]{3,} windows of the model$" out
	grep -Eq "^ +[0-9.]+%  [ ~][ 0-9.]+\.\.[0-9.]+ +phases\.c:[0-9]+ " out
	grep -q "SHARE  ± 95 %" out
	# Where the locale has no ±, it is written in ASCII.
	for command in "report --topdown" "report -g" annotate; do
		# shellcheck disable=SC2086 # a command and its option
		LC_ALL=C plumb $command -i windows.data -o out
		grep -Fq "% +-" out
		run ! grep -q "±" out
	done
	for name in whole windows; do
		plumb annotate -i $name.data --json -o $name-lines.json turn
	done
	for name in whole windows; do
		plumb report -i $name.data --topdown --json -o $name-slots.json
	done
	plumb script -i windows.data --header | grep -q "(model), sampled, QEMU"
	# A page says from how many windows its values are, if this plumb can write one.
	plumb report -i windows.data --html windows.html 2>said || grep -q "without its page" said
	/usr/bin/python3 - <<-'END'
		import base64
		import gzip
		import json
		import re

		try:
		    page = re.search('<script[^>]*id="?data"?[^>]*>([^<]*)', open("windows.html").read())
		    stacks = json.loads(gzip.decompress(base64.b64decode(page[1])))["stacks"]
		    assert stacks["windows"] > 100, stacks["windows"]
		except FileNotFoundError:
		    pass

		def shares(name):
		    found = {}
		    for event in json.load(open(name + ".json"))["events"]:
		        found[event["name"]] = (event, {row["symbol"]: row["period"] for row in event["rows"]})
		    return found

		whole, windows = shares("whole"), shares("windows")
		counts = {e["name"]: e for e in json.load(open("counts.json"))["events"]}
		instructions, _ = windows["exact/INST_RETIRED/"]
		assert abs(instructions["period"] / counts["INST_RETIRED"]["count"] - 1) < 1e-4
		assert instructions["windows"] > 100 and not instructions["exact"]
		assert whole["exact/INST_RETIRED/"][0]["exact"]
		for name in "CPU_CYCLES", "INST_RETIRED", "L1D_CACHE_RD":
		    (a, exact), (b, estimate) = whole[f"exact/{name}/"], windows[f"exact/{name}/"]
		    assert abs(b["period"] / a["period"] - 1) < 0.03, (name, a["period"], b["period"])
		    for symbol, period in exact.items():
		        share, other = period / a["period"], estimate.get(symbol, 0) / b["period"]
		        assert abs(share - other) < 0.01 + 0.05 * share, (name, symbol, share, other)

		# 95 % of seeds are within an interval; this one, always the same, within three of them.
		def holds(row, other, name, interval):
		    low, high = other[interval]
		    assert low <= other[name] <= high and high - low < 10, other
		    assert low - (high - low) <= row[name] <= high + (high - low), (row, other)

		# Of the lines, and of instructions.
		whole_lines, lines = ({line["line"]: line for line in
		                       json.load(open(f"{name}-lines.json"))["functions"][0]["lines"]}
		                      for name in ("whole", "windows"))
		large = [line for line in whole_lines.values() if line["share"] > 5]
		assert large and all(line["interval"] is None for line in large)
		for line in large:
		    holds(line, lines[line["line"]], "share", "interval")
		    for one, other in zip(line["instructions"], lines[line["line"]]["instructions"]):
		        if one["share"] > 5:
		            holds(one, other, "share", "interval")

		def turn_of(rows):
		    return next(row for row in rows if row["symbol"] == "turn")

		holds(turn_of(whole["exact/CPU_CYCLES/"][0]["rows"]),
		      turn_of(windows["exact/CPU_CYCLES/"][0]["rows"]), "share", "interval")
		slots, other = (json.load(open(f"{name}-slots.json")) for name in ("whole", "windows"))
		assert slots["exact"] and not other["exact"] and other["windows"] > 100
		assert "retiring_interval" not in turn_of(slots["rows"])
		for name in "slots_share", "retiring", "frontend_bound", "backend_bound":
		    holds(turn_of(slots["rows"]), turn_of(other["rows"]), name, name + "_interval")
	END
}

@test "sampled: groups of windows are alike, though the program has their period" {
	# Five units of 16,384 instructions: half of them in either function.
	cat >period.c <<-'END'
		__attribute__((noinline)) static unsigned long slow(unsigned long x)
		{
			for (int i = 0; i < 10240; i++)
				__asm__ volatile("udiv %0, %0, %1\n\teor %0, %0, 1" : "+r"(x) : "r"(3ul));
			return x;
		}

		__attribute__((noinline)) static unsigned long fast(unsigned long x)
		{
			for (int i = 0; i < 10240; i++)
				__asm__ volatile("add %0, %0, %1\n\teor %0, %0, 1" : "+r"(x) : "r"(3ul));
			return x;
		}

		int main(void)
		{
			unsigned long x = 1;

			for (int i = 0; i < 80; i++)
				x = slow(fast(x));
			return x == 7;
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -o period period.c || gcc -O1 -static -o period period.c
	for name in whole windows; do
		option=--sampled
		[ $name = windows ] || option=
		# shellcheck disable=SC2086 # an option or none
		plumb record --exact $option --source model --cpu neoverse-n3 --no-progress -q \
			-o period-$name.data ./period
		plumb report -i period-$name.data --topdown --json -o period-$name.json
	done
	/usr/bin/python3 - <<-'END'
		import json

		rows, exact = ({row["symbol"]: row for row in json.load(open(f"period-{name}.json"))["rows"]}
		               for name in ("windows", "whole"))
		for name in "slow", "fast":
		    low, high = rows[name]["slots_share_interval"]
		    assert 0 < high - low < 25, (name, low, high)
		    assert low - (high - low) <= exact[name]["slots_share"] <= high + (high - low), rows[name]
	END
}

@test "sampled: a killed recorder leaves the profile so far" {
	"$PLUMB" record --exact --sampled --source model --cpu neoverse-n3 -q -o killed.data ./loop 2000000000 3>&- &
	for ((i = 0; i < 300; i++)); do
		sleep 0.1
		plumb report -i killed.data -o out 2>said && grep -q "estimated from" out && break
	done
	kill -KILL $!
	wait $! || [ $? -eq 137 ]
	plumb report -i killed.data -o out
	grep -Eq "estimated from [0-9]+ windows of the model; the recording is incomplete; 95 % intervals" out
	grep -q " main" out
}

@test "sampled: an exact profile of windows says that it lacks forked processes" {
	cat >forks.c <<-'END'
		#include <sys/wait.h>
		#include <unistd.h>

		int main(int count, char **arguments)
		{
			for (int i = 1; i < count; i++)
				if (fork() == 0)
					return arguments[i][0] == 'x';
			while (wait(NULL) > 0)
				;
			return 0;
		}
	END
	aarch64-linux-gnu-gcc -O1 -static -o forks forks.c || gcc -O1 -static -o forks forks.c
	record=(plumb record --exact --source model --cpu neoverse-n3 --no-progress -o forks.data)
	"${record[@]}" --sampled ./forks a 2>said
	grep -qxF "plumb: 1 process that the program forked was left out: a sampled run is of one process only" said
	"${record[@]}" --sampled ./forks a b 2>said
	grep -q "2 processes that the program forked were left out" said
	"${record[@]}" --sampled --no-inherit ./forks a 2>said
	"${record[@]}" ./forks a 2>>said
	lacks "left out" <said
}

@test "sampled: SPE samples in windows as often as elsewhere, and perf reads the recording" {
	record=(plumb record --source model --cpu neoverse-n3 --no-progress)
	"${record[@]}" -c 16384 -o whole.data ./phases 1500000
	"${record[@]}" -c 16384 --sampled -o sampled.data ./phases 1500000
	"${record[@]}" -c 16384 --sampled --seed 1 -o other.data ./phases 1500000
	for name in whole sampled other; do
		plumb report -i "$name.data" --sort symbol --json >"$name.json"
	done
	/usr/bin/python3 - <<-'END'
		import json

		whole, sampled, other = (json.load(open(name + ".json"))["events"][0]
		                         for name in ("whole", "sampled", "other"))
		assert sampled["samples"] > 500 and sampled != other
		for event in sampled, other:
		    # Windows have as many operations as any: a few percent more or less.
		    assert abs(event["samples"] / whole["samples"] - 1) < 0.1, event["samples"]
		    row, exact = event["rows"][0], whole["rows"][0]
		    assert row["symbol"] == exact["symbol"] == "turn"
		    for ours, theirs in ((row[v], exact[v]) for v in ("latency_interval", "misprediction_interval")):
		        assert ours[0] < theirs[1] and theirs[0] < ours[1], (ours, theirs)
	END
	command -v perf >/dev/null || return 0
	perf script -i sampled.data --itrace=i1i 2>/dev/null >theirs
	plumb script -i sampled.data --itrace=i1i >ours
	[ "$(wc -l <theirs)" -eq "$(wc -l <ours)" ]
}

@test "sampled: errors" {
	run --separate-stderr plumb record --sampled=3 ./phases
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[[ $stderr = *"--sampled=3 requires --exact"* ]]
	run --separate-stderr plumb record --sampled --source perf ./phases
	[ "$status" -eq 2 ]
	[[ $stderr = *"--sampled requires --source model"* ]]
	run --separate-stderr plumb record --source model --sampled -e cycles ./phases
	[ "$status" -ne 0 ]
	[[ $stderr = *"the model records windows with SPE alone, or for an exact profile"* ]]
	run --separate-stderr plumb record --source model --sampled --max-instructions 5M ./phases
	[ "$status" -ne 0 ]
	[[ $stderr = *"the model samples whole runs only"* ]]
	run --separate-stderr plumb record --exact --sampled=51 ./phases
	[ "$status" -eq 2 ]
	[[ $stderr = *"invalid value '51' for --sampled"*"0.01 to 50"* ]]

	for value in x 0 0.001 51 1,5 -1 2%% 1e0 .5; do
		run --separate-stderr model "--sampled=$value" ./phases
		[ "$status" -eq 2 ]
		# shellcheck disable=SC2154 # by run
		[[ $stderr = *"invalid value '$value' for --sampled"*"use the error to reach, in percent of the cycles: 0.01 to 50; or 'off'"* ]]
	done
	for value in x 0 -1 1.5M 5T 99999999999999999999; do
		run --separate-stderr model "--sampled-after=$value" ./phases
		[ "$status" -eq 2 ]
		[[ $stderr = *"invalid value '$value' for --sampled-after"*"use a number of instructions"* ]]
	done
	run --separate-stderr model --sampled=off --sampled-after=5M ./phases
	[ "$status" -eq 2 ]
	[[ $stderr = *"--sampled=off and --sampled-after cannot be combined"* ]]
	run --separate-stderr model --sampled-after=5M -x, ./phases
	[ "$status" -eq 2 ]
	[[ $stderr = *"--sampled-after and --field-separator cannot be combined"* ]]
	run --separate-stderr plumb stat --sampled --source perf ./phases
	[ "$status" -eq 2 ]
	[[ $stderr = *"--sampled and --source perf cannot be combined"* ]]
	while read -r name option; do
		# shellcheck disable=SC2086 # options and their values
		run --separate-stderr model --sampled=2% $option ./phases
		[ "$status" -eq 2 ]
		[[ $stderr = *"--sampled and $name cannot be combined"* ]]
	done <<-'END'
		--interval-count -I1 --interval-count=2
		--repeat -r2
		--what-if --what-if=l2
		--children --children
		--field-separator -x,
		--delay --delay=1
		--timeout --timeout=1
		--from --from=main
		--to --to=main
	END
}
