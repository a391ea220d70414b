# SPDX-License-Identifier: Apache-2.0
# plumb report: top-down shares in call trees and in columns, and estimated numbers of operations.
# The judges are paper, exact counts, and the tables of single events.

load lib.bash

setup_file()
{
	need_compiler
	export work=$BATS_FILE_TMPDIR
	cd "$work" || return
	cat >calls.c <<-'END'
		#define APART __attribute__((noipa))
		volatile unsigned start = 7;
		APART void divide(int n)
		{
			unsigned x = start, y = start;
			for (int i = 0; i < n; i++)
				x = (x + i) / y;
			start = x | 1;
		}
		APART void add(int n)
		{
			unsigned x = start;
			for (int i = 0; i < n; i++)
				__asm__ volatile("add %w0, %w0, #1" : "+r"(x));
			start = x | 1;
		}
		APART void one(void) { divide(2000); add(6000); __asm__ volatile(""); }
		APART void two(void) { add(18000); divide(400); __asm__ volatile(""); }
		APART void again(int n)
		{
			if (n)
				again(n - 1);
			else
				divide(4000);
			__asm__ volatile("");
		}
		int main(void)
		{
			for (int i = 0; i < 10; i++) {
				one();
				two();
				again(5);
			}
			return 0;
		}
	END
	aarch64-linux-gnu-gcc -g -O1 -static -o calls calls.c
	plumb record --exact -q -o exact.data -- ./calls || skip "the model cannot run here"
	plumb record -q -e spe -c 1024 -o spe.data -- ./calls
	plumb record -q -c 101 -o groups.data \
		-e '{cpu_cycles,stall_slot,stall_slot_frontend,stall_slot_backend,op_retired,op_spec,stall_frontend_flush}:S' -- ./calls
}

setup()
{
	cd "$work" || return
}

@test "--topdown -g: slots by call path" {
	plumb report -i exact.data --topdown -g --json >tree.json
	plumb report -i exact.data --topdown -g --no-children --json >callers.json
	plumb report -i exact.data --topdown --json >alone.json
	plumb report -i exact.data -e 'slots_*,OP_RETIRED' -s symbol -g --json >events.json
	/usr/bin/python3 - <<-'END'
		import json
		tree, callers, alone, events = (json.load(open(name + ".json"))
		                                for name in ("tree", "callers", "alone", "events"))
		assert tree["children"] and not callers["children"] and not alone["children"]
		total = sum(r["slots"] for r in alone["rows"])
		own = {r["symbol"]: r["slots"] for r in alone["rows"]}
		def paths(nodes):
		    path = []
		    for node in nodes:
		        path[node["depth"]:] = [node["symbol"]]
		        yield tuple(path), node
		def row(rows, name):
		    return next(r for r in rows if r["symbol"] == name)
		# Callers' trees: 10 calls with 2000, 400 and 4000 divisions, which all take the same time.
		below = dict(paths(row(callers["rows"], "divide")["tree"]))
		share = {name: below[name, ]["slots"] / own["divide"] for name in ("one", "two", "again")}
		assert abs(share["one"] - 2000 / 6400) < 0.01 and abs(share["two"] - 400 / 6400) < 0.01, share
		assert abs(sum(share.values()) - 1) < 1e-9, share
		assert below["again", "main"]["backend_bound"] > 80, below
		# A function and what it called: the sums are those of the rows, at any depth.
		main = row(tree["rows"], "main")
		assert abs(main["slots_share"] - 100 * main["slots"] / total) < 1e-9, main
		called = dict(paths(main["tree"]))
		assert main["slots"] == own["main"] + sum(n["slots"] for p, n in called.items() if len(p) == 1)
		assert called["one", "divide"]["slots"] + called["one", "add"]["slots"] + own["one"] == called["one", ]["slots"]
		assert called["two", "add"]["retiring"] > 50 > 20 > called["two", "divide"]["retiring"], called
		assert row(tree["rows"], "again")["slots"] == called["again", ]["slots"]
		# Each node is the sum of those of the events with its path.
		for name in "main", "two":
		    sums = {}
		    for e in events["events"]:
		        for r in e["rows"]:
		            for path, node in paths(r["tree"]) if r["symbol"] == name and e["name"] != "exact/slots_retiring/" else ():
		                sums[path] = sums.get(path, 0) + node["period"]
		    ours = {p: n["slots"] for p, n in paths(row(tree["rows"], name)["tree"])}
		    assert ours and ours == sums, (name, ours, sums)
	END
	plumb report -i exact.data --topdown -g --percent-limit 1 >text
	grep -qE '^ +[0-9.]+% +[0-9.]+% .*  (└─|`-|\\-) ?divide$' text || { cat text && return 1; }
	plumb report -i exact.data --topdown -g caller,60 --percent-limit 1 >text
	run ! grep -qE '^ +[1-5]?[0-9]\.[0-9]+% .*─ ' text
	# Without a column of functions, the last one has them.
	plumb report -i exact.data --topdown -g -s symbol,dso --limit 1 >text
	grep -qE ' main$' text || { cat text && return 1; }
	plumb report -i exact.data --topdown -g -s dso,srcline --limit 1 >text
	grep -qE ' main$' text || { cat text && return 1; }
	run --separate-stderr plumb report -i exact.data --topdown -g folded
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[ "$stderr" = "plumb: --topdown cannot be combined with --call-graph folded" ]
	# CSV has rows alone.
	plumb report -i exact.data --topdown --children --csv >rows
	plumb report -i exact.data --topdown -g --csv | cmp - rows
	run --separate-stderr plumb report -i groups.data --topdown -g
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[ "$stderr" = "$(printf '%s\n' "plumb: --topdown with --call-graph requires an exact recording" \
		"       make one with plumb record --exact")" ]
	run --separate-stderr plumb report -i exact.data --topdown -F retiring,symbol
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[ "${stderr_lines[0]}" = "plumb: --topdown cannot be combined with --fields" ]
}

@test "-F retiring,...: the slots of each row, beside any event" {
	shares=retiring,bad_speculation,frontend_bound,backend_bound
	for name in exact groups; do
		plumb report -i $name.data --topdown --json >$name.topdown
		plumb report -i $name.data --no-children -F share,$shares,symbol --json >$name.json
	done
	plumb report -i exact.data --no-children -e INST_RETIRED -F share,$shares,symbol --json >chosen
	plumb report -i exact.data --no-children -e INST_RETIRED -F share,$shares,symbol --csv >chosen.csv
	/usr/bin/python3 - <<-'END'
		import csv, json
		names = "retiring", "bad_speculation", "frontend_bound", "backend_bound"
		for name in "exact", "groups":
		    rows = {r["symbol"]: r for r in json.load(open(name + ".topdown"))["rows"]}
		    events = json.load(open(name + ".json"))["events"]
		    assert len(events) > 6
		    seen = 0
		    for e in events:
		        for r in e["rows"]:
		            for share in names:
		                if r[share] is None:
		                    assert r["symbol"] not in rows or rows[r["symbol"]][share] is None, r
		                    continue
		                seen += 1
		                assert r[share] == rows[r["symbol"]][share], (name, r)
		                whole = rows[r["symbol"]].get(share + "_interval")
		                assert r[share + "_interval"] == whole, (name, r, whole)
		    assert seen > 20, seen
		chosen = json.load(open("chosen"))["events"]
		assert [e["name"] for e in chosen] == ["exact/INST_RETIRED/"]
		assert chosen == [e for e in json.load(open("exact.json"))["events"] if e["name"] == "exact/INST_RETIRED/"]
		table = list(csv.DictReader(open("chosen.csv")))
		first = chosen[0]["rows"][0]
		assert abs(float(table[0]["retiring"]) - first["retiring"]) < 1e-6 and table[0]["retiring_low"] == ""
		assert len(table) == chosen[0]["row_count"]
	END
	plumb report -i exact.data --no-children -e INST_RETIRED -F $shares,symbol --limit 1 >text
	[[ $(sed -n 3p text) =~ ^RETIRING\ +BAD\ SPEC\ +FRONTEND\ +BACKEND\ +FUNCTION$ ]]
	plumb report -i groups.data --no-children -e cpu_cycles -F $shares,symbol --limit 1 >text
	grep -qE '^[0-9.]+% ±[0-9.]+ .* (add|divide)$' text || { cat text && return 1; }
	# Unknown where nothing counted slots.
	plumb report -i spe.data -F retiring,symbol --limit 1 >text
	grep -qE '^ +-  [a-z_]+$' text || { cat text && return 1; }
	plumb report -i spe.data -F retiring,symbol --json |
		json 'all(r["retiring"] is None for r in d["events"][0]["rows"])'
}

@test "--topdown: causes are named like the nodes of the tree" {
	plumb report -i exact.data --topdown >text
	plumb report -i exact.data --topdown --json >rows.json
	plumb report -i exact.data --topdown --csv >rows.csv
	plumb annotate -i exact.data --json >instructions.json
	plumb spec list metrics --cpu neoverse-n3 >metrics.txt
	/usr/bin/python3 - <<-'END'
		import csv, json, re

		metrics = set(re.findall(r"\b\w+(?=_bound)|\bbad_speculation|\bretiring", open("metrics.txt").read()))
		causes = set(re.findall(r"\b(?:frontend|backend|bad)_\w+", open("text").read()))
		finer = re.compile("backend_(queue_|.*_registers$|(load|store)_queue$|reorder_buffer$|serialized$)|frontend_width$")
		assert "frontend_cache_l2i" in causes and "frontend_core_flush" in causes, causes
		assert all(cause in metrics or finer.match(cause) for cause in causes), causes - metrics
		# Programs get the same names.
		rows = json.load(open("rows.json"))["rows"]
		assert {r["cause"] for r in rows if r["cause"]} <= causes | {None} and len(rows) > 5
		assert [r["cause"] or "" for r in rows] == [r["cause"] for r in csv.DictReader(open("rows.csv"))]
		names = set(re.findall(r'"causes":\s*\[\s*\{\s*"name":\s*"(\w+)"', open("instructions.json").read()))
		assert names and all(name in metrics or finer.match(name) for name in names), names - metrics
	END
}

@test "--topdown: the ends of intervals are shares, and the note says why some are unknown" {
	plumb report -i groups.data --topdown --json >groups.json
	plumb report -i groups.data --topdown >text
	/usr/bin/python3 - <<-'END'
		import json
		import re

		names = ["slots_share", "retiring", "bad_speculation", "frontend_bound", "backend_bound"]
		rows = {r["symbol"]: r for r in json.load(open("groups.json"))["rows"]}
		text = open("text").read()
		compared = 0
		for line in text.split("\n"):
		    cells = re.findall(r"([0-9.]+)% ±([0-9.]+|\?)", line)
		    if not cells:
		        continue
		    for name, (value, half) in zip(names, cells):
		        row = rows[line.split()[-1]]
		        if row[name + "_interval"] is None:
		            assert half == "?", line
		            continue
		        low, high = row[name + "_interval"]
		        assert 0 <= low <= row[name] <= high <= 100, row
		        assert abs(float(half) - max(high - row[name], row[name] - low)) < 0.051, line
		        compared += low == 0 or high == 100
		assert compared > 3, text
		assert ("±?" in text.replace("±?: unknown", "")) == ("\n±?: unknown, too few samples" in text), text
	END
	plumb report -i exact.data --topdown | lacks "unknown"
}

@test "--topdown: marks shares whose order the samples do not tell" {
	plumb report -i groups.data --topdown --json >groups.json
	plumb report -i groups.data --topdown >text
	/usr/bin/python3 - <<-'END'
		import json
		import re

		rows = json.load(open("groups.json"))["rows"]
		ends = [r["slots_share_interval"] or [float("nan")] * 2 for r in rows]
		overlap = [a[0] <= b[1] and b[0] <= a[1] for a, b in zip(ends, ends[1:])]
		expected = [a or b for a, b in zip([False] + overlap, overlap + [False])]
		assert [r["uncertain"] for r in rows] == expected, rows
		assert True in expected and False in expected, expected
		lines = [line for line in open("text") if re.match(" *~?[0-9.]+% ±", line)]
		assert ["~" in line for line in lines] == expected, lines
		assert [line.split()[-1] for line in lines] == [r["symbol"] for r in rows]
	END
	plumb report -i exact.data --topdown --json | json 'all("uncertain" not in r for r in d["rows"])'
}

@test "trees of calls are not CSV" {
	for option in --callers --callees; do
		run --separate-stderr plumb report -i exact.data "$option" divide --csv
		[ "$status" -eq 2 ]
		[ "$stderr" = "plumb: $option cannot be combined with --csv or --field-separator
       --json has the call trees" ] || { echo "$stderr" && return 1; }
	done
}

@test "-F operations: the operations that samples stand for" {
	plumb report -i spe.data -F samples,operations,operations_interval,symbol --json >spe.json
	plumb report -i exact.data --no-children -e OP_RETIRED -F period,symbol --json >exact.json
	plumb report -i spe.data -F operations,operations_interval,symbol --csv >spe.csv
	plumb report -i spe.data --filter retired -F operations,symbol --json >some.json
	/usr/bin/python3 - <<-'END'
		import csv, json
		exact = {r["symbol"]: r["period"] for r in json.load(open("exact.json"))["events"][0]["rows"]}
		rows = {r["symbol"]: r for r in json.load(open("spe.json"))["events"][0]["rows"]}
		# One operation each 1024, and 0 to 255 more.
		for row in rows.values():
		    assert abs(row["operations"] - row["samples"] * 1151.5) < 1e-3, row
		# Nearly all operations of these loops retire. Twice the interval is enough for any sampling.
		for name in "add", "divide":
		    low, high = rows[name]["operations_interval"]
		    middle = rows[name]["operations"]
		    assert low < middle < high and high - low < middle / 4, rows[name]
		    assert 2 * low - middle < exact[name] < 2 * high - middle, (name, exact[name], rows[name])
		line = next(csv.DictReader(open("spe.csv")))
		assert abs(float(line["operations_low"]) - rows[line["symbol"]]["operations_interval"][0]) < 1e-3
		# A filter leaves out samples, and what they stand for.
		some = {r["symbol"]: r for r in json.load(open("some.json"))["events"][0]["rows"]}
		assert abs(some["add"]["operations"] - some["add"]["samples"] * 1151.5) < 1e-3, some["add"]
	END
	plumb report -i spe.data -F operations,operations_interval,symbol --limit 1 >text
	[ "$(sed -n 3p text)" = "OPERATIONS   95 % INTERVAL  FUNCTION" ]
	grep -qE '^ +[0-9]+  [0-9]+\.\.[0-9]+  add$' text || { cat text && return 1; }
	# Other events are no operations.
	plumb report -i groups.data --no-children -F operations,operations_interval,symbol --json |
		json 'all(r["operations"] is None and r["operations_interval"] in (None, [None, None])
			for e in d["events"] for r in e["rows"])'
	plumb report -i groups.data --no-children -e cpu_cycles -F operations,operations_interval,symbol --limit 1 |
		grep -qE '^ +- +-  [a-z_]+$'
}

@test "-F operations: of a recording with a filter, the operations that pass it" {
	local note="the SPE unit recorded with a filter: OPERATIONS counts only what passes it"

	cat >loads.c <<-'END'
		#define APART __attribute__((noipa))
		static volatile unsigned at[64];
		APART void few(int n) { for (int i = 0; i < n; i++) { (void)at[i & 63]; at[1] = 2; at[2] = i; } }
		APART void many(int n) { for (int i = 0; i < n; i++) (void)at[i & 63]; }
		int main(void) { many(900000); few(300000); return 0; }
	END
	aarch64-linux-gnu-gcc -g -O1 -static -o loads loads.c
	plumb record -q -e arm_spe/load_filter=1,jitter=1,period=1024/ -o loads.data -- ./loads
	plumb report -i loads.data -F samples,operations,operations_interval,symbol --json >loads.json
	/usr/bin/python3 - <<-'END'
		import json
		event = json.load(open("loads.json"))["events"][0]
		assert event["filtered"] is True
		rows = {r["symbol"]: r for r in event["rows"]}
		# One load an iteration; five or seven operations.
		for name, loads in ("many", 900000), ("few", 300000):
		    row = rows[name]
		    low, high = row["operations_interval"]
		    assert abs(row["operations"] - row["samples"] * 1151.5) < 1e-3, row
		    # Twice the interval is enough for any sampling.
		    middle = row["operations"]
		    assert 2 * low - middle < loads < 2 * high - middle and high < 2 * loads, row
	END
	plumb report -i loads.data -F operations,symbol >text
	grep -qxF "$note" text
	plumb report -i loads.data -F samples,symbol >text
	! grep -F "$note" text || return 1
	plumb report -i spe.data -F operations,symbol >text
	! grep -F "$note" text || return 1
	plumb report -i spe.data --json | json 'd["events"][0]["filtered"] is False'
}
