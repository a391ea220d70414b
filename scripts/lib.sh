# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Functions shared by these scripts, which source this file. Results are TAP on stdout, one test point
# per check.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)
tap_count=0
# Options of build-bench, build-fuzz and build-clang. What clang warns of does not depend on how it
# optimises, and to leave that out takes a third of the time; build-fuzz optimises with it.
# shellcheck disable=SC2034 # for the steps
bench_options=(--buildtype=release -Dtests=false -Dbench=true)
# shellcheck disable=SC2034
clang_options=(-Dtests=true -Dbench=true -Doptimization=0 -Ddebug=false)
# shellcheck disable=SC2034
fuzz_options=(-Dwerror=true -Dfuzz=true -Dtests=false "-Db_sanitize=address,undefined" -Db_lundef=false)

# check NAME COMMAND...: prints one test point, which passes if COMMAND returns 0. Shows COMMAND's
# output, as TAP comments, only if it failed. Returns COMMAND's status.
check()
{
	local name=$1 log status=0

	shift
	log=$(mktemp)
	"$@" >"$log" 2>&1 </dev/null || status=$?
	tap_count=$((tap_count + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $tap_count - $name"
	else
		echo "not ok $tap_count - $name"
		tail -n 200 "$log" | sed 's/^/# /'
	fi
	rm -f "$log"
	return "$status"
}

# skip NAME WHY: prints one skipped test point.
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# Ends the TAP; without it the run counts as broken off.
tap_plan()
{
	echo "1..$tap_count"
}

# configure DIR [OPTION...]: sets a build directory up, or updates its options. Recreates a directory
# that was set up for another compiler than $CC.
configure()
{
	local dir=$top/$1

	shift
	if [ -f "$dir/build.ninja" ] && [ -n "${CC:-}" ] &&
		! grep -A 1 '^rule c_COMPILER$' "$dir/build.ninja" | grep -q "[ /]$CC \\\$ARGS"; then
		rm -rf "$dir"
	fi
	if [ -f "$dir/build.ninja" ]; then
		meson setup --reconfigure "$@" "$dir" "$top"
	else
		meson setup "$@" "$dir" "$top"
	fi
}

# build DIR [TARGET...]: compiles everything in it, or these. Since 1.7, Meson's `all` leaves out what only
# tests and benchmarks need.
build()
{
	local dir=$1

	shift
	[ $# -gt 0 ] || set -- all meson-test-prereq meson-benchmark-prereq
	ninja -C "$top/$dir" -j "$jobs" -k 0 --quiet "$@"
}

# needed DIR SUITE... [-- SUITE...]: prints the targets that the tests of any of these suites need, but for
# tests that are also in one of the second ones. There is always one.
needed()
{
	/usr/bin/python3 - "$top/$1" "${@:2}" <<-'END'
		import json, os, subprocess, sys
		build, *wanted = sys.argv[1:]
		wanted, _, unwanted = " ".join(wanted).partition(" -- ")
		def introspect(what):
		    return json.loads(subprocess.run(["meson", "introspect", what, build], check=True,
		                                     stdout=subprocess.PIPE).stdout)
		targets = {target["id"]: target["filename"] for target in introspect("--targets")}
		needed = set()
		for test in introspect("--tests"):
		    suites = {suite.rpartition(":")[2] for suite in test["suite"]}
		    if suites & set(wanted.split()) and not suites & set(unwanted.split()):
		        needed.update(name for one in test["depends"] for name in targets[one])
		print(*sorted(os.path.relpath(name, build) for name in needed), sep="\n")
		sys.exit(not needed)
	END
}

# sources PATTERN...: prints the files of the tree whose names match a pattern, without builds and
# without inputs of tests, which may be broken on purpose or in another format.
sources()
{
	local pattern expression=()

	for pattern in "$@"; do
		expression+=(-o -name "$pattern")
	done
	find "$top" \( -path "$top/build*" -o -path "$top/.git" -o -path "$top/.cache" \
		-o -path "$top/fuzz/corpus" -o -path "$top/test/data" \) -prune \
		-o -type f \( "${expression[@]:1}" \) -print | LC_ALL=C sort
}

# scripts_of INTERPRETER...: prints the files of the tree whose first line calls one of them.
scripts_of()
{
	local IFS='|'

	# shellcheck disable=SC2312 # the caller checks for an empty answer
	sources '*' | while IFS= read -r file; do
		head -c 200 "$file" | head -n 1 | tr -d '\0' |
			grep -qE "^#!.*[/ ]($*)( |\$)" && echo "$file"
	done
	return 0
}

# renumber NAME: prints the TAP from stdin, with its points numbered after this step's own and NAME
# before their names. Keeps the remarks of failed points.
renumber()
{
	local line

	while IFS= read -r line; do
		case $line in
		"ok "* | "not ok "*)
			tap_count=$((tap_count + 1))
			echo "${line%%ok *}ok $tap_count - $1: ${line#* - }"
			;;
		"#"*) echo "$line" ;;
		esac
	done
}

# run_tests DIR NAME [OPTION...]: runs `meson test` there and prints its cases, with NAME before their
# names. One test more than there are cores: several wait, for a browser or a time limit.
run_tests()
{
	local dir=$top/$1 name=$2 cases

	shift 2
	rm -f "$dir/meson-logs/testlog.json"
	meson test -C "$dir" --no-rebuild --num-processes $((jobs + 1)) "$@" >/dev/null 2>&1 </dev/null
	if cases=$("$top/scripts/tap" meson "$dir"); then
		renumber "$name" <<<"$cases"
	else
		check "$name: meson test left a log" false
	fi
}

# Makes a locale with a decimal comma for the tests, without touching the machine's locales.
comma_locale()
{
	local dir=$top/build-locale

	[ -d "$dir/de_DE.UTF-8" ] || {
		mkdir -p "$dir" && localedef -i de_DE -f UTF-8 "$dir/de_DE.UTF-8"
	}
	export LOCPATH=$dir
}

# build_and_test DIR NAME OPTIONS [TEST OPTION...]: sets up, compiles and runs the tests. Warnings are
# errors unless OPTIONS say otherwise. OPTIONS are meson's, one per word.
build_and_test()
{
	local dir=$1 name=$2 options=$3

	shift 3
	# shellcheck disable=SC2086 # one per word
	check "$name: configures" configure "$dir" -Dwerror=true -Dtests=true $options &&
		check "$name: compiles" build "$dir" &&
		{ comma_locale; run_tests "$dir" "$name" "$@"; }
}
