# SPDX-License-Identifier: Apache-2.0
# plumb report: functions that are inlined, as rows and in call trees. addr2line is the judge.

load lib.bash

setup()
{
	need_compiler
	cd "$BATS_TEST_TMPDIR" || return
	cat >calls.c <<-'END'
		#define APART __attribute__((noipa))
		#define INSIDE static inline __attribute__((always_inline))
		INSIDE int divide(int n) { int s = n; for (int i = 0; i < n; i++) s = s / 3 + i; return s; }
		INSIDE int mix(int n) { int s = divide(n); for (int i = 0; i < n; i++) s ^= s << 3; return s; }
		APART int leaf(int n) { for (volatile int i = 0; i < n; i++); return n; }
		INSIDE int twice(int n) { return leaf(n) + leaf(n); }
		APART int both(int n) { return mix(n) + twice(n); }
		APART int alone(int n) { return divide(n) + 1; }
		int main(void) { return (both(1000) + alone(500)) == 1; }
	END
	aarch64-linux-gnu-gcc -g -O1 -static -fno-optimize-sibling-calls -o calls calls.c
	plumb record --exact -q -o exact.data -- ./calls || skip "the model cannot run here"
}

@test "-s inline: inlined functions have rows, callers and callees, as addr2line -i has them" {
	plumb script -i exact.data --json -F event,period,ip >samples
	plumb report -i exact.data --json -s inline -e INST_RETIRED >children.json
	plumb report -i exact.data --json -s inline -g caller --no-children -e INST_RETIRED >paths.json
	plumb report -i exact.data --json --callers divide -e INST_RETIRED >callers.json
	plumb report -i exact.data --json --callees both -e INST_RETIRED >callees.json
	/usr/bin/python3 - <<-'END'
		import collections, json, subprocess
		samples = [s for s in map(json.loads, open("samples")) if s["event"] == "exact/INST_RETIRED/"]
		# A caller's address is the one that it returns to.
		chains = [[int(a, 16) - (i > 0) for i, a in enumerate(s["callchain"])] for s in samples]
		asked = sorted({a for chain in chains for a in chain})
		said = subprocess.run(["aarch64-linux-gnu-addr2line", "-a", "-i", "-f", "-e", "calls"],
		                      input="".join(f"{a:#x}\n" for a in asked), capture_output=True, text=True,
		                      check=True).stdout
		at = {}
		for line in said.splitlines():
		    if line.startswith("0x"):
		        names = at.setdefault(int(line, 16), [])
		        lines = 0
		    elif (lines := lines + 1) % 2:
		        names.append(line)
		ours = {"divide", "mix", "leaf", "twice", "both", "alone", "main"}
		def functions(address):
		    names = at[address]
		    return [n + " (inlined)" * (i < len(names) - 1) for i, n in enumerate(names)]
		whole, paths, above, below = (collections.Counter() for _ in range(4))
		for sample, chain in zip(samples, chains):
		    stack = [f for address in chain for f in functions(address)]
		    stack = [f for f in stack if f.split(" ")[0] in ours]
		    for name in set(stack):
		        whole[name] += sample["period"]
		    if not stack:
		        continue
		    paths[tuple(stack)] += sample["period"]
		    if "divide (inlined)" in stack:
		        above[tuple(stack[stack.index("divide (inlined)") + 1:])] += sample["period"]
		    if "both" in stack:
		        below[tuple(reversed(stack[:stack.index("both")]))] += sample["period"]
		assert {"divide (inlined)", "mix (inlined)", "twice (inlined)"} < set(whole), whole
		def rows(name):
		    return {r["inline"]: r for r in json.load(open(name))["events"][0]["rows"]}
		def tree(row):
		    found, path = {}, []
		    for node in row["tree"]:
		        path = path[:node["depth"]] + [node["symbol"]]
		        if node["own"]:
		            key = tuple(n for n in path if n.split(" ")[0] in ours)
		            found[key] = found.get(key, 0) + node["own"]
		    return found
		children = rows("children.json")
		for name, count in whole.items():
		    assert children[name]["children_period"] == count, (name, count, children[name])
		got = {(n, *reversed(p)): count for n, r in rows("paths.json").items()
		       if n.split(" ")[0] in ours for p, count in tree(r).items()}
		assert got == paths, (got, paths)
		assert tree(rows("callers.json")["divide (inlined)"]) == above, above
		del below[()]
		assert tree(rows("callees.json")["both"]) == below, below
	END
}

@test "--callers: a function by its name, inlined or not; events without it are left out" {
	plumb report -i exact.data --stdio --callers divide >out
	grep -q 'divide (inlined)$' out
	grep -qE 'mix \(inlined\)$' out
	grep -qE ' alone$' out
	# Each event that is shown has the function.
	[ "$(grep -c 'counted exactly' out)" -eq "$(grep -c 'exact  divide (inlined)$' out)" ]
	plumb report -i exact.data --stdio --callers "divide (inlined)" >same
	cmp same out
	run --separate-stderr plumb report -i exact.data --callers divid
	[ "$status" -eq 2 ]
	# Slots of called functions: those of what is inlined belong to what they are inlined into.
	plumb report -i exact.data --stdio -s inline -g >slots
	# As with --topdown: a tree for each event would be too many.
	plumb report -i exact.data --stdio --topdown -s inline -g | cmp - slots
	grep -qE '└─ .*divide \(inlined\)' slots
}
