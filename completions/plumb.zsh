#compdef plumb
# SPDX-License-Identifier: Apache-2.0
# Completion of plumb's command line for zsh; installed as _plumb.

# _plumb_fields FIELD COMMAND...: adds to `names` what COMMAND, a list, prints in FIELD.
# Without a pipe: zsh may send SIGCONT into one, so that a process about to be traced runs on, and
# the leak check of AddressSanitizer waits for ever.
_plumb_fields()
{
	local line
	local -a fields

	for line in ${(f)"$($argv[2,-1] --field-separator '|' 2>/dev/null)"}; do
		fields=("${(@s:|:)line}")
		names+=($fields[$1])
	done
}

# _plumb_names KIND FIELD [CPU]: adds to `names` those that `plumb spec list KIND` prints in FIELD.
_plumb_names()
{
	_plumb_fields $2 plumb spec list $1 ${3:+--cpu} ${3:+$3}
}

# _plumb_offer one|several WORD|SOURCE...: offers the words that begin with the current one, in either
# case; several are separated by commas.
_plumb_offer()
{
	local how=$1 word cpu=${opt_args[--cpu]:-} files=''
	local -aU names
	local -a either=(-M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}')

	shift
	for word; do
		case $word in
		@cpus) _plumb_names cpus 1 ;;
		@cores) _plumb_fields 1 plumb list cores --source model ;;
		@events)
			_plumb_names events 2 ${cpu:-neoverse-n3}
			# perf's names.
			_plumb_fields 1 plumb list generic --source model
			_plumb_fields 1 plumb list software
			;;
		@groups) _plumb_names groups 1 ${cpu:-neoverse-n3} ;;
		@metrics) _plumb_names metrics 1 ${cpu:-neoverse-n3} ;;
		@things)
			# Everything that `plumb spec show` knows.
			_plumb_names events 2 $cpu
			_plumb_names metrics 1 $cpu
			_plumb_names groups 1 $cpu
			_plumb_names functions 1 $cpu
			_plumb_names cpus 1
			;;
		@pids) names+=(/proc/<->(:t)) ;;
		@files) files=_files ;;
		@folders) files='_files -/' ;;
		*) names+=($word) ;;
		esac
	done
	if [[ $how == several ]]; then
		_sequence compadd $either - $names
	elif [[ -n $files ]]; then
		_alternative "names:name:compadd ${(q)either} -a names" "files:file:$files"
	else
		compadd $either -a names
	fi
}

# The tables: see generate.py.

_plumb()
{
	local command=_plumb_command

	while (( CURRENT > 2 && $+functions[${command}_${words[2]}] )); do
		command+=_${words[2]}
		shift words
		(( CURRENT-- ))
	done
	$command
}

_plumb "$@"
