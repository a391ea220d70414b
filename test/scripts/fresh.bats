# SPDX-License-Identifier: Apache-2.0
# scripts/fresh, with what bootstraps a Debian and what enters it replaced by stand-ins.
# shellcheck disable=SC2016 # what is quoted is for the stand-ins to expand

bats_require_minimum_version 1.5.0

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p tree/scripts/steps tree/build-test tree/.cache/engine bin tmp
	cp "$BATS_TEST_DIRNAME"/../../scripts/{fresh,lib.sh,test} tree/scripts/
	printf '#!/bin/sh\n' >tree/scripts/steps/lint
	chmod +x tree/scripts/steps/lint
	fresh=$PWD/tree/scripts/fresh
	echo source >tree/README.md
	echo object >tree/build-test/object
	printf '#!/bin/sh\n' >tree/.cache/engine/qemu-aarch64
	chmod +x tree/.cache/engine/qemu-aarch64
	printf '#!/bin/sh\nprintf "URIs: http://mirror/\\nSuites: $1\\nSigned-By: /key.gpg\\n"\n' \
		>tree/scripts/archive
	chmod +x tree/scripts/archive
	export TMPDIR=$PWD/tmp calls=$PWD/calls
	PATH=$PWD/bin:$PATH
	fake id 'echo 0'
	fake apt-get ''
	fake apt-config 'echo "Acquire::http::Proxy \"http://proxy:3128\";"; echo "APT::Other \"1\";"'
	fake mount 'echo "mount $*" >>"$calls"'
	fake setpriv 'shift 2; exec "$@"'
	fake unshare 'while case $1 in -*) true ;; private) true ;; *) false ;; esac; do shift; done; exec "$@"'
	fake debootstrap 'echo "debootstrap $*" >>"$calls"
		for word in "$@"; do case $word in /*/system) mkdir -p "$word/etc/apt/apt.conf.d" ;; esac; done'
	fake pivot_root 'pwd >"$calls.root"'
	fake umount ''
	# -i NAME=VALUE... sh -c "cd /plumb ..." sh COMMAND...
	fake env 'while [ "$1" != sh ]; do shift; done; shift 4; cd "$(cat "$calls.root")/plumb" && exec "$@"'
}

fake()
{
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

# Nothing is left behind.
tidy()
{
	[ -z "$(ls -A tmp)" ]
}

@test "runs the command in a copy of the tree, and removes it" {
	run "$fresh" trixie sh -c 'pwd; ls -A; cat README.md; exit 5'
	[ "$status" -eq 5 ]
	[[ ${lines[0]} == "$PWD"/tmp/plumb-fresh.*/system/plumb ]]
	[ "$(printf '%s\n' "${lines[@]:1}")" = "$(printf 'README.md\nscripts\nsource')" ]
	tidy
}

@test "uses the archive that apt knows, with its key" {
	"$fresh" trixie true
	grep -q -- '^debootstrap .* --keyring=/key.gpg trixie .*/system http://mirror/$' calls
}

@test "fetches packages as the machine does" {
	run "$fresh" trixie cat ../etc/apt/apt.conf.d/90machine
	[ "$output" = 'Acquire::http::Proxy "http://proxy:3128";' ]
}

@test "the copy gets the engine when asked to" {
	"$fresh" --with-engine trixie test -x .cache/engine/qemu-aarch64
	rm tree/.cache/engine/qemu-aarch64
	"$fresh" --with-engine trixie test ! -e .cache
}

@test "if no Debian can be bootstrapped: status 77 and the reason" {
	fake debootstrap 'echo "E: no network"; exit 1'
	run "$fresh" trixie touch "$PWD/ran"
	[ "$status" -eq 77 ]
	[[ $output == *"E: no network"*"debootstrap failed" ]]
	[ ! -e ran ]
	tidy
	printf '#!/bin/sh\nexit 1\n' >tree/scripts/archive
	run "$fresh" sid true
	[ "$status" -eq 77 ]
	[[ $output == *"no archive of sid"* ]]
	tidy
}

@test "--possible: says why this user or machine cannot do it" {
	run "$fresh" --possible
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	fake mount 'exit 32'
	run "$fresh" --possible
	[ "$status" -eq 1 ]
	[ "$output" = "mounting is not permitted here" ]
	fake id 'echo 1000'
	run "$fresh" --possible
	[ "$status" -eq 1 ]
	[ "$output" = "bootstrapping a Debian requires root" ]
	run "$fresh" trixie true
	[ "$status" -eq 1 ]
	[ "$output" = "fresh: bootstrapping a Debian requires root" ]
	tidy
}

@test "--possible: names the package of what is missing" {
	# Only what the script uses, and nothing that bootstraps.
	mkdir only
	for tool in bash dirname env id mount setpriv sh unshare; do
		ln -s "$(command -v "$tool")" "only/$tool"
	done
	PATH=$PWD/only run "$fresh" --possible
	[ "$output" = "this machine has no apt" ]
	ln -s "$PWD/bin/apt-get" only/
	PATH=$PWD/only run "$fresh" trixie true
	[ "$status" -eq 1 ]
	[ "$output" = "fresh: debootstrap is missing: apt-get install debootstrap" ]
	ln -s "$PWD/bin/debootstrap" only/
	PATH=$PWD/only run "$fresh" trixie true
	[ "$output" = "fresh: flock is missing: apt-get install util-linux" ]
}

@test "a suite that does not exist, or is no name" {
	fake debootstrap 'echo "E: No such script: /usr/share/debootstrap/scripts/trixe"; exit 1'
	run "$fresh" trixe true
	[ "$status" -eq 2 ]
	[ "$output" = "fresh: debootstrap does not know the suite 'trixe'" ]
	tidy
	for suite in ../trixie 'a b' '' .; do
		run "$fresh" "$suite" true
		[ "$status" -eq 2 ]
		[ "$output" = "fresh: invalid name of a suite: '$suite'" ]
	done
}

@test "removes what a killed run left, but nothing of others" {
	local pid

	"$fresh" trixie sh -c 'echo $$ >"$0"; exec sleep 60' "$PWD/pid" 3>&- &
	pid=$!
	appears pid
	"$fresh" trixie true
	[ "$(find tmp -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ] # that of the one that runs
	kill -KILL "$pid"
	wait "$pid" || true
	kill "$(cat pid)" || true # the stand-ins have no namespace that ends
	run ! tidy
	mkdir elsewhere tmp/plumb-fresh.other
	touch elsewhere/lock
	ln -s "$PWD/elsewhere" tmp/plumb-fresh.link
	"$fresh" trixie true
	[ "$(cd tmp && echo plumb*)" = "plumb-fresh.link plumb-fresh.other" ]
	[ -e elsewhere/lock ]
}

# appears FILE: waits until it is there and not empty.
appears()
{
	local i

	for ((i = 0; i < 200; i++)); do
		[ ! -s "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

@test "a signal ends the command and leaves nothing" {
	local pid status=0

	"$fresh" trixie sh -c 'echo $$ >"$0"; exec sleep 60' "$PWD/pid" 3>&- &
	pid=$!
	appears pid
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	run ! grep -q '^State:[[:space:]]*[^ZX]' "/proc/$(cat pid)/status"
	tidy
}

@test "a second signal does not stop the removal" {
	local pid status=0

	fake rm 'echo $$ >>"$calls.rm"; sleep 2; exec /bin/rm "$@"'
	"$fresh" trixie sh -c 'echo $$ >"$0"; exec sleep 60' "$PWD/pid" 3>&- &
	pid=$!
	appears pid
	kill -TERM "$pid"
	appears calls.rm
	kill -TERM "$pid" "$(cat calls.rm)" # as a terminal does
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	tidy
}

# test_fresh STATUS [VARIABLE=VALUE]: runs `make test-fresh`, with a scripts/fresh that prints its arguments and ends so.
test_fresh()
{
	printf '#!/bin/sh\necho "$@"\nexit %s\n' "$1" >tree/scripts/fresh
	run make --no-print-directory -C tree -f "$BATS_TEST_DIRNAME/../../Makefile" test-fresh STEPS=lint "${@:2}"
}

@test "make test-fresh runs both commands of the README in two Debians, whatever fails" {
	test_fresh 0
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[0]} == "bookworm "*"make demo"*"make test"*" lint" ]]
	[[ ${lines[1]} == "trixie "*"make demo"*"make test"*" lint" ]]
	test_fresh 77
	[ "$status" -eq 2 ]
	[[ $output == *"trixie "*"Error 77"* ]]
}

@test "make test-fresh runs them in the suites named" {
	test_fresh 0 SUITES=trixie
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "trixie "* ]]
}

@test "make test-fresh begins nothing if a step is unknown, or there is no suite" {
	test_fresh 0 STEPS=lnt
	[ "$status" -eq 2 ]
	[[ ${lines[0]} == "scripts/test: unknown step 'lnt'; there are: lint" ]]
	[[ $output != *trixie* ]]
	test_fresh 0 SUITES=
	[ "$status" -eq 2 ]
	[[ ${lines[0]} == "test-fresh: SUITES names no suite" ]]
}

@test "make test-fresh ends after a signal" {
	test_fresh 130
	[ "$status" -eq 2 ]
	[[ $output != *"trixie "* ]]
	[[ $output == *"Error 130"* ]]
}

@test "wrong usage" {
	run "$fresh" trixie
	[ "$status" -eq 2 ]
	[[ $output == "usage: scripts/fresh "* ]]
	run "$fresh" --no-such trixie true
	[ "$status" -eq 2 ]
}
