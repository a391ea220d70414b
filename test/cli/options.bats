# SPDX-License-Identifier: Apache-2.0
# The command line as such: options, help, what is said of mistakes.

load lib.bash

commands=("" "help" "stat" "explore" "record" "report" "annotate" "diff" "script" "list" "doctor" "calibrate" "import" "export" "spe"
	"spe dump" "spec" "spec list" "spec show" "spec tree" "spec validate" "spec diff" "spec export")

@test "rejects empty names of files, folders and programs" {
	local option

	for option in "stat --qemu= true" "stat --output= true" "stat --sysroot= true" "script --input=" \
		"script --symfs=" "script --kallsyms=" "export --format spe-csv --output=" "record --output= true"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb $option
		[ "$status" -eq 2 ]
		[[ $stderr == "plumb: invalid value '' for --"*": a name cannot be empty" ]]
	done
	for option in "export --format spe-csv" "spec validate" "spe dump"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb $option ""
		[ "$status" -eq 2 ]
		[[ $stderr == "plumb: the name of a file is empty"* ]]
	done
	for option in "stat" "record"; do
		run -127 --separate-stderr plumb "$option" "" argument
		said "plumb: the program's name is empty"
	done
}

@test "tells the largest number if one is too large" {
	# The options, the value, and what is the most.
	while read -r most value options; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb $options
		[ "$status" -eq 2 ]
		# shellcheck disable=SC2154 # by run
		[[ ${stderr_lines[0]} == "plumb: invalid value '$value' for --"*": too large: at most $most" ]] || {
			echo "$options: $stderr" && return 1
		}
		[ "${#stderr_lines[@]}" -eq 1 ]
	done <<-'END'
		2147483647 99999999999999 stat -I 99999999999999 true
		2147483647 5000000000 stat -r 5000000000 true
		2147483647 99999999999 stat --timeout 99999999999 true
		18446744073709551615 99999999999999999999 record -c 99999999999999999999 true
		18446744073709551615 99999999999999999G stat --max-instructions 99999999999999999G true
		1000000 1000001 record -F 1000001 true
		2147483647 1,2147483648 record --tid 1,2147483648
		2147483647 9999999999 record --pid 9999999999
		65535 0-65536 record -C 0-65536
		22 23 record -z23 true
		9223372036854775807 99999999999999999999 record --seed 99999999999999999999 true
		65528 dwarf,65529 record --call-graph dwarf,65529 true
		2147483647 9999999999 script --raw -i /bin/true --tid 9999999999
	END
}

@test "an option is not taken for the value of the one before it" {
	run --separate-stderr plumb report --callers -i perf.data
	[ "$status" -eq 2 ]
	[ "$stderr" = "$(printf '%s\n' "plumb: --callers requires a value: FUNCTION" \
		"       if -i is its value, write --callers=-i")" ]
	run --separate-stderr plumb report -i --stdio
	[ "$status" -eq 2 ]
	[ "$stderr" = "$(printf '%s\n' "plumb: -i requires a value: FILE" \
		"       if --stdio is its value, write -i--stdio")" ]
	# What only looks like an option, and - for standard input, are values.
	run --separate-stderr plumb report -i -nothing
	[[ $stderr == *"-nothing: cannot be opened"* ]]
	run --separate-stderr plumb report -i - </dev/null
	[[ $stderr != *"requires a value"* ]]
}

@test "closed descriptors: no file takes their place" {
	printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80' >short
	plumb spe dump --raw short -o dumped 2>&-
	[ "$(grep -c ^plumb: dumped)" -eq 0 ]
	"$PLUMB" script --raw --json -i short -o printed <&- 2>&-
	[ "$(grep -c ^plumb: printed)" -eq 0 ]
	status=0
	"$PLUMB" spec list cpus >&- 2>said || status=$?
	[ "$status" -eq 1 ]
	grep -q '^plumb: cannot write standard output: Bad file descriptor$' said
	# What it executes finds them closed, too.
	"$PLUMB" stat --source perf -e task-clock -o counts -- sh -c 'ls -l /proc/self/fd >fds' 2>&- || skip "perf cannot count"
	lacks ' 2 -> /dev/null' <fds
}

@test "--version prints the version" {
	run --separate-stderr plumb --version
	[ "$status" -eq 0 ]
	[[ $output =~ ^plumb\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[ -z "$stderr" ]
}

@test "--help, -h and help print the same, of every command" {
	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086 # words of a command
		run --separate-stderr plumb $command --help
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[[ ${lines[0]} == "plumb${command:+ $command}: "* ]]
		[[ $output == *"--help "*"print this help"* ]]
		# shellcheck disable=SC2086
		[ "$(plumb $command -h)" = "$output" ]
		# shellcheck disable=SC2086
		[ "$(plumb help $command)" = "$output" ]
	done
}

@test "help fits 80 columns" {
	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086
		[ -z "$(plumb $command --help | too_wide 80)" ]
	done
	# No command is missing above.
	[ "$(plumb --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)" = \
		"$(printf '%s\n' "${commands[@]}" | grep -x '[a-z]*' | grep . | sort)" ]
}

@test "--cpu is checked where software events do not need it; a list is perf's" {
	cd "$BATS_TEST_TMPDIR"
	for command in "stat -e task-clock" "record -e cpu-clock -o file"; do
		# shellcheck disable=SC2086
		run --separate-stderr plumb $command --cpu zzz true
		[ "$status" -eq 2 ]
		said "plumb: unknown CPU 'zzz': not a name, a MIDR or a file" "       see plumb spec list cpus"
	done
	run --separate-stderr plumb stat -e task-clock --cpu 0,9999 true
	[ "$status" -eq 2 ]
	said "plumb: CPU 9999 does not exist or is offline" \
		"       see /sys/devices/system/cpu/online for the CPUs online"
	run --separate-stderr plumb record -e cpu-clock -o file --cpu 3-1 true
	said "plumb: invalid value '3-1' for --cpus" "       list CPUs as in 0-2,4"
}

@test "help names every command, and each of them runs" {
	listed=$(plumb spec --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
	[ "$(xargs <<<"$listed")" = "list show tree validate diff export" ]
	for command in $listed; do
		plumb spec "$command" --help >/dev/null
	done
}

@test "rejects a missing command" {
	run --separate-stderr plumb
	[ "$status" -eq 2 ]
	said "plumb: missing COMMAND" "       see plumb --help"
	run --separate-stderr plumb spec
	[ "$status" -eq 2 ]
	said "plumb: missing COMMAND" "       see plumb spec --help"
}

@test "an unknown command, similar to a known one and not" {
	run --separate-stderr plumb spec shwo
	[ "$status" -eq 2 ]
	said "plumb: unknown command 'plumb spec shwo'" "       did you mean plumb spec show?"
	run --separate-stderr plumb frobnicate
	[ "$status" -eq 2 ]
	said "plumb: unknown command 'plumb frobnicate'" "       see plumb --help"
	run --separate-stderr plumb mem
	[ "$status" -eq 2 ]
	said "plumb: unknown command 'plumb mem'" \
		"       perf's mem is plumb record -e spe, then plumb report --mem"
	run --separate-stderr plumb help spec shwo
	[ "$status" -eq 2 ]
	said "plumb: unknown command 'plumb spec shwo'" "       did you mean plumb spec show?"
}

@test "suggests only existing commands" {
	there=$(plumb --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
	for word in report annotate explore diff doctor monitor import reprot anotate dif doktor \
		statt recrod; do
		grep -qx "$word" <<<"$there" && continue
		run --separate-stderr plumb "$word"
		[ "$status" -eq 2 ]
		suggested=$(sed -n 's/^       did you mean plumb \(.*\)?$/\1/p' <<<"$stderr")
		[ -z "$suggested" ] || grep -qx "$suggested" <<<"$there"
	done
	# shellcheck disable=SC2154 # by lib.bash
	grep -rhoE 'advise\("[^"]*plumb [a-z]+' "$here/../../cli" | grep -oE '[a-z]+$' |
		while read -r command; do
			grep -qx "$command" <<<"$there"
		done
}

@test "an unknown option, similar to a known one and not" {
	run --separate-stderr plumb spec list --jsno
	[ "$status" -eq 2 ]
	said "plumb: unknown option '--jsno'" "       did you mean --json?"
	run --separate-stderr plumb spec list --frobnicate=1
	[ "$status" -eq 2 ]
	said "plumb: unknown option '--frobnicate'" "       see plumb spec list --help"
	run --separate-stderr plumb spec list -jZ
	[ "$status" -eq 2 ]
	said "plumb: unknown option '-Z'" "       see plumb spec list --help"
}

@test "an option's value may follow a space, =, or the letter" {
	expected=$(plumb spec list events --cpu neoverse-n1 -x ';')
	[ -n "$expected" ]
	[ "$(plumb spec list events --cpu=neoverse-n1 '-x;')" = "$expected" ]
	[ "$(plumb spec list events --cpu=neoverse-n1 --field-separator=';')" = "$expected" ]
	[ "$(plumb spec list '-vx;' --cpu neoverse-n1 events)" = "$expected" ]
}

@test "rejects a missing or unexpected value" {
	run --separate-stderr plumb spec list --cpu
	[ "$status" -eq 2 ]
	said "plumb: --cpu requires a value: CPU" "       see plumb spec list --help"
	run --separate-stderr plumb spec list -x
	[ "$status" -eq 2 ]
	said "plumb: -x requires a value: SEP" "       see plumb spec list --help"
	run --separate-stderr plumb spec list --json=yes
	[ "$status" -eq 2 ]
	said "plumb: --json takes no value" "       see plumb spec list --help"
	run --separate-stderr plumb spec list -x ''
	[ "$status" -eq 2 ]
	said "plumb: --field-separator is empty" "       see plumb spec list --help"
	run --separate-stderr plumb spec list --color=nevr
	[ "$status" -eq 2 ]
	said "plumb: invalid value 'nevr' for --color" "       did you mean never?"
	run --separate-stderr plumb spec list --no-color=yes
	[ "$status" -eq 2 ]
	said "plumb: --no-color takes no value" "       see plumb spec list --help"
	run --separate-stderr plumb list --source hardware
	[ "$status" -eq 2 ]
	said "plumb: invalid value 'hardware' for --source" "       use one of auto, model, perf"
}

@test "options and operands may be mixed; -- ends the options" {
	expected=$(plumb spec show --cpu neoverse-n1 ipc)
	[ "$(plumb spec show ipc --cpu neoverse-n1)" = "$expected" ]
	[ "$(plumb spec show --cpu neoverse-n1 -- ipc)" = "$expected" ]
	run --separate-stderr plumb spec show -- --json
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: unknown name '--json'"* ]]
}

@test "rejects missing or unexpected operands" {
	run --separate-stderr plumb spec show
	[ "$status" -eq 2 ]
	said "plumb: missing NAME" "       see plumb spec show --help"
	run --separate-stderr plumb spec tree neoverse-n1
	[ "$status" -eq 2 ]
	said "plumb: unexpected argument 'neoverse-n1'" "       see plumb spec tree --help"
	run --separate-stderr plumb spec diff n1 n2 n3
	[ "$status" -eq 2 ]
	said "plumb: unexpected argument 'n3'" "       see plumb spec diff --help"
	run --separate-stderr plumb script perf.data
	[ "$status" -eq 2 ]
	said "plumb: unexpected argument 'perf.data'" "       use -i to name the recording"
}

@test "--cpu: a name in any usual spelling, a MIDR, a file" {
	want=neoverse-n2-r0p3
	plumb spec export --cpu "$want" --format mrs -o "$BATS_TEST_TMPDIR/mine.json"
	cd "$BATS_TEST_TMPDIR"
	for spelling in "$want" neoverse-n2 "Neoverse N2" NEOVERSE_N2_R0P3 n2 0x410fd493 \
		neoverse_n2_r0p3_pmu.json mine.json ./mine.json "$PWD/mine.json"; do
		plumb spec tree --cpu "$spelling" --json | json "d['cpu'] == '$want'"
	done
}

@test "--cpu: an unknown name, similar to a known one and not" {
	run --separate-stderr plumb spec list events --cpu neoverse-m3
	[ "$status" -eq 2 ]
	[[ ${stderr%%$'\n'*} == "plumb: unknown CPU 'neoverse-m3': "* ]]
	[[ $stderr == *"       did you mean neoverse-"*"?" ]]
	run --separate-stderr plumb spec list events --cpu pentium
	[ "$status" -eq 2 ]
	said "plumb: unknown CPU 'pentium': not a name, a MIDR or a file" \
		"       see plumb spec list cpus"
}

@test "--cpu: a file that is missing, not a specification, or has errors" {
	run --separate-stderr plumb spec list events --cpu ./nowhere.json
	[ "$status" -eq 2 ]
	said "plumb: ./nowhere.json: No such file or directory"
	echo '{"events": ' >"$BATS_TEST_TMPDIR/broken.json"
	run --separate-stderr plumb spec list events --cpu "$BATS_TEST_TMPDIR/broken.json"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == "plumb: $BATS_TEST_TMPDIR/broken.json:"*": "* ]]
}

@test "messages about hostile words cannot move the cursor" {
	run --separate-stderr plumb spec show $'\e[2Jx\x07\xff\xc2\x9b'
	[ "$status" -eq 2 ]
	[[ ${stderr%%$'\n'*} == "plumb: unknown name '?[2Jx???': "* ]]
	lacks -P '[\x1b\x07\xff\x9b]' <<<"$stderr"
}

@test "messages can contain words of any length" {
	long=$(printf 'x%.0s' {1..100000})
	run --separate-stderr plumb spec show "$long"
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: unknown name 'xxx"* ]]
	run --separate-stderr plumb spec list "--$long"
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: unknown option '--xxx"* ]]
	run --separate-stderr plumb spec list --cpu "$long"
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: unknown CPU 'xxx"* ]]
}

@test "perf's options for BPF, hybrid machines and older files are named" {
	local case

	for case in "--bpf-counters|unsupported: plumb counts through perf_event_open(2) only" \
		"--bpf-prog|unsupported: plumb loads no BPF programs" \
		"--hybrid-merge|unsupported: plumb reports each type of cores separately" \
		"--per-cache|unsupported: use --per-socket or --per-core" \
		"--metric-no-threshold|the default: plumb's diagnosis judges the metrics" \
		"--inherit|the default" "--input|plumb import FILE, for what perf stat -j or -x printed"; do
		run --separate-stderr plumb stat "${case%%|*}" -e cs -- true
		[ "$status" -eq 2 ]
		said "plumb: unknown option '${case%%|*}'" "       perf's ${case%%|*} is ${case#*|}"
	done
	for case in "--append|unsupported: -o FILE starts a new recording and keeps the old one as FILE.old" \
		"-f|the default: -o FILE renames an existing file to FILE.old" "--initial-delay|--delay MS" \
		"--latency|unsupported: plumb report adds up CPU time" \
		"--setup-filter|unsupported: -e spe/load,latency>=100/ filters SPE records"; do
		run --separate-stderr plumb record "${case%%|*}" -e cs -- true
		[ "$status" -eq 2 ]
		said "plumb: unknown option '${case%%|*}'" "       perf's ${case%%|*} is ${case#*|}"
	done
	run --separate-stderr plumb record --call-graph lbr -e cs -- true
	[ "$status" -eq 2 ]
	said "plumb: invalid value 'lbr' for --call-graph" \
		"       use fp or dwarf: only x86 CPUs keep calls in branch stacks"
}

@test "perf's options that are not here lead to what is" {
	local name

	run --separate-stderr plumb report -T
	[ "$status" -eq 2 ]
	said "plumb: unknown option '-T'" "       perf's -T is -s tid,KEY,..."
	run --separate-stderr plumb record --synth=no
	said "plumb: unknown option '--synth'" \
		"       perf's --synth is the default: what runs already is described if it is sampled"
	# Taken for a node, and for programs.
	run --separate-stderr plumb stat -n true
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"perf's -n is unsupported: -e task-clock counts next to nothing" ]]
	run --separate-stderr plumb stat -n true true
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"perf's -n is unsupported: -e task-clock counts next to nothing" ]]
	run -127 --separate-stderr plumb stat record true
	[ "$status" -eq 127 ]
	[[ "$stderr" == *"perf's stat record is plumb stat --json -o FILE" ]]
	run -127 --separate-stderr plumb stat report
	[[ "$stderr" == *"perf's stat report is plumb import FILE, for what perf stat -j or -x printed" ]]
	for name in report annotate diff script record stat list; do
		leads_from_perf "$name"
	done
}

# is_like SHORT LONG: that both are taken as the same, with the same complaint.
is_like()
{
	local expected said

	# shellcheck disable=SC2086 # words
	expected=$(plumb $2 2>&1) && return 1
	# shellcheck disable=SC2086 # words
	said=$(plumb $1 2>&1) && return 1
	[ "$said" = "$expected" ] || { echo "$1: $said" && return 1; }
}

@test "an option may be abbreviated, unless that is ambiguous" {
	[ "$(plumb spec list events --cpu neoverse-n1 --field ';')" = \
		"$(plumb spec list events --cpu neoverse-n1 -x ';')" ]
	# perf has no --callchains, so --call is --call-graph; a whole name is itself.
	is_like "record --call=x true" "record --call-graph=x true"
	is_like "record --call x true" "record --call-graph x true"
	run --separate-stderr plumb record --callchains=x true
	[ "$status" -eq 2 ]
	said "plumb: --callchains takes no value" "       see plumb record --help"
	is_like "report --call x -i /dev/null" "report --call-graph x -i /dev/null"
	is_like "report --caller x -i /dev/null" "report --callers x -i /dev/null"
	run --separate-stderr plumb report --calle main
	said "plumb: ambiguous option '--calle'" "       use one of --callers, --callees"
	run --separate-stderr plumb stat --all true
	[ "$status" -eq 2 ]
	said "plumb: ambiguous option '--all'" "       use one of --all-cpus, --all-user, --all-kernel"
	run --separate-stderr plumb record --switch true
	[ "$status" -eq 2 ]
	said "plumb: ambiguous option '--switch'" "       use one of --switch-output, --switch-max-files"
	# perf has --exclude-perf and --no-merge: what is too short is not guessed at.
	run --separate-stderr plumb record --ex true
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: unknown option '--ex'"* ]]
	run --separate-stderr plumb stat --no-m true
	[[ $stderr == "plumb: unknown option '--no-m'"* ]]
	# A name of perf's is not short for another of ours.
	run --separate-stderr plumb record --timestamp true
	[ "$status" -eq 2 ]
	said "plumb: unknown option '--timestamp'" \
		"       perf's --timestamp is the default: samples have their times"
	# No name is all names.
	run --separate-stderr plumb spec list --=x
	[ "$status" -eq 2 ]
	[[ $stderr == "plumb: ambiguous option '--'"* ]]
}

@test "perf's other options are taken" {
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr plumb record -F max --source model true
	[ "$status" -eq 2 ]
	said "plumb: -F max is the kernel's limit, and the model has none" "       use -F HZ or -c N"
	plumb list software --source perf >/dev/null 2>&1 || skip "no software events"
	# The kernel lowers it when samples take long.
	before=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	run --separate-stderr plumb record -F max --strict-freq --sample-cpu -e cpu-clock -o data true
	[ "$status" -eq 0 ]
	limit=$(sed -n "1s/^plumb: sampling at the kernel's limit of \([0-9]*\) Hz$/\1/p" <<<"$stderr")
	[ "$limit" = "$before" ] || [ "$limit" = "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" ]
	plumb script --header-only -i data | grep -qF "sample_freq } = $limit,"
	plumb report -i data --cpu 0-1000 >/dev/null
	plumb record -q -e cpu-clock -o data true
	run --separate-stderr plumb report -i data --cpu 0
	[ "$status" -eq 2 ]
	said "plumb: --cpu requires samples that record their CPU" \
		"       record with --sample-cpu, or with -a"
}
