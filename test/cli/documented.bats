# SPDX-License-Identifier: Apache-2.0
# What --help, the manual pages and the three shells' completions say of options must agree. --help
# is made from the tables that the program works by, so it is the measure.

load lib.bash

# shellcheck disable=SC2154 # by lib.bash
top=$here/../..
# Made by the build.
completions=$(cd "$(dirname "$PLUMB")/../completions" && pwd)
spec_commands="list show tree validate diff export"

# options_of COMMAND...: the long options in its --help, sorted.
options_of()
{
	plumb "$@" --help | sed -n '/^Options/,/^$/s/^  *\(-., \)\{0,1\}--\([a-z-]*\).*/--\2/p' | sort
}

# letters_of COMMAND...: the short ones.
letters_of()
{
	plumb "$@" --help | sed -n '/^Options/,/^$/s/^  *\(-.\), --.*/\1/p' | sort
}

# manual_of COMMAND: its section of the manual page's source, without the marks.
manual_of()
{
	sed -n "/^# PLUMB SPEC ${1^^}\$/,/^# /p" "$top/man/plumb-spec.1.scd" | tr -d '*_'
}

@test "--help lists options" {
	[ "$(options_of spec list | wc -l)" -eq 10 ]
	[ "$(letters_of spec list | xargs)" = "-h -j -o -v -x" ]
	[ "$(options_of | xargs)" = "--help --version" ]
}

@test "plumb-spec(1): each command's section names exactly its options" {
	for command in $spec_commands; do
		named=$(manual_of "$command" | grep -oE -- '--[a-z][a-z-]*' | sort -u)
		for option in $(options_of spec "$command"); do
			grep -qxF -- "$option" <<<"$named" || {
				echo "plumb spec $command: the manual lacks $option"
				return 1
			}
		done
		for option in $named; do
			options_of spec "$command" | grep -qxF -- "$option" || [ "$option" = --cpu ] || {
				echo "plumb spec $command: the manual has $option"
				return 1
			}
		done
		for letter in $(letters_of spec "$command"); do
			manual_of "$command" | grep -qE -- "(^|[ ,])$letter([ ,]|\$)"
		done
	done
}

@test "the pages of stat, explore, record, report, annotate, diff, script, list, doctor, calibrate, import and export define exactly the options of --help" {
	for command in stat explore record report annotate diff script list doctor calibrate import export; do
		# A definition begins its line.
		named=$(grep -E '^\*-' "$top/man/plumb-$command.1.scd" | tr -d '*_' |
			grep -oE -- '--[a-z][a-z-]*' | sort -u)
		[ "$named" = "$(options_of "$command")" ]
		for letter in $(letters_of "$command"); do
			grep -E '^\*-' "$top/man/plumb-$command.1.scd" | tr -d '*_' |
				grep -qE -- "(^|[ ,])$letter([ ,]|\$)"
		done
	done
	[ "$(options_of stat | wc -l)" -eq 59 ]
}

@test "plumb(1) names the common options and plumb's own" {
	page=$(tr -d '*_' <"$top/man/plumb.1.scd")
	for option in $(options_of) --cpu --json --output --field-separator --verbose --color \
		--no-pager; do
		grep -qE -- "^(-., )?$option([[ ]|\$)" <<<"$page"
	done
}

@test "the manual pages name every command" {
	for command in $spec_commands; do
		grep -qF "*plumb spec $command*" "$top/man/plumb-spec.1.scd"
	done
	plumb --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' | while read -r command; do
		grep -qF "*$command*" "$top/man/plumb.1.scd"
	done
}

@test "scdoc accepts the manual pages" {
	command -v scdoc >/dev/null || skip "no scdoc"
	for page in "$top"/man/*.scd; do
		scdoc <"$page" >"$BATS_TEST_TMPDIR/page"
		[ -s "$BATS_TEST_TMPDIR/page" ]
	done
}

# bash_offers WORD...: what the completion offers for the last word.
bash_offers()
{
	# shellcheck disable=SC2016 # for the inner shell
	PATH=$(dirname "$PLUMB"):$PATH bash -c '
		source "$1/plumb"
		shift
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_plumb
		printf "%s\n" "${COMPREPLY[@]}"' - "$completions" "$@"
}

@test "bash: offers exactly every command's options" {
	[ "$(bash_offers plumb -- | sort)" = "$(options_of)" ]
	[ "$(bash_offers plumb spec -- | sort)" = "$(options_of spec)" ]
	[ "$(bash_offers plumb help -- | sort)" = "$(options_of help)" ]
	[ "$(bash_offers plumb stat -- | sort)" = "$(options_of stat)" ]
	[ "$(bash_offers plumb stat -m General --cpu n3 -- | sort)" = "$(options_of stat)" ]
	[ "$(bash_offers plumb list -- | sort)" = "$(options_of list)" ]
	[ "$(bash_offers plumb export -- | sort)" = "$(options_of export)" ]
	[ "$(bash_offers plumb script -- | sort)" = "$(options_of script)" ]
	[ "$(bash_offers plumb script -D -i x -- | sort)" = "$(options_of script)" ]
	[ "$(bash_offers plumb spe -- | sort)" = "$(options_of spe)" ]
	[ "$(bash_offers plumb spe dump -- | sort)" = "$(options_of spe dump)" ]
	[ "$(bash_offers plumb record -- | sort)" = "$(options_of record)" ]
	[ "$(bash_offers plumb record -e spe -C 0 -- | sort)" = "$(options_of record)" ]
	for command in $spec_commands; do
		[ "$(bash_offers plumb spec "$command" -- | sort)" = "$(options_of spec "$command")" ]
		[ "$(bash_offers plumb spec "$command" x --color always -- | sort)" = \
			"$(options_of spec "$command")" ]
	done
}

@test "bash: offers commands, kinds, names and values" {
	[ "$(bash_offers plumb '' | xargs)" = "stat explore record report annotate diff script list doctor spec spe import export calibrate help" ]
	[ "$(bash_offers plumb help '' | xargs)" = "stat explore record report annotate diff script list doctor spec spe import export calibrate help" ]
	[ "$(bash_offers plumb list m)" = metrics ]
	[ "$(bash_offers plumb spe '')" = dump ]
	[ "$(bash_offers plumb script -F tid,symo)" = tid,symoff ]
	[ "$(bash_offers plumb stat --source m)" = model ]
	[ "$(bash_offers plumb stat --stages = a)" = all ]
	[ "$(bash_offers plumb stat -m General,MP)" = General,MPKI ]
	[ "$(bash_offers plumb stat -M ip)" = ipc ]
	[ "$(bash_offers plumb stat -e CPU_C)" = CPU_CYCLES ]
	[ "$(bash_offers plumb stat --collect-by g)" = group ]
	bash_offers plumb stat ls | grep -qx ls
	# What follows the program is its own.
	[ -z "$(bash_offers plumb stat ls --js)" ]
	[ "$(bash_offers plumb spec '' | xargs)" = "$spec_commands" ]
	[ "$(bash_offers plumb help spec '' | xargs)" = "$spec_commands" ]
	[ "$(bash_offers plumb spec list m)" = metrics ]
	[ "$(bash_offers plumb spec list --cpu neoverse-n | xargs)" = \
		"$(cpus | grep neoverse-n | xargs)" ]
	[ "$(bash_offers plumb spec show --cpu = neoverse-n1 ipc)" = ipc ]
	[ "$(bash_offers plumb spec show --cpu neoverse-n1 CPU_C)" = CPU_CYCLES ]
	[ -z "$(bash_offers plumb spec show --cpu neoverse-n1 retiring)" ]
	[ "$(bash_offers plumb spec show --cpu neoverse-n3 retiring)" = retiring ]
	[ "$(bash_offers plumb spec export --format = perf)" = perf-json ]
	[ "$(bash_offers plumb export --format '' | xargs)" = "spe-csv callgrind folded speedscope pprof firefox" ]
	[ "$(bash_offers plumb script --core neoverse-n | xargs)" = "$(cpus | grep neoverse-n | xargs)" ]
	[ "$(bash_offers plumb spec tree --color = a | xargs)" = "auto always" ]
	[ "$(bash_offers plumb script --filter load,lat)" = 'load,latency>=' ]
	[ "$(bash_offers plumb record -e spe/l | xargs)" = "spe/load/ spe/llc-miss/" ]
	[ "$(bash_offers plumb record -e L1D_CACHE_REF | head -n 1)" = L1D_CACHE_REFILL ]
	# Of all CPUs, which give it different titles.
	[ "$(bash_offers plumb spec show INST_RETIRE)" = INST_RETIRED ]
	for command in stat record list; do
		[ "$(bash_offers plumb "$command" --cpu neoverse- | xargs)" = \
			"$(plumb list cores --source model -x '|' | cut -d '|' -f 1 | grep neoverse | xargs)" ]
		[ -z "$(bash_offers plumb "$command" --cpu c1-)" ]
	done
	[ "$(bash_offers plumb stat --cpu graviton2 -e L1D_CACHE_REF | head -n 1)" = L1D_CACHE_REFILL ]
	# Names complete in either case.
	[ "$(bash_offers plumb record -e l1d_cache_ref | head -n 1)" = L1D_CACHE_REFILL ]
	[ "$(bash_offers plumb stat -e cycles,cpu_c)" = cycles,CPU_CYCLES ]
	[ "$(bash_offers plumb stat -m mp)" = MPKI ]
	# What has to be attached is not the next word.
	[ "$(bash_offers plumb record --switch-output = s)" = signal ]
	bash_offers plumb record --switch-output l | grep -qx ls
	[ "$(bash_offers plumb stat -n frontend_m | head -n 1)" = frontend_mem_bound ]
	cd "$BATS_TEST_TMPDIR"
	touch mine.json
	[ "$(bash_offers plumb spec validate mi)" = mine.json ]
	[ "$(bash_offers plumb spec diff mi)" = mine.json ]
	[ "$(bash_offers plumb spec tree -o mi)" = mine.json ]
}

@test "bash: offers perf's names of events; for stat metrics, too" {
	for command in stat record; do
		# Bash removes duplicates itself.
		[ "$(bash_offers plumb "$command" -e cyc | sort -u)" = cycles ]
		[ "$(bash_offers plumb "$command" -e cycles,task-c | sort -u)" = cycles,task-clock ]
		bash_offers plumb "$command" -e L1D_CACHE_R | grep -qx L1D_CACHE_REFILL
	done
	bash_offers plumb stat -e cycles,backend_b | grep -qx cycles,backend_bound
	[ -z "$(bash_offers plumb record -e backend_b)" ]
}

# fish_offers LINE: what the completion offers at its end.
fish_offers()
{
	# shellcheck disable=SC2016 # for fish
	HOME=$BATS_TEST_TMPDIR PATH=$(dirname "$PLUMB"):$PATH fish --no-config -c '
		source $argv[1]/plumb.fish
		complete -C $argv[2] | string split --fields 1 \t' "$completions" "$1" |
		sed 's/^\(--.*\)=$/\1/' | sort -u # --option= where a value may be attached
}

@test "fish: offers exactly every command's options; commands, names and values" {
	command -v fish >/dev/null || skip "no fish"
	[ "$(fish_offers 'plumb --')" = "$(options_of)" ]
	[ "$(fish_offers 'plumb spec --')" = "$(options_of spec)" ]
	for command in stat explore record report annotate diff script list doctor calibrate import export; do
		[ "$(fish_offers "plumb $command --")" = "$(options_of "$command")" ]
		[ "$(fish_offers "plumb $command -" | grep -E '^-[a-zA-Z]$')" = \
			"$(letters_of "$command")" ]
	done
	[ "$(fish_offers 'plumb spe dump --')" = "$(options_of spe dump)" ]
	[ "$(fish_offers 'plumb spe ')" = dump ]
	[ "$(fish_offers 'plumb list m')" = metrics ]
	[ "$(fish_offers 'plumb stat --source m')" = model ]
	fish_offers 'plumb stat -e CPU_C' | grep -qx CPU_CYCLES
	fish_offers 'plumb stat -e cpu_c' | grep -qx CPU_CYCLES
	[ "$(fish_offers 'plumb stat -e cyc')" = cycles ]
	fish_offers 'plumb stat -e task-' | grep -qx task-clock
	fish_offers 'plumb stat -e backend_b' | grep -qx backend_bound
	for command in $spec_commands; do
		[ "$(fish_offers "plumb spec $command --")" = "$(options_of spec "$command")" ]
		[ "$(fish_offers "plumb spec $command -" | grep -E '^-[a-z]$')" = \
			"$(letters_of spec "$command")" ]
	done
	[ "$(fish_offers 'plumb ' | xargs)" = "annotate calibrate diff doctor explore export help import list record report script spe spec stat" ]
	[ "$(fish_offers 'plumb spec ')" = "$(tr ' ' '\n' <<<"$spec_commands" | sort)" ]
	[ "$(fish_offers 'plumb spec list m')" = metrics ]
	[ "$(fish_offers 'plumb spec show --cpu neoverse-n1 CPU_C')" = CPU_CYCLES ]
	[ "$(fish_offers 'plumb spec export --format perf')" = perf-json ]
	fish_offers 'plumb spec tree --cpu neoverse-v3' | grep -qx neoverse-v3-r0p0
	[ "$(fish_offers 'plumb script --filter lat')" = 'latency>=' ]
	fish_offers 'plumb record -e L1D_CACHE_REF' | grep -qx L1D_CACHE_REFILL
	[ "$(fish_offers 'plumb stat --stages a')" = all ]
	fish_offers 'plumb stat --cpu c' | grep -qx cobalt100
	[ -z "$(fish_offers 'plumb stat --cpu c1-')" ]
	[ "$(fish_offers 'plumb help spec ')" = "$(tr ' ' '\n' <<<"$spec_commands" | sort)" ]
	fish_offers 'plumb help ' | grep -qx record
}

# zsh_options WORD...: the options that the completion declares for these words.
zsh_options()
{
	# shellcheck disable=SC2016 # for zsh
	zsh -f -c '
		_arguments() { while [[ $1 == (-s|-S) ]]; do shift; done; print -l -- "$@" }
		top=$1
		shift
		words=("$@" "")
		CURRENT=$#words
		source $top/_plumb' - "$completions" "$@" |
		sed 's/^([^)]*)//; s/^\*//' | grep -oE -- '^--?[a-zA-Z-]+' | sed 's/-$//' | sort -u
}

@test "zsh: offers exactly every command's options" {
	command -v zsh >/dev/null || skip "no zsh"
	[ "$(zsh_options plumb | grep -- ^--)" = "$(options_of)" ]
	[ "$(zsh_options plumb spec | grep -- ^--)" = "$(options_of spec)" ]
	for command in stat explore record report annotate diff script list doctor calibrate import export; do
		[ "$(zsh_options plumb "$command" | grep -- ^--)" = "$(options_of "$command")" ]
		[ "$(zsh_options plumb "$command" | grep -E '^-[a-zA-Z]$')" = "$(letters_of "$command")" ]
	done
	[ "$(zsh_options plumb spe | grep -- ^--)" = "$(options_of spe)" ]
	[ "$(zsh_options plumb spe dump | grep -- ^--)" = "$(options_of spe dump)" ]
	for command in $spec_commands; do
		[ "$(zsh_options plumb spec "$command" | grep -- ^--)" = "$(options_of spec "$command")" ]
		[ "$(zsh_options plumb spec "$command" | grep -E '^-[a-z]$')" = \
			"$(letters_of spec "$command")" ]
	done
}

# zsh_offers SPEC...: what the completion offers where the tables say so.
zsh_offers()
{
	# shellcheck disable=SC2016 # for zsh
	PATH=$(dirname "$PLUMB"):$PATH zsh -f -c '
		_arguments() { }
		_sequence() { while [[ $1 != - ]]; do shift; done; shift; print -l -- "$@" }
		_alternative() { print -l -- $names; print -- "$2" }
		compadd() { print -l -- $names; print -r -- "$*" }
		source $1/_plumb
		shift
		_plumb_offer "$@"' - "$completions" "$@"
}

@test "zsh: offers names and values" {
	command -v zsh >/dev/null || skip "no zsh"
	cd "$BATS_TEST_TMPDIR"
	zsh_offers several spe @events >offered
	grep -qx spe offered
	grep -qx CPU_CYCLES offered
	zsh_offers one @cpus @files >offered
	[ "$(cpus)" = "$(head -n -1 offered)" ]
	[ "$(tail -n 1 offered)" = files:file:_files ]
	zsh_offers one @things | grep -qx backend_bound
	[ "$(zsh_offers one @cores | grep -c '^c1-')" -eq 0 ]
	[ "$(zsh_offers one @cores | grep -cx cobalt100)" -eq 1 ]
	[ "$(zsh_offers one @things | grep -cx INST_RETIRED)" -eq 1 ]
	# In either case.
	zsh_offers one @things | grep -qF -- '-M m:{[:lower:][:upper:]}={[:upper:][:lower:]} -a names'
	# shellcheck disable=SC2016 # as it stands there
	grep -qF '::when: _plumb_offer one signal' "$completions/_plumb"
	grep -qF ":source: _plumb_offer one auto model perf'" "$completions/_plumb"
	grep -qF ":events: _plumb_offer several" "$completions/_plumb" ||
		grep -qF ":event: _plumb_offer several" "$completions/_plumb"
}

@test "the shells can read their completions" {
	bash -n "$completions/plumb"
	! command -v shellcheck >/dev/null || shellcheck -s bash "$completions/plumb"
	! command -v zsh >/dev/null || zsh -n "$completions/_plumb"
	! command -v fish >/dev/null || fish --no-execute "$completions/plumb.fish"
}

@test "completions know the program's formats and kinds" {
	formats=$(plumb spec export --help | sed -n '/^Formats/,/^$/s/^  \([a-z-]*\) .*/\1/p' | xargs)
	[ "$formats" = "mrs perf-json markdown csv" ]
	for shell in plumb _plumb plumb.fish; do
		grep -qF "$formats" "$completions/$shell"
		grep -qF "cpus events metrics groups functions" "$completions/$shell"
	done
	for kind in cpus events metrics groups functions; do
		plumb spec list "$kind" >/dev/null
	done
}
