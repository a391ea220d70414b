# SPDX-License-Identifier: Apache-2.0
# plumb diff of builds that inline, split and copy different functions. addr2line is the judge.

load lib.bash

setup()
{
	need_compiler
	cd "$BATS_TEST_TMPDIR" || return
	cat >parts.c <<-'END'
		static unsigned table[4096];
		volatile unsigned sink;
		static unsigned mix(unsigned a, unsigned b) { a ^= b >> 3; a *= 2654435761u; return a + b; }
		static void fill(unsigned seed)
		{
			for (unsigned i = 0; i < 4096; i++)
				table[i] = mix(seed + i, table[i]);
		}
		static void refill(unsigned n)
		{
			if (n < 100)
				return;
			for (unsigned i = 0; i < n; i++)
				table[i & 4095] = table[i & 4095] / (n | 1) + i * 7 + (table[(i + n) & 4095] >> 3);
			for (unsigned i = 0; i < n; i++)
				table[i & 4095] ^= sink;
		}
		__attribute__((noinline)) void one(unsigned n) { refill(n); sink++; }
		__attribute__((noinline)) void two(unsigned n) { refill(n + 1); sink += 2; }
		static __attribute__((noinline)) unsigned combine(const unsigned *p, unsigned n, unsigned divide)
		{
			unsigned sum = 0;
			for (unsigned i = 0; i < n; i++)
				sum = divide ? sum / (i | 1) + p[i & 4095] : sum * 31 + p[i & 4095];
			return sum;
		}
		int main(void)
		{
			unsigned sum = 0;
			for (unsigned i = 0; i < 5; i++) {
				fill(i);
				one(i * 200);
				two(i * 175);
				sum += combine(table, 2000 + i, 1) + combine(table, 1500 + i, 1);
			}
			return sum == 1;
		}
	END
	# Programs with names of the same length: a name is on the stack.
	aarch64-linux-gnu-gcc -g -O2 -static -fno-inline -fno-ipa-cp -fno-ipa-sra -o calls parts.c
	aarch64-linux-gnu-gcc -g -O2 -static -o bring parts.c
	engine_path >/dev/null || skip "there is no engine"
	for build in calls bring; do
		plumb record --exact -q -o "$build.data" "./$build"
	done
}

@test "inlined, split and copied functions are compared with what they were, line by line" {
	plumb diff --json --percent-limit 0 calls.data bring.data >diff.json
	for build in calls bring; do plumb script -i "$build.data" --json -F event,period,ip >"$build.json"; done
	/usr/bin/python3 - <<-'END'
		import collections, json, subprocess
		ours = {"mix", "fill", "refill", "one", "two", "combine", "main"}
		def counts(build):
		    """Operations by the innermost function of the source, and by its line."""
		    samples = [(int(s["callchain"][0], 16), s["period"]) for s in map(json.loads, open(build + ".json"))
		               if s["event"] == "exact/OP_RETIRED/"]
		    asked = sorted({address for address, _ in samples})
		    said = subprocess.run(["aarch64-linux-gnu-addr2line", "-a", "-i", "-f", "-e", build],
		                          input="".join(f"{a:#x}\n" for a in asked), capture_output=True,
		                          text=True, check=True).stdout
		    at = {}
		    lines = iter(said.splitlines())
		    for line in lines:
		        if line.startswith("0x"):
		            address, at[address] = int(line, 16), (next(lines), next(lines).split("/")[-1].split()[0])
		    functions, places = collections.Counter(), collections.Counter()
		    for address, period in samples:
		        name, place = at[address]
		        name = name.split(".")[0]
		        if name in ours:
		            functions[name] += period
		            if not place.endswith(("?", ":0")):
		                places[name, place] += period
		    return functions, places
		before, after = counts("calls"), counts("bring")
		diff = json.load(open("diff.json"))["comparisons"][0]
		rows = {c["name"]: c for c in diff["functions"] if c["by"] == "OP_RETIRED"}
		for name in ours:
		    assert (rows[name]["before"], rows[name]["after"]) == (before[0][name], after[0][name]), rows[name]
		# The compiler inlined these two, made a part of one and a copy of another.
		assert rows["mix"]["places"] == {
		    "before": {"symbols": ["mix"], "inlined_into": []},
		    "after": {"symbols": [], "inlined_into": ["main"]}}, rows["mix"]
		assert rows["fill"]["places"]["after"] == {"symbols": [], "inlined_into": ["main"]}
		assert "places" not in rows["main"] and before[0]["mix"] > 100000
		symbols = rows["combine"]["places"]["after"]["symbols"]
		assert len(symbols) == 1 and symbols[0].startswith("combine."), symbols
		# Nothing is counted twice, or lost.
		whole, = [e for e in diff["events"] if e["name"] == "OP_RETIRED"]
		assert sum(r["change"] for r in rows.values()) == whole["change"]
		lines = {(c["function"], f"{c['file']}:{c['line']}"): c for c in diff["lines"] if c["by"] == "OP_RETIRED"}
		for key, count in before[1].items():
		    if key in after[1]:
		        assert (lines[key]["before"], lines[key]["after"]) == (count, after[1][key]), lines[key]
	END
	plumb diff calls.data bring.data | tr -s ' \n' ' ' |
		grep -F "fill (inlined into main after)" | grep -qF "The sides show functions inlined into different ones"
}

@test "a function with another name that was vectorized is recognized by its place and lines" {
	# Names of the same length, again.
	sed 's/combine/collect/' parts.c >others.c
	sed 's/combine/collect/g; s/^static unsigned table/\n\n&/' parts.c >parts2.c
	mkdir moved && mv parts2.c moved/parts.c
	aarch64-linux-gnu-gcc -g -O3 -static -fno-inline -funroll-loops -o other moved/parts.c
	plumb record --exact -q -o other.data ./other
	plumb diff --json calls.data other.data | json \
		'[(c["was"], c["match"]) for c in d["comparisons"][0]["functions"]
			if c["name"].startswith("collect") and c["by"] == "slots"] == [("combine", "renamed")]'
}

@test "split debug information: lines are matched where it says that functions are declared" {
	cat >split.c <<-'END'
		__attribute__((noinline)) static int add(int n)
		{
			int sum = 0;
			for (int i = 0; i < n; i++)
				sum += i ^ n;
			return sum;
		}

		int main(void)
		{
			volatile int all = 0;
			for (int i = 0; i < 100; i++)
				all += add(i);
			return 0;
		}
	END
	aarch64-linux-gnu-gcc -g -gdwarf-5 -gsplit-dwarf -O1 -static -o above split.c
	sed -i '1i // A line above.' split.c
	aarch64-linux-gnu-gcc -g -gdwarf-5 -gsplit-dwarf -O1 -static -o below split.c
	plumb record --exact -q -o above.data ./above
	plumb record --exact -q -o below.data ./below
	plumb diff --json --percent-limit 0 above.data below.data >diff.json
	json '[c["line"] for c in d["comparisons"][0]["lines"]
		if c["function"] == "add" and c["change"] == 0 and c["before"] > 1000][:1] in ([5], [6])' <diff.json
}
