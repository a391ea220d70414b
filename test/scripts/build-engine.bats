# SPDX-License-Identifier: Apache-2.0
# scripts/build-engine, with apt, QEMU's source and the compiler replaced by stand-ins that write down
# how they were called. What is built is a script that answers as an engine does.
# shellcheck disable=SC2016 # what is quoted is for the stand-ins to expand

bats_require_minimum_version 1.5.0

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p tree/scripts bin
	tree=$PWD/tree
	cp "$BATS_TEST_DIRNAME"/../../scripts/{archive,build-engine,engine.patch} tree/scripts/
	build=$tree/scripts/build-engine
	engine=$tree/.cache/engine/qemu-aarch64
	export calls=$PWD/calls
	: >calls
	# No qemu-aarch64 but those of the test.
	for tool in awk bash cat chmod cksum cmp cp cut date dirname env find flock grep head iconv id ln ls mkdir mkfifo mktemp mv patch ps \
		readlink realpath rm rmdir sed sh sha256sum sleep sort tail tar timeout touch tr wc; do
		ln -s "$(command -v "$tool")" "bin/$tool"
	done
	PATH=$PWD/bin
	own=$(. /etc/os-release && echo "$VERSION_CODENAME")
	printf '#!/bin/sh\necho "install-deps $*" >>"$calls"\n' >tree/scripts/install-deps
	chmod +x tree/scripts/install-deps
	export targets=$PWD/targets
	printf '%s\n' "$own|\$(CODENAME)|\$(ORIGIN)|main|http://mirror/debian/|$PWD/none.list:1" >targets
	fake apt-get '
		case "$*" in
		*indextargets*) cat "$targets" ;;
		*update) echo "apt-get update" >>"$calls"; keep "$@" ;;
		*"source --download-only"*)
			echo "apt-get source" >>"$calls"
			printf "Version: 1:9.9-1\n" >qemu_9.9-1.dsc ;;
		*"download meson") echo "apt-get download" >>"$calls"; touch meson_2_all.deb ;;
		esac'
	# The entries that apt was given.
	fake keep '
		for word in "$@"; do
			case $word in Dir::Etc::sourceparts=*) cat "${word#*=}"/* >"$targets.used" ;; esac
		done'
	fake dpkg 'echo amd64'
	fake dpkg-source 'mkdir -p "$4" && cp -R "$source/." "$4"'
	fake dpkg-deb 'mkdir -p meson/usr/bin && printf "#!/bin/sh\necho 1.7.0\n" >meson/usr/bin/meson && chmod +x meson/usr/bin/meson'
	fake meson 'echo 1.5.0'
	fake strip 'cp "$3" "$2"'
	fake ninja 'echo "ninja $PWD" >>"$calls"; echo "[1/1] compiles"; cp made qemu-aarch64'
	export source=$PWD/source
	mkdir source
	echo 9.9 >source/VERSION
	echo "project('qemu', ['c'], meson_version: '>=1.5.0')" >source/meson.build
	# It would refuse such a path, too.
	cat >source/configure <<-'END'
		#!/bin/sh
		case $PWD in *" "*) exit 1 ;; esac
		for word in "$@"; do
			case $word in --with-pkgversion=*) version="9.9 (${word#*=})" ;; esac
		done
		printf '#!/bin/sh\ncase $1 in --version) echo "qemu-aarch64 version %s";; --help) echo "-plugin  FILE";; esac\n' "$version" >made
		chmod +x made
	END
	chmod +x source/configure
	unset NO_DEPS PLUMB_QEMU_SOURCE
}

fake()
{
	rm -f "bin/$1"
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

# A qemu-aarch64 in PATH, with this in its help.
distribution()
{
	fake qemu-aarch64 "echo '$1'"
}

# How often the engine was compiled.
compiled()
{
	grep -c '^ninja' calls
}

# Waits until a file has something in it, for 20 s at most.
await()
{
	local i

	for ((i = 0; i < 200; i++)); do
		[ ! -s "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# Waits until a process has ended, for 5 s at most.
ended()
{
	local i

	for ((i = 0; i < 50; i++)); do
		grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# Nothing but the engine, if even that, is left behind.
tidy()
{
	[ -z "$(find tree/.cache/engine -mindepth 1 ! -name qemu-aarch64 ! -name lock ! -name log)" ]
}

@test "builds nothing if the distribution's QEMU supports plugins" {
	distribution '-plugin  FILE'
	run "$build" --if-needed
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -s calls ] && [ ! -e tree/.cache ]
}

@test "builds nothing if a later QEMU in PATH supports plugins" {
	distribution 'no such option'
	mkdir later
	printf '#!/bin/sh\necho "-plugin  FILE"\n' >later/qemu-aarch64
	chmod +x later/qemu-aarch64
	PATH=$PATH:$PWD/later run "$build" --if-needed
	[ "$status" -eq 0 ]
	[ ! -s calls ]
}

@test "builds if no QEMU supports plugins, or there is none" {
	run "$build" --if-needed
	[ "$status" -eq 0 ]
	distribution 'no such option'
	[ "$(compiled)" -eq 1 ]
	rm -r tree/.cache
	run "$build" --if-needed
	[ "$status" -eq 0 ]
	[ "$(compiled)" -eq 2 ]
	[[ $output == *"apt verified qemu 1:9.9-1 (signature, checksums)"* ]]
	[[ ${lines[-1]} == *"built QEMU 9.9 in "*"$engine" ]]
	grep -q '^install-deps build engine$' calls
	[[ $("$engine" --version) == "qemu-aarch64 version 9.9 (Plumb engine "*", $own 1:9.9-1)" ]]
	tidy
}

@test "keeps an existing engine, without a network" {
	"$build"
	fake apt-get 'exit 100'
	: >calls
	run "$build" --if-needed
	[ "$status" -eq 0 ]
	run "$build"
	[ "$status" -eq 0 ]
	run "$build" "$own"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -s calls ]
}

@test "another suite replaces the engine" {
	"$build"
	run "$build" other
	[ "$status" -eq 0 ]
	[ "$(compiled)" -eq 2 ]
	[[ $("$engine" --version) == *", other 1:9.9-1)" ]]
	"$build"
	[ "$(compiled)" -eq 2 ]
}

@test "rebuilds an engine that does not run, or was built differently" {
	mkdir -p tree/.cache/engine
	printf 'another machine' >"$engine"
	chmod +x "$engine"
	"$build"
	[ "$(compiled)" -eq 1 ]
	# As by an older version of the script.
	sed -i 's/Plumb engine [0-9]*/Plumb engine 0/' "$engine"
	"$build"
	[ "$(compiled)" -eq 2 ]
}

@test "keeps an engine whose missing library is installed now" {
	"$build"
	mv "$engine" whole
	printf '#!/bin/sh\n[ -e library ] && exec ./whole "$@"\nexit 127\n' >"$engine"
	chmod +x "$engine"
	printf '#!/bin/sh\n: >library\n' >tree/scripts/install-deps
	run "$build"
	[ "$status" -eq 0 ]
	[ "$(compiled)" -eq 1 ]
}

@test "NO_DEPS=1 installs nothing" {
	NO_DEPS=1 run "$build"
	[ "$status" -eq 0 ]
	run ! grep install-deps calls
}

@test "finds the distribution's archive anywhere in apt's list" {
	local id

	id=$(. /etc/os-release && echo "${ID^}")
	cat >targets <<-END
		$own|$own|Other|main|http://other/|/none.list:1
		$own-updates|$own-updates|$id|main|http://mirror/debian/|/none.list:2
		$own|$own|$id|contrib|http://contrib/|/none.list:3
		$own|$own|$id|main|http://mirror/debian/|/none.list:3
	END
	"$build"
	grep -qx 'URIs: http://mirror/debian/' targets.used
	grep -qx "Suites: $own" targets.used
	grep -qx 'Components: main' targets.used
	grep -qx 'Types: deb-src' targets.used
}

@test "recognizes an archive called stable by its code name" {
	echo "stable|$own|Debian|main|http://mirror/debian/|/none.list:3" >targets
	"$build"
	grep -qx "Suites: $own" targets.used
}

@test "prefers another suite's archive, if apt knows it, to this suite's" {
	echo "other|other|Debian|main|http://elsewhere/debian/|/none.list:4" >>targets
	"$build" other
	grep -qx 'URIs: http://elsewhere/debian/' targets.used
	"$build" third
	grep -qx 'URIs: http://mirror/debian/' targets.used
	grep -qx 'Suites: third' targets.used
}

@test "without apt: a tarball is needed, and is enough" {
	rm bin/apt-get
	run "$build"
	[ "$status" -eq 3 ]
	[ "${lines[-1]}" = "build-engine: this machine has no apt; use a tarball: PLUMB_QEMU_SOURCE=FILE" ]
	tar -cf qemu.tar --transform 's/^source/qemu-9.9/' source
	export PLUMB_QEMU_SOURCE=qemu.tar
	"$build"
	[ "$(compiled)" -eq 1 ]
	rm "$engine"
	fake meson 'echo 1.4.99'
	run "$build"
	[ "$status" -eq 1 ]
	[[ ${lines[-2]} == "build-engine: this QEMU requires Meson 1.5.0; this machine has 1.4.99" ]]
	[[ ${lines[-1]} == "build-engine: this machine has no apt; use QEMU's own tarball, which contains Meson" ]]
	rm bin/meson
	run "$build"
	[ "$status" -eq 1 ]
	[[ ${lines[-2]} == "build-engine: this QEMU requires Meson 1.5.0; this machine has none" ]]
	tidy
}

@test "without an archive: says so, with a hint" {
	sed -i 's/^[^|]*/other/' targets
	run "$build"
	[ "$status" -eq 3 ]
	[[ $output == *"apt's sources do not name $own; use a tarball: PLUMB_QEMU_SOURCE=FILE"* ]]
	: >targets
	run "$build"
	[ "$status" -eq 3 ]
	[[ $output == *"apt has no lists of packages: run apt-get update"* ]]
	tidy
}

# What apt prints while it updates its lists; then it fails.
apt_fails()
{
	printf '%s\n' "$1" >"$calls.apt"
	fake apt-get 'case "$*" in *indextargets*) cat "$targets" ;; *update) cat "$calls.apt"; exit 100 ;; esac'
}

@test "a source that cannot be fetched" {
	apt_fails 'no network'
	run "$build"
	[ "$status" -eq 3 ]
	[[ $output == *"no network"*"failed (status 100): fetching QEMU's source from http://mirror/debian/"* ]]
	[ "${lines[-1]}" = "build-engine: cannot fetch from http://mirror/debian/; use a tarball: PLUMB_QEMU_SOURCE=FILE" ]
	tidy
}

@test "a suite that the archive does not have" {
	apt_fails "Err:2 http://mirror/debian trixi Release
  404  Not Found [IP: 192.0.2.1 80]
E: The repository 'http://mirror/debian trixi Release' does not have a Release file."
	run "$build" trixi
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "build-engine: http://mirror/debian/ has no suite 'trixi'" ]
	# This machine's own has moved.
	run "$build"
	[ "$status" -eq 3 ]
	[ "${lines[-1]}" = "build-engine: http://mirror/debian/ no longer has $own; use a tarball: PLUMB_QEMU_SOURCE=FILE" ]
	# The same words, because of the network.
	apt_fails "Err:2 http://mirror/debian trixi Release
  503  Service Unavailable
E: The repository 'http://mirror/debian trixi Release' does not have a Release file."
	run "$build" trixi
	[ "$status" -eq 3 ]
	[[ ${lines[-1]} == *"cannot fetch from http://mirror/debian/; use a tarball"* ]]
}

@test "a signature that is wrong, and one that cannot be checked" {
	local signed="E: The repository 'http://mirror/debian trixie InRelease' is not signed."

	apt_fails "W: GPG error: http://mirror/debian trixie InRelease: The following signatures were invalid: BADSIG 0123456789ABCDEF Key
$signed"
	run "$build"
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "build-engine: the archive's signature or a checksum is wrong" ]
	apt_fails 'E: Failed to fetch http://mirror/debian/qemu.dsc  Hash Sum mismatch'
	run "$build"
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "build-engine: the archive's signature or a checksum is wrong" ]
	# The programs that check it cannot run.
	apt_fails "/usr/bin/apt-key: 95: cannot create /dev/null: Permission denied
W: GPG error: http://mirror/debian trixie InRelease: gpgv, gpgv2 or gpgv1 required for verification, but neither seems installed
$signed"
	run "$build"
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "build-engine: apt cannot check the archive's signature: /usr/bin/apt-key: 95: cannot create /dev/null: Permission denied" ]
	apt_fails "W: GPG error: http://mirror/debian trixie InRelease: gpgv, gpgv2 or gpgv1 required for verification, but neither seems installed
$signed"
	run "$build"
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == *"cannot check the archive's signature: "*"gpgv, gpgv2 or gpgv1 required"* ]]
	# The key is missing, as of a newer suite's.
	apt_fails "W: GPG error: http://mirror/debian trixie InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 0123456789ABCDEF
$signed"
	run "$build"
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == *"cannot check the archive's signature: "*"NO_PUBKEY 0123456789ABCDEF" ]]
	# apt 3 checks with another program.
	apt_fails "Err:1 http://mirror/debian trixie InRelease
  Sub-process /usr/bin/sqv returned an error code (1), error message is: Missing key 0123, which is needed to verify signature.
$signed"
	run "$build"
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == *"cannot check the archive's signature: "*"Missing key 0123"* ]]
	tidy
}

@test "a full disk: says so at every stage, also if the reason did not fit" {
	local full="build-engine: no space left on the disk of $tree/.cache/engine/plumb-engine."

	apt_fails 'E: Write error - write (28: No space left on device)'
	run "$build"
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == "$full"*": the build takes up to 2 GB" ]]
	fake tar 'echo "tar: qemu/VERSION: Cannot write: No space left on device"; exit 2'
	echo >qemu.tar
	PLUMB_QEMU_SOURCE=qemu.tar run "$build"
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == "$full"* ]]
	fake tar 'echo "tar: qemu/VERSION: Cannot write: Disk quota exceeded"; exit 2'
	PLUMB_QEMU_SOURCE=qemu.tar run "$build"
	[[ ${lines[-1]} == "$full"* ]]
	# Nothing more can be written, not even a message.
	fake tar 'for word in "$@"; do case $word in */source) mkdir "${word%/*}/probe" ;; esac; done; exit 2'
	PLUMB_QEMU_SOURCE=qemu.tar run "$build"
	[[ ${lines[-1]} == "$full"* ]]
	# Other failures are not taken for it.
	fake tar 'echo "tar: This does not look like a tar archive"; exit 2'
	PLUMB_QEMU_SOURCE=qemu.tar run "$build"
	[[ $output != *"no space left"* ]]
	[[ ${lines[-1]} == *"failed (status 2): unpacking QEMU's source; see the whole output in "* ]]
	tidy
}

@test "prints no control character of what apt says, not even one of 8 bits" {
	local name rest

	apt_fails $'E: GPG error: \e[2Jone\r \xc2\x9b2Jtwo \x9b2Jthree\b\x7f NO_PUBKEY'
	for name in C C.UTF-8; do
		LC_ALL=$name run "$build"
		[ "$status" -eq 1 ]
		[[ ${lines[-1]} == *"cannot check the archive's signature: "*one*two*three*NO_PUBKEY ]]
		rest=$(LC_ALL=C tr -d '\n\40-\176' <<<"$output")
		[ -z "$rest" ]
	done
	# Names of files may have any letters.
	for name in C C.UTF-8; do
		LC_ALL=$name PLUMB_QEMU_SOURCE=$'f\xc3\xbcr\xc2\x9b' run "$build"
		[ "$output" = $'build-engine: PLUMB_QEMU_SOURCE=f\xc3\xbcr?: no such file' ]
		LC_ALL=$name PLUMB_QEMU_SOURCE=$'f\x9b2J' run "$build"
		[ "$output" = 'build-engine: PLUMB_QEMU_SOURCE=f?2J: no such file' ]
	done
}

# apt_fetches COMMAND: apt-get source runs it in place of fetching the package.
apt_fetches()
{
	fake apt-get 'case "$*" in
		*indextargets*) cat "$targets" ;;
		*"source --download-only"*) '"$1"' ;;
		esac'
}

@test "no source package, two, or one without a version" {
	apt_fetches :
	run "$build"
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "build-engine: apt fetched no description (.dsc) of QEMU's source package" ]
	apt_fetches 'echo "Version: 1" | tee qemu_1.dsc >qemu_2.dsc'
	ln -s "$(PATH=/usr/bin:/bin command -v tee)" bin/tee
	run "$build"
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "build-engine: apt fetched 2 source packages of QEMU, not one: qemu_1.dsc qemu_2.dsc" ]
	for version in '' '$(touch gone)' $'1\e[2J'; do
		export version
		apt_fetches 'echo "Version: $version" >qemu_1.dsc'
		run "$build"
		[ "$status" -eq 1 ]
		[ "${lines[-1]}" = "build-engine: qemu_1.dsc does not contain a version" ]
	done
	run ! grep '^ninja' calls
	tidy
}

@test "without flock: names it and its package" {
	rm bin/flock
	run "$build"
	[ "$status" -eq 1 ]
	[ "$output" = "build-engine: flock is missing: install util-linux" ]
	[ "$(cat calls)" = "install-deps build engine" ]
}

@test "uses the key of the archive's entry, in both formats" {
	cat >one.sources <<-'END'
		# a remark
		Types: deb
		URIs: http://else/
		Signed-By: /else.gpg

		Types: deb
		Signed-By:
		 -----BEGIN PGP PUBLIC KEY BLOCK-----
		 .
		 abc
		URIs: http://mirror/debian/
	END
	printf '# one\ndeb [arch=amd64 signed-by=/a.gpg,/b.gpg] http://mirror/debian %s main\n' "$own" >two.list
	echo "$own|$own|Debian|main|http://mirror/debian/|$PWD/one.sources:2" >targets
	"$build"
	[ "$(grep -c Signed-By targets.used)" -eq 1 ]
	[ "$(sed -n '/^Signed-By/,/^ abc/p' targets.used | wc -l)" -eq 4 ]
	rm "$engine"
	echo "$own|$own|Debian|main|http://mirror/debian/|$PWD/two.list:2" >targets
	"$build"
	grep -qx 'Signed-By: /a.gpg /b.gpg' targets.used
}

@test "if Meson is too old, fetches the suite's Meson" {
	"$build"
	run ! grep -q download calls
	rm "$engine"
	fake meson 'echo 1.4.99'
	"$build"
	grep -q 'apt-get download' calls
	grep -qx 'Types: deb' targets.used
}

@test "a suite whose Meson is too old as well" {
	fake meson 'echo 1.0.1'
	sed -i 's/1\.5\.0/1.8.0/' source/meson.build
	run "$build"
	[ "$status" -eq 1 ]
	[[ $output == *"this QEMU requires Meson 1.8.0; $own has 1.7.0"$'\n'* ]]
	[[ ${lines[-1]} == "build-engine: name a newer suite: scripts/build-engine SUITE" ]]
}

# Prints the lines that the patch expects, as in the versions of QEMU that it is for.
before_patch()
{
	sed -n '/^@@/,$ { /^@@/d; /^+/d; s/^[ -]//; p; }' tree/scripts/engine.patch
}

@test "patches the QEMU that the patch is for" {
	mkdir -p source/accel/tcg
	before_patch >source/accel/tcg/user-exec.c
	grep -q '^target_ulong page_find_range_empty(' source/accel/tcg/user-exec.c
	fake ninja 'cp ../source/accel/tcg/user-exec.c "$calls.built"; cp made qemu-aarch64'
	run "$build"
	[ "$status" -eq 0 ]
	[[ $output == *"build-engine: patching QEMU 9.9"* ]]
	grep -q range_finds calls.built
	run ! grep range_finds source/accel/tcg/user-exec.c
}

@test "builds a QEMU that the patch does not fit without it, and says so" {
	mkdir -p source/accel/tcg
	before_patch | sed 's/len_m1/length/' >source/accel/tcg/user-exec.c
	fake ninja 'cp ../source/accel/tcg/user-exec.c "$calls.built"; cp made qemu-aarch64'
	run "$build"
	[ "$status" -eq 0 ]
	[[ $output == *"engine.patch does not fit this QEMU: programs with many mappings will be slow"* ]]
	cmp calls.built source/accel/tcg/user-exec.c
}

@test "QEMU's own tarball, which brings its Meson" {
	mkdir -p source/python/wheels
	touch source/python/wheels/meson-1.5.0-py3-none-any.whl
	fake meson 'echo 1.0.1'
	fake apt-get 'exit 100'
	tar -cf 'a file.tar' --transform 's/^source/qemu-9.9/' source
	PLUMB_QEMU_SOURCE='a file.tar' run "$build" --if-needed
	[ "$status" -eq 0 ]
	[[ $output == *$'\n'"  $PWD/a file.tar"$'\n'"  sha256 $(sha256sum <'a file.tar' | cut -d' ' -f1)"$'\n'* ]]
	# Lines without a path fit 80 columns.
	[ "$(grep -vF "$PWD" <<<"$output" | wc -L)" -le 80 ]
	[[ $("$engine" --version) == *", sha256 "* ]]
	# The same one again: nothing. Another one: anew. None: whatever there is.
	PLUMB_QEMU_SOURCE='a file.tar' "$build"
	[ "$(compiled)" -eq 1 ]
	"$build"
	[ "$(compiled)" -eq 1 ]
	touch source/more
	tar -cf 'a file.tar' --transform 's/^source/qemu-9.9/' source
	PLUMB_QEMU_SOURCE='a file.tar' "$build"
	[ "$(compiled)" -eq 2 ]
}

@test "rejects a file that is not a tarball, or of something else" {
	PLUMB_QEMU_SOURCE=none run "$build"
	[ "$status" -eq 1 ]
	[ "$output" = "build-engine: PLUMB_QEMU_SOURCE=none: no such file" ]
	echo text >none
	PLUMB_QEMU_SOURCE=none run "$build"
	[ "$status" -ne 0 ]
	mkdir -p other/file
	tar -cf other.tar other
	PLUMB_QEMU_SOURCE=other.tar run "$build"
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == "build-engine: $PWD/other.tar: not QEMU's source: VERSION is missing" ]]
	tidy
}

@test "rejects a folder or a pipe instead of a tarball, before anything else" {
	mkdir -p 'a folder' -- -C
	local name
	for name in 'a folder' -C; do
		PLUMB_QEMU_SOURCE=$name run "$build"
		[ "$status" -eq 1 ]
		[ "$output" = "build-engine: PLUMB_QEMU_SOURCE=$name: this is a folder, not a tarball" ]
	done
	mkfifo $'a\e[2Jpipe\n'
	PLUMB_QEMU_SOURCE=$'a\e[2Jpipe\n' run "$build"
	[ "$status" -eq 1 ]
	[ "$output" = "build-engine: PLUMB_QEMU_SOURCE=a?[2Jpipe?: this is not a regular file" ]
	[ ! -s calls ] && [ ! -e tree/.cache ]
}

@test "a tarball whose name is an option of tar" {
	tar -cf ./--to-command=false --transform 's/^source/qemu-9.9/' source
	PLUMB_QEMU_SOURCE=--to-command=false run "$build"
	[ "$status" -eq 0 ]
	[ "$(compiled)" -eq 1 ]
}

@test "rejects a source whose VERSION is no version, and does not print it" {
	local text
	for text in '' $'9.9\n\e[2Jx' '9.9 $(touch gone)' 9 ../9.9; do
		printf '%s\n' "$text" >source/VERSION
		tar -cf hostile.tar --transform 's/^source/qemu/' source
		PLUMB_QEMU_SOURCE=hostile.tar run "$build"
		[ "$status" -eq 1 ]
		[[ ${lines[-1]} == "build-engine: $PWD/hostile.tar: not QEMU's source: VERSION does not contain a version" ]]
		[[ $output != *$'\e'* ]]
	done
	rm source/VERSION
	mkdir source/VERSION
	run "$build"
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == "build-engine: $own's source package: not QEMU's source: VERSION is missing" ]]
	run ! grep '^ninja' calls
	tidy
}

@test "rejects a suite that would add to apt's sources" {
	run "$build" $'x\nTypes: deb'
	[ "$status" -eq 1 ]
	[ "$output" = "build-engine: x?Types: deb: invalid name of a suite" ]
	[ ! -s calls ]
}

@test "a tree that cannot be written" {
	# Root may write into a folder without permission, but nobody into a file as if it were one.
	: >tree/.cache
	run "$build"
	[ "$status" -eq 1 ]
	[ "$output" = "build-engine: cannot write to $tree/.cache/engine: build in a copy of Plumb's source tree" ]
	[ ! -s calls ]
	rm tree/.cache
	mkdir tree/.cache
	: >tree/.cache/engine
	run "$build"
	[ "$status" -eq 1 ]
	[ "$output" = "build-engine: cannot write to $tree/.cache/engine: build in a copy of Plumb's source tree" ]
}

@test "a tree or a tarball without permission" {
	[ "$(id -u)" -ne 0 ] || skip "root needs no permission"
	chmod 555 tree
	run "$build"
	chmod 755 tree
	[ "$status" -eq 1 ]
	[ "$output" = "build-engine: cannot write to $tree/.cache/engine: build in a copy of Plumb's source tree" ]
	touch qemu.tar
	chmod 0 qemu.tar
	PLUMB_QEMU_SOURCE=qemu.tar run "$build"
	[ "$status" -eq 1 ]
	[ "$output" = "build-engine: PLUMB_QEMU_SOURCE=qemu.tar: no permission to read it" ]
	[ ! -s calls ]
}

@test "a failure prints the end of the output, and keeps the old engine" {
	"$build"
	cp "$engine" before
	fake ninja 'echo "[1/2] compiles"; echo "error: no such thing"; exit 1'
	run "$build" other
	[ "$status" -eq 1 ]
	[[ $output == *"error: no such thing"*"failed (status 1): compiling QEMU 9.9"* ]]
	cmp "$engine" before
	tidy
}

@test "an engine that hangs, or does not stop printing, is none" {
	local seconds

	seconds=$(readlink bin/timeout)
	# The same, for a shorter time.
	fake timeout '[ "$*" != "${*#-s KILL 10 }" ] && shift 3 && exec '"$seconds"' -s KILL 1 "$@"'
	fake qemu-aarch64 'sleep 1000; true'
	run "$build" --if-needed
	[ "$status" -eq 0 ]
	[ "$(compiled)" -eq 1 ]
	rm bin/qemu-aarch64
	printf '#!/bin/sh\nsleep 1000; true\n' >"$engine"
	"$build"
	[ "$(compiled)" -eq 2 ]
	printf '#!/bin/sh\nwhile :; do echo "-plugin  FILE"; done\n' >"$engine"
	"$build"
	[ "$(compiled)" -eq 3 ]
}

@test "a folder in the engine's place" {
	mkdir -p "$engine"
	run "$build"
	[ "$status" -eq 1 ]
	[ "$output" = "build-engine: $engine is a folder: remove it" ]
	# As the build ends.
	rmdir "$engine"
	fake ninja 'mkdir "$engine"; cp made qemu-aarch64'
	engine=$engine run "$build"
	[ "$status" -eq 1 ]
	[ -z "$(ls "$engine")" ]
	tidy
}

@test "a tree that does not allow programs" {
	# As on a file system that is mounted so: the mode is lost.
	fake no-chmod '[ "$1" = +x ] || exec '"$(readlink bin/chmod)"' "$@"'
	mv bin/no-chmod bin/chmod
	run "$build"
	[ "$status" -eq 1 ]
	[[ $output == "build-engine: "*"$tree/.cache/engine/plumb-engine."*" does not allow programs (noexec): build in a copy of Plumb's source tree elsewhere" ]]
	tidy
}

@test "a source with folders that cannot be written" {
	mkdir -p source/folder/inner
	chmod 555 source/folder/inner source/folder
	tar -cf qemu.tar --transform 's/^source/qemu-9.9/' source
	chmod -R u+w source
	PLUMB_QEMU_SOURCE=qemu.tar "$build"
	tidy
}

@test "does not install a QEMU without support for plugins" {
	sed -i 's/-plugin/-plug/' source/configure
	run "$build"
	[ "$status" -eq 1 ]
	[[ $output == *"does not support plugins"* ]]
	[ ! -e "$engine" ]
	tidy
}

@test "interrupted: leaves no process and no file" {
	fake ninja 'echo $$ >"$calls.pid"; exec sleep 60'
	"$build" 3>&- &
	local pid=$! status=0
	await calls.pid
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	ended "$(cat calls.pid)"
	[ ! -e "$engine" ]
	tidy
}

@test "removes what a killed run left" {
	fake ninja 'echo $$ >"$calls.began"; exec sleep 60'
	"$build" 3>&- &
	local pid=$!
	await calls.began
	kill -KILL "$pid"
	wait "$pid" || true
	ended "$(cat calls.began)" # nothing that was started is left
	run ! tidy
	fake ninja 'cp made qemu-aarch64'
	"$build"
	tidy
}

@test "two runs at once build only once" {
	fake ninja 'echo "ninja $PWD" >>"$calls"; echo >"$calls.began"; sleep 1; cp made qemu-aarch64'
	"$build" 3>&- &
	local pid=$!
	await calls.began
	run "$build"
	[ "$status" -eq 0 ]
	[[ $output == *"waiting"* ]]
	wait "$pid"
	[ "$(compiled)" -eq 1 ]
}

@test "a tree whose path has white space" {
	mv tree 'a tree'
	TMPDIR=$PWD "$PWD/a tree/scripts/build-engine"
	[ -x "a tree/.cache/engine/qemu-aarch64" ]
	# Built in $TMPDIR, where nothing is left either.
	[[ $(grep ninja calls) == "ninja $PWD/plumb-engine."* ]]
	run ! compgen -G 'plumb-engine.*'
	# Nor of a run that was killed; what is another tree's stays.
	local mine

	mine=$(sed -n 's/^ninja .*\(plumb-engine[^/]*\)\..*/\1/p' calls)
	mkdir -p "$mine.old/folder" plumb-engine.1.other
	chmod 555 "$mine.old/folder" "$mine.old"
	ln -s "$PWD/source" "$mine.link"
	rm "a tree/.cache/engine/qemu-aarch64"
	TMPDIR=$PWD "$PWD/a tree/scripts/build-engine"
	[ ! -e "$mine.old" ]
	[ -d plumb-engine.1.other ] && [ -e source/VERSION ]
}

@test "wrong usage" {
	run "$build" a b
	[ "$status" -eq 2 ]
	[[ $output == "usage: scripts/build-engine "* ]]
	run "$build" --help
	[ "$status" -eq 2 ]
}
