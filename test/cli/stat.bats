# SPDX-License-Identifier: Apache-2.0
# plumb stat, with the model: real programs, built here.

load lib.bash

setup_file()
{
	local compiler=aarch64-linux-gnu-gcc

	cd "$BATS_FILE_TMPDIR" || return
	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null && engine_path >/dev/null || return 0

	# Touches each page of 32 MiB five times.
	cat >huge.c <<-'END'
		#include <stdlib.h>

		int main(void)
		{
			volatile char *memory = malloc(34 << 20);

			for (int turn = 0; turn < 5; turn++)
				for (size_t page = 0; page < 8192; page++)
					memory[page * 4096] += 1;
			return 0;
		}
	END
	"$compiler" -O2 -static -o huge huge.c
	# Works a little, copies its input, tells of itself, and ends as its argument says.
	cat >work.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>

		static volatile sig_atomic_t got;

		static void on_signal(int number) { got = number; }

		static void work(int turns)
		{
			volatile double x = 1;

			for (int i = 0; i < turns; i++)
				x = x * 0.9999 + 1;
		}

		int main(int count, char **arguments)
		{
			const char *how = count > 1 ? arguments[1] : "";
			int c;

			if (!strcmp(how, "leave"))
				_exit(0);
			work(!strcmp(how, "longer") ? 6000000 : !strcmp(how, "long") ? 1200000 : 20000);
			if (!strcmp(how, "copy"))
				while ((c = getchar()) != EOF)
					putchar(c);
			if (!strcmp(how, "touch"))
				fclose(fopen(arguments[2], "w"));
			if (!strcmp(how, "crash"))
				*(volatile int *)8 = 1;
			if (!strcmp(how, "fork") && fork() == 0) {
				work(100000);
				_exit(0);
			}
			wait(NULL);
			if (!strcmp(how, "wait")) {
				signal(SIGINT, on_signal);
				signal(SIGTERM, on_signal);
			}
			if (!strcmp(how, "deaf"))
				signal(SIGINT, SIG_IGN);
			if (!strcmp(how, "wait") || !strcmp(how, "forever") || !strcmp(how, "deaf")) {
				puts("ready");
				fflush(stdout);
				while (!got)
					work(1000);
				printf("signal %d\n", got);
				return 5;
			}
			if (!strcmp(how, "ask")) {
				usleep(2300000);
				printf("name? ");
				fflush(stdout);
				usleep(2300000);
				puts("");
			}
			if (!strcmp(how, "exit"))
				return atoi(arguments[2]);
			puts("done");
			return 0;
		}
	END
	# Computes with whole numbers alone.
	echo 'int main(void) { for (volatile int i = 0; i < 20000; i++) ; }' >whole.c
	"$compiler" -O1 -static -o whole whole.c
	# Two threads count in one word.
	cat >both.c <<-'END'
		#include <pthread.h>

		static int counter;

		static void *count(void *user)
		{
			for (int i = 0; i < 12000; i++)
				__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
			return user;
		}

		int main(void)
		{
			pthread_t other;

			if (pthread_create(&other, 0, count, 0))
				return 1;
			count(0);
			return pthread_join(other, 0);
		}
	END
	"$compiler" -O1 -static -pthread -march=armv8.1-a -o both both.c
	"$compiler" -O1 -static -o work work.c
	"$compiler" -O1 -o dynamic work.c
	"$compiler" -O1 -s -o stripped work.c
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || return
	[ -x work ] || skip "no compiler or qemu for AArch64"
	rm -f out
}

# model OPTION...: plumb stat with the model, whatever this machine has.
model()
{
	plumb stat --source model "$@"
}

@test "the program keeps its input, output and exit status" {
	printf 'one\ntwo' >in
	for options in "" --json --csv "-x ," "-I 1"; do
		# shellcheck disable=SC2086 # options, one a word
		run --separate-stderr model $options ./work copy <in
		[ "$status" -eq 0 ]
		[ "$output" = "$(printf 'one\ntwodone')" ]
		[ -n "$stderr" ]
	done
	for status in 0 1 7 255; do
		run -"$status" model ./work exit "$status"
	done
}

@test "text: headline, tree and diagnosis fit, and are plain in a pipe" {
	run --separate-stderr model ./work
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154 # by bats
	text=$stderr
	[ "$(head -n 1 <<<"$text")" = "Neoverse N3 (model): ./work" ]
	grep -qE '^  [0-9,]+ instructions, [0-9,]+ cycles, [0-9.]+ instructions per cycle$' <<<"$text"
	grep -qE "^▸ backend_bound +[0-9.]+ % █" <<<"$text"
	grep -qE '^▸ └─ |^▸ ├─ ' <<<"$text" || grep -qF 'lost a few in each cycle' <<<"$text"
	grep -qxF 'Diagnosis' <<<"$text"
	grep -qE '^  Means  .' <<<"$text"
	grep -qE '^  Helps  .' <<<"$text"
	grep -qE '^  Next   .' <<<"$text"
	[ -z "$(too_wide 80 <<<"$text")" ]
	lacks ' $' <<<"$text"
	lacks -P '\x1b' <<<"$text"
	LC_ALL=C run --separate-stderr model ./work
	lacks '[^ -~]' <<<"$stderr"
	grep -qE '^> backend_bound +[0-9.]+ % #' <<<"$stderr"
	run --separate-stderr model --color always ./work
	grep -qP '\x1b\[31m' <<<"$stderr"
}

@test "the summary and the diagnosis come last" {
	run --separate-stderr model --stages all -e L1D_CACHE ./work
	[ "$(grep -nE '^(Stage [12]|Events|Summary|Diagnosis)' <<<"$stderr" | cut -d : -f 2 |
		cut -c 1-7 | uniq | xargs)" = "Stage 1 Stage 2 Events Summary Diagnos" ] ||
		{ echo "$stderr" && return 1; }
}

@test "groups with nothing to show are named in one line, unless requested" {
	run --separate-stderr model --stages all ./whole
	text=$(tr -s '\n ' ' ' <<<"$stderr")
	grep -qE '[0-9]+ groups? with nothing to show: .*FP_Precision_Mix.*; -v shows (it|them)' <<<"$text"
	named=$(sed -E 's/.*nothing to show: (.*); -v shows (it|them).*/\1/' <<<"$text" | tr -d ,)
	[ "$(grep -oE '[0-9]+ groups? with nothing' <<<"$text" | cut -d ' ' -f 1)" -eq \
		"$(wc -w <<<"$named")" ]
	model --json --stages all -o all ./whole >out
	model --stages all -v ./whole >out 2>verbose
	for group in $named; do
		lacks -qx "  $group" <<<"$stderr"
		grep -qx "  $group" verbose
		json "all(not round(m['value'] or 0, 1 if m['units'].startswith('percent') else 3)
			for m in d['metrics'] if m['group'] == '$group')" <all
	done
	lacks 'nothing to show' <verbose
	# What a group lacks, under an old QEMU, is not remarked on where the group is left out.
	lacks 'metrics unavailable' <<<"$stderr"
	[[ $named != *SVE_Effectiveness* ]] || grep -q 'metrics unavailable' verbose
	model -m SVE_Effectiveness ./whole 2>&1 | grep -qx '  SVE_Effectiveness'
}

# tree_of FILE: each node that the text shows, its figure, and its bar in eighths of a column.
tree_of()
{
	/usr/bin/python3 - "$1" <<-'END'
		import re, sys
		for line in open(sys.argv[1], encoding="utf-8"):
		    row = re.match(r"[▸ ] [│├└─▸ ]*([a-z]\w+) +([0-9.]+) % ([█▏▎▍▌▋▊▉]*)", line)
		    if row:
		        eighths = sum("▏▎▍▌▋▊▉█".index(c) + 1 for c in row[3])
		        print(row[1], row[2], eighths)
	END
}

@test "children of small nodes are left out and counted; bars are shares of all slots" {
	model --json --stages 1 -e CPU_CYCLES,STALL_BACKEND,STALL_FRONTEND -o json ./work >out
	model --stages 1 ./work >out 2>text
	model --stages 1 -v ./work >out 2>all
	tree_of text >shown
	tree_of all >every
	[ "$(wc -l <every)" -eq 21 ]
	[ "$(grep -oE '^  [0-9]+ more nodes?, each below 5 % of the slots: -v shows' text |
		grep -oE '[0-9]+' | head -n 1)" -eq $((21 - $(wc -l <shown))) ]
	/usr/bin/python3 - <<-'END'
		import json
		d = json.load(open("json"))
		counts = {e["name"]: e["count"] for e in d["events"]}
		metrics = {m["name"]: m for m in d["metrics"]}
		every = {w[0]: (float(w[1]), int(w[2])) for w in map(str.split, open("every"))}
		shown = {line.split()[0] for line in open("shown")}
		def slots(name):
		    m = metrics[name]
		    level = m["level"] or 0
		    side = name.split("_")[0].upper()
		    if level == 1:
		        return m["value"]
		    stalled = 100 * counts["STALL_" + side] / counts["CPU_CYCLES"] if level < 3 else 100
		    if level == 0:
		        return stalled * m["value"] / 100
		    above = slots(m["parent"])
		    return min(above, stalled) * m["value"] / 100
		width = next(w for w in range(8, 17)
		             if all(abs(every[n][1] - slots(n) * w * 8 / 100) <= 1 for n in every))
		for name, m in metrics.items():
		    assert abs(m["slots"] - slots(name)) < 1e-6, (m, slots(name))
		    above, few = m["parent"], False
		    while above:
		        few = few or slots(above) < 5 and above not in d["diagnosis"]["path"]
		        above = metrics[above]["parent"]
		    if not m["level"]:
		        few = slots(name) < 5
		    assert (name in shown) != few, name
	END
}

@test "suggests a command line that gives about 5,000 samples" {
	cp work "it's work"
	model "./it's work" copy 'a "b"' <work >out 2>text
	[ -z "$(too_wide 80 <text)" ]
	# With what continues it; it is run as it stands.
	sed -n '/^  Sample/,/[^\\]$/p' text | sed 's/^  Sample//' >sample.sh
	grep -q '^ plumb record --source model -e [A-Z_]* -c [0-9]* -- ' sample.sh
	run --separate-stderr env PATH="$(dirname "$PLUMB"):$PATH" bash sample.sh <work
	[ "$status" -eq 0 ]
	cat sample.sh # printed if the test fails
	echo "$stderr"
	samples=$(grep -m 1 -oE '[0-9]+ samples' <<<"$stderr" | cut -d ' ' -f 1)
	[ "$samples" -ge 3500 ]
	[ "$samples" -le 7000 ]
}

@test "suggests a period for each event, also for those not counted" {
	head -c 50000 work >part
	for options in "-l 1" "-s topdown" ""; do
		# shellcheck disable=SC2086 # words
		model $options ./work copy <part 2>text >out
		sample=$(sed -n '/^  Sample/,$p' text | tr -s ' \n' ' ')
		[[ $sample == *" -e "* ]]
		[ "$(grep -oE -e ' -e [A-Z]' <<<"$sample" | wc -l)" -eq \
			"$(grep -oE -e ' -e [A-Z0-9_]+ -c [1-9]' <<<"$sample" | wc -l)" ]
	done
}

@test "suggests events that happened often, or says that there are few" {
	head -c 50000 work >part
	for how in "--delay 0" "--from main --max-instructions 300" "--from main --max-instructions 6"; do
		# shellcheck disable=SC2086 # words
		model $how --json -o all.json ./work copy <part >out
		# shellcheck disable=SC2086 # words
		model $how ./work copy <part >out 2>text
		sed -n '/^  Sample/,$p' text >sample
		/usr/bin/python3 - all.json sample <<-'END'
			import json, re, sys
			result = json.load(open(sys.argv[1]))
			counts = {e["name"]: e["count"] for e in result["events"]}
			text = " ".join(open(sys.argv[2]).read().split())
			offered = re.findall(r"-e (\S+)", text)
			wanted = [e for e in result["diagnosis"]["sample_events"] if counts[e]]
			assert bool(offered) == bool(wanted), (offered, wanted)
			often = [e for e in wanted if counts[e] >= 1000]
			few = re.search(r"which happened only (\d+) times?, so there will be few", text)
			if often:
			    assert offered == often and not few, (offered, wanted)
			elif wanted:
			    best = max(wanted, key=lambda e: counts[e])
			    assert offered == [best] and int(few[1]) == counts[best], (text, counts[best])
			print("few" if few else "enough")
		END
	done >offers
	[ "$(sort -u offers | xargs)" = "enough few" ]
}

@test "every core of the model fits 80 columns, with all details" {
	for cpu in $(plumb list cores --source model -x '|' | cut -d '|' -f 1); do
		run --separate-stderr model --cpu "$cpu" -v --stages all ./work
		[ "$status" -eq 0 ]
		# A path may be long; on a terminal its line is wrapped.
		[ -z "$(grep -v '^plumb: the model runs in ' <<<"$stderr" | too_wide 80)" ]
	done
	run --separate-stderr model --cpu "$cpu" -r 2 --stages all ./work
	[ "$status" -eq 0 ]
	[ -z "$(too_wide 80 <<<"$stderr")" ]
}

@test "JSON has the documented members" {
	run --separate-stderr model --json ./work exit 3
	[ "$status" -eq 3 ]
	json '
		set(d) >= {"plumb", "source", "engine", "cpu", "command", "exit_status", "elapsed_seconds",
		           "events", "metrics", "diagnosis", "warnings"} and
		d["source"] == "model" and
		d["cpu"] == {"name": "Neoverse N3", "midr": "0x410fd8e0", "slots": 5} and
		d["command"] == ["./work", "exit", "3"] and d["exit_status"] == 3 and
		d["elapsed_seconds"] > 0 and "time" not in d and
		all(set(e) == {"name", "requested", "code", "count", "units", "enabled_ns", "running_ns"} and
		    e["requested"] is None and e["units"] == "events" and
		    (isinstance(e["count"], int) or e["name"].startswith("SVE_PRED_")) for e in d["events"]) and
		all(set(m) == {"name", "title", "group", "stage", "level", "parent", "value", "units", "slots"} and
		    (m["value"] is None or isinstance(m["value"], float)) for m in d["metrics"]) and
		{"path", "next_groups", "sample_events", "means", "helps"} <= set(d["diagnosis"]) and
		len(d["diagnosis"]["path"]) > 0 and
		d["diagnosis"]["means"].endswith(".") and d["diagnosis"]["helps"].endswith(".") and
		all(isinstance(w, str) for w in d["warnings"])' <<<"$stderr"
}

@test "the level-1 metrics sum to 100 %, and time is cycles at the frequency" {
	model --json ./work 2>&1 >/dev/null | json '
		abs(sum(m["value"] for m in d["metrics"] if m["group"] == "Topdown_L1") - 100) < 0.5 and
		[abs(e["count"] / 3e9 / d["elapsed_seconds"] - 1) < 1e-6 for e in d["events"]
		 if e["name"] == "CPU_CYCLES"] == [True]'
}

@test "each metric's value is that of its formula, computed in Python" {
	plumb spec list metrics --cpu neoverse-n3 --json >metrics.json
	# shellcheck disable=SC2046 # a name a word
	plumb spec show --cpu neoverse-n3 --json $(names metrics 1 neoverse-n3) >facts.json
	model --json ./work 2>&1 >/dev/null | json '
		(lambda counts, formulas: len(d["metrics"]) > 60 and all(
			(lambda formula, names: m["value"] is None and
				(not names <= counts.keys() or not all(
					counts[n] for n in names)) or
				m["value"] is not None and
				abs(eval(formula, {}, counts) - m["value"]) <= 1e-9 * abs(m["value"]) + 1e-12)(
				formulas[m["name"]],
				set(__import__("re").findall(r"[A-Z_][A-Z0-9_]+", formulas[m["name"]])))
			for m in d["metrics"]))(
			{e["name"]: e["count"] for e in d["events"]},
			{x["name"]: x["formula"] for x in f["results"]})' f=facts.json
}

@test "--page-size: larger pages need fewer walks" {
	walks()
	{
		model -x, -e DTLB_WALK -o walks "$@" -- ./work >out
		grep DTLB_WALK walks | cut -d, -f1
	}
	small=$(walks) four=$(walks --page-size 4K) large=$(walks --page-size 64K)
	[ "$small" -eq "$four" ]
	[ "$large" -gt 0 ]
	[ "$large" -lt "$small" ]
	run --separate-stderr model --page-size 8K -- ./work
	[ "$status" -eq 2 ]
	[[ $stderr == *--page-size* ]]
}

@test "--huge-pages: a large block of memory needs hardly any walks" {
	# Meson sets this. malloc would fill the small pages before the first huge one, too.
	unset MALLOC_PERTURB_
	for huge in false true; do
		option=() label="Neoverse N3 (model)"
		[ $huge = false ] || option=(--huge-pages) label="Neoverse N3 (model, huge pages)"
		run --separate-stderr model "${option[@]}" -- ./huge
		[ "$(head -n 1 <<<"$stderr")" = "$label: ./huge" ]
		model --json -o $huge.json -e DTLB_WALK,DTLB_WALK_LARGE,INST_RETIRED "${option[@]}" \
			-- ./huge
	done
	/usr/bin/python3 - <<-'END'
		import json
		small, huge = (json.load(open(f"{name}.json")) for name in ("false", "true"))
		assert small["model"] == {"core": "neoverse-n3", "core_file": None, "page_bytes": 4096, "huge_pages": False,
			"page_fault_cost": 0, "syscall_cost": 0, "wrong_path_loads": False, "seed": 0}
		assert huge["model"] == {"core": "neoverse-n3", "core_file": None, "page_bytes": 4096, "huge_pages": True,
			"page_fault_cost": 0, "syscall_cost": 0, "wrong_path_loads": False, "seed": 0}
		small, huge = ({event["name"]: event["count"] for event in result["events"]}
			       for result in (small, huge))
		assert small["INST_RETIRED"] == huge["INST_RETIRED"]
		# 8,192 pages of 32 MiB, some of which the prefetcher translates ahead, or 16 huge ones.
		assert small["DTLB_WALK"] > 8192 and small["DTLB_WALK_LARGE"] == 0, small
		assert huge["DTLB_WALK"] < 300 and 1 <= huge["DTLB_WALK_LARGE"] <= 17, huge
	END
}

@test "page faults and system calls take the time that was stated" {
	cat >pages.c <<-'END'
		#include <sys/syscall.h>
		#include <unistd.h>
		static volatile char memory[1000][4096];
		int main(int count, char **arguments)
		{
			for (int i = 0; i < 1000; i++)
				if (count == 1)
					memory[i][0] = 1;
				else
					syscall(SYS_getppid);
		}
	END
	"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -static -O1 -o pages pages.c
	# shellcheck disable=SC2086 # words
	for words in ./pages "./pages calls"; do
		run --separate-stderr model --page-fault-cost 2000 --syscall-cost 300 -- $words
		[[ "$(echo "$stderr" | tr -s ' \n' ' ')" == \
			*"(model, page faults cost 2000 cycles, system calls cost 300 cycles)"*kernel:* ]]
		model --json -o "${words##* }".json -e CPU_CYCLES,OP_SPEC,STALL_SLOT \
			--page-fault-cost 2000 --syscall-cost 300 -- $words
	done
	model --json -o free.json -e CPU_CYCLES -- ./pages
	/usr/bin/python3 - <<-'END'
		import json
		pages, calls, free = (json.load(open(f"{name}.json")) for name in ("./pages", "calls", "free"))
		assert free["kernel"] is None and free["wrong_path"] is None
		assert pages["model"]["page_fault_cost"] == 2000 and pages["model"]["syscall_cost"] == 300
		# The array has 1,001 pages if it begins inside one, and others have touched its first or last.
		assert 999 <= pages["kernel"]["page_faults"] - calls["kernel"]["page_faults"] <= 1001
		assert calls["kernel"]["system_calls"] - pages["kernel"]["system_calls"] == 1000
		for result in (pages, calls):
		    kernel = result["kernel"]
		    assert kernel["cycles"] == 2000 * kernel["page_faults"] + 300 * kernel["system_calls"]
		    count = {event["name"]: event["count"] for event in result["events"]}
		    assert count["OP_SPEC"] + count["STALL_SLOT"] == 5 * count["CPU_CYCLES"]
		    assert abs(kernel["percent"] - 100 * kernel["cycles"] / count["CPU_CYCLES"]) < 1e-6
	END
	model --json -o kernel.json --page-fault-cost 2000 -- ./pages
	/usr/bin/python3 -c 'import json; found = json.load(open("kernel.json"))
assert found["diagnosis"]["path"][0] == "backend_bound", found["diagnosis"]
assert found["diagnosis"]["brief"] == "time in the kernel" and found["kernel"]["system_calls"] is None'
	run --separate-stderr model --page-fault-cost 0 -- ./pages
	[ "$status" -eq 2 ]
}

@test "--wrong-path-loads: loads behind mispredicted branches fetch what comes next" {
	# Half of the rounds, at random, load 65 lines on, where no prefetcher is. The barrier keeps a
	# wrong path from more than one load.
	cat >wrong.c <<-'END'
		static char memory[4160 * 4000];
		int main(void)
		{
			for (long i = 2048; i < (long)sizeof(memory); i += 4096)
				((volatile char *)memory)[i] = 1;
			__asm__ volatile("mov x1, %0\n\t"
					 "mov x2, #4000\n\t"
					 "mov x3, #12345\n\t"
					 "mov x5, #4160\n\t"
					 "1: eor x3, x3, x3, lsl #13\n\t"
					 "eor x3, x3, x3, lsr #7\n\t"
					 "eor x3, x3, x3, lsl #17\n\t"
					 "tbz x3, #20, 2f\n\t"
					 "ldr x4, [x1]\n\t"
					 "add x1, x1, x5\n\t"
					 "subs x2, x2, #1\n\t"
					 "dsb sy\n\t"
					 "b.eq 3f\n\t"
					 "2: b 1b\n\t"
					 "3:" ::"r"(memory) : "x1", "x2", "x3", "x4", "x5", "cc", "memory");
		}
	END
	"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -static -O1 -o wrong wrong.c
	for option in "" --wrong-path-loads; do
		model --json -o "loads$option.json" $option \
			-e CPU_CYCLES,INST_RETIRED,BR_MIS_PRED_RETIRED,MEM_ACCESS_RD,L1D_CACHE_RD,LD_ALIGN_LAT \
			-- ./wrong
	done
	/usr/bin/python3 - <<-'END'
		import json
		without, results = json.load(open("loads.json")), json.load(open("loads--wrong-path-loads.json"))
		loads, misses = results["wrong_path"]["loads"], results["wrong_path"]["l1d_misses"]
		one, two = ({event["name"]: event["count"] for event in result["events"]}
			    for result in (without, results))
		assert without["wrong_path"] is None and results["model"]["wrong_path_loads"]
		for event in ("INST_RETIRED", "BR_MIS_PRED_RETIRED"):
		    assert one[event] == two[event], event
		assert two["MEM_ACCESS_RD"] == two["L1D_CACHE_RD"]
		# A load across two lines accesses memory twice.
		one, two = ({**count, "loads": count["MEM_ACCESS_RD"] - count["LD_ALIGN_LAT"]} for count in (one, two))
		assert two["loads"] == one["loads"] + loads, (one, two, loads)
		# Of 4,000 random directions one way, and as many the other, half are mispredicted; half of
		# these, at least, go to the load. Each line that a wrong path fetches is one of those that
		# the program loads next, and so nearly as many of its misses begin earlier. The wrong paths
		# of start-up have several loads each, how many depends on the environment.
		assert 0.4 * two["BR_MIS_PRED_RETIRED"] < loads < 1.6 * two["BR_MIS_PRED_RETIRED"], (loads, two)
		assert 1000 < misses < 4000, misses
		assert two["CPU_CYCLES"] < 0.95 * one["CPU_CYCLES"], (one, two)
	END
	run --separate-stderr model --wrong-path-loads -- ./wrong
	[[ $stderr == *"wrong paths: "*" loads, of which "*" missed L1D"* ]]
}

@test "where a core's tree ends, the diagnosis says what the backend waits for" {
	cat >chase.c <<-'END'
		#include <stdlib.h>
		int main(void)
		{
			enum { COUNT = 1 << 18 };
			unsigned *next = malloc(64 * COUNT), at = 0;

			for (unsigned i = 0; i < COUNT; i++)
				next[16 * i] = (i * 5u + 1) % COUNT;
			for (unsigned i = 0; i < 100000; i++)
				at = next[16 * at];
			return at == COUNT;
		}
	END
	"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -static -O1 -o chase chase.c
	for core in neoverse-n1 neoverse-n2 neoverse-v2; do
		model --cpu $core --json -o $core.json -- ./chase
		/usr/bin/python3 - $core.json <<-'END'
			import json, sys
			found = json.load(open(sys.argv[1]))["diagnosis"]
			assert len(found["path"]) == 1 and found["path"][0].startswith("backend_"), found
			# Some of these machines have a system cache that holds all of it.
			assert found["brief"] in ("data beyond L2", "data from memory",
			                          "data in last-level cache"), found
			assert found["waits"][0]["node"] == "backend_cache_l2d_bound", found["waits"]
			assert found["waits"][0]["percent"] > 50
		END
	done
	run --separate-stderr model --cpu neoverse-v2 -- ./chase
	[[ "$(echo "$stderr" | tr -s ' \n' ' ')" == *"backend waits for: data beyond L2 "* ]]
}

@test "the diagnosis names limits that coincide" {
	# Two taken branches, and a multiplication that depends on the last one: two cycles each.
	for code in tie,mul free,add; do
		cat >"${code%,*}.c" <<-END
			int main(void)
			{
				__asm__ volatile("mov x0, #0xc0000\n\t"
						 "1: ${code#*,} x1, x1, x1\n\t"
						 "b 2f\n\t"
						 "2: subs x0, x0, #1\n\t"
						 "b.ne 1b" ::: "x0", "x1", "cc");
			}
		END
		"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -static -o "${code%,*}" "${code%,*}.c"
		run --separate-stderr model --cpu neoverse-n3 "./${code%,*}"
		[ "$status" -eq 0 ]
		echo "$stderr" | tr -s ' \n' ' ' >"${code%,*}.txt"
		model --cpu neoverse-n3 --json -o "${code%,*}.json" "./${code%,*}"
	done
	grep -q 'Tie in about [0-9]* % of the cycles, these take equally long: fetching code, operations' \
		tie.txt
	[ "$(grep -c Tie free.txt)" -eq 0 ]
	/usr/bin/python3 -c 'import json; tie, free = (json.load(open(f"{name}.json"))["diagnosis"]["ties"]
		for name in ("tie", "free")); assert free == [] and len(tie) == 1, (tie, free)
assert tie[0]["limits"] == ["fetch", "chain"] and tie[0]["percent"] > 80, tie'
}

@test "the diagnosis says that half of a chain is translations" {
	cat >half.c <<-'END'
		static char memory[128][4096 + 64];
		int main(void)
		{
			long at = 0;
			for (int i = 0; i < ROUNDS * 128; i++)
				__asm__ volatile("ldr %0, [%1, %0]" : "+r"(at) : "r"(memory[i % 128]));
			return (int)at;
		}
	END
	"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -O1 -static -DROUNDS=1000 -o half half.c
	"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -O1 -static -DROUNDS=60 -o short half.c
	run --separate-stderr model --cpu neoverse-n3 ./half
	[ "$status" -eq 0 ]
	echo "$stderr" | tr -s ' \n' ' ' >half.txt
	grep -q 'Tie in about [0-9]* % of the cycles, operations that wait for each other set the pace,' half.txt
	grep -q 'about half of that is waiting for translations; improve both halves' half.txt
	model --cpu neoverse-n3 --json -o half.json ./half
	/usr/bin/python3 -c 'import json; ties = json.load(open("half.json"))["diagnosis"]["ties"]
assert [tie["limits"] for tie in ties] == [["chain", "translation"]] and ties[0]["percent"] > 80, ties'

	# A few looks at a short run, half of which is start-up, tell no share.
	run --separate-stderr model --cpu neoverse-n3 ./short
	grep -qF 'Tie where the model looked, a few times in so short a run, operations that wait' \
		<<<"$(tr -s ' \n' ' ' <<<"$stderr")"
	model --cpu neoverse-n3 --json -o short.json ./short
	json '[(tie["limits"], tie["percent"]) for tie in d["diagnosis"]["ties"]] == [(["chain", "translation"], None)]' \
		<short.json
}

@test "the heading names the platform" {
	run --separate-stderr model --cpu graviton4 --page-size 64K -- ./work
	[ "$(head -n 1 <<<"$stderr")" = "Neoverse V2 (model of graviton4, pages of 64K): ./work" ]
	model --json -o platform.json --cpu graviton4 --page-size 64K -- ./work
	/usr/bin/python3 -c 'import json; assert json.load(open("platform.json"))["model"] == {
		"core": "graviton4", "core_file": None, "page_bytes": 65536, "huge_pages": False,
		"page_fault_cost": 0, "syscall_cost": 0, "wrong_path_loads": False, "seed": 0}'
}

@test "two runs give the same counts" {
	model --json -o one ./work >out
	model --json -o two ./work >out
	[ "$(json 'print(d["events"], d["metrics"], d["diagnosis"]) or True' <one)" = \
		"$(json 'print(d["events"], d["metrics"], d["diagnosis"]) or True' <two)" ]
}

@test "CSV: one row per metric of each group, then the requested events" {
	headings=time,source,group,stage,level,metric,value,units
	run --separate-stderr model --csv -e L1D_CACHE ./work
	[ "$(head -n 1 <<<"$stderr")" = "$(printf '%s\r' "$headings")" ]
	model --csv --stages all -e r08,L1D_CACHE -o out.csv ./work
	model --json --stages all -e r08,L1D_CACHE -o json ./work
	/usr/bin/python3 - <<-'END'
		import csv, json, re
		with open("out.csv", newline="") as file:
		    text = file.read()
		assert text.count("\r\n") == text.count("\n")
		rows = list(csv.DictReader(text.splitlines()))
		d = json.load(open("json"))
		metrics, events = rows[:-2], rows[-2:]
		assert [(r["group"], r["metric"]) for r in metrics] == [(m["group"] or "", m["name"]) for m in d["metrics"]]
		assert len({(r["group"], r["metric"]) for r in metrics}) == len(metrics) > 60
		for r, m in zip(metrics, d["metrics"]):
		    assert r["source"] == "model" and r["time"] == "" and r["units"] == m["units"], r
		    assert r["stage"] == str(m["stage"] or "") and r["level"] == str(m["level"] or ""), r
		    if m["value"] is None:
		        assert r["value"] == "", r
		        continue
		    assert abs(float(r["value"]) - m["value"]) <= 1e-8 * abs(m["value"]), r
		    assert len(re.sub(r"e.*|[.-]", "", r["value"]).lstrip("0")) <= 9, r
		# Counts have all their digits, and are in the order asked for.
		counts = {e["name"]: e["count"] for e in d["events"]}
		assert [(r["metric"], int(r["value"]), r["units"]) for r in events] == [
		    (name, counts[name], "events") for name in ("INST_RETIRED", "L1D_CACHE")], events
	END
}

@test "-x: perf stat's columns" {
	run --separate-stderr model -x '|' -M ipc -e INST_RETIRED,L1D_CACHE,rfffe ./work
	[ "$status" -eq 2 ]
	run --separate-stderr model -x '|' -M ipc -e INST_RETIRED,L1D_CACHE ./work
	# shellcheck disable=SC2154 # by bats
	[ "${#stderr_lines[@]}" -eq 4 ]
	# A comment, as perf has with -o.
	[ "${stderr_lines[0]}" = "# Neoverse N3 (model): the model's counts, not measured" ]
	[[ ${stderr_lines[1]} =~ ^[0-9]+\|\|INST_RETIRED\|[0-9]+\|100\.00\|\|$ ]]
	[[ ${stderr_lines[2]} =~ ^[0-9]+\|\|L1D_CACHE\|[0-9]+\|100\.00\|\|$ ]]
	[[ ${stderr_lines[3]} =~ ^\|\|\|\|\|[0-9.]+\|per\ cycle\ \ ipc$ ]]
	# One column more tells how far runs are apart; one before tells the time.
	run --separate-stderr model -r 2 -x, -e INST_RETIRED -M ipc ./work
	[[ ${stderr_lines[1]} =~ ^[0-9]+,,INST_RETIRED,0\.00%,[0-9]+,100\.00,,$ ]]
	[[ ${stderr_lines[2]} =~ ^,,,,,,[0-9.]+,per\ cycle\ \ ipc$ ]]
	run --separate-stderr model -I 1 -x, -e INST_RETIRED ./work long
	sed -n 2p <<<"$stderr" | grep -qE "^ *0\.00[0-9]+,[0-9]+,,INST_RETIRED,[0-9]+,100\.00,,$"
	# perf prints clocks in milliseconds.
	run --separate-stderr model -x, -e task-clock,cpu-clock:u ./work long
	[[ ${stderr_lines[1]} =~ ^[0-9]+\.[0-9][0-9],msec,task-clock,[0-9]+,100\.00,[01]\.[0-9]+,CPUs\ utilized$ ]]
	[[ ${stderr_lines[2]} =~ ^[0-9]+\.[0-9][0-9],msec,cpu-clock:u,[0-9]+,100\.00,[01]\.[0-9]+,CPUs\ utilized$ ]]
	# --csv prints them in nanoseconds, with all digits.
	model --csv -e task-clock -o - ./work | grep -qE ',task-clock,[0-9]+,ns'
	# A metric of several groups: once, as there is no column that tells of the group.
	[ "$(model -x, -o - -m Branch_Effectiveness,MPKI ./work | grep -c branch_mpki)" -eq 1 ]
}

@test "-x: perf stat prints the same columns for the same options" {
	perf stat -x, -e task-clock true 2>theirs || skip "no perf"
	for options in "" "-r 2" "-I 1"; do
		# shellcheck disable=SC2086 # options, one a word
		perf stat $options -x, -e page-faults sleep 0.01 2>theirs
		# shellcheck disable=SC2086
		model $options -x, -e INST_RETIRED -o ours ./work >out
		for field in value-of-event running percent; do
			case $field in
			value-of-event) n=3 pattern='^[a-zA-Z]' ;;
			running) n=4 pattern='^[0-9]+$' ;;
			percent) n=5 pattern='^[0-9]+\.[0-9][0-9]$' ;;
			esac
			# -r has its column behind the event, -I one before all.
			[ "$options" != "-r 2" ] || [ "$n" -eq 3 ] || n=$((n + 1))
			[ "$options" != "-I 1" ] || n=$((n + 1))
			head -n 1 theirs | cut -d , -f "$n" | grep -qE "$pattern"
			sed -n 2p ours | cut -d , -f "$n" | grep -qE "$pattern"
		done
		[ "$(sed -n 2p ours | tr -cd , | wc -c)" -eq "$(head -n 1 theirs | tr -cd , | wc -c)" ]
	done
}

@test "-x: the metrics beside events are those of perf stat" {
	local events=task-clock,page-faults:u,cs,minor-faults,migrations
	# Later perfs have no rate of events with modifiers.
	[[ $(perf version) == *" 6.1."* ]] || events=${events/:u/}
	perf stat -x, -e "$events" true 2>theirs || skip "no perf"
	plumb stat -x, -e "$events" -o ours true
	# Whether it is K/sec depends on the run.
	for file in theirs ours; do
		cut -d , -f 2,3,5,7 "$file" | sed 's/,[KMG]\//,\//' >"$file.units"
	done
	diff theirs.units ours.units
	# Without a clock there are none.
	plumb stat -x, -e cs,faults -o none true
	[ "$(cut -d , -f 6- none | sort -u)" = , ]
	plumb stat -r 3 -x, -e "$events" -o runs true
	for file in theirs ours runs; do
		/usr/bin/python3 - "$file" <<-'END'
			import sys
			rows = [line.rstrip("\n").split(",") for line in open(sys.argv[1])]
			clock = float(rows[0][0]) / 1e3
			# That of perf 6.1 itself is hundreds now and then.
			assert sys.argv[1] == "theirs" or 0 < float(rows[0][-2]) < 5, rows[0]
			for row in rows[1:]:
			    rate = float(row[-2]) * {"/sec": 1, "K/sec": 1e3, "M/sec": 1e6}[row[-1]]
			    # The clock is printed to 10 us, the mean count as a whole number.
			    expected = float(row[0]) / clock
			    assert abs(rate - expected) < 0.05 * expected + 1 / clock, (row, expected)
		END
	done
}

@test "-x: instructions per cycle and shares of misses, as perf computes them" {
	events=instructions,cycles,branches,branch-misses,cache-references,cache-misses
	events+=,stalled-cycles-frontend,stalled-cycles-backend,L1-dcache-loads,L1-dcache-load-misses
	events+=,L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads
	events+=,iTLB-load-misses,cpu-cycles:u,instructions:u,CPU_CYCLES,task-clock
	model -x, -e "$events" -o rows ./work long || skip "cannot count all of them"
	/usr/bin/python3 - <<-'END'
		rows = [line.rstrip("\n").split(",") for line in open("rows") if line[0] != "#"]
		count = {row[2]: float(row[0]) for row in rows if row[2]}
		got = {row[2] or "stalls": (row[5], row[6]) for row in rows}
		ns = float(next(row for row in rows if row[2] == "task-clock")[3])
		def share(event, of, unit, digits=2):
		    value = f"{100 * count[event] / count[of]:.{digits}f}"
		    assert got[event] == (value, unit), (event, got[event], value)
		assert got["instructions"] == (f"{count['instructions'] / count['cycles']:.2f}",
		                               "insn per cycle"), got["instructions"]
		assert got["instructions:u"][1] == "insn per cycle"
		assert got["cycles"][1] == got["cpu-cycles:u"][1] == "GHz"
		assert 0.5 < float(got["cycles"][0]) < 5, got["cycles"]
		# As in perf: only its own names.
		assert got["CPU_CYCLES"][1] == "G/sec", got["CPU_CYCLES"]
		assert got["branches"][1] in ("M/sec", "G/sec")
		share("branch-misses", "branches", "of all branches")
		share("cache-misses", "cache-references", "of all cache refs", 3)
		share("stalled-cycles-frontend", "cycles", "frontend cycles idle")
		share("stalled-cycles-backend", "cycles", "backend cycles idle")
		share("L1-dcache-load-misses", "L1-dcache-loads", "of all L1-dcache accesses")
		share("L1-icache-load-misses", "L1-icache-loads", "of all L1-icache accesses")
		share("dTLB-load-misses", "dTLB-loads", "of all dTLB cache accesses")
		share("iTLB-load-misses", "iTLB-loads", "of all iTLB cache accesses")
		stalls = max(count["stalled-cycles-frontend"], count["stalled-cycles-backend"])
		assert got["stalls"] == (f"{stalls / count['instructions']:.2f}",
		                         "stalled cycles per insn"), got["stalls"]
	END
	# Nothing that it is computed from, nothing to print.
	model -x, -e instructions,branch-misses,cycles:u -o rows ./work
	[ "$(grep -v '^#' rows | cut -d , -f 6- | sort -u)" = , ]
}

# has_lines N FILE
has_lines()
{
	[ "$(wc -l <"$2")" -ge "$1" ]
}

@test "-I: rows are written line by line, to a file as well" {
	for options in --csv "-x ," --json ""; do
		rm -f rows
		# shellcheck disable=SC2086 # options, one a word
		"$PLUMB" stat --source model -I 1 $options -o rows ./work forever >out 2>&1 3>&- &
		process=$!
		# More than one interval, and the program goes on.
		soon has_lines 4 rows
		kill -0 "$process"
		[ "$(tail -c 1 rows | od -An -c | tr -d ' ')" = '\n' ]
		kill -TERM "$process"
		wait "$process" || [ $? -eq 143 ]
	done
}

@test "-I: rows that cannot be written are reported at once, and the program runs on" {
	"$PLUMB" stat --source model -I 1 -o /dev/full ./work forever >out 2>err 3>&- &
	process=$!
	soon grep -qxF "plumb: cannot write /dev/full: No space left on device" err
	kill -0 "$process"
	kill -TERM "$process"
	status=0
	wait "$process" || status=$?
	[ "$status" -eq 1 ]
	[ "$(grep -c "cannot write" err)" -eq 1 ]
}

# metrics_of OPTION...: the names and groups that are printed.
metrics_of()
{
	model "$@" --csv -o - ./work | sed '/^done$/d; 1d; s/\r$//' | sed '/^time,/d' |
		cut -d , -f 3,6 | tr , '|'
}

@test "counts exactly what is requested" {
	[ "$(metrics_of -m General)" = "General|ipc" ]
	[ "$(metrics_of -m general,mpki | wc -l)" -eq 11 ]
	[ "$(metrics_of -m General -m MPKI -M l1d_cache_miss_ratio | wc -l)" -eq 12 ]
	[ "$(metrics_of --level 1 | cut -d '|' -f 2 | sort | xargs)" = \
		"backend_bound bad_speculation frontend_bound retiring" ]
	[ "$(metrics_of --node frontend_mem_tlb_bound | cut -d '|' -f 1 | sort -u | xargs)" = \
		"ITLB_Effectiveness Topdown_Frontend" ]
	[ "$(metrics_of --stages 1 | wc -l)" -eq 21 ]
	[ "$(metrics_of --stages topdown,uarch)" = "$(metrics_of --stages all)" ]
	[ "$(metrics_of)" = "$(metrics_of --stages 1,2)" ]
	[ "$(metrics_of -e INST_RETIRED,r11,0x8 | xargs)" = "|INST_RETIRED |CPU_CYCLES |INST_RETIRED" ]
	# Without stage 1 there is nothing to diagnose.
	model --json -m General ./work 2>&1 >/dev/null | json 'd["diagnosis"] is None'
}

# counts_of OPTION...: name, as it was asked for, and count of each event.
counts_of()
{
	model --json "$@" ./work 2>&1 >/dev/null | /usr/bin/python3 -c '
import json, sys
for e in json.load(sys.stdin)["events"]:
    print(e["name"], e["requested"] or "", e["code"], e["count"], sep="|")'
}

@test "-e accepts perf's syntax, with perf's meaning" {
	local cycles l1d

	cycles=$(counts_of -e r11 | cut -d '|' -f 4)
	l1d=$(counts_of -e r04 | cut -d '|' -f 4)
	[ "$cycles" -gt 1000 ] && [ "$l1d" -gt 1000 ] && [ "$l1d" -ne "$cycles" ]
	[ "$(counts_of -e cycles,instructions | cut -d '|' -f 1,2,3)" = \
		"$(printf 'CPU_CYCLES|cycles|0x0011\nINST_RETIRED|instructions|0x0008')" ]
	[ "$(counts_of -e '{cycles,instructions}' | head -n 1)" = "CPU_CYCLES|cycles|0x0011|$cycles" ]
	[ "$(counts_of -e l1d_cache:u)" = "l1d_cache:u|l1d_cache:u|0x0004|$l1d" ]
	[ "$(counts_of -e l1d_cache)" = "L1D_CACHE|l1d_cache|0x0004|$l1d" ]
	[ "$(counts_of -e armv8_pmuv3_0/l1d_cache/)" = \
		"L1D_CACHE|armv8_pmuv3_0/l1d_cache/|0x0004|$l1d" ]
	[ "$(counts_of -e cpu/event=0x11/)" = "CPU_CYCLES|cpu/event=0x11/|0x0011|$cycles" ]
	[ "$(counts_of -e L1-dcache-loads | cut -d '|' -f 4)" -eq "$l1d" ]
	[ "$(counts_of -e '{r4,cpu/r11,name=mine/u}:u' | tail -n 1)" = "mine|mine|0x0011|$cycles" ]
	[ "$(counts_of -e '{r4,r11:u}:u' | cut -d '|' -f 1 | xargs)" = "r4:u r11:u" ]
	[ "$(counts_of -e 4:0x11:u | cut -d '|' -f 4)" -eq "$cycles" ]
	# Each has its row, as often as it is there; an event that metrics need, too, is one.
	[ "$(counts_of -e cycles -e CPU_CYCLES,r11 | cut -d '|' -f 2 | xargs)" = "cycles CPU_CYCLES r11" ]
	[ "$(counts_of -e instructions,ipc | cut -d '|' -f 1,2 | xargs)" = \
		"INST_RETIRED|instructions CPU_CYCLES|" ]
	[ "$(metrics_of -e backend_bound,cycles)" = "$(printf 'Topdown_L1|backend_bound\n|CPU_CYCLES')" ]
	# The model's clock, of 1 GHz, runs as long as its cycles do at 3 GHz.
	model --json -e task-clock,cpu-clock,CPU_CYCLES ./work 2>&1 >/dev/null | json '
		[e["name"] for e in d["events"]] == ["task-clock", "cpu-clock", "CPU_CYCLES"] and
		d["events"][0]["code"] is None and
		d["events"][0]["count"] == d["events"][1]["count"] and
		abs(d["events"][0]["count"] / d["elapsed_seconds"] / 1e9 - 1) < 0.001'
}

@test "-e: a row for each item, as perf prints it" {
	local asked='r11,cycles,cpu/event=0x11,name=mine/,{cycles,instructions},{cycles,instructions},cycles:u,cycles:u'

	model --json -e "$asked" -o result ./work >out
	json '
		[e["requested"] for e in d["events"]] == ["r11", "cycles", "mine", "cycles", "instructions",
			"cycles", "instructions", "cycles:u", "cycles:u"] and
		[e["name"] for e in d["events"]] == ["CPU_CYCLES", "CPU_CYCLES", "mine", "CPU_CYCLES",
			"INST_RETIRED", "CPU_CYCLES", "INST_RETIRED", "cycles:u", "cycles:u"] and
		len({e["count"] for e in d["events"]}) == 2 and
		all(e["count"] > 1000 for e in d["events"])' <result
	model --csv -e "$asked" -o - ./work | grep -c ^,model >rows
	model -x, -e "$asked" -o - ./work | grep -cE '^[0-9]+,,[^,]+,' >>rows
	run --separate-stderr model -e "$asked" ./work
	grep -cE '^ +[0-9,]+  (r11|cycles|mine|instructions|cycles:u) +[A-Z]' <<<"$stderr" >>rows
	[ "$(xargs <rows)" = "9 9 9" ]
	# So does perf with the kernel's events.
	plumb stat --source perf -e cs true 2>/dev/null || return 0
	run --separate-stderr plumb stat -x, -e 'cs,cs,task-clock,{cs},cs:u,cs:u' true
	[ "$(cut -d , -f 3 <<<"$stderr" | xargs)" = "cs cs task-clock cs cs:u cs:u" ]
}

@test "instructions per cycle are those of groups and modifiers, too" {
	run --separate-stderr model -e '{cycles,instructions}' ./work
	grep -qE '^  [0-9,]+ instructions, [0-9,]+ cycles, [0-9.]+ instructions per cycle$' <<<"$stderr"
	run --separate-stderr model -e 'instructions:u,cycles:u' ./work
	grep -qE '^  [0-9,]+ instructions:u, [0-9,]+ cycles:u, [0-9.]+ instructions per cycle$' <<<"$stderr"
	# Cycles counted in other modes are not those of the instructions.
	run --separate-stderr model -e 'instructions:u,cycles' ./work
	lacks 'instructions per cycle' <<<"$stderr"
	run --separate-stderr model -e 'cycles,instructions' ./work
	[ "$(grep -c 'instructions per cycle' <<<"$stderr")" -eq 1 ]
}

@test "tables wrap in a narrow terminal; a long name leaves others their titles" {
	local long

	need_terminal
	long=$(printf 'x%.0s' {1..70})
	run --separate-stderr model -e "cpu/event=0x11,name=$long/,instructions" ./work
	grep -q 'instructions .* Instruction' <<<"$stderr"
	[ -z "$(too_wide 80 <<<"$stderr")" ]
	for options in "-s all" "-r 2 -v" "-I 1" "-r 2 -e cycles,instructions,task-clock"; do
		# shellcheck disable=SC2086 # options, one a word
		in_terminal 60 "$PLUMB" stat --color never --no-progress --source model $options ./work |
			tr -d '\r' >lines
		[ "$(wc -l <lines)" -gt 5 ]
		[ -z "$(too_wide 60 <lines)" ]
	done
	in_terminal 44 "$PLUMB" stat --color never --no-progress --source model ./work | tr -d '\r' >lines
	grep -q ' ├─ backend_core_bound .* %$' lines
	[ -z "$(too_wide 44 <lines)" ]
}

@test "a misspelt event is reported before a program that the model cannot run" {
	cp work.c script.c
	chmod +x script.c
	for case in "-e cyclse|did you mean cycles?" "-M ipx|did you mean ipc?" \
		"-m Operaton_Mix|did you mean Operation_Mix?"; do
		# shellcheck disable=SC2086 # options, one a word
		run --separate-stderr model ${case%%|*} ./script.c
		[ "$status" -eq 2 ]
		[ "${stderr#*$'\n'}" = "       ${case#*|}" ]
	done
	# What the model lacks matters only to programs that it can run.
	run --separate-stderr model -e page-faults ./script.c
	[ "$status" -eq 126 ]
	run --separate-stderr plumb record --source model -e cyclse ./script.c
	[ "$status" -eq 2 ]
	# So is one of perf's own before a PMU that is missing, which it would not need.
	for case in "task-clok|'task-clok': no such event" "cs,|'': missing event" \
		"sched:sched_switch|'sched:sched_switch': tracepoints are not supported"; do
		run --separate-stderr plumb stat --source perf -e "${case%%|*}" true
		[ "$status" -eq 2 ] || [ "$(uname -m)" = aarch64 ]
		[ "$(head -n 1 <<<"$stderr")" = "plumb: ${case#*|}" ] || [ "$(uname -m)" = aarch64 ]
	done
	[ "$(uname -m)" = aarch64 ] && return
	run --separate-stderr plumb stat --source perf -e L1D_CACHE true
	[ "$status" -eq 3 ]
}

@test "names what the model cannot count" {
	for case in "page-faults|the model does not count page-faults" \
		"cycles:k|cycles:k: the model runs user code only, without a kernel or hypervisor" \
		"cycles:G|cycles:G: the model has no guests" \
		"cycles:I|cycles:I: the model has no idle time" \
		"armv8_cortex_a57/r1/|armv8_cortex_a57/r1/: the model's PMU is armv8_pmuv3_0" \
		"cpu/r3,config1=8/|cpu/r3,config1=8/: the model's PMU does not support config1" \
		"sched:sched_switch|'sched:sched_switch': tracepoints are not supported" \
		"mem:0x40:rw|'mem:0x40:rw': breakpoints are not supported" \
		"spe|'spe': SPE can be sampled, but not counted" \
		"spe/discard/|spe/discard/ requires perf: the model's SPE unit only records" \
		"cycles:x|'x': invalid modifiers" \
		"{cycles,ipc}|'{cycles,ipc}': metrics cannot be in a group"; do
		run --separate-stderr model -e "${case%%|*}" ./work
		[ "$status" -eq 2 ]
		[ "${stderr%%$'\n'*}" = "plumb: ${case#*|}" ] || { echo "$stderr" && return 1; }
	done
}

@test "software events are counted on any machine" {
	plumb stat --source perf -e cs true 2>/dev/null || skip "no perf_event_open"
	run --separate-stderr plumb stat --json -e 'task-clock,{page-faults:u,cs}' sh -c 'exit 3'
	[ "$status" -eq 3 ]
	json '
		d["source"] == "perf" and d["cpu"] is None and d["metrics"] == [] and d["engine"] is None and
		d["diagnosis"] is None and d["exit_status"] == 3 and
		[e["name"] for e in d["events"]] == ["task-clock", "page-faults:u", "cs"] and
		all(e["code"] is None for e in d["events"]) and
		100000 < d["events"][0]["count"] < 1e9 and 10 < d["events"][1]["count"] < 10000' \
		<<<"$stderr"
	# A group's modifiers belong to the names.
	run --separate-stderr plumb stat -x , -e '{task-clock,cs:k}:u,faults' true
	[ "$(cut -d , -f 3 <<<"$stderr" | xargs)" = "task-clock:u cs:uk faults" ]
	run --separate-stderr plumb stat -e task-clock,faults -- true
	[ "${lines[*]}" = "" ]
	grep -qE '^ +[0-9,]+  task-clock +Time on a CPU' <<<"$stderr"
	[ "$(uname -m)" = aarch64 ] && return
	# What takes a PMU is said to, where there is none.
	run --separate-stderr plumb stat --source perf -e task-clock,cycles true
	[ "$status" -eq 3 ]
	run --separate-stderr plumb stat --source perf -e task-clock -m General true
	[ "$status" -eq 3 ]
}

@test "rejects unknown names, with the most similar one" {
	run --separate-stderr model -m Operaton_Mix ./work
	[ "$status" -eq 2 ]
	said "plumb: neoverse-n3-r0p0 has no metric group 'Operaton_Mix'" \
		"       did you mean Operation_Mix?"
	run --separate-stderr model -M ipx ./work
	said "plumb: neoverse-n3-r0p0 has no metric 'ipx'" "       did you mean ipc?"
	run --separate-stderr model -n backend_bond ./work
	said "plumb: neoverse-n3-r0p0 has no node 'backend_bond'" "       did you mean backend_bound?"
	run --separate-stderr model -n ipc ./work
	[ "$status" -eq 2 ]
	run --separate-stderr model -e L1D_CACH ./work
	said "plumb: 'L1D_CACH': neoverse-n3-r0p0 has no such event" "       did you mean L1D_CACHE?"
	run --separate-stderr model -s 3 ./work
	said "plumb: invalid value '3' for --stages" "       use 1 (topdown), 2 (uarch) or all"
	run --separate-stderr model -m General,,MPKI ./work
	said "plumb: missing name in 'General,,MPKI' for --metric-group"
	run --separate-stderr model --cpu neoverse-e1 ./work
	[ "$status" -eq 2 ]
	said "plumb: the model has no core 'neoverse-e1'" \
		"       use one of $(plumb list cores --source model -x '|' | cut -d '|' -f 1 |
			paste -s -d , | sed 's/,/, /g')"
	run --separate-stderr model -l 9 ./work
	[ "$status" -eq 2 ]
	said "plumb: the tree of neoverse-n3-r0p0 has no level 9" "       its levels are 1 to 4"
	run --separate-stderr model --cpu neoverse-v2 -l 2 ./work
	said "plumb: the tree of neoverse-v2-r0p0 has no level 2" "       its only level is 1"
	[ "$(metrics_of --level 4 | cut -d '|' -f 2 | grep -c _cache_l)" -eq 4 ]
}

@test "perf stat's options that are not here lead to what is" {
	run --separate-stderr model -S -e cycles ./work
	[ "$status" -eq 2 ]
	said "plumb: unknown option '-S'" \
		"       perf's -S is unsupported: run sync before plumb"
	run --separate-stderr model --no-big-num ./work
	said "plumb: unknown option '--no-big-num'" \
		"       perf's --no-big-num is -x SEP, which prints plain numbers"
}

@test "-o may be appended to; results may go to a descriptor" {
	model -o appended -e cycles ./work
	model -o appended --append -e cycles ./work
	[ "$(grep -c '^Neoverse N3 (model)' appended)" -eq 2 ]
	[ "$(grep -c '^ .*  cycles  Cycle$' appended)" -eq 2 ]
	model -o appended.csv --append --csv -e cycles ./work
	model -o appended.csv --append --csv -e cycles ./work
	[ "$(cut -d , -f 6 appended.csv | xargs)" = "metric CPU_CYCLES CPU_CYCLES" ]
	model -I 1 -o appended.csv --append --csv -e cycles ./work long
	[ "$(cut -d , -f 6 appended.csv | sort | uniq -c | awk '$2 == "metric" { print $1 }')" = 1 ]
	[ "$(wc -l <appended.csv)" -gt 3 ]
	run --separate-stderr model --log-fd 7 --json -e cycles ./work 7>log
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	json 'd["events"][0]["count"] > 0' <log
	run --separate-stderr model --log-fd 1 -x, -e cycles ./work
	[ -z "$stderr" ]
	[[ $output == *,,cycles,* ]]
	run --separate-stderr model --log-fd 7 ./work 7<log
	[ "$status" -eq 2 ]
	said "plumb: cannot write to --log-fd 7: Bad file descriptor"
	run --separate-stderr model --log-fd 7 -o appended ./work
	said "plumb: --output and --log-fd cannot be combined" "       see plumb stat --help"
	for output in "" "-o -"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr model --append $output ./work
		[ "$status" -eq 2 ]
		said "plumb: --append requires --output FILE" "       see plumb stat --help"
	done
}

@test "--summary-only: only the totals of the intervals" {
	local options

	model -I 1 --json -o lines ./work long >/dev/null
	model -I 1 --summary-only --json -o summary ./work long >/dev/null
	[ "$(wc -l <lines)" -ge 4 ]
	[ "$(wc -l <summary)" -eq 1 ]
	json 'd["summary"] and d["time"] == d["elapsed_seconds"] > 0.003' <summary
	/usr/bin/python3 - <<-'END'
		import json
		last, only = (json.loads(open(f).readlines()[-1]) for f in ("lines", "summary"))
		assert last["metrics"] == only["metrics"] and last["events"] == only["events"]
		assert any(m["low"] < m["high"] for m in only["metrics"] if m["value"])
	END
	# Lines without a time, as of a whole run; their counts are those of the run.
	for options in --csv "-x ,"; do
		# shellcheck disable=SC2086 # two words
		model $options -e INST_RETIRED,L1D_CACHE -o whole ./work long >/dev/null
		# shellcheck disable=SC2086 # two words
		model -I 1 --summary-only $options -e INST_RETIRED,L1D_CACHE -o once ./work long >/dev/null
		cmp <(grep -v '^#' whole) <(grep -v '^#' once)
	done
	run --separate-stderr model -I 1 --summary-only ./work long
	[ "$status" -eq 0 ]
	lacks 'time s' <<<"$stderr"
	grep -qE 'with the lowest and highest of [0-9]+ intervals' <<<"$stderr"
	plumb stat --source perf -I 20 --interval-count 3 --summary-only -x , -e task-clock -o perf sleep 60
	[ "$(grep -c task-clock perf)" -eq 1 ]
	run --separate-stderr model --summary-only ./work
	[ "$status" -eq 2 ]
	said "plumb: --summary-only requires --interval-print" "       see plumb stat --help"
}

@test "--interval-count ends the program" {
	run --separate-stderr model -I 1 --interval-count 2 -x , -e cycles ./work longer
	[ "$status" -eq 0 ]
	[ "$(grep -c cycles <<<"$stderr")" -eq 2 ]
	model -I 1 --interval-count 2 --json -o intervals -e cycles ./work longer
	[ "$(wc -l <intervals)" -eq 3 ]
	tail -n 1 intervals | json 'abs(d["elapsed_seconds"] - 0.002) < 1e-6'
	run --separate-stderr model --interval-count 2 ./work
	said "plumb: --interval-count requires --interval-print" "       see plumb stat --help"
	run --separate-stderr model -I 1000000 --interval-count 1000000 ./work
	said "plumb: 1000000 intervals of 1000000 ms are too long: at most 2147483647 ms are supported"
	plumb stat --source perf -e task-clock true 2>/dev/null || skip "no software events"
	plumb stat --source perf -I 50 --interval-count 2 -x , -e task-clock -o perf sleep 60
	# A slow machine may sleep through the first.
	[[ $(wc -l <perf) == [12] ]]
}

@test "--all-user leaves the names of events as they are, as in perf" {
	plumb stat --all-user -e task-clock:k,cs:u -x , -o ours true || skip "no software events"
	[ "$(cut -d , -f 3 ours | xargs)" = "task-clock:k cs:u" ]
	command -v perf >/dev/null || skip "no perf"
	perf stat --all-user -e task-clock:k,cs:u -x , -o theirs true
	[ "$(grep -v '^#' theirs | cut -d , -f 3 | xargs)" = "task-clock:k cs:u" ]
}

@test "--all-user and --all-kernel replace the modifiers of events" {
	model --all-user -e cycles -x , -o all ./work
	model -e cycles -x , -o plain ./work
	# The model runs user code only.
	cmp all plain
	run --separate-stderr model --all-kernel -e cycles:u ./work
	[ "$status" -eq 2 ]
	said "plumb: cycles:u: the model runs user code only, without a kernel or hypervisor"
	run --separate-stderr model --all-kernel ./work
	[ "$status" -eq 2 ]
	said "plumb: --all-kernel applies to events, not to metrics" \
		"       name the events with -e, and no metrics"
	run --separate-stderr model --all-user --all-kernel -e cycles ./work
	said "plumb: --all-user and --all-kernel cannot be combined" "       see plumb stat --help"
}

@test "topdown-tool's options lead to ours, which exist" {
	run --separate-stderr model --list-metrics ./work
	[ "$status" -eq 2 ]
	said "plumb: unknown option '--list-metrics'" \
		"       topdown-tool's --list-metrics is plumb spec list metrics, or plumb spec tree"
	run --separate-stderr model -d ./work
	said "plumb: unknown option '-d'" \
		"       topdown-tool's -d is plumb spec show NAME, for a metric, a group or an event" \
		"       perf's -d is --stages all"
	run --separate-stderr model --csv-output-path=out ./work
	said "plumb: unknown option '--csv-output-path'" \
		"       topdown-tool's --csv-output-path is --csv -o FILE"
	run --separate-stderr model -s combined ./work
	[ "$status" -eq 2 ]
	[ "$(head -n 1 <<<"$stderr")" = "plumb: invalid value 'combined' for --stages" ]
	# wperf's are in the same place, and those that are ours with another meaning.
	run --separate-stderr model -c ./work
	said "plumb: unknown option '-c'" "       topdown-tool's -c is --collect-by" \
		"       wperf's -c is -C CPU,..."
	run --separate-stderr model --core 0,2-3 ./work
	said "plumb: --core: 0,2-3 is a list of CPUs, not a core file" \
		"       topdown-tool's --core is -C CPU,..."
	run --separate-stderr model -t -i 2 ./work
	[ "${stderr_lines[2]}" = "       wperf's -t is -I MS" ]
	run --separate-stderr model -n 3 ./work
	[ "${stderr_lines[2]}" = "       wperf's -n is --interval-count N" ]
	run -127 --separate-stderr plumb stat -e task-clock -i 2 ./work
	[ "${stderr_lines[2]}" = "       topdown-tool's and wperf's -i is -I MS" ]
	run -127 --separate-stderr model --csv out ./work
	[ "${stderr_lines[2]}" = "       topdown-tool's --csv FILE is --csv -o FILE" ]
	run --separate-stderr plumb man ld_spec
	said "plumb: unknown command 'plumb man'" "       wperf's man is plumb spec show NAME"
}

@test "each option of topdown-tool and wperf leads to what exists, and the documentation has it" {
	# shellcheck disable=SC2154 # by lib.bash
	/usr/bin/python3 - "$here/../../cli/tool/other_options.c" >twins <<'END'
import re, sys

text = open(sys.argv[1]).read()
words = dict(re.findall(r'#define (\w+) +("[^\n]*")', text))
for table, rows in re.findall(r"option_twin (\w+)\[\] = {\n(.*?)\n};", text, re.S):
    tool, command = table.split("_")
    for name, ours in re.findall(r'\{((?:"[^"]*"\s*)+),\s*("[^"]*"|\w+)\}', rows):
        for one in "".join(re.findall('"([^"]*)"', name)).split(","):
            print({"topdown": "topdown-tool"}.get(tool, tool), command, one, words.get(ours, ours).strip('"'), sep="|")
END
	[ "$(wc -l <twins)" -gt 90 ]
	plumb stat --help >help.stat
	plumb record --help >help.record
	while IFS='|' read -r tool command theirs ours; do
		if [ "$command" = commands ]; then
			run --separate-stderr plumb "$theirs"
		else
			[ "${#theirs}" -eq 1 ] && theirs=-$theirs || theirs=--$theirs
			run --separate-stderr plumb "$command" "$theirs"
		fi
		[[ $theirs = -i || "$stderr" = *"       $tool's $theirs is $ours"* ]]
		grep -qF -- "$theirs" "$here/../../doc/other-tools.md" || {
			echo "no $theirs of $tool" && return 1
		}
		case $ours in
		plumb*)
			command=$(sed 's/^plumb //; s/,.*//; s/ -.*//; s/ NAME$//; s/ \(cpus\|cores\|groups\|metrics\|events\)$//' <<<"$ours")
			# shellcheck disable=SC2086 # words of a command
			plumb $command --help >/dev/null
			;;
		-*)
			option=${ours%%[ ;,=:]*}
			grep -qE -- "(^| )$option([ ,[]|\$)" "help.$command"
			;;
		esac
	done <twins
}

@test "rejects an event that the model does not count; never counts it as 0" {
	run --separate-stderr model -e EXC_UNDEF ./work
	[ "$status" -eq 2 ]
	[ "$(head -n 1 <<<"$stderr")" = "plumb: the model does not count EXC_UNDEF" ]
	grep -q '^       it counts these related events: .*EXC_TAKEN' <<<"$stderr"
	[ -z "$output" ]
	run --separate-stderr model -e r81 ./work
	[ "$status" -eq 2 ]
	# Only relatives are offered: SW_INCR has none.
	run --separate-stderr model -e r0 ./work
	said "plumb: the model does not count SW_INCR" "       see plumb list events --source model"
	run --separate-stderr model --cpu neoverse-v2 -M branch_percentage ./work
	[ "$status" -eq 2 ]
	grep -q '^plumb: branch_percentage requires BR_IMMED_SPEC' <<<"$stderr"
	run --separate-stderr model -e CTI_TRIGOUT4 ./work
	[ "$status" -eq 2 ]
	# In a group it has no value, and that is said.
	run --separate-stderr model --cpu neoverse-v2 -m Operation_Mix ./work
	[ "$status" -eq 0 ]
	grep -qE '^    branch_percentage +– +percent' <<<"$stderr"
	grep -q '^Note: metrics unavailable because these events were not counted:' <<<"$stderr"
	model --cpu neoverse-v2 --json -m Operation_Mix ./work 2>&1 >/dev/null | json '
		[m["value"] for m in d["metrics"] if m["name"] == "branch_percentage"] == [None]'
}

@test "tells programs of SVE only on cores that have it" {
	cat >caps.c <<-'END'
		#include <stdio.h>
		#include <sys/auxv.h>
		int main(void)
		{
			return printf("SVE %lu SVE2 %lu AES %lu\n", getauxval(AT_HWCAP) >> 22 & 1,
				      getauxval(AT_HWCAP2) >> 1 & 1, getauxval(AT_HWCAP) >> 3 & 1) < 0;
		}
	END
	"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -static -o caps caps.c
	run -0 --separate-stderr plumb stat --source model --cpu neoverse-n1 ./caps
	[ "$output" = 'SVE 0 SVE2 0 AES 1' ]
	run -0 --separate-stderr plumb stat --source model --cpu neoverse-n2 ./caps
	[ "$output" = 'SVE 1 SVE2 1 AES 1' ]
}

@test "counts by SVE predicates with QEMU 9.0 or later; never 0 with older ones" {
	local metric=sve_predicate_full_percentage

	"$(engine_path)" --version | grep -oE 'version [0-9]+' >version
	run --separate-stderr model -m SVE_Effectiveness -e SVE_PRED_FULL_SPEC -e SVE_PRED_FULL_SPEC:u ./work
	[ "$status" -eq 0 ]
	if [ "$(cut -d ' ' -f 2 version)" -ge 9 ]; then
		grep -qE "^    $metric +[0-9.]+  percent" <<<"$stderr"
		grep -qE '^ +[0-9,]+  SVE_PRED_FULL_SPEC +Operation' <<<"$stderr"
	else
		grep -qE "^    $metric +–  percent" <<<"$stderr"
		grep -qE '^ +–  SVE_PRED_FULL_SPEC +Operation' <<<"$stderr"
		grep -q '^Note: metrics unavailable because these events were not counted:' <<<"$stderr"
		grep -q '^Note: not counted, because this requires QEMU 9.0 or later: SVE_PRED_FULL_SPEC$' \
			<<<"$stderr"
		run --separate-stderr plumb record --source model -e SVE_PRED_FULL_SPEC -c 100 -o none.data -- ./work
		[ "$status" -eq 3 ]
		# Which hint, on which system: test/unit/test_qemu.c.
		grep -qE '^       (use QEMU 9.0 or later|build QEMU 10: )' <<<"$stderr"
	fi
}

@test "reports what cannot be run, with a hint" {
	run -127 --separate-stderr model nowhere-to-be-found
	[ "$status" -eq 127 ]
	said "plumb: nowhere-to-be-found: no such program in PATH" \
		"       use ./nowhere-to-be-found for a program in the working directory"
	run -127 --separate-stderr model ./nowhere
	[ "$status" -eq 127 ]
	said "plumb: ./nowhere: No such file or directory"
	printf '#!/bin/sh\n' >script && chmod +x script
	run --separate-stderr model ./script
	[ "$status" -eq 126 ]
	grep -q '^plumb: ./script: not an ELF program$' <<<"$stderr"
	if [ "$(uname -m)" = x86_64 ]; then
		run --separate-stderr model /bin/true
		[ "$status" -eq 126 ]
		said "plumb: /bin/true: an x86-64 program; the model runs only AArch64" \
			"       build it for AArch64, for example with aarch64-linux-gnu-gcc"
	fi
	run --separate-stderr model --qemu "$PWD/none" ./work
	[ "$status" -eq 3 ]
	# Which hint, on which system: test/unit/test_qemu.c.
	grep -qE '^       .*(qemu-user|build-engine|README|/usr/bin/qemu-aarch64)' <<<"$stderr"
	run --separate-stderr model --qemu /bin/true ./work
	[ "$status" -eq 3 ]
	# shellcheck disable=SC2016 # for the inner shell
	printf '#!/bin/sh\ncase $1 in --version) echo "qemu-aarch64 version 7.2.0";; esac\n' >plain
	chmod +x plain
	run --separate-stderr model --qemu "$PWD/plain" ./work
	[ "$status" -eq 3 ]
	grep -q 'does not support plugins' <<<"$stderr"
	run --separate-stderr model -L "$PWD" ./dynamic
	[ "$status" -eq 3 ]
	grep -q 'libc6-arm64-cross' <<<"$stderr"
}

# engine TEXT: an engine that does as the shell says, in the file `engine`.
engine()
{
	printf '#!/bin/sh\n%s\n' "$1" >engine
	chmod +x engine
}

@test "-v says which engine runs the model" {
	local real

	real=$(engine_path)
	run --separate-stderr model -v --qemu "$real" -s 1 ./work
	[ "$status" -eq 0 ]
	grep -qxF "plumb: the model runs in $real, QEMU $("$real" --version |
		sed -n '1s/^qemu-aarch64 version //p')" <<<"$stderr"
	run --separate-stderr model --qemu "$real" -s 1 ./work
	run ! grep 'the model runs in' <<<"$stderr"
	# Where standard error is a table, it stays one.
	run --separate-stderr model -v --qemu "$real" -x, -e CPU_CYCLES ./work
	run ! grep 'the model runs in' <<<"$stderr"
	run --separate-stderr "$PLUMB" record --source model -v --qemu "$real" -o recording ./work
	[ "$status" -eq 0 ]
	grep -qF "plumb: the model runs in $real, QEMU" <<<"$stderr"
}

@test "JSON names the engine" {
	local holds line real

	real=$(engine_path)
	holds="d['engine'] == {'path': '$real', 'version': '$("$real" --version |
		sed -n '1s/^qemu-aarch64 version //p')'}"
	model --qemu "$real" --json -s 1 -r 2 -o out.json ./work
	json "$holds" <out.json
	model --qemu "$real" --json -I 1 -o out.json ./work
	[ "$(wc -l <out.json)" -gt 1 ]
	while read -r line; do
		json "$holds" <<<"$line"
	done <out.json
}

@test "-v says once why an engine is skipped, or cannot be used" {
	mkdir first second
	engine 'echo no QEMU'
	mv engine first/qemu-aarch64
	# shellcheck disable=SC2016 # for the inner shell
	engine 'case $1 in --version) echo "qemu-aarch64 version 5.1.0";; esac'
	mv engine second/qemu-aarch64
	run --separate-stderr model -v --qemu "$PWD/first/qemu-aarch64" ./work
	[ "$status" -eq 3 ]
	[ "$(grep -c first/qemu-aarch64: <<<"$stderr")" -eq 1 ]
	run ! grep '^plumb: skipping' <<<"$stderr"
	# The one beside the plugins comes before those in PATH.
	[ ! -x "$(dirname "$PLUMB")/../model/qemu/qemu-aarch64" ] || return 0
	PATH=$PWD/first:$PWD/second:$PATH run --separate-stderr model -v -s 1 ./work
	[ "$status" -eq 0 ]
	[ "$(grep -n '^plumb: skipping' <<<"$stderr" | cut -d: -f1,3)" = "$(printf '%s\n' \
		"1: skipping $PWD/first/qemu-aarch64" "2: skipping $PWD/second/qemu-aarch64")" ]
}

@test "QEMU that ends before the program begins" {
	engine "[ \$# -gt 1 ] || exec $(engine_path) \"\$@\"; exit 7"
	run --separate-stderr model --qemu "$PWD/engine" ./work
	[ "$status" -eq 3 ]
	said "plumb: $PWD/engine: QEMU ended (status 7) before the model's plugin was loaded" \
		"       see QEMU's error above, if there is one"
	engine "[ \$# -gt 1 ] || exec $(engine_path) \"\$@\"; kill -KILL \$\$"
	run --separate-stderr model --qemu "$PWD/engine" ./work
	[ "$status" -eq 3 ]
	said "plumb: $PWD/engine: signal 9 ended QEMU before the model's plugin was loaded (Killed)"
	engine "[ \$# -gt 1 ] || exec $(engine_path) \"\$@\"; kill -BUS \$\$"
	run --separate-stderr model --qemu "$PWD/engine" ./work
	[ "$status" -eq 3 ]
	said "plumb: $PWD/engine: signal 7 ended QEMU before the model's plugin was loaded (Bus error)" \
		"       the engine or its plugin may be damaged: install plumb again"
}

@test "--seed 0 is the default" {
	model --json -o default.json ./work
	model --json -o zero.json --seed 0 ./work
	json '[e["count"] for e in d["events"]]' <zero.json
	/usr/bin/python3 -c 'import json
a, b = (json.load(open(name + ".json"))["events"] for name in ("default", "zero"))
assert a == b and a'
	plumb explore --source model --seed 0 --no-progress -o found ./work 2>/dev/null
	[ -s found/findings.json ]
}

@test "interrupted while asking the engine: ends by the signal, without a message" {
	local number

	for number in INT TERM HUP; do
		# As a terminal or timeout(1) signal all there is.
		engine "kill -$number \$PPID; kill -$number \$\$"
		run --separate-stderr model --qemu "$PWD/engine" ./work
		[ "$status" -eq $((128 + $(kill -l "$number"))) ]
		[ -z "$stderr" ]
		run --separate-stderr "$PLUMB" record --source model --qemu "$PWD/engine" ./work
		[ "$status" -eq $((128 + $(kill -l "$number"))) ]
		[ -z "$stderr" ]
	done
}

@test "interrupted in the first moments: ends by the signal, without a message" {
	local command number

	rm -f ran
	for number in INT TERM HUP; do
		for command in "stat" "record -o recording"; do
			# Between two questions, this process alone; and before the plugin is loaded.
			engine "[ \"\$1\" != --version ] || kill -$number \$PPID; exec $(engine_path) \"\$@\""
			# shellcheck disable=SC2086 # options, one a word
			run --separate-stderr "$PLUMB" $command --source model --qemu "$PWD/engine" ./work touch ran
			[ "$status" -eq $((128 + $(kill -l "$number"))) ]
			[ -z "$stderr" ]
			[ ! -e ran ]
			engine "[ \$# -gt 1 ] || exec $(engine_path) \"\$@\"; kill -$number \$PPID; kill -$number \$\$"
			# shellcheck disable=SC2086 # options, one a word
			run --separate-stderr "$PLUMB" $command --source model --qemu "$PWD/engine" ./work touch ran
			[ "$status" -eq $((128 + $(kill -l "$number"))) ]
			run ! grep -e answer -e plugin -e install <<<"$stderr"
		done
	done
	# It was not this process that the signal was for.
	engine "[ \$# -gt 1 ] || exec $(engine_path) \"\$@\"; kill -TERM \$\$"
	run --separate-stderr model --qemu "$PWD/engine" ./work
	[ "$status" -eq 1 ]
	[ "$stderr" = "plumb: a signal ended QEMU before the program began" ]
}

@test "runs a dynamic program, and finds its libraries" {
	run --separate-stderr model -s 1 ./dynamic
	[ "$status" -eq 0 ]
	[ "$output" = "done" ]
}

# note_of PROGRAM ARGUMENT...: the first note.
note_of()
{
	model --json -s 1 -o result "$@" >out
	json 'print(*d["warnings"][:1]) or True' <result
}

@test "notes a run that is short or mostly start-up" {
	# All but the last call is the loader's and the C library's.
	[[ $(note_of ./work leave) =~ ^9[0-9]\ %\ of\ this\ run\ is\ start-up:\ main\(\)\ began\ after\  ]]
	[[ $(note_of ./dynamic leave) =~ ^9[0-9]\ %\ of\ this\ run\ is\ start-up:\ main\(\)\ began\  ]]
	[[ $(note_of ./stripped leave) =~ ^[0-9]+\ %\ of\ this\ run\ is\ start-up:\ its\ own\ code\  ]]
	[[ $(note_of ./work long) =~ ^[0-9.]+\ ms\ is\ a\ short\ run,\  ]]
	[ -z "$(note_of ./work longer)" ]
	json 'd["elapsed_seconds"] >= 0.01' <result
	# Counts by themselves are right however short the run is.
	model --json -e INST_RETIRED ./work leave 2>&1 | json 'd["warnings"] == []'
	model -e INST_RETIRED ./work leave 2>&1 | lacks 'is start-up'
	# People are told about metrics, too.
	for options in "-M ipc" "-e ipc" "-s 2"; do
		# shellcheck disable=SC2086 # words
		model $options ./work leave 2>&1 | tr -s ' \n' ' ' | grep -q '9[0-9] % of this run is start-up: '
		# shellcheck disable=SC2086 # words
		model $options ./work long 2>&1 | tr -s ' \n' ' ' | grep -q ' is a short run, '
	done
	model -M ipc -x , ./work leave 2>&1 | lacks 'start-up'
}

@test "looks the program up in PATH; -- is optional" {
	PATH=$PWD:$PATH run --separate-stderr model -s 1 work exit 4
	[ "$status" -eq 4 ]
	[ "$(head -n 1 <<<"$stderr")" = "Neoverse N3 (model): work exit 4" ]
	run -4 model -s 1 -- ./work exit 4
	# What follows the program is its own, options too.
	run --separate-stderr model -s 1 ./work --json
	[ "$status" -eq 0 ]
	[ "$(head -n 1 <<<"$stderr")" = "Neoverse N3 (model): ./work --json" ]
	run --separate-stderr plumb stat
	[ "$status" -eq 2 ]
	said "plumb: missing PROGRAM, --all-cpus, --cpus, --pid, --tid or --for-each-cgroup" \
		"       see plumb stat --help"
}

@test "-I: one object per line, which add up to the totals" {
	run --separate-stderr model -I 1 --json ./work long
	[ "$status" -eq 0 ]
	[ "$(grep -c '^{' <<<"$stderr")" -eq "$(wc -l <<<"$stderr")" ]
	model --json ./work long >/dev/null 2>whole
	model -I 1 --json -o lines ./work long >/dev/null
	/usr/bin/python3 - <<-'END'
		import json
		lines = [json.loads(line) for line in open("lines")]
		parts, whole = lines[:-1], lines[-1]
		assert len(parts) >= 3 and whole["summary"] and not any(p["summary"] for p in parts)
		assert whole["exit_status"] == 0 and all(p["exit_status"] is None for p in parts)
		times = [p["time"] for p in parts]
		assert times == sorted(times) and abs(times[-1] - whole["time"]) < 1e-9
		for i, event in enumerate(whole["events"]):
		    counts = [p["events"][i]["count"] for p in parts]
		    if event["count"] is None:  # the engine is too old for it
		        assert counts == [None] * len(parts), event
		    else:
		        assert sum(counts) == event["count"], event
		once = json.load(open("whole"))
		for a, b in zip(once["events"], whole["events"]):
		    assert a["count"] == b["count"], (a, b)
	END
	# Times have no more digits than they need.
	model -I 1 --json -o times ./work long
	head -n 1 times | grep -qE '"time":0\.00[0-9]{1,4}[,}]'
	run --separate-stderr model -I 1 --csv -M ipc ./work long
	[ "$(grep -cE '^0\.[0-9]+,model,General,2,,ipc,[0-9.]+,per cycle' <<<"$stderr")" -ge 3 ]
	run --separate-stderr model -I 1 ./work long
	grep -qE '^ *time s  frontend   backend  retiring       bad  leading$' <<<"$stderr"
	grep -qE '^ +0\.001000 +[0-9.]+ ' <<<"$stderr"
	lacks 'e-0' <<<"$stderr"
	[ -z "$(too_wide 80 <<<"$stderr")" ]
	run --separate-stderr model -I 1 -r 2 ./work
	[ "$status" -eq 2 ]
	run --separate-stderr model -I 0 ./work
	[ "$status" -eq 2 ]
}

@test "-r: runs the program several times; prints the mean and the range" {
	model --json -o once ./work
	model -r 3 --json -o result ./work >out
	[ "$(cat out)" = "$(printf 'done\ndone\ndone')" ]
	json '
		d["runs"] == 3 and d["diagnosis"]["parts"] == 3 and d["diagnosis"]["agreeing"] == 3 and
		all(m["low"] == m["high"] and abs(m["low"] - m["value"]) <= 1e-9 * abs(m["value"])
		    for m in d["metrics"] if m["value"] is not None) and
		all(e["low"] == e["count"] == e["high"] for e in d["events"]) and
		[(e["name"], e["count"]) for e in d["events"]] ==
		[(e["name"], e["count"]) for e in o["events"]]' o=once <result
	run --separate-stderr model -r 2 ./work
	grep -q '^  mean of 2 runs' <<<"$stderr"
	grep -q '^  Agree  both runs' <<<"$stderr"
	run --separate-stderr model -r 2 -e cycles ./work
	count=$(sed -nE 's/^  ([0-9,]+) cycles.*/\1/p' <<<"$stderr")
	grep -qE "^ +$count  $count\.\.$count  cycles  Cycle$" <<<"$stderr"
	# Of several ends, the first that is no success.
	run -6 model -r 2 ./work exit 6
}

@test "reports a crash, and the counts up to then" {
	run --separate-stderr model ./work crash
	[ "$status" -eq 139 ]
	grep -q '^  ended by signal 11 ' <<<"$stderr"
	grep -q '^Diagnosis$' <<<"$stderr"
	run --separate-stderr model --json -o result ./work crash
	json 'd["exit_status"] == 139 and
		[e["count"] > 10000 for e in d["events"] if e["name"] == "INST_RETIRED"] == [True]' <result
}

# in_background ARGUMENT...: runs `plumb stat` so, its output in `out` and `err`; returns when the
# program is at work. Its process is in `process`, and once it has ended its exit status in `ended`.
in_background()
{
	rm -f process ended out
	# A shell has what it starts so ignore SIGINT and SIGQUIT, and nohup SIGHUP.
	# shellcheck disable=SC2016,SC2153 # for the inner shell; lib.bash asks for it
	(
		status=0
		ulimit -c 0
		env --default-signal=INT,QUIT,HUP sh -c 'echo $$ >process; exec "$@"' - \
			"$PLUMB" stat --source model -o result "$@" >out 2>err || status=$?
		echo "$status" >ended
	) 3>&- &
	soon grep -q ready out
}

# soon COMMAND...: tries until it succeeds, for half a minute.
soon()
{
	for _ in $(seq 300); do
		"$@" 2>/dev/null && return
		sleep 0.1
	done
	return 1
}

@test "passes on a signal to plumb alone, and prints the counts" {
	# As with perf stat, SIGTERM ends plumb as well as the program.
	for signal in INT:5 TERM:143 HUP:129 QUIT:131; do
		rm -f result
		in_background ./work wait
		kill -"${signal%:*}" "$(cat process)"
		soon grep -qx "${signal#*:}" ended
		grep -q '^Diagnosis$' result
		case $signal in
		INT* | TERM*) grep -q "^signal $(kill -l "${signal%:*}")\$" out ;;
		QUIT*) grep -q '^  ended by signal 3 ' result ;;
		esac
	done
	in_background ./work forever
	kill -TERM "$(cat process)"
	soon grep -qx 143 ended
	grep -q '^  ended by signal 15 ' result
}

@test "Ctrl-C ends the program and prints the counts so far" {
	# shellcheck disable=SC2154 # by lib.bash
	run /usr/bin/python3 "$here/interrupted.py" "$PLUMB" stat --color never --source model ./work \
		forever
	[ "$status" -eq 130 ]
	grep -q '  ended by signal 2 ' <<<"$output"
	grep -q 'Diagnosis' <<<"$output"
}

@test "a second Ctrl-C ends a program that ignores the first" {
	for command in "stat --color never" "record -o recording"; do
		rm -f recording
		# shellcheck disable=SC2086 # options, one a word
		run timeout 120 /usr/bin/python3 "$here/interrupted.py" --again 1 "$PLUMB" $command \
			--source model ./work deaf
		[ "$status" -eq 130 ]
		grep -qE '^Diagnosis$|[0-9]+ samples, ' <<<"$output"
	done
	[ -s recording ]
}

@test "a signal ends a wait for somebody to read the results" {
	rm -f result
	mkfifo result
	in_background ./work wait
	kill -INT "$(cat process)"
	soon grep -q '^signal 2$' out
	# Nobody opens the pipe: the next one ends plumb.
	interrupt()
	{
		[ -e ended ] || kill -INT "$(cat process)"
		[ -s ended ]
	}
	soon interrupt
	grep -qx 130 ended
	rm result
	[ ! -s err ]
}

@test "a signal ends a wait for somebody to read the intervals" {
	rm -f result process ended
	mkfifo result
	(
		code=0
		# shellcheck disable=SC2016 # for the inner shell
		env --default-signal=INT sh -c 'echo $$ >process; exec "$@"' - \
			"$PLUMB" stat --source model -I 100 -o result ./work wait >out 2>err || code=$?
		echo "$code" >ended
	) 3>&- &
	soon test -s process
	sleep 0.5
	kill -INT "$(cat process)"
	soon grep -qx 130 ended
	rm result
	[ ! -s err ] && [ ! -s out ]
}

@test "shows progress, on a terminal only" {
	run /usr/bin/python3 "$here/interrupted.py" --after 3 "$PLUMB" stat --source model ./work forever
	grep -qE '[0-9]+ s: [0-9]+ million instructions, [0-9.]+ million per second' <<<"$output"
	grep -qE 'plumb: so far, the model runs this about [0-9,]+ times slower than a Neoverse N3 would' \
		<<<"$output"
	grep -qE '       a billion instructions take about [0-9.]+ [a-z]+ here; Ctrl-C ends the run' \
		<<<"$output"
	run /usr/bin/python3 "$here/interrupted.py" --after 3 "$PLUMB" stat --no-progress --source model \
		./work forever
	lacks -e 'million instructions' -e 'times slower than a ' <<<"$output"
}

@test "progress leaves a program's prompt and lines as they are" {
	/usr/bin/python3 "$here/in_terminal.py" --screen 80 "$PLUMB" stat --color never --source model \
		-M ipc ./work ask >screen
	# The text was beside the prompt when the program went on.
	# Too few instructions so far to show their number and their speed.
	grep -qE '^name\? +[0-9]+ s; [0-9.]+ [mu]s of model time$' screen
	lacks 'million' <screen
	grep -qx "done" screen
	[ -z "$(too_wide 80 <screen)" ]
	# It is nowhere else: neither above the prompt nor below.
	[ "$(grep -cE '[0-9] s; [0-9]' screen)" -eq 1 ]
}

@test "-o: a file that appears whole, or standard output" {
	printf old >result
	run --separate-stderr model -o result ./work
	[ "$output" = "done" ]
	[ -z "$stderr" ]
	[ "$(head -n 1 result)" = "Neoverse N3 (model): ./work" ]
	[ "$(model -o - ./work | head -n 2 | tail -n 1)" = "Neoverse N3 (model): ./work" ]
	# What cannot be written is told before anything runs.
	run --separate-stderr model -o nowhere/result ./work touch mark
	[ "$status" -eq 1 ]
	[ ! -e mark ]
	[ "$(find . -name 'result.*' | wc -l)" -eq 0 ]
}

@test "without --source a line names the source and the reason; not with JSON" {
	[ -z "$(find /sys/bus/event_source/devices -name 'armv[89]_*' 2>/dev/null)" ] || skip "an Arm PMU"
	why="plumb: counting with the model of a Neoverse N3: this machine has no Arm PMU"
	run --separate-stderr plumb stat ./work
	[ "$(head -n 1 <<<"$stderr")" = "$why" ]
	run --separate-stderr plumb stat --json ./work
	json 'd["source"] == "model"' <<<"$stderr"
	run --separate-stderr plumb stat --json -o result ./work
	[ "$stderr" = "$why" ]
	run --separate-stderr plumb stat --source perf ./work
	[ "$status" -eq 3 ]
	said "plumb: perf requires an Arm PMU, which this machine does not have" \
		"       use --source model, which counts AArch64 programs on any machine; see plumb doctor"
}

@test "counts forked processes only with --children" {
	model --json -e INST_RETIRED -o without ./work fork
	model --json -e INST_RETIRED --children -o with ./work fork
	json 'd["events"][0]["count"] > w["events"][0]["count"] + 300000' w=without <with
	# Who sees the counts is told what they lack.
	json 'w["warnings"] == ["1 process that the program forked was not counted",
		"--children counts the processes that the program forks, too"] and
		d["warnings"] == []' w=without <with
}

@test "rejects options that cannot be combined" {
	run --separate-stderr model --json --csv ./work
	[ "$status" -eq 2 ]
	run --separate-stderr model -r x ./work
	said "plumb: invalid value 'x' for --repeat" \
		"       use a whole number of at least 1"
	[ "$status" -eq 2 ]
	run --separate-stderr model --seed -1 ./work
	said "plumb: invalid value '-1' for --seed" \
		"       use a whole number of at least 0"
	[ "$status" -eq 2 ]
	run --separate-stderr model --level 0 ./work
	said "plumb: invalid value '0' for --level" \
		"       use a whole number of at least 1"
	[ "$status" -eq 2 ]
	run --separate-stderr model --level 99999999999 ./work
	said "plumb: invalid value '99999999999' for --level: too large: at most 2147483647"
	[ "$status" -eq 2 ]
}

@test "a program of one thread that reads clocks: a note, since these are the host's" {
	local text

	cat >clock.c <<-'END'
		#include <stdio.h>
		#include <time.h>

		int main(void)
		{
			struct timespec time;

			return READS && clock_gettime(CLOCK_MONOTONIC, &time) != 0;
		}
	END
	"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -O1 -static -DREADS=1 -o clock clock.c
	"$(command -v aarch64-linux-gnu-gcc || echo gcc)" -O1 -static -DREADS=0 -o timeless clock.c
	run --separate-stderr model ./clock 'a "b"' ''
	text=$(tr -s ' \n' ' ' <<<"$stderr")
	grep -qF "program reads clocks, which show the host's time and not the model's" <<<"$text"
	# The heading quotes what the command to copy does.
	grep -qF "(model): ./clock 'a \"b\"' ''" <<<"$text"
	run --separate-stderr model ./timeless
	lacks -F 'clocks' <<<"$stderr"
}

@test "lines that move between cores: the path ends in sharing, and the next step shows where" {
	run --separate-stderr model ./both
	[ "$status" -eq 0 ]
	text=$stderr
	grep -qE '(→|->) sharing$' <<<"$text"
	grep -qE '^  [0-9]+ % of the slots are lost to backend_bound' <<<"$text"
	grep -qF 'lines shared by cores.' <<<"$(tr '\n' ' ' <<<"$text" | tr -s ' ')"
	grep -qE '^  Moves  a line was on its way from another core in [0-9]+ % of the' <<<"$text"
	grep -qE '^  Sample plumb record .*--exact -- ./both' <<<"$text"
	[ "$(grep -c -F 'plumb report --sharing' <<<"$text")" -eq 1 ]
	[ -z "$(too_wide 80 <<<"$text")" ]

	model --json -r 2 -o both.json ./both
	/usr/bin/python3 - <<-'END'
		import json

		found = json.load(open("both.json"))["diagnosis"]
		assert found["path"][0] == "backend_bound" and found["path"][-1] == "sharing", found
		assert 50 < found["moving"] <= 100 and found["brief"] == "lines shared by cores", found
		assert found["agreeing"] == 2, found
	END

	# A program of one thread shares nothing.
	run --separate-stderr model ./work
	lacks -iE 'sharing|another core in' <<<"$stderr"
	model --json -o work.json ./work
	json 'd["diagnosis"]["moving"] is None and "sharing" not in d["diagnosis"]["path"] and
		d["diagnosis"]["waits_for_lines"] is False' <work.json
}

@test "lines that move between cores: named besides, if threads that spin lose their slots elsewhere" {
	local compiler=aarch64-linux-gnu-gcc text
	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	cat >turns.c <<-'END'
		#include <pthread.h>
		#include <stdatomic.h>
		#include <stdint.h>

		static _Alignas(128) _Atomic uint64_t turn;
		static _Alignas(128) _Atomic uint64_t own[64];

		static void *play(void *number)
		{
			const uint64_t me = (uintptr_t)number;

			for (int i = 0; i < 3000; i++) {
				_Atomic uint64_t *place = WITH_TURNS ? &turn : &own[me * 32];

				while (atomic_load_explicit(place, memory_order_acquire) != (WITH_TURNS ? me : 0))
					__asm__ volatile("isb");
				__asm__ volatile("isb");
				atomic_store_explicit(place, WITH_TURNS ? !me : 0, memory_order_release);
			}
			return 0;
		}

		int main(void)
		{
			pthread_t other;

			pthread_create(&other, 0, play, (void *)1);
			play((void *)0);
			return pthread_join(other, 0);
		}
	END
	"$compiler" -O1 -static -pthread -DWITH_TURNS=1 -o turns turns.c
	"$compiler" -O1 -static -pthread -DWITH_TURNS=0 -o alone turns.c

	run --separate-stderr model ./turns
	[ "$status" -eq 0 ]
	text=$(tr '\n' ' ' <<<"$stderr" | tr -s ' ')
	grep -qE 'Also threads wait for lines that other cores have written: a line was on its way' <<<"$text"
	grep -qE '^  Lines  plumb record ' <<<"$stderr"
	grep -qE ' --exact -- ./turns .*plumb report --sharing' <<<"$text"
	[ -z "$(too_wide 80 <<<"$stderr")" ]
	model --json -o turns.json ./turns
	json 'd["diagnosis"]["path"][0] == "bad_speculation" and d["diagnosis"]["waits_for_lines"] is True and
		20 <= d["diagnosis"]["moving"] <= 100' <turns.json

	model --json -o alone.json ./alone
	json 'd["diagnosis"]["waits_for_lines"] is False and d["diagnosis"]["moving"] is None' <alone.json
}

@test "--what-if: a speed-up for each part, in text, JSON and CSV" {
	model --json -o plain.json ./work
	model --what-if --json -o all.json ./work
	model --what-if l2,branch --csv -o some.csv ./work
	model --what-if=branch --no-progress -o text ./work
	/usr/bin/python3 - <<-'END'
		import csv, json, re

		plain, result = (json.load(open(name)) for name in ("plain.json", "all.json"))
		cycles = [next(e["count"] for e in r["events"] if e["name"] == "CPU_CYCLES")
		          for r in (plain, result)]
		assert cycles[0] == cycles[1] and "what_if" not in plain
		rows = {row["name"]: row for row in result["what_if"]}
		assert list(rows) == ["branch", "l1i", "l1d", "l2", "tlb", "store", "ports", "rob", "sharing",
		                      "together"], list(rows)
		for row in rows.values():
		    assert row["saved_cycles"] == cycles[0] - row["cycles"], row
		    assert abs(row["speedup"] - cycles[0] / row["cycles"]) < 1e-9, row
		assert rows["sharing"]["cycles"] == cycles[0], "one thread shares nothing"
		assert all(rows["together"]["cycles"] <= row["cycles"] for row in rows.values())

		some = [r for r in csv.DictReader(open("some.csv")) if r["group"] == "what_if"]
		assert [(r["metric"], r["units"]) for r in some] == [
		    (name, units) for name in ("branch", "l2", "together")
		    for units in ("times faster", "cycles saved")], some
		assert float(some[0]["value"]) == float("%.9g" % rows["branch"]["speedup"])
		assert int(some[3]["value"]) == rows["l2"]["saved_cycles"]

		text = open("text").read()
		assert "What if: how much faster the program would be" in text
		assert not re.search("tlb|together", text[text.index("What if"):])
		assert max(map(len, text.splitlines())) <= 80
	END
}

@test "--what-if: an unknown part is an error; -- ends the list" {
	run --separate-stderr model --what-if=branch,x ./work
	[ "$status" -eq 2 ]
	[[ $stderr = *"invalid value 'x' for --what-if"*"use one of branch, "* ]]
	cp work branch
	model --what-if -o out -- ./branch
	grep -q "What if" out
}
