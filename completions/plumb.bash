# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of plumb's command line for bash: needs nothing but bash.

# _plumb_names CPU KIND FIELD: the names that `plumb spec list KIND` prints in FIELD.
_plumb_names()
{
	plumb spec list "$2" ${1:+--cpu "$1"} --field-separator '|' 2>/dev/null | cut -d '|' -f "$3"
}

# _plumb_source SOURCE CPU: its words.
_plumb_source()
{
	local cpu=${2:-neoverse-n3} # which the model runs

	case $1 in
	@cpus) _plumb_names '' cpus 1 ;;
	@cores) plumb list cores --source model --field-separator '|' 2>/dev/null | cut -d '|' -f 1 ;;
	@events)
		_plumb_names "$cpu" events 2
		# perf's names.
		plumb list generic --source model --field-separator '|' 2>/dev/null | cut -d '|' -f 1
		plumb list software --field-separator '|' 2>/dev/null | cut -d '|' -f 1
		;;
	@groups) _plumb_names "$cpu" groups 1 ;;
	@metrics) _plumb_names "$cpu" metrics 1 ;;
	@things)
		# Everything that `plumb spec show` knows.
		_plumb_names "$2" events 2
		_plumb_names "$2" metrics 1
		_plumb_names "$2" groups 1
		_plumb_names "$2" functions 1
		_plumb_names '' cpus 1
		;;
	@pids) (cd /proc && printf '%s\n' [0-9]*) ;;
	*) printf '%s\n' "$1" ;;
	esac
}

# _plumb_offer CURRENT CPU one|several WORD|SOURCE...: offers the words that begin with CURRENT, in
# either case. Of several, separated by commas, completes the last.
_plumb_offer()
{
	local current=$1 cpu=$2 before='' begun words='' word offered
	local -A seen=()

	[ "$3" = one ] || [[ $current != *,* ]] || before=${current%,*},
	for word in "${@:4}"; do
		case $word in
		@files | @folders | @program) ;;
		*) words+=" $(_plumb_source "$word" "$cpu")" ;;
		esac
	done
	begun=${current#"$before"}
	read -rd '' -a offered <<<"$words"
	for word in "${offered[@]}"; do
		# CPUs may give one event different titles.
		[[ ${word,,} != "${begun,,}"* || ${seen[$word]} ]] || COMPREPLY+=("$before$word")
		seen[$word]=yes
	done
	for word in "${@:4}"; do
		case $word in
		@files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
		@folders) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
		@program) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -cf -- "$current") ;;
		*) continue ;;
		esac
		compopt -o filenames 2>/dev/null
	done
}

# The tables: see generate.py.

_plumb()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local path='' cpu='' operands=0 attached='' word words i

	COMPREPLY=()
	# Bash splits --option=value in three.
	if [ "$current" = = ]; then
		current='' attached=yes
	elif [ "$previous" = = ]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]} attached=yes
	fi

	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word = -* ]]; then
			words=$(_plumb_value "${path:+$path }$word") || continue
			if [ "${COMP_WORDS[i + 1]}" = = ]; then
				((i += 2))
			elif [[ $words != =* ]]; then
				((i++))
			fi
			[[ $word != --cpu || $words != *@c@(pu|ore)s* || $i -ge $COMP_CWORD ]] ||
				cpu=${COMP_WORDS[i]}
		elif [ "$operands" -eq 0 ] && [[ " $(_plumb_commands "$path") " = *" $word "* ]]; then
			path+=${path:+ }$word
		else
			((operands++))
			# From here on the command line is the program's.
			[[ $(_plumb_operand "$path 0") != *@program* ]] || break
		fi
	done

	if [[ $operands -eq 0 || $(_plumb_operand "$path 0") != *@program* ]]; then
		if words=$(_plumb_value "${path:+$path }$previous") && [[ $words != =* || $attached ]]; then
			# shellcheck disable=SC2086 # a word each
			_plumb_offer "$current" "$cpu" ${words#=}
			return
		fi
		if [[ $current = -* ]]; then
			# shellcheck disable=SC2046
			_plumb_offer "$current" '' one $(_plumb_options "$path")
			return
		fi
	fi
	if [ "$operands" -eq 0 ] && words=$(_plumb_commands "$path"); then
		# shellcheck disable=SC2086
		_plumb_offer "$current" '' one $words
	elif words=$(_plumb_operand "$path $operands"); then
		# shellcheck disable=SC2086
		_plumb_offer "$current" "$cpu" $words
	fi
}

complete -F _plumb plumb
