# SPDX-License-Identifier: Apache-2.0
# Completion of plumb's command line for fish.

# __plumb_names KIND FIELD [CPU]: the names that `plumb spec list KIND` prints in FIELD, for the CPU
# that the command line names, or else for CPU.
function __plumb_names --argument-names kind field default
    set -l cpu (string match --regex --groups-only -- '--cpu[= ]+(\S+) ' (commandline -cp)) $default
    test -n "$cpu"; and set cpu --cpu $cpu[1]
    plumb spec list $kind $cpu --field-separator '|' 2>/dev/null | string split --fields $field '|'
end

function __plumb_cpus
    plumb spec list cpus --field-separator '|' 2>/dev/null | string split --fields 1 '|'
end

function __plumb_cores
    plumb list cores --source model --field-separator '|' 2>/dev/null | string split --fields 1 '|'
end

function __plumb_events
    __plumb_names events 2 neoverse-n3
    # perf's names.
    plumb list generic --source model --field-separator '|' 2>/dev/null | string split --fields 1 '|'
    plumb list software --field-separator '|' 2>/dev/null | string split --fields 1 '|'
end

function __plumb_groups
    __plumb_names groups 1 neoverse-n3
end

function __plumb_metrics
    __plumb_names metrics 1 neoverse-n3
end

function __plumb_pids
    __fish_complete_pids
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

complete -c plumb -f
complete -c plumb -s h -l help -d 'print what the command does'
# The tables: see generate.py.
