# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of plumb's command line for bash: needs nothing but bash.

# _plumb_names CPU KIND FIELD: the names that `plumb spec list KIND` prints in FIELD.
_plumb_names()
{
	plumb spec list "$2" ${1:+--cpu "$1"} --field-separator '|' 2>/dev/null | cut -d '|' -f "$3"
}

_plumb_cpus()
{
	_plumb_names '' cpus 1
}

# _plumb_things CPU: everything that `plumb spec show` knows.
_plumb_things()
{
	_plumb_names "$1" events 2
	_plumb_names "$1" metrics 1
	_plumb_names "$1" groups 1
	_plumb_names "$1" functions 1
	_plumb_cpus
}

# _plumb_offer_last WORDS: the same for the last of names parted by commas.
_plumb_offer_last()
{
	local before=''

	[[ $current != *,* ]] || before=${current%,*},
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${current##*,}")
}

# _plumb_offer WORDS: those that the word at hand begins.
_plumb_offer()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

_plumb_offer_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
}

# _plumb_record_value OPTION: offers values of it; false if it has none of its own.
_plumb_record_value()
{
	case $1 in
	-e | --event)
		_plumb_offer_last "spe spe/load/ spe/store/ spe/branch/ spe/llc-miss/ cpu-clock task-clock \
			page-faults context-switches cycles instructions \
			cache-misses branch-misses $(_plumb_names "${cpu:-$model}" events 2)"
		;;
	--call-graph) _plumb_offer fp ;;
	-k | --clockid) _plumb_offer 'monotonic monotonic_raw realtime boottime tai' ;;
	--switch-output) _plumb_offer signal ;;
	-p | --pid | -t | --tid) _plumb_offer "$(cd /proc && printf '%s ' [0-9]*)" ;;
	-c | --count | -F | --freq | -C | --cpus | -m | --mmap-pages | --switch-max-files | \
		--compression-level | -D | --delay | --max-size | --seed) ;;
	*) return 1 ;;
	esac
}

# _plumb_script_takes OPTION: whether it takes a value.
_plumb_script_takes()
{
	case $1 in
	-i | --input | -F | --fields | --itrace | --filter | --time | -c | --comms | --pid | --tid | -C | \
		--cpu | -S | --symbols | --dsos | --symfs | --kallsyms | --core | -o | --output) ;;
	*) return 1 ;;
	esac
}

# _plumb_script_value OPTION: offers values of it; false if it takes none.
_plumb_script_value()
{
	_plumb_script_takes "$1" || return
	case $1 in
	-F | --fields)
		_plumb_offer_last 'comm tid pid time cpu event ip sym dso addr symoff period data_src weight phys_addr misc data_page_size code_page_size ins_lat flags'
		;;
	--itrace) _plumb_offer 'i1i i1000i f m t b a M' ;;
	--filter) _plumb_offer_last 'load store branch other user kernel l1d-miss llc-miss tlb-miss latency>=' ;;
	--core) _plumb_offer "$(_plumb_cpus)" ;;
	-i | --input | --symfs | --kallsyms | -o | --output) _plumb_offer_files ;;
	esac
}

_plumb()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local path='' cpu='' options='' word i operands=0 model=neoverse-n3

	COMPREPLY=()
	# Bash parts --option=value in three.
	if [ "$current" = = ]; then
		current=
	elif [ "$previous" = = ]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [ "$path" = ' script' ]; then
			_plumb_script_takes "$word" || continue
			((i++))
			[ "${COMP_WORDS[i]}" != = ] || ((i++))
			continue
		fi
		case $word in
		--cpu)
			((i++))
			[ "${COMP_WORDS[i]}" != = ] || ((i++))
			[ "$i" -ge "$COMP_CWORD" ] || cpu=${COMP_WORDS[i]}
			;;
		-x | --field-separator | -o | --output | --color | --format | --part | --source | \
			-s | --stages | -m | --metric-group | -M | --metric | -n | --node | -l | --level | \
			-e | --event | --collect-by | -I | --interval-print | -r | --repeat | -L | --sysroot | \
			--qemu | -c | --count | -F | --freq | --call-graph | -C | --cpus | -p | --pid | -t | --tid | \
			--mmap-pages | --switch-max-files | -D | --delay | -k | --clockid | --max-size | --seed)
			((i++))
			[ "${COMP_WORDS[i]}" != = ] || ((i++))
			;;
		-*) ;;
		*)
			case $path:$word in
			:stat | :record)
				path=" $word"
				;;
			' stat:'* | ' record:'*)
				# From here on the command line is the program's.
				operands=1
				break
				;;
			:script | :spec | :spe | :help | ' spe:dump' | ' help:script' | ' help:spe' | ' help:spec' | ' help:stat' | ' help:record' | *:list | *:show | *:tree | *:validate | *:diff | *:export)
				if [ "$operands" -eq 0 ]; then path+=" $word"; else ((operands++)); fi
				;;
			*) ((operands++)) ;;
			esac
			;;
		esac
	done

	if [[ $path = ' stat' || $path = ' record' ]] && [ "$operands" -gt 0 ]; then
		_plumb_offer_files
		return
	fi
	if [ "$path" = ' record' ] && _plumb_record_value "$previous"; then
		return
	fi
	if [ "$path" = ' script' ] && _plumb_script_value "$previous"; then
		return
	fi
	case $previous in
	--source)
		_plumb_offer 'auto model perf'
		return
		;;
	-s | --stages)
		_plumb_offer_last '1 2 topdown uarch all'
		return
		;;
	-m | --metric-group)
		_plumb_offer_last "$(_plumb_names "${cpu:-$model}" groups 1)"
		return
		;;
	-M | --metric | -n | --node)
		_plumb_offer_last "$(_plumb_names "${cpu:-$model}" metrics 1)"
		return
		;;
	-e | --event)
		_plumb_offer_last "$(_plumb_names "${cpu:-$model}" events 2)"
		return
		;;
	--collect-by)
		_plumb_offer 'metric group none'
		return
		;;
	-L | --sysroot | --qemu)
		_plumb_offer_files
		return
		;;
	-l | --level | -I | --interval-print | -r | --repeat) return ;;
	--cpu)
		_plumb_offer "$(_plumb_cpus)"
		_plumb_offer_files
		return
		;;
	--core)
		_plumb_offer "$(_plumb_cpus)"
		return
		;;
	-o | --output)
		_plumb_offer_files
		return
		;;
	--color)
		_plumb_offer 'auto always never'
		return
		;;
	--format)
		if [ "$path" = ' export' ]; then _plumb_offer spe-csv; else _plumb_offer 'mrs perf-json markdown csv'; fi
		return
		;;
	--part)
		_plumb_offer 'events metrics'
		return
		;;
	-x | --field-separator) return ;;
	esac

	case $path in
	'') options='--version --help' ;;
	' help'* | ' spec' | ' spe') options='--help' ;;
	' script')
		options='--input --fields --itrace --filter --time --comms --pid --tid --cpu --symbols --dsos'
		options+=' --symfs --kallsyms --core --hide-call-graph --no-demangle --ns --reltime --deltatime'
		options+=' --show-mmap-events --show-task-events --show-lost-events --show-switch-events'
		options+=' --header --dump-raw-trace --raw --quiet --json --output --verbose --no-pager --help'
		;;
	' spe dump') options='--raw --records --output --no-pager --help' ;;
	' stat')
		options='--source --cpu --stages --metric-group --metric --node --level --event'
		options+=' --collect-by --no-multiplex --interval-print --repeat --json --csv --field-separator --output'
		options+=' --sysroot --qemu --children --verbose --color --no-progress --help'
		;;
	' record')
		options='--event --count --freq --all-user --all-kernel --callchains --call-graph --all-cpus --cpus --pid --tid --per-thread'
		options+=' --no-inherit --output --mmap-pages --data --phys-data --snapshot --switch-output'
		options+=' --switch-max-files --compression-level --delay --timestamp-filename --clockid --no-buildid'
		options+=' --no-buildid-cache --max-size --source --cpu --seed --sysroot --qemu --quiet --verbose'
		options+=' --no-progress --help'
		;;
	' list')
		options='--source --cpu --json --field-separator --output --verbose --color --no-pager'
		options+=' --help'
		;;
	' export') options='--format --output --raw --core --verbose --help' ;;
	' spec list')
		options='--cpu --json --field-separator --output --verbose --color --no-pager --help'
		;;
	' spec show' | ' spec tree')
		options='--cpu --json --output --verbose --color --no-pager --help'
		;;
	' spec validate') options='--json --output --color --no-pager --help' ;;
	' spec diff') options='--json --output --verbose --color --no-pager --help' ;;
	' spec export')
		options='--cpu --format --part --output --verbose --color --no-pager --help'
		;;
	esac
	case $current in
	-*)
		_plumb_offer "$options"
		return
		;;
	esac

	case $path in
	'') _plumb_offer 'stat record script list spec spe export help' ;;
	' help') _plumb_offer 'stat record script list spec spe export help' ;;
	' stat' | ' record')
		mapfile -t COMPREPLY < <(compgen -c -- "$current")
		_plumb_offer_files
		;;
	' list')
		[ "$operands" -gt 0 ] || _plumb_offer 'cores parameters events metrics groups'
		;;
	' export') _plumb_offer_files ;;
	' spe' | ' help spe') _plumb_offer dump ;;
	' spe dump') _plumb_offer_files ;;
	' spec' | ' help spec') _plumb_offer 'list show tree validate diff export' ;;
	' spec list')
		[ "$operands" -gt 0 ] || _plumb_offer 'cpus events metrics groups functions'
		;;
	' spec show') _plumb_offer "$(_plumb_things "$cpu")" ;;
	' spec validate') _plumb_offer_files ;;
	' spec diff')
		_plumb_offer "$(_plumb_cpus)"
		_plumb_offer_files
		;;
	esac
}

complete -F _plumb plumb
