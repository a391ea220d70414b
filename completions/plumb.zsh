#compdef plumb
# SPDX-License-Identifier: Apache-2.0
# Completion of plumb's command line for zsh; installed as _plumb.

# _plumb_names KIND FIELD: the names that `plumb spec list KIND` prints in FIELD.
_plumb_names()
{
	local cpu=${opt_args[--cpu]:-}

	[[ $1 != cpus ]] || cpu=
	plumb spec list $1 ${cpu:+--cpu} ${cpu:+$cpu} --field-separator '|' 2>/dev/null |
		cut -d '|' -f $2
}

_plumb_cpus()
{
	local -a cpus

	cpus=(${(f)"$(_plumb_names cpus 1)"})
	_alternative 'cpus:CPU:compadd -a cpus' 'files:file:_files'
}

_plumb_things()
{
	local -a events metrics groups functions cpus

	events=(${(f)"$(_plumb_names events 2)"})
	metrics=(${(f)"$(_plumb_names metrics 1)"})
	groups=(${(f)"$(_plumb_names groups 1)"})
	functions=(${(f)"$(_plumb_names functions 1)"})
	cpus=(${(f)"$(_plumb_names cpus 1)"})
	_alternative 'events:event:compadd -a events' 'metrics:metric:compadd -a metrics' \
		'groups:metric group:compadd -a groups' \
		'functions:functional group:compadd -a functions' 'cpus:CPU:compadd -a cpus'
}

# _plumb_spec COMMAND: what may follow `plumb spec COMMAND`, of which $words is the last and on.
_plumb_spec()
{
	local -a cpu json output separator verbose color pager help format part

	cpu=('--cpu=[the CPU meant]:CPU:_plumb_cpus')
	json=('(-j --json)'{-j,--json}'[print JSON]')
	output=('(-o --output)'{-o+,--output=}'[write there]:file:_files')
	separator=('(-x --field-separator)'{-x+,--field-separator=}'[print one line a row]:separator:')
	verbose=('(-v --verbose)'{-v,--verbose}'[print more]')
	color=('--color=[when to use colours]:when:(auto always never)')
	pager=('--no-pager[print straight to the terminal]')
	help=('(- *)'{-h,--help}'[print what the command does]')
	format=('--format=[the form]:format:(mrs perf-json markdown csv)')
	part=('--part=[only this part of it]:part:(events metrics)')

	case $1 in
	list)
		_arguments -s $cpu $json $separator $output $verbose $color $pager $help \
			'1:what:(cpus events metrics groups functions)' '*:pattern:'
		;;
	show)
		_arguments -s $cpu $json $output $verbose $color $pager $help \
			'*:name:_plumb_things'
		;;
	tree)
		_arguments -s $cpu $json $output $verbose $color $pager $help
		;;
	validate)
		_arguments -s $json $output $color $pager $help '*:file:_files'
		;;
	diff)
		_arguments -s $json $output $verbose $color $pager $help \
			'1:CPU:_plumb_cpus' '2:CPU:_plumb_cpus'
		;;
	export)
		_arguments -s $cpu $format $part $output $verbose $color $pager $help
		;;
	esac
}

# One or more of the names that `plumb spec list KIND` prints in FIELD, parted by commas.
_plumb_several()
{
	local -a names

	names=(${(f)"$(_plumb_names $1 $2)"})
	_values -s , name $names
}

_plumb_stat()
{
	_arguments -s -S \
		'--source=[who counts]:source:(auto model perf)' \
		'--cpu=[the CPU meant]:CPU:_plumb_cpus' \
		'*'{-s+,--stages=}'[1, 2 or all]:stages:(1 2 topdown uarch all)' \
		'*'{-m+,--metric-group=}'[these metric groups]:groups:_plumb_several groups 1' \
		'*'{-M+,--metric=}'[these metrics]:metrics:_plumb_several metrics 1' \
		'(-n --node)'{-n+,--node=}'[a part of the tree]:node:_plumb_several metrics 1' \
		'(-l --level)'{-l+,--level=}'[the tree down to here]:level:' \
		'*'{-e+,--event=}'[these events]:events:_plumb_several events 2' \
		'--collect-by=[whose events are counted together]:what:(metric group none)' \
		'--no-multiplex[a run for each pass]' \
		'(-I --interval-print)'{-I+,--interval-print=}'[print every so often]:milliseconds:' \
		'(-r --repeat)'{-r+,--repeat=}'[run it so often]:times:' \
		'(-j --json)'{-j,--json}'[print JSON]' \
		'--csv[print CSV]' \
		'(-x --field-separator)'{-x+,--field-separator=}'[print one line a row]:separator:' \
		'(-o --output)'{-o+,--output=}'[write there]:file:_files' \
		'(-L --sysroot)'{-L+,--sysroot=}'[where AArch64 libraries are]:folder:_files -/' \
		'--qemu=[the qemu-aarch64 to use]:file:_files' \
		'--children[count forked processes]' \
		'(-v --verbose)'{-v,--verbose}'[print more]' \
		'--color=[when to use colours]:when:(auto always never)' \
		'--no-progress[do not show how far it is]' \
		'(- *)'{-h,--help}'[print what the command does]' \
		'1:program:_command_names -e' '*::arguments:_normal'
}

_plumb_sampled()
{
	local -a names

	names=(spe spe/load/ spe/store/ spe/branch/ spe/llc-miss/ cpu-clock task-clock page-faults
		context-switches cycles instructions
		cache-misses branch-misses ${(f)"$(_plumb_names events 2)"})
	_values -s , event $names
}

_plumb_record()
{
	_arguments -s -S \
		'*'{-e+,--event=}'[what to sample]:events:_plumb_sampled' \
		'(-c --count)'{-c+,--count=}'[a sample every so many]:number:' \
		'(-F --freq)'{-F+,--freq=}'[so many samples a second]:Hz:' \
		'(--all-kernel)--all-user[sample user code only]' \
		'(--all-user)--all-kernel[sample the kernel only]' \
		'(-g --callchains)'{-g,--callchains}'[who called]' \
		'--call-graph=[who called]:how:(fp)' \
		'(-a --all-cpus)'{-a,--all-cpus}'[all of this machine]' \
		'(-C --cpus)'{-C+,--cpus=}'[these CPUs]:list:' \
		'(-p --pid)'{-p+,--pid=}'[processes that run already]:process:_pids' \
		'(-t --tid)'{-t+,--tid=}'[threads that run already]:threads:' \
		'--per-thread[a buffer a thread]' \
		'(-i --no-inherit)'{-i,--no-inherit}'[not what it forks]' \
		'(-o --output)'{-o+,--output=}'[write there]:file:_files' \
		'(-m --mmap-pages)'{-m+,--mmap-pages=}'[sizes of buffers]:pages:' \
		'(-d --data)'{-d,--data}'[addresses of data]' \
		'--phys-data[physical addresses]' \
		'(-S --snapshot)'{-S,--snapshot}'[SPE data of moments]' \
		'--switch-output=-[when to go on in a new file]:when:(signal)' \
		'--switch-max-files=[how many files to keep]:number:' \
		'(-z --compression-level)'{-z-,--compression-level=-}'[compress with zstd]:level:' \
		'(-D --delay)'{-D+,--delay=}'[milliseconds before sampling]:milliseconds:' \
		'--timestamp-filename[the time in the name]' \
		'(-k --clockid)'{-k+,--clockid=}'[the clock of times]:clock:(monotonic monotonic_raw realtime boottime tai)' \
		'(-B --no-buildid)'{-B,--no-buildid}'[no build-ids]' \
		'(-N --no-buildid-cache)'{-N,--no-buildid-cache}'[as perf has it]' \
		'--max-size=[end at this size]:size:' \
		'--source=[who samples]:source:(auto model perf)' \
		'--cpu=[the CPU meant]:CPU:_plumb_cpus' \
		'--seed=[of chance in the model]:number:' \
		'(-L --sysroot)'{-L+,--sysroot=}'[where AArch64 libraries are]:folder:_files -/' \
		'--qemu=[the qemu-aarch64 to use]:file:_files' \
		'(-q --quiet)'{-q,--quiet}'[say only what goes wrong]' \
		'(-v --verbose)'{-v,--verbose}'[print more]' \
		'--no-progress[do not show how far it is]' \
		'(- *)'{-h,--help}'[print what the command does]' \
		'1:program:_command_names -e' '*::arguments:_normal'
}

_plumb_list()
{
	_arguments -s \
		'--source=[who counts]:source:(auto model perf)' \
		'--cpu=[the CPU meant]:CPU:_plumb_cpus' \
		'(-j --json)'{-j,--json}'[print JSON]' \
		'(-x --field-separator)'{-x+,--field-separator=}'[print one line a row]:separator:' \
		'(-o --output)'{-o+,--output=}'[write there]:file:_files' \
		'(-v --verbose)'{-v,--verbose}'[print more]' \
		'--color=[when to use colours]:when:(auto always never)' \
		'--no-pager[print straight to the terminal]' \
		'(- *)'{-h,--help}'[print what the command does]' \
		'1:what:(cores parameters events metrics groups)'
}

_plumb_script()
{
	_arguments -s \
		'(-i --input)'{-i+,--input=}'[the recording]:file:_files' \
		'*'{-F+,--fields=}'[what is printed]:fields:_values -s , field comm tid pid time cpu event ip sym dso addr symoff period data_src weight phys_addr misc data_page_size code_page_size ins_lat flags' \
		'--itrace=[which samples SPE records become]:letters:(i1i i1000i f m t b a M)' \
		'--filter=[only what matches]:terms:' \
		'--time=[only these times]:times:' \
		'(-c --comms)'{-c+,--comms=}'[only threads of these names]:names:' \
		'--pid=[only these processes]:processes:' \
		'--tid=[only these threads]:threads:' \
		'(-C --cpu)'{-C+,--cpu=}'[only these CPUs]:CPUs:' \
		'(-S --symbols)'{-S+,--symbols=}'[only these functions]:functions:' \
		'--dsos=[only these files]:files:' \
		'--symfs=[where files with symbols are]:folder:_files -/' \
		'--kallsyms=[symbols of the kernel]:file:_files' \
		'--core=[the core the data is of]:CPU:_plumb_cpus' \
		'(-G --hide-call-graph)'{-G,--hide-call-graph}'[leave out call chains]' \
		'--no-demangle[names as the linker has them]' \
		'--ns[nine decimal places]' \
		'--reltime[times since the first sample]' \
		'--deltatime[times since the sample before]' \
		'--show-mmap-events[what was mapped]' \
		'--show-task-events[threads]' \
		'--show-lost-events[where records were lost]' \
		'--show-switch-events[context switches]' \
		'--header[what the recording says of itself]' \
		'(-D --dump-raw-trace)'{-D,--dump-raw-trace}'[every record]' \
		'--raw[bare SPE data]' \
		'(-q --quiet)'{-q,--quiet}'[count only]' \
		'(-j --json)'{-j,--json}'[print JSON]' \
		'(-o --output)'{-o+,--output=}'[write there]:file:_files' \
		'(-v --verbose)'{-v,--verbose}'[names with parameters]' \
		'--no-pager[print straight to the terminal]' \
		'(- *)'{-h,--help}'[print what the command does]'
}

# Of `plumb spe COMMAND`, $words beginning with the command.
_plumb_spe()
{
	_arguments -s \
		'--raw[bare SPE data]' \
		'--records[where each record ends]' \
		'(-o --output)'{-o+,--output=}'[write there]:file:_files' \
		'--no-pager[print straight to the terminal]' \
		'(- *)'{-h,--help}'[print what the command does]' \
		'1:recording:_files'
}

_plumb_export()
{
	_arguments -s \
		'--format=[the form]:format:(spe-csv)' \
		'(-o --output)'{-o+,--output=}'[what names begin with, or a folder]:file:_files' \
		'--raw[an SPE buffer alone]' \
		'--core=[the core the data is of]:CPU:_plumb_cpus' \
		'(-v --verbose)'{-v,--verbose}'[print more]' \
		'(- *)'{-h,--help}'[print what the command does]' \
		'1:recording:_files'
}

_plumb()
{
	local commands='list show tree validate diff export'

	if (( CURRENT > 3 )) && [[ $words[2] == spec ]]; then
		shift 2 words
		(( CURRENT -= 2 ))
		_plumb_spec $words[1]
	elif (( CURRENT > 3 )) && [[ $words[2] == spe ]]; then
		shift 2 words
		(( CURRENT -= 2 ))
		_plumb_spe
	elif (( CURRENT > 2 )) && [[ $words[2] == spe ]]; then
		_arguments '(- *)'{-h,--help}'[print what the command does]' '1:command:' '*:command:(dump)'
	elif (( CURRENT > 2 )) && [[ $words[2] == (stat|record|script|list|export) ]]; then
		shift 1 words
		(( CURRENT -= 1 ))
		_plumb_$words[1]
	elif (( CURRENT > 2 )) && [[ $words[2] == (spec|help) ]]; then
		[[ $words[2] == spec || $words[3] == spec ]] || commands='stat record script list spec spe export'
		_arguments '(- *)'{-h,--help}'[print what the command does]' '1:command:(stat record script list spec spe export help)' \
			"*:command:($commands)"
	else
		_arguments '--version[print the version]' \
			'(- *)'{-h,--help}'[print what the command does]' '1:command:(stat record script list spec spe export help)'
	fi
}

_plumb "$@"
