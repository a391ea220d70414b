# SPDX-License-Identifier: Apache-2.0
# The check of words finds them where a reader sees them, and nowhere else.

check()
{
	/usr/bin/python3 "$BATS_TEST_DIRNAME/../../scripts/words.py" .
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p doc man cli/tool lib/low
	echo 'A page: the value is unknown.' >doc/page.md
}

@test "words: accepts texts and messages without them" {
	echo 'complain("invalid value");' >cli/tool/a.c
	run check
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "words: reports them in pages, manual pages and strings" {
	printf 'one\ntwo: not\nknown, Not known\n' >doc/page.md
	echo '_FILE_ is needed' >man/plumb.1.scd
	printf '/* " */\ncomplain("bad value \\"%%s\\"");\n' >cli/tool/a.c
	run check
	[ "$status" -eq 1 ]
	[ "$output" = "doc/page.md:3: 'Not known': use unknown
man/plumb.1.scd:1: 'is needed': use requires
cli/tool/a.c:2: 'bad value': use invalid value" ]
}

@test "words: ignores comments, code and parts of longer words" {
	printf '/* not known: "bad value" */\nint so_many = bad_value; /* is needed */\nsay("commend");\n' >lib/low/a.c
	run check
	[ "$status" -eq 0 ]
}
