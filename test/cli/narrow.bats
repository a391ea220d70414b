# SPDX-License-Identifier: Apache-2.0
# What plumb report and plumb annotate print fits a terminal, with long and wide names; a pipe gets
# all of it. The judges are the widths of characters that Unicode defines, and the program's names.

load lib.bash

setup_file()
{
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
	export work=$BATS_FILE_TMPDIR long
	long=$(printf 'x%.0s' {1..700})
	mkdir "$work/很長的目錄名稱沒有空格很長的目錄名稱沒有空格很長的目錄名稱"
	cd "$work"/很* || return
	# Each call of deep() calls other functions, so that its tree has a branch at every level.
	cat >"計算.c" <<-END
		volatile unsigned start = 7;
		__attribute__((noipa)) void first_${long}_last(int n)
		{
			unsigned x = start; /* ${long} */
			for (int i = 0; i < n; i++)
				x = (x + i) / (start | 1); /* 這一行的註解非常長沒有空格因此會超過終端機的寬度而且會繼續下去很久很久 */
			start = x | 1;
		}
		__attribute__((noipa)) void 計算平均數值的函式名稱非常非常長沒有空格而且繼續下去直到超過終端機的寬度(int n)
		{
			unsigned x = start;
			for (int i = 0; i < n; i++)
				x = (x + i) / (start | 1);
			start = x | 1;
		}
		__attribute__((noipa)) void deep(int n)
		{
			if (n) {
				first_${long}_last(300);
				計算平均數值的函式名稱非常非常長沒有空格而且繼續下去直到超過終端機的寬度(150);
				deep(n - 1);
			}
			start++;
		}
		int main(void) { deep(12); }
	END
	aarch64-linux-gnu-gcc -g -O1 -fno-omit-frame-pointer -static -o "程式" "計算.c"
	plumb record --exact -q -o "$work/exact.data" -- "./程式" || skip "the model cannot run here"
	plumb record -q -e spe -c 1024 -o "$work/spe.data" -- "./程式"
	plumb record -q -g -e cycles -c 500 -o "$work/cycles.data" -- "./程式"
	plumb record -q --topdown -o "$work/topdown.data" -- "./程式"
}

setup()
{
	cd "$work" || return
	need_terminal
}

# fits COLUMNS COMMAND...: keeps what it prints on a terminal in `seen`, which must not be wider.
fits()
{
	in_terminal "$1" "$PLUMB" "${@:2}" --stdio --no-pager --color never | tr -d '\r' >seen
	[ -s seen ]
	[ -z "$(too_wide "$1" <seen | tee /dev/stderr)" ]
}

@test "call trees: one line for each function, whose name keeps its ends" {
	for width in 40 60 80; do
		fits "$width" report -i cycles.data -g
		grep -qE '^  [│ ].*[├└] .*first_x+….*_last$' seen
		grep -qE '[├└] .*計算.*….*寬度$' seen
	done
	# Below a small function, any share of it is shown.
	fits 60 report -i cycles.data -g fractal
	grep -qE '[├└] .*first_x+….*_last$' seen
	lacks -E '[├└] [0-9.]+%( ±[0-9.?]+)? *$' <seen
	fits 100 report -i cycles.data -g
	grep -qE '^  [│ ].*[├└]─ .*first_x+….*_last$' seen
	# At 40 columns there is no room for twelve branches: a mark stands for those outside.
	fits 40 report -i cycles.data -g
	grep -qE '^  … [│├└]' seen
	LC_ALL=C fits 40 report -i cycles.data -g
	grep -qE '^  \.\.[|`]' seen
	plumb report -i cycles.data -g >whole
	grep -qE "^  .*─ .*first_${long}_last\$" whole
	lacks … <whole
	fits 40 report -i cycles.data --callees deep
	grep -qE '[├└] .*first_x+….*_last$' seen
	fits 40 report -i exact.data --topdown -g
	grep -qE '[├└] firs.*…' seen
	grep -qE '  … [│├└]' seen
}

# The names are C++'s, as the compiler would mangle them.
@test "call trees: templates lose their arguments, and names their scopes before their ends" {
	cat >scopes.c <<-'END'
		volatile unsigned start = 7;
		#define WORK unsigned x = start; for (int i = 0; i < 3000; i++) x = (x + i) / (start | 1); start = x | 1;
		#define NAMED(name, of) __attribute__((noipa)) void name(void) __asm__(of); void name(void) { WORK }
		NAMED(insert, "_ZN6engine7storage6detail12WritableNodeIiE20insert_in_order_of_KEv")
		NAMED(push_one, "_ZN6engine4ListIiE12push_forwardI5PointIiiEEEvv")
		NAMED(push_two, "_ZN6engine4ListIiE12push_forwardI4LineIiiEEEvv")
		__attribute__((noipa)) void walk(void) { for (int i = 0; i < 8; i++) { insert(); push_one(); push_two(); } start++; }
		int main(void) { walk(); start++; }
	END
	aarch64-linux-gnu-gcc -g -O1 -fno-omit-frame-pointer -static -o scopes scopes.c
	plumb record -q -g -e cycles -c 500 -o scopes.data -- ./scopes
	plumb report -i scopes.data -g >whole
	grep -qE '[├└]─ .* engine::storage::detail::WritableNode<int>::insert_in_order_of_K$' whole
	fits 120 report -i scopes.data -g
	grep -qE '[├└]─ .* engine::storage::detail::WritableNode<int>::insert_in_order_of_K$' seen
	fits 80 report -i scopes.data -g
	grep -qE '[├└] .* …storage::detail::WritableNode<…>::insert_in_order_of_K$' seen
	fits 70 report -i scopes.data -g
	grep -qE '[├└] .* …detail::WritableNode<…>::insert_in_order_of_K$' seen
	# What tells two functions apart stays.
	for kind in Line Point; do
		grep -qE "[├└] .* engine::List<…>::push_forward<$kind<…> >\$" seen
	done
	# The beginning tells more than the end of a name that is long itself.
	fits 40 report -i scopes.data -g
	grep -qE '[├└] .* engine::.*….*_of_K$' seen
}

@test "--topdown: causes stay on a line, siblings align, and the note names what is left out" {
	for width in 60 80; do
		fits "$width" report -i exact.data --topdown
		grep -qE '^ *SLOTS .* LARGEST CAUSE .*FUNCTION$' seen
		# All four shares of the first level fit into 80 columns. Where they do not, those that
		# matter least are left out: the program waits for its divisions.
		if ((width == 80)); then
			grep -qE '^ *SLOTS  RETIRE +SPEC +FRONT +BACK  LARGEST' seen
			lacks "have no room" <seen
			grep -qE '%  (frontend|backend)_[a-z_0-9]*[a-z0-9]  +first_' seen
		else
			tr '\n' ' ' <seen |
				grep -qE "$width columns have no room for (RETIRE|SPEC|FRONT|, )+: use a wider terminal"
			grep -qE '^ *SLOTS  .*BACK  LARGEST' seen
		fi
		fits "$width" report -i exact.data --topdown --children -g
		grep -qE '[├└] first_x*…x*_?last$' seen
	done
	# main calls deep() alone, whose name has no branch; what that calls is below it.
	fits 100 report -i exact.data --topdown --children -g
	/usr/bin/python3 - <<-'END'
		lines = open("seen", encoding="utf-8").read().split("\n")
		main = next(i for i, line in enumerate(lines) if line.endswith("─ main"))
		at = lines[main].index("main")
		assert lines[main + 1][at:] == "deep", lines[main + 1]
		assert all(line[at:at + 3] in ("├─ ", "└─ ") for line in lines[main + 2:main + 4])
	END
}

@test "--topdown of samples: 80 columns have room for the intervals, rounded up" {
	plumb report -i topdown.data --topdown >whole
	fits 80 report -i topdown.data --topdown
	grep -qE '^ *SLOTS  RETIRE +SPEC +FRONT +BACK  LARGEST' seen
	lacks "have no room" <seen
	/usr/bin/python3 - <<-'END'
		import math, re
		def rows(path, cell):
		    lines = open(path, encoding="utf-8").read().split("\n")
		    found = [re.findall(cell, line) for line in lines]
		    return [cells for cells in found if len(cells) >= 4]
		whole = rows("whole", r"([\d.]+)% ±([\d.]+|\?)")
		brief = rows("seen", r"\b(\d+)±(\d+|\?)%")
		assert brief and len(whole) >= len(brief), (whole, brief)
		for one, other in zip(whole, brief):
		    for (value, half), (short, rounded) in zip(one[1:], other):  # SLOTS is first
		        assert abs(float(value) - int(short)) <= 0.51, (one, other)
		        assert rounded == (half if half == "?" else str(math.ceil(float(half)))), (one, other)
	END
	# Where not even these have room, a note says so. The share that the program has most stays.
	fits 50 report -i topdown.data --topdown
	tr '\n' ' ' <seen |
		grep -qE '50 columns have no room for (RETIRE|SPEC|FRONT|, )+INTERVALS: use a wider terminal'
	grep -qE '^ *SLOTS .*BACK  LARGEST' seen
	# A share that hardly matters goes before the intervals do.
	cat >busy.c <<-'END'
		volatile unsigned start = 7;
		int main(void)
		{
			unsigned x = start;
			for (int i = 0; i < 100000; i++)
				x = (x + i) / (start | 1);
			start = x;
		}
	END
	aarch64-linux-gnu-gcc -g -O1 -static -o a_program_that_divides busy.c
	plumb record -q --topdown -o busy.data -- ./a_program_that_divides
	fits 70 report -i busy.data --topdown -s srcline,symbol,dso
	tr '\n' ' ' <seen | grep -qE '70 columns have no room for (SPEC|FRONT|, )+: use a wider terminal'
	grep -qE '^ *SLOTS .*BACK  LARGEST' seen
	grep -qE '^[^%]*%.* 8[0-9]±[0-9]+%  ' seen
	LC_ALL=C fits 90 report -i topdown.data --topdown
	grep -qE '[0-9]\+-[0-9]+%' seen
}

@test "--topdown with three keys: all four shares fit into 80 columns" {
	for keys in symbol,dso,comm symbol,srcline,dso symbol,srcfile,srcline; do
		fits 80 report -i exact.data --topdown -s "$keys"
		grep -qE '^ *SLOTS  RETIR(E|ING) .*SPEC  FRONT(END)?  +BACK(END)?  LARGEST .*FUNCTION' seen
		lacks "have no room" <seen
	done
	# What all rows have in common is said once.
	fits 80 report -i exact.data --topdown -s symbol,comm,tid
	grep -q '^In all rows: COMMAND 程式, TID [0-9]*$' seen
	lacks " COMMAND .* TID$" <seen
	# No cause is divided within a word.
	fits 80 report -i exact.data --topdown -s symbol,srcfile,srcline
	grep -qE '%  (backend|frontend)_ ' seen
}

@test "tables: a long name takes six lines at most, and keeps its ends" {
	fits 40 report -i spe.data -s comm,dso,symbol
	/usr/bin/python3 - <<-'END'
		lines = open("seen", encoding="utf-8").read().split("\n")
		at = next(i for i, line in enumerate(lines) if "%" in line and "first_" in line)
		end = next(i for i in range(at + 1, len(lines)) if "%" in lines[i])
		name = "".join(line[-18:].split()[-1] for line in lines[at:end])
		assert 2 <= end - at <= 6, lines[at:end]
		assert name.startswith("first_xx") and "…" in name and name.endswith("x_last"), name
	END
	plumb report -i spe.data | grep -qE " first_${long}_last\$"
}

@test "tables: what all rows have in common is said once, and latencies outlast other columns" {
	fits 80 report -i spe.data -s comm,tid,symbol
	grep -qE '^In all rows: COMMAND 程式, TID [0-9]+$' seen
	grep -qE '^ *SHARE  95 % INTERVAL  SAMPLES  LATENCY  FUNCTION$' seen
	plumb report -i spe.data -s comm,symbol | grep -qE '  COMMAND +FUNCTION$'
	# Half of its loads miss all caches, so that there are several data sources whichever are sampled.
	cat >misses.c <<-END
		static volatile unsigned lines[1 << 20], sum;
		int main(void)
		{
			for (unsigned i = 0, at = 0; i < 16384; i++, at = at * 1664525 + 1013904223)
				sum += lines[at >> 12];
		}
	END
	aarch64-linux-gnu-gcc -g -O1 -static -o misses misses.c
	plumb record -q -e spe -c 1024 -o misses.data -- ./misses
	fits 60 report -i misses.data --mem
	tr '\n' ' ' <seen | grep -qE '60 columns have no room for .*P50, P90, P99: '
	grep -qE '^ *SHARE +(95 % INTERVAL +)?LATENCY  DATA SOURCE  ' seen
}

@test "plumb annotate: titles are wrapped, lines and instructions are cut off" {
	plumb annotate -i exact.data --color never >whole
	[ "$(head -c $((6 + 700 + 8)) whole)" = "first_${long}_last in" ]
	grep -qE "計算\.c:4 +unsigned x = start; /\* $long \*/\$" whole
	instructions=$(grep -cE '[0-9a-f]{6}  [a-z]' whole)
	for width in 40 60; do
		fits "$width" annotate -i exact.data
		[[ $(head -n 1 seen) == first_* ]]
		grep -qE '^Costs: cycles and ports of ' seen
		grep -qE '計算\.c:6  .*x = .*…$' seen
		[ "$(grep -cE '[0-9a-f]{6}  [a-z]' seen)" -eq "$instructions" ]
		fits "$width" annotate -i spe.data -n
		fits "$width" annotate -i exact.data -l
	done
	fits 40 annotate -i exact.data main
}

@test "--sharing and --latency-histogram" {
	fits 40 report -i exact.data --sharing
	[ "$(xargs <seen)" = "No cache line is used by several threads and written." ]
	plumb report -i exact.data --sharing | grep -qx "$(xargs <seen)"
	fits 40 report -i spe.data --latency-histogram
	grep -qE '% +#{10,12}$' seen
	lacks -E '% +#{13}' <seen
	plumb report -i spe.data --latency-histogram | grep -qE '% +#{40}$'
}

@test "-s data_symbol of an exact profile: the reason why there is none" {
	run --separate-stderr plumb report -i exact.data -s data_symbol
	[ "$status" -eq 2 ]
	said "plumb: exact.data: no values for data_symbol: an exact profile counts by instruction, without addresses of data" \
		"       sample accesses with plumb record -e spe/load,store/"
}
