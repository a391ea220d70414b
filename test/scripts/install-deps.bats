# SPDX-License-Identifier: Apache-2.0
# scripts/install-deps, with commands of the machine replaced by ones that write down their call.

setup()
{
	deps=$BATS_TEST_DIRNAME/../../scripts/install-deps
	cd "$BATS_TEST_TMPDIR" || return
	mkdir bin
	PATH=$PWD/bin:$PATH
	calls=$PWD/calls
	fake id 'echo 0'
	# shellcheck disable=SC2016 # for the fake to expand
	fake dpkg 'case $1 in --print-architecture) echo amd64 ;; esac'
	fake apt-get "echo apt-get \"\$@\" >>$calls"
	# Everything is there ...
	sed -n 's/?$//; s/^[a-z0-9]*\t\([^:]*\)$/\1 amd64 installed/p; s/^[a-z0-9]*\t\(.*\):arm64$/\1 arm64 installed/p' \
		"$(dirname "$deps")/packages" >have
	fake dpkg-query 'cat have'
	unset NO_DEPS
}

fake()
{
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

# ... but these.
lack()
{
	local name

	for name in "$@"; do
		grep -v "^$name " have >kept
		mv kept have
	done
}

@test "nothing missing: apt-get is not called" {
	run "$deps" build test clang lint coverage model cross arm64
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -e calls ]
}

@test "a missing package is installed after an update" {
	lack meson
	run "$deps" build
	[ "$status" -eq 0 ]
	grep -q 'update$' <(head -n 1 calls)
	grep -q 'install meson$' <(tail -n 1 calls)
}

@test "an optional package is installed where apt has it" {
	lack llvm-22
	# shellcheck disable=SC2016 # for the fake to expand
	fake apt-cache 'echo "$2:"; echo "  Candidate: 1:22"'
	run "$deps" test
	[ "$status" -eq 0 ]
	grep -q 'install llvm-22$' <(tail -n 1 calls)
}

@test "an optional package that only the new lists have is installed with the others" {
	lack llvm-22 bats
	fake apt-cache 'grep -q update calls && echo "  Candidate: 1:22" || echo "  Candidate: (none)"'
	run "$deps" test
	[ "$status" -eq 0 ]
	[ "$output" = "install-deps: installing bats" ]
	grep -q 'install bats llvm-22$' <(tail -n 1 calls)
}

@test "an optional package that apt does not have is not missing" {
	lack llvm-22
	fake apt-cache 'echo "  Candidate: (none)"'
	run "$deps" test
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -e calls ]
}

@test "a package that is not configured counts as missing" {
	sed -i 's/^scdoc amd64 installed/scdoc amd64 config-files/' have
	run "$deps" build
	grep -q 'install scdoc$' calls
}

@test "the other architecture's library is another package" {
	lack 'libjansson-dev arm64'
	run "$deps" build
	[ ! -e calls ]
	fake dpkg "case \$1 in --print-architecture) echo amd64 ;; --add*) echo \"\$@\" >>$calls ;; esac"
	run "$deps" arm64
	[ "$status" -eq 0 ]
	[ "$(head -n 1 calls)" = "--add-architecture arm64" ]
	grep -q 'install libjansson-dev:arm64$' calls
}

@test "an arm64 machine needs nothing of the arm64 and cross sets" {
	fake dpkg 'echo arm64'
	run "$deps" arm64 cross
	[ "$status" -eq 0 ]
	[ ! -e calls ]
}

@test "without sudo, prints the names" {
	lack meson scdoc
	fake id 'echo 1000'
	# No sudo anywhere, but all else.
	for tool in bash dirname awk grep env cat; do
		ln -sf "$(command -v "$tool")" "bin/$tool"
	done
	run env PATH="$PWD/bin" "$deps" build
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "install-deps: these Debian packages are missing: meson scdoc" ]
	[ "${lines[1]}" = "install-deps: as root: apt-get install meson scdoc" ]
}

@test "if sudo refuses, prints the names" {
	lack meson
	fake id 'echo 1000'
	fake sudo "echo sudo: a password is required >&2; exit 1"
	run "$deps" build </dev/null
	[ "$status" -eq 1 ]
	[ "${lines[1]}" = "install-deps: as root: apt-get install meson" ]
	[ ! -e calls ]
}

@test "uses sudo" {
	lack meson
	fake id 'echo 1000'
	fake sudo "echo sudo >>$calls; [ \"\$1\" != -n ] || shift; exec \"\$@\""
	run "$deps" build </dev/null
	[ "$status" -eq 0 ]
	[ "$(grep -c '^sudo$' calls)" -eq 3 ]
	grep -q 'install meson$' calls
}

@test "a failed installation prints apt-get's output" {
	lack meson
	fake apt-get 'echo no such package; exit 100'
	run "$deps" build
	[ "$status" -eq 1 ]
	[[ $output == *"no such package"* ]]
	[[ $output == *"could not install: meson"* ]]
}

@test "a failed update alone is not a failure" {
	lack meson
	# shellcheck disable=SC2016
	fake apt-get 'case $* in *update) exit 100 ;; esac'
	run "$deps" build
	[ "$status" -eq 0 ]
}

@test "does nothing with NO_DEPS=1 or without dpkg" {
	lack meson
	NO_DEPS=1 run "$deps" build
	[ "$status" -eq 0 ]
	[ ! -e calls ]
}

@test "rejects an unknown set" {
	run "$deps" bulid
	[ "$status" -ne 0 ]
	[[ $output == *"unknown set 'bulid'"* ]]
}
