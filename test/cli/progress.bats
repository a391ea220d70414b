# SPDX-License-Identifier: Apache-2.0
# What plumb stat says of a long run in the model, on a terminal.

load lib.bash

setup_file()
{
	local compiler=aarch64-linux-gnu-gcc

	cd "$BATS_FILE_TMPDIR" || return
	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null && engine_path >/dev/null || return 0
	cat >forever.c <<-'END'
		#include <unistd.h>

		int main(void)
		{
			write(1, BEGIN, sizeof(BEGIN) - 1);
			for (volatile unsigned i = 0;; i++)
				;
		}
	END
	"$compiler" -O2 -static -DBEGIN='"ready\n"' -o forever forever.c
	"$compiler" -O2 -static -DBEGIN='"ready, 0%"' -o unfinished forever.c
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || return
	here=$BATS_TEST_DIRNAME
	[ -x forever ] || skip "no AArch64 compiler, or no engine"
}

# What is told until the run is interrupted, on one line.
told()
{
	/usr/bin/python3 "$here/interrupted.py" --after 4 "$PLUMB" stat --source model "$@" ./forever |
		tr '\r\n' '  ' | tr -s ' '
}

@test "progress: says from where on a run is sampled, or that it is" {
	local text

	text=$(told)
	grep -q 'here; Ctrl-C ends the run and prints the counts so far; after the first 1,000,000,000 the run is sampled' \
		<<<"$text"
	text=$(told --sampled)
	grep -q 'the run is sampled, which gets faster; Ctrl-C ends it' <<<"$text"
	lacks 'a billion instructions' <<<"$text"
	text=$(told --sampled=off)
	grep -q 'a billion instructions take about' <<<"$text"
	lacks 'sampled, which' <<<"$text"
}

@test "progress: the notice begins a new line below one that the program has not finished" {
	/usr/bin/python3 "$here/interrupted.py" --after 4 "$PLUMB" stat --source model ./unfinished >shown || [ $? -eq 130 ]
	# As many spaces as the terminal has columns end in the next line, unless they begin in the first
	# column, where terminals stay until something else follows.
	/usr/bin/python3 - <<-'END'
		import re

		assert re.search(rb"ready, 0%( {80}|(\x1b7\x1b\[.*?\x1b8)+ {80})\rplumb: so far", open("shown", "rb").read(), re.S)
	END
}
