# SPDX-License-Identifier: Apache-2.0
# Completion of plumb's command line for fish.

# The CPU that the command line names, as options for plumb.
function __plumb_cpu
    set -l named (string match --regex --groups-only -- '--cpu[= ]+(\S+) ' (commandline -cp))
    test -n "$named"; and printf '%s\n' --cpu $named[1]
end

# The names that `plumb spec list KIND` prints in FIELD.
function __plumb_names --argument-names kind field
    plumb spec list $kind (__plumb_cpu) --field-separator '|' 2>/dev/null |
        string split --fields $field '|'
end

function __plumb_cpus
    plumb spec list cpus --field-separator '|' 2>/dev/null | string split --fields 1 '|'
end

# Everything that `plumb spec show` knows.
function __plumb_things
    __plumb_names events 2
    __plumb_names metrics 1
    __plumb_names groups 1
    __plumb_names functions 1
    __plumb_cpus
end

# Whether the words so far, options apart, are `plumb` and the arguments, and maybe operands.
function __plumb_at
    set -l words (string match --invert -- '-*' (commandline -opc))
    test (count $words) -gt (count $argv); or return 1
    for i in (seq (count $argv))
        test $words[(math $i + 1)] = $argv[$i]; or return 1
    end
end

# The same without operands.
function __plumb_just_at
    __plumb_at $argv
    and test (count (string match --invert -- '-*' (commandline -opc))) -eq (math (count $argv) + 1)
end

# __plumb_spec COMMAND...: whether one of these commands of `plumb spec` is being completed.
function __plumb_spec
    for command in $argv
        __plumb_at spec $command; and return
    end
    return 1
end

complete -c plumb -f
complete -c plumb -s h -l help -d 'Print what the command does'
complete -c plumb -n '__plumb_just_at' -l version -d 'Print the version'
complete -c plumb -n '__plumb_just_at' -a stat -d 'Run a program and say what holds it up'
complete -c plumb -n '__plumb_just_at' -a record -d 'Sample a program'
complete -c plumb -n '__plumb_just_at' -a script -d 'Every sample of a recording'
complete -c plumb -n '__plumb_just_at' -a spe -d 'SPE data packet by packet'
complete -c plumb -n '__plumb_just_at' -a list -d 'What can be counted here'
complete -c plumb -n '__plumb_just_at' -a export -d 'The forms that others read'
complete -c plumb -n '__plumb_just_at' -a spec -d 'What can be counted on a CPU'
complete -c plumb -n '__plumb_just_at' -a help -d 'What a command does'
complete -c plumb -n '__plumb_just_at help' -a 'stat record script list spec spe export'
for at in spec 'help spec'
    complete -c plumb -n "__plumb_just_at $at" -a list -d 'CPUs, events, metrics or groups'
    complete -c plumb -n "__plumb_just_at $at" -a show -d 'Everything known about a thing'
    complete -c plumb -n "__plumb_just_at $at" -a tree -d 'The decision tree'
    complete -c plumb -n "__plumb_just_at $at" -a validate -d 'What is wrong with specifications'
    complete -c plumb -n "__plumb_just_at $at" -a diff -d 'How two CPUs differ'
    complete -c plumb -n "__plumb_just_at $at" -a export -d 'The forms that others read'
end

complete -c plumb -n '__plumb_spec list show tree export' -l cpu -r -F -a '(__plumb_cpus)' -d 'The CPU meant'
complete -c plumb -n '__plumb_spec list show tree validate diff' -s j -l json -d 'Print JSON'
complete -c plumb -n '__plumb_spec list' -s x -l field-separator -x -d 'Print one line a row'
complete -c plumb -n '__plumb_spec list show tree validate diff export' -s o -l output -r -F -d 'Write there'
complete -c plumb -n '__plumb_spec list show tree diff export' -s v -l verbose -d 'Print more'
complete -c plumb -n '__plumb_spec list show tree validate diff export' -l color -x -a 'auto always never' -d 'When to use colours'
complete -c plumb -n '__plumb_spec list show tree validate diff export' -l no-pager -d 'Print straight to the terminal'
complete -c plumb -n '__plumb_spec export' -l format -x -a 'mrs perf-json markdown csv' -d 'The form'
complete -c plumb -n '__plumb_spec export' -l part -x -a 'events metrics' -d 'Only this part of it'

complete -c plumb -n '__plumb_just_at spec list' -a 'cpus events metrics groups functions'
complete -c plumb -n '__plumb_spec show' -a '(__plumb_things)'
complete -c plumb -n '__plumb_spec validate' -F
complete -c plumb -n '__plumb_spec diff' -F -a '(__plumb_cpus)'

complete -c plumb -n '__plumb_at export' -l format -x -a spe-csv -d 'The form'
complete -c plumb -n '__plumb_at export' -s o -l output -r -F -d 'What names begin with, or a folder'
complete -c plumb -n '__plumb_at export' -l raw -d 'An SPE buffer alone'
complete -c plumb -n '__plumb_at export; or __plumb_script' -l core -x -a '(__plumb_cpus)' -d 'The core the data is of'
complete -c plumb -n '__plumb_at export' -s v -l verbose -d 'Print more'
complete -c plumb -n '__plumb_at export' -F

# What `plumb stat` and `plumb list` take.
function __plumb_stat
    __plumb_at stat
end
function __plumb_list
    __plumb_at list
end

complete -c plumb -n '__plumb_stat; or __plumb_list' -l source -x -a 'auto model perf' -d 'Who counts'
complete -c plumb -n '__plumb_stat; or __plumb_list' -l cpu -r -F -a '(__plumb_cpus)' -d 'The CPU meant'
complete -c plumb -n '__plumb_stat; or __plumb_list' -s j -l json -d 'Print JSON'
complete -c plumb -n '__plumb_stat; or __plumb_list' -s x -l field-separator -x -d 'Print one line a row'
complete -c plumb -n '__plumb_stat; or __plumb_list' -s o -l output -r -F -d 'Write there'
complete -c plumb -n '__plumb_stat; or __plumb_list' -s v -l verbose -d 'Print more'
complete -c plumb -n '__plumb_stat; or __plumb_list' -l color -x -a 'auto always never' -d 'When to use colours'
complete -c plumb -n __plumb_list -l no-pager -d 'Print straight to the terminal'
complete -c plumb -n '__plumb_just_at list' -a 'cores parameters events metrics groups'

complete -c plumb -n __plumb_stat -s s -l stages -x -a '1 2 topdown uarch all' -d 'Stages'
complete -c plumb -n __plumb_stat -s m -l metric-group -x -a '(__plumb_names groups 1)' -d 'Metric groups'
complete -c plumb -n __plumb_stat -s M -l metric -x -a '(__plumb_names metrics 1)' -d 'Metrics'
complete -c plumb -n __plumb_stat -s n -l node -x -a '(__plumb_names metrics 1)' -d 'A part of the tree'
complete -c plumb -n __plumb_stat -s l -l level -x -d 'The tree down to here'
complete -c plumb -n __plumb_stat -s e -l event -x -a '(__plumb_names events 2)' -d 'Events'
complete -c plumb -n __plumb_stat -l collect-by -x -a 'metric group none' -d 'Whose events are counted together'
complete -c plumb -n __plumb_stat -l no-multiplex -d 'A run for each pass'
complete -c plumb -n __plumb_stat -s I -l interval-print -x -d 'Print every so many milliseconds'
complete -c plumb -n __plumb_stat -s r -l repeat -x -d 'Run it so often'
complete -c plumb -n __plumb_stat -l csv -d 'Print CSV'
complete -c plumb -n __plumb_stat -s L -l sysroot -r -F -d 'Where AArch64 libraries are'
complete -c plumb -n __plumb_stat -l qemu -r -F -d 'The qemu-aarch64 to use'
complete -c plumb -n __plumb_stat -l children -d 'Count forked processes'
complete -c plumb -n __plumb_stat -l no-progress -d 'Do not show how far it is'
complete -c plumb -n __plumb_stat -F -a '(__fish_complete_command)'

# What `plumb record` takes.
function __plumb_record
    __plumb_at record
end

complete -c plumb -n __plumb_record -s e -l event -x -a '(__plumb_names events 2) spe spe/load/ spe/store/ spe/branch/ spe/llc-miss/ cpu-clock task-clock page-faults context-switches cycles instructions cache-misses branch-misses' -d 'What to sample'
complete -c plumb -n __plumb_record -s c -l count -x -d 'A sample every so many'
complete -c plumb -n __plumb_record -s F -l freq -x -d 'So many samples a second'
complete -c plumb -n __plumb_record -l all-user -d 'User code only'
complete -c plumb -n __plumb_record -l all-kernel -d 'The kernel only'
complete -c plumb -n __plumb_record -s g -l callchains -d 'Who called'
complete -c plumb -n __plumb_record -l call-graph -x -a fp -d 'Who called'
complete -c plumb -n __plumb_record -s a -l all-cpus -d 'All of this machine'
complete -c plumb -n __plumb_record -s C -l cpus -x -d 'These CPUs'
complete -c plumb -n __plumb_record -s p -l pid -x -a '(__fish_complete_pids)' -d 'Processes that run already'
complete -c plumb -n __plumb_record -s t -l tid -x -d 'Threads that run already'
complete -c plumb -n __plumb_record -l per-thread -d 'A buffer a thread'
complete -c plumb -n __plumb_record -s i -l no-inherit -d 'Not what it forks'
complete -c plumb -n __plumb_record -s o -l output -r -F -d 'Write there'
complete -c plumb -n __plumb_record -s m -l mmap-pages -x -d 'Sizes of buffers'
complete -c plumb -n __plumb_record -s d -l data -d 'Addresses of data'
complete -c plumb -n __plumb_record -l phys-data -d 'Physical addresses'
complete -c plumb -n __plumb_record -s S -l snapshot -d 'SPE data of moments'
complete -c plumb -n __plumb_record -l switch-output -x -a signal -d 'When to go on in a new file'
complete -c plumb -n __plumb_record -l switch-max-files -x -d 'How many files to keep'
complete -c plumb -n __plumb_record -s z -l compression-level -d 'Compress with zstd'
complete -c plumb -n __plumb_record -s D -l delay -x -d 'Milliseconds before sampling'
complete -c plumb -n __plumb_record -l timestamp-filename -d 'The time in the name'
complete -c plumb -n __plumb_record -s k -l clockid -x -a 'monotonic monotonic_raw realtime boottime tai' -d 'The clock of times'
complete -c plumb -n __plumb_record -s B -l no-buildid -d 'No build-ids'
complete -c plumb -n __plumb_record -s N -l no-buildid-cache -d 'As perf has it'
complete -c plumb -n __plumb_record -l max-size -x -d 'End at this size'
complete -c plumb -n __plumb_record -l seed -x -d 'Of chance in the model'
complete -c plumb -n __plumb_record -l source -x -a 'auto model perf' -d 'Who samples'
complete -c plumb -n __plumb_record -l cpu -r -F -a '(__plumb_cpus)' -d 'The CPU meant'
complete -c plumb -n __plumb_record -s L -l sysroot -r -F -d 'Where AArch64 libraries are'
complete -c plumb -n __plumb_record -l qemu -r -F -d 'The qemu-aarch64 to use'
complete -c plumb -n __plumb_record -s q -l quiet -d 'Say only what goes wrong'
complete -c plumb -n __plumb_record -s v -l verbose -d 'Print more'
complete -c plumb -n __plumb_record -l no-progress -d 'Do not show how far it is'
complete -c plumb -n __plumb_record -F -a '(__fish_complete_command)'

# What `plumb script` and `plumb spe dump` take.
function __plumb_script
    __plumb_at script
end

complete -c plumb -n __plumb_script -s i -l input -r -F -d 'The recording'
complete -c plumb -n __plumb_script -s F -l fields -x -a 'comm tid pid time cpu event ip sym dso addr symoff period data_src weight phys_addr misc data_page_size code_page_size ins_lat flags' -d 'What is printed'
complete -c plumb -n __plumb_script -l itrace -x -a 'i1i i1000i f m t b a M' -d 'Which samples SPE records become'
complete -c plumb -n __plumb_script -l filter -x -d 'Only what matches'
complete -c plumb -n __plumb_script -l time -x -d 'Only these times'
complete -c plumb -n __plumb_script -s c -l comms -x -d 'Only threads of these names'
complete -c plumb -n __plumb_script -l pid -x -d 'Only these processes'
complete -c plumb -n __plumb_script -l tid -x -d 'Only these threads'
complete -c plumb -n __plumb_script -s C -l cpu -x -d 'Only these CPUs'
complete -c plumb -n __plumb_script -s S -l symbols -x -d 'Only these functions'
complete -c plumb -n __plumb_script -l dsos -x -d 'Only these files'
complete -c plumb -n __plumb_script -l symfs -r -F -d 'Where files with symbols are'
complete -c plumb -n __plumb_script -l kallsyms -r -F -d 'Symbols of the kernel'
complete -c plumb -n __plumb_script -s G -l hide-call-graph -d 'Leave out call chains'
complete -c plumb -n __plumb_script -l no-demangle -d 'Names as the linker has them'
complete -c plumb -n __plumb_script -l ns -d 'Nine decimal places'
complete -c plumb -n __plumb_script -l reltime -d 'Times since the first sample'
complete -c plumb -n __plumb_script -l deltatime -d 'Times since the sample before'
complete -c plumb -n __plumb_script -l show-mmap-events -d 'What was mapped'
complete -c plumb -n __plumb_script -l show-task-events -d 'Threads'
complete -c plumb -n __plumb_script -l show-lost-events -d 'Where records were lost'
complete -c plumb -n __plumb_script -l show-switch-events -d 'Context switches'
complete -c plumb -n __plumb_script -l header -d 'What the recording says of itself'
complete -c plumb -n __plumb_script -s D -l dump-raw-trace -d 'Every record'
complete -c plumb -n __plumb_script -s q -l quiet -d 'Count only'
complete -c plumb -n __plumb_script -s j -l json -d 'Print JSON'
complete -c plumb -n __plumb_script -s v -l verbose -d 'Names with parameters'
complete -c plumb -n '__plumb_just_at spe' -a dump -d 'Packet by packet'
complete -c plumb -n '__plumb_just_at help spe' -a dump -d 'Packet by packet'
complete -c plumb -n '__plumb_at spe dump' -l records -d 'Where each record ends'
complete -c plumb -n '__plumb_at spe dump' -F
complete -c plumb -n '__plumb_script; or __plumb_at spe dump' -l raw -d 'Bare SPE data'
complete -c plumb -n '__plumb_script; or __plumb_at spe dump' -s o -l output -r -F -d 'Write there'
complete -c plumb -n '__plumb_script; or __plumb_at spe dump' -l no-pager -d 'Print straight to the terminal'
