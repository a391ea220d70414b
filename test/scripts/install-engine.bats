# SPDX-License-Identifier: Apache-2.0
# model/qemu/install-engine.sh, as `meson install` runs it.

bats_require_minimum_version 1.5.0

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	install=$BATS_TEST_DIRNAME/../../model/qemu/install-engine.sh
	export MESON_INSTALL_DESTDIR_PREFIX="$PWD/a prefix"
	installed="$PWD/a prefix/lib/plumb/qemu-aarch64"
	echo new >engine
	chmod 700 engine
}

@test "installs the engine, also over an older one that runs" {
	for text in new newer; do
		echo "$text" >engine
		run sh "$install" "$PWD/engine" lib/plumb
		[ "$status" -eq 0 ]
		[ "$output" = "Installing $PWD/engine to $PWD/a prefix/lib/plumb" ]
		[ "$(cat "$installed")" = "$text" ]
		[ "$(stat -c %a "$installed")" = 755 ]
	done
	# Not written into: whoever runs it has the old one.
	exec 5<"$installed"
	echo newest >engine
	sh "$install" "$PWD/engine" lib/plumb
	[ "$(cat <&5)" = newer ]
	exec 5<&-
	[ "$(ls -A "a prefix/lib/plumb")" = qemu-aarch64 ]
}

@test "make install: what it says does not go through Meson, which may hide it" {
	sh "$install" "$PWD/engine" lib/plumb
	PLUMB_INSTALL_NOTES=1 run sh -c 'sh "$@" 3>said' sh "$install" none lib/plumb
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	grep -q "^Keeping $installed, " said
}

@test "does not install into a folder of the engine's name" {
	mkdir -p "$installed"
	run sh "$install" "$PWD/engine" lib/plumb
	[ "$status" -eq 1 ]
	[ "$output" = "$installed is a folder: remove it" ]
	[ -z "$(ls -A "$installed")" ]
}

@test "without an engine: installs none, and says that it keeps an older one" {
	local engine

	for engine in "$PWD/gone" none; do
		run sh "$install" "$engine" lib/plumb
		[ "$status" -eq 0 ]
		[ -z "$output" ] && [ ! -e "a prefix" ]
	done
	sh "$install" "$PWD/engine" lib/plumb
	mv engine none # its name has no meaning
	for engine in "$PWD/gone" none; do
		run sh "$install" "$engine" lib/plumb
		[ "$status" -eq 0 ]
		[ "${lines[0]}" = "Keeping $installed, which an earlier installation put there and plumb prefers;" ]
		[ "${lines[1]}" = "remove it to run the model in another qemu-aarch64" ]
		[ "$(cat "$installed")" = new ]
	done
}
