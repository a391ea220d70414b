# SPDX-License-Identifier: Apache-2.0
# What the README shows. The sanitizers do not run this: nearly all of it is the model's time.

load lib.bash

# shellcheck disable=SC2154 # by lib.bash
top=$here/../..

@test "the README's examples print what the README shows" {
	# Meson sets this. The program would count other misses with it, because malloc fills memory.
	run env -u MALLOC_PERTURB_ /usr/bin/python3 "$here/printed.py" "$PLUMB" "$top/README.md"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^    \$ plumb ' "$top/README.md")" -eq "${lines[-1]%% *}" ]
}

@test "figures of the model's examples are compared" {
	PYTHONPATH=$here /usr/bin/python3 - <<-'END'
		from printed import is_shown
		shown = ["…", "backend_bound  98.0 % ███  late", "  1.008801:  5501  4095  400668 main+0x138"]
		def printed(share, latency, place="400668 main+0x138"):
		    return ["first", f"backend_bound {share} % ██  late", f"  1.01:  5502  {latency}  {place}"]
		assert is_shown(shown, printed("97.4", 4095))
		assert is_shown(shown, printed("97.4", 4000, "400700 main+0x150"))
		assert not is_shown(shown, printed("80.0", 4095))
		assert not is_shown(shown, printed("98.0", 100))
		assert not is_shown(shown, printed("98.0", 4095) + ["more"])
		assert is_shown(shown + ["…"], printed("98.0", 4095) + ["more"])
		assert not is_shown(shown[1:], printed("98.0", 4095))
		assert not is_shown(shown, printed("98.0", 4095)[:2])
	END
}
