# SPDX-License-Identifier: Apache-2.0
# The check of layers finds what it is there to find.

bats_require_minimum_version 1.5.0

check()
{
	/usr/bin/python3 "$BATS_TEST_DIRNAME/../../scripts/layers.py" .
}

# A tree of two layers, of which the upper may use the lower.
setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p doc cli include/plumb lib/low lib/high model
	cat >doc/architecture.md <<-'END'
		| folder | public headers | may use | what lives there |
		|---|---|---|---|
		| `lib/high/` | `high.h` | `lib/low` | one |
		| `lib/low/` | `low.h` | | two |
	END
	echo '#include <plumb/low.h>' >include/plumb/high.h
	echo '#include <stdint.h>' >include/plumb/low.h
	printf '#include "low/part.h"\n#include <plumb/low.h>\n' >lib/high/top.c
	echo '#include <plumb/low.h>' >lib/low/part.h
}

@test "layers: accepts a tree that follows its table" {
	run check
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "layers: reports an include of a higher layer, quoted or public" {
	echo '#include "high/top.h"' >lib/low/quoted.c
	touch lib/high/top.h
	echo '#include <plumb/high.h>' >lib/low/public.c
	run check
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]}" = "lib/low/public.c: lib/low may not use lib/high (plumb/high.h)" ]
	[ "${lines[1]}" = "lib/low/quoted.c: lib/low may not use lib/high (high/top.h)" ]
}

@test "layers: reports a public header that uses a higher layer or a private header" {
	printf '#include <plumb/high.h>\n#include "low/part.h"\n' >include/plumb/low.h
	run check
	[ "$status" -eq 1 ]
	[[ $output = *"include/plumb/low.h: lib/low may not use lib/high (plumb/high.h)"* ]]
	[[ $output = *'include/plumb/low.h: a public header includes "low/part.h"'* ]]
}

@test "layers: reports a circle of files in a folder" {
	echo '#include "low/a.h"' >lib/low/b.c
	echo '#include "low/b.h"' >lib/low/a.c
	touch lib/low/a.h lib/low/b.h
	# A header without a source of its own belongs to those that include it.
	echo '#include "low/whole.h"' >lib/low/inner.h
	echo '#include "low/inner.h"' >lib/low/whole.c
	touch lib/low/whole.h
	run check
	[ "$status" -eq 1 ]
	[ "$output" = "a circle of includes: lib/low/a -> lib/low/b -> lib/low/a" ]
}

@test "layers: reports a wrong order, and a folder that the table lacks" {
	# shellcheck disable=SC2016 # Markdown's backquotes
	sed -i 's/| `low.h` | |/| `low.h` | `lib\/high` |/' doc/architecture.md
	mkdir lib/other
	touch lib/other/file.c
	run check
	[ "$status" -eq 1 ]
	[[ $output = *"lib/low uses lib/high, which does not stand below it"* ]]
	[[ $output = *"lib/other/file.c: belongs to no layer"* ]]
}

@test "layers: reports a text of the library that names the program's options or commands" {
	cat >lib/low/text.c <<-'END'
		/* A comment may say --option, and plumb stat. */
		static const char *texts[] = {"use --source model", "a longer period (-c)", "see plumb list",
					      "raise it: ulimit -n", "as `perf record --threads`",
					      "well-known, 3 - 2, -1"};
	END
	run check
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[0]} = "lib/low/text.c:2: the library names the program's '--source'"* ]]
	[[ ${lines[1]} = "lib/low/text.c:2: the library names the program's '-c'"* ]]
	[[ ${lines[2]} = "lib/low/text.c:2: the library names the program's 'plumb list'"* ]]
}

@test "layers: reports remedies without a hint, and hints without a remedy" {
	mkdir -p cli/tool
	# shellcheck disable=SC2016 # Markdown's backquotes
	echo '| `cli/` | | | three |' >>doc/architecture.md
	printf '\t{"known", "a"},\n\t{"in-table", "b"},\n\t{"unused", "c"},\n' >cli/tool/hints.c
	cat >lib/low/text.c <<-'END'
		static const char *table[] = {"in-table"};
		diagnostics_remedy(found, "known", NULL, "x");
		diagnostics_remedy(found, "unknown", NULL, "x");
		diagnostics_remedy(found, table[0], NULL, "x");
	END
	run check
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]}" = "lib/low/text.c: cli/tool/hints.c has no hint for 'unknown'" ]
	[ "${lines[1]}" = "cli/tool/hints.c: nothing in lib/ has the remedy 'unused'" ]
}
