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
