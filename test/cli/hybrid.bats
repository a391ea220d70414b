# SPDX-License-Identifier: Apache-2.0
# plumb stat on machines with several types of cores, and record --topdown on one with slots: test/machines
# has their files, hybrid_kernel.c their kernel.
# shellcheck disable=SC2154 # by lib.bash and bats

load lib.bash

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	/usr/bin/python3 "$here/../machines/machines.py" "$work" c1-phone phone grace graviton3-metal graviton4-metal graviton4-2xlarge >/dev/null
	"${CC:-cc}" -D_GNU_SOURCE -O1 -fPIC -shared -o "$work/kernel.so" "$here/hybrid_kernel.c" -ldl
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HYBRID_ROOT=$work/c1-phone HYBRID_COUNTS=$PWD/counts HYBRID_LOG=$PWD/log HYBRID_SPLIT=6
	unset HYBRID_FREE
	: >counts
}

# on_phone ARGUMENT...: plumb, with that kernel below it. Sanitizers want to be loaded first.
on_phone()
{
	rm -f log
	env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" \
		LD_PRELOAD="$work/kernel.so" "$PLUMB" "$@"
}

@test "each type counts with its own PMU" {
	printf '%s\n' '8 0004 1000 1000000 250000' '9 0004 3000 1000000 750000' >counts
	run --separate-stderr on_phone stat -e L1D_CACHE -o out -- true
	[ "$status" -eq 0 ]
	[ "${stderr_lines[0]}" = "plumb: counting on this machine's C1-Pro: it has an Arm PMU, armv9_c1_pro" ]
	[ "${stderr_lines[1]}" = "plumb: and on its C1-Ultra: armv9_c1_ultra" ]
	[ "${#stderr_lines[@]}" -eq 2 ]
	# The time on the other cores is no time without a counter: nothing is scaled up.
	[ "$(grep -c '^ *1,000  L1D_CACHE ' out)" -eq 1 ]
	[ "$(grep -c '^ *3,000  L1D_CACHE ' out)" -eq 1 ]
	[ "$(grep -e '^C1' out)" = "$(printf '%s\n' "C1-Pro (armv9_c1_pro): true" "C1-Ultra (armv9_c1_ultra): true")" ]
	# The program's execve(2) enables both.
	[ "$(grep -c '^8 0x0004 task -1 exec$' log)" -eq 1 ]
	[ "$(grep -c '^9 0x0004 task -1 exec$' log)" -eq 1 ]
}

@test "each type has its own specification, plan and tree" {
	# 1500 stalled slots of 5 and of 10 in 1000 cycles.
	for type in 8 9; do
		printf "$type %s 1000000 1000000\n" '0011 1000' '003f 1800' '003d 1500' '003e 300' '003a 700' '003b 800'
	done >counts
	on_phone stat --json -o out.json -- true 2>/dev/null
	on_phone stat -o out -- true 2>/dev/null
	[ "$(grep -c '^Stage 1' out)" -eq 2 ]
	/usr/bin/python3 - <<'END'
import json
whole = json.load(open("out.json"))
assert whole["pmu"] == "armv9_c1_pro" and whole["cpu"]["name"] == "C1-Pro"
other, = whole["core_types"]
assert other["pmu"] == "armv9_c1_ultra" and other["cpu"]["name"] == "C1-Ultra"
for of, slots in ((whole, 5), (other, 10)):
    assert of["cpu"]["slots"] == slots
    values = {m["name"]: m["value"] for m in of["metrics"]}
    assert abs(values["backend_bound"] - 100 * 1500 / (slots * 1000)) < 1e-9, values["backend_bound"]
names = [{e["name"] for e in of["events"]} for of in (whole, other)]
assert names[0] - names[1] and names[1] - names[0]
END
	# Each type's events are those of its own plan.
	for type in 8 9; do
		sed -n "s/^$type \(0x[0-9a-f]*\) .*/\1/p" log | sort -u >$type
	done
	[ -n "$(comm -23 8 9)" ]
	[ -n "$(comm -13 8 9)" ]
}

@test "groups that take turns are scaled to the time on their cores" {
	# Two of them for half of the quarter that the program ran there.
	printf '%s\n' '8 0004 1000 1000000 125000' '8 0003 10 1000000 125000' '9 0004 3000 1000000 375000' \
		'9 0003 30 1000000 375000' >counts
	HYBRID_FREE=1 on_phone stat --json -e L1D_CACHE,L1D_CACHE_REFILL -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.events[].count]' out.json)" = "[2000,20]" ]
	[ "$(jq -c '[.core_types[0].events[].count]' out.json)" = "[6000,60]" ]
}

@test "a type on which the program never ran has no counts" {
	printf '%s\n' '8 0004 0 1000000 0' '9 0004 3000 1000000 1000000' >counts
	on_phone stat --json -e L1D_CACHE -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.events[0].count, .core_types[0].events[0].count]' out.json)" = "[null,3000]" ]
}

@test "-e counts on each type that has the event" {
	# Only C1-Ultra has L1D_TLB_RD, only C1-Pro LL_CACHE_MISS.
	run --separate-stderr on_phone stat --json -e L1D_CACHE -e L1D_TLB_RD -o out.json -- true
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"plumb: not counting L1D_TLB_RD on armv9_c1_pro, which lacks it"* ]]
	[ "$(jq -c '[.pmu, [.events[].name], [.core_types[0].events[].name]]' out.json)" = \
		'["armv9_c1_ultra",["L1D_CACHE","L1D_TLB_RD"],["L1D_CACHE"]]' ]
	run --separate-stderr on_phone stat --json -e L1D_TLB_RD -o out.json -- true
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"plumb: not counting on armv9_c1_pro: it lacks the requested events"* ]]
	[ "$(jq -c '[.cpu.name, .core_types]' out.json)" = '["C1-Ultra",null]' ]
	# In one list, or each with its own type.
	on_phone stat --json -e L1D_CACHE,L1D_TLB_RD -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.pmu, [.events[].name], [.core_types[0].events[].name]]' out.json)" = \
		'["armv9_c1_ultra",["L1D_CACHE","L1D_TLB_RD"],["L1D_CACHE"]]' ]
	on_phone stat --json -e L1D_TLB_RD -e LL_CACHE_MISS -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.events[].name], [.core_types[0].events[].name]' out.json)" = "$(printf '%s\n' '["LL_CACHE_MISS"]' '["L1D_TLB_RD"]')" ]
	# Each on the PMU that it names: as perf does, without a word.
	run --separate-stderr on_phone stat --json -e 'armv9_c1_pro/L1D_CACHE/,{armv9_c1_ultra/L1D_CACHE/,armv9_c1_ultra/L1D_TLB_RD/}' -o out.json -- true
	[ "$status" -eq 0 ]
	[[ "$stderr" != *lacks* ]]
	[ "$(jq -c '[.pmu, (.events | length), (.core_types[0] | .pmu, (.events | length))]' out.json)" = '["armv9_c1_pro",1,"armv9_c1_ultra",2]' ]
	# L1D_CACHE is 0x4, L1D_TLB_RD 0x4e.
	[ "$(grep -E ' 0x(0004|004e) task' log | cut -d' ' -f1,2 | sort | xargs)" = "8 0x0004 9 0x0004 9 0x004e" ]
	# What no type has is an error; a group is of one type.
	run --separate-stderr on_phone stat -e L1D_CACHE,NO_SUCH_EVENT -- true
	[ "$status" -eq 2 ]
	[[ "$stderr" == *NO_SUCH_EVENT* ]]
	run --separate-stderr on_phone stat -e '{L1D_TLB_RD,LL_CACHE_MISS}' -- true
	[ "$status" -eq 2 ]
}

@test "software events are of no type: they count once" {
	run --separate-stderr on_phone stat --json -e task-clock,L1D_CACHE -o out.json -- true
	[ "$status" -eq 0 ]
	[[ "$stderr" != *lacks* ]]
	[ "$(jq -c '[[.events[].name], [.core_types[0].events[].name]]' out.json)" = '[["task-clock","L1D_CACHE"],["L1D_CACHE"]]' ]
	[ "$(grep -c '^1 ' log)" -eq 1 ]
	run --separate-stderr on_phone stat --json -e task-clock -o out.json -- true
	[ "$status" -eq 0 ]
	[[ "$stderr" != *lacks* ]]
	[ "$(jq -c '[[.events[].name], .core_types]' out.json)" = '[["task-clock"],null]' ]
}

@test "-a opens each type's events on its own CPUs" {
	on_phone stat -a -e L1D_CACHE -o out -- true 2>/dev/null
	[ "$(grep -c '^8 0x0004 all [0-5]$' log)" -eq 6 ]
	[ "$(grep -c '^9 0x0004 all [67]$' log)" -eq 2 ]
	[ "$(grep -c ' 0x0004 ' log)" -eq 8 ]
}

@test "--cpu chooses one type" {
	run --separate-stderr on_phone stat --cpu c1-ultra --json -e L1D_CACHE -o out.json -- true
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.cpu.name, .core_types]' out.json)" = '["C1-Ultra",null]' ]
	[ "$(grep -c '^8 0x0004' log)" -eq 0 ]
	[[ "$(jq -c .warnings out.json)" == *"only what runs on the cores of armv9_c1_ultra is counted"* ]]
}

@test "-I, -x and --csv have a row for each type, named by its PMU" {
	printf '%s\n' '8 0004 1000 1000000 250000' '9 0004 3000 1000000 750000' >counts
	on_phone stat -I 20 --json -e L1D_CACHE -o out.json -- sleep 0.05 2>/dev/null
	# That kernel counts everything before the first interval ends.
	[ "$(jq -sc '[.[] | select(.summary | not)] | [.[0].events[0].count, .[0].core_types[0].events[0].count, (map(.core_types | length) | unique)]' out.json)" = "[1000,3000,[1]]" ]
	[ "$(jq -sc '.[-1] | [.summary, .events[0].count, .core_types[0].events[0].count]' out.json)" = "[true,1000,3000]" ]
	on_phone stat -I 20 -e L1D_CACHE:u -o out -- sleep 0.05 2>/dev/null
	[ "$(sed -n '2,3s/^ *[0-9.]* *//p' out)" = "$(printf '%s\n' '1,000  armv9_c1_pro/L1D_CACHE/u' '3,000  armv9_c1_ultra/L1D_CACHE/u')" ]
	on_phone stat -I 20 -x , -e L1D_CACHE -o out -- sleep 0.05 2>/dev/null
	[ "$(sed -n '1,2s/^ *[0-9.]*,//p' out)" = "$(printf '%s\n' '1000,,armv9_c1_pro/L1D_CACHE/,250000,100.00,,' '3000,,armv9_c1_ultra/L1D_CACHE/,750000,100.00,,')" ]
	on_phone stat --csv -e L1D_CACHE -o out -- true 2>/dev/null
	[ "$(tr -d '\r' <out)" = "$(printf '%s\n' 'time,source,group,stage,level,metric,value,units,pmu' \
		',perf,,,,L1D_CACHE,1000,events,armv9_c1_pro' ',perf,,,,L1D_CACHE,3000,events,armv9_c1_ultra')" ]
	on_phone stat -I 20 -o out -- sleep 0.05 2>/dev/null
	[ "$(sed -n '2,3s/.* on //p' out)" = "$(printf '%s\n' armv9_c1_pro armv9_c1_ultra)" ]
}

@test "--no-multiplex runs each type's passes together" {
	HYBRID_FREE=2 on_phone stat --no-multiplex -m Topdown_L1 --json -o out.json -- true 2>/dev/null
	[ "$(grep -c '^8 0x0011 task -1 exec$' log)" -ge 2 ]
	[ "$(grep -c '^9 0x0011 task -1 exec$' log)" -ge 2 ]
	[ "$(jq '.core_types | length' out.json)" -eq 1 ]
}

@test "units: each CPU is counted by its type, and -r and -G have all of both" {
	printf '%s\n' '8 0004 1000 1000000 1000000' '9 0004 3000 1000000 1000000' >counts
	on_phone stat -a -A --json -e L1D_CACHE -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.units, .core_types[0].units] | map(map([.name, .events[0].count]))' out.json)" = \
		'[[["CPU0",1000],["CPU1",1000],["CPU2",1000],["CPU3",1000],["CPU4",1000],["CPU5",1000]],[["CPU6",3000],["CPU7",3000]]]' ]
	on_phone stat -a -A --csv -e L1D_CACHE -o out -- true 2>/dev/null
	[ "$(tail -n 1 out | tr -d '\r')" = ",perf,,,,L1D_CACHE,3000,events,CPU7,,armv9_c1_ultra" ]
	on_phone stat -r 2 --json -e L1D_CACHE -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.repeats, .core_types[0].repeats] | map(map(.events[0]))' out.json)" = "[[1000,1000],[3000,3000]]" ]
	grep -qE ' cgroup2 | cgroup [^ ]*\<perf_event\>' /proc/mounts || skip "no control groups here"
	on_phone stat -G / --json -e L1D_CACHE -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.units, .core_types[0].units] | map(map([.cgroup, .events[0].count]))' out.json)" = '[[["/",6000]],[["/",6000]]]' ]
}

@test "-C counts only the types that have these CPUs" {
	printf '%s\n' '9 0004 3000 1000000 1000000' >counts
	run --separate-stderr on_phone stat -C 6,7 --json -e L1D_CACHE -o out.json -- true
	[ "$status" -eq 0 ]
	[ "$stderr" = "plumb: counting on this machine's C1-Ultra: it has an Arm PMU, armv9_c1_ultra" ]
	[ "$(jq -c '[.cpu.name, .events[0].count, .core_types, .warnings]' out.json)" = '["C1-Ultra",6000,null,[]]' ]
	[ "$(grep -c ' all ' log)" -eq 2 ]
	[ "$(grep -c '^9 0x0004 all [67]$' log)" -eq 2 ]
}

@test "a type without a specification is named" {
	HYBRID_ROOT=$work/phone run --separate-stderr on_phone stat -e L1D_CACHE -- true
	[ "$status" -eq 3 ]
	[[ "${stderr_lines[0]}" == "plumb: no specification for this machine's CPU, MIDR_EL1 0x"* ]]
	# One that has one beside it.
	cp -r "$work/c1-phone" mixed
	echo 0x00000000411fd461 >mixed/sys/devices/system/cpu/cpu0/regs/identification/midr_el1
	HYBRID_ROOT=$PWD/mixed run --separate-stderr on_phone stat -e L1D_CACHE -- true
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"plumb: not counting on armv9_c1_pro: there is no specification for its CPU, MIDR_EL1 0x411fd461"* ]]
	[[ "$stderr" == *"C1-Ultra: true"* ]]
}

@test "one type of cores is counted as ever" {
	HYBRID_ROOT=$work/graviton3-metal on_phone stat --json -e L1D_CACHE -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.cpu.name, .pmu, .core_types]' out.json)" = '["Neoverse V1",null,null]' ]
}

@test "-e spe/discard/ lets the unit run beside the events that count it" {
	# Neoverse V2 with SPEv1p2 and Linux 6.14: config:35 is discard, config:33 load_filter.
	printf '%s\n' '8 4000 777 1000000 1000000' '9 ffff 5 1000000 1000000' >counts
	HYBRID_ROOT=$work/graviton4-metal HYBRID_SPLIT=1024 on_phone stat --json -o out.json \
		-e SAMPLE_POP -e spe/discard,load,period=4096/ -- true 2>/dev/null
	[ "$(jq -c '[.events[] | [.name, .count]]' out.json)" = '[["SAMPLE_POP",777],["spe/discard,load,period=4096/",null]]' ]
	# Time stamps and jitter are on by default: config:0 and config:16.
	[ "$(grep -c "^9 0xa00010001 task -1 exec$" log)" -eq 1 ]
	# On each CPU with -a, and nowhere where there is no such unit.
	HYBRID_ROOT=$work/graviton4-metal HYBRID_SPLIT=1024 on_phone stat -C 1,2 -o out -e SAMPLE_POP,spe/discard/ -- true 2>/dev/null
	[ "$(grep -c '^9 0x800010001 all [12]$' log)" -eq 2 ]
	HYBRID_ROOT=$work/graviton3-metal HYBRID_SPLIT=1024 run --separate-stderr on_phone stat -e SAMPLE_POP -e spe/discard/ -- true
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"this machine does not count spe/discard/"* ]]
	# Records need somebody to take them.
	HYBRID_ROOT=$work/graviton4-metal HYBRID_SPLIT=1024 run --separate-stderr on_phone stat -e spe/load/ -- true
	[ "$status" -eq 2 ]
	[ "${stderr_lines[1]}" = "       use plumb record -e spe" ]
}

# recorded: the names, types and numbers of ids of a recording's events, by Debian's perf.
recorded()
{
	perf script --header-only -i of.data |
		sed -n 's/^# event : name = \([^,]*\), , id = {\([^}]*\)}, type = \([0-9]*\),.*/\1 \3\2/p' |
		awk '{gsub(",", ""); print $1, $2, NF - 2}'
}

@test "record samples each type by its own PMU, as perf reads it" {
	command -v perf >/dev/null || skip "no perf here"
	run --separate-stderr on_phone record -e L1D_CACHE:u -e task-clock -o of.data -- true
	[ "$status" -eq 0 ]
	[ "${stderr_lines[0]}" = "plumb: sampling on this machine's C1-Pro: it has an Arm PMU" ]
	[ "${stderr_lines[1]}" = "plumb: and on its C1-Ultra: armv9_c1_ultra" ]
	[[ "$stderr" == *"0 samples of armv9_c1_ultra/L1D_CACHE/u are too few"* ]]
	# A clock is no event of a core: it is sampled once, on all CPUs.
	[ "$(recorded)" = "$(printf '%s\n' 'armv9_c1_pro/L1D_CACHE/u 8 6' 'task-clock 1 8' 'armv9_c1_ultra/L1D_CACHE/u 9 2' 'dummy:u 1 8')" ]
	[ "$(grep -c '^8 0x0004 task [0-5] exec$' log)" -eq 6 ]
	[ "$(grep -c '^9 0x0004 task [67] exec$' log)" -eq 2 ]
	perf script --header-only -i of.data | grep -qx '# armv9_c1_ultra pmu capabilities: midr=0x410fd8c0'
	# Only C1-Ultra has L1D_TLB_RD; --cpu, -C and a PMU's name choose one, too.
	on_phone record -q -e L1D_TLB_RD -o of.data -- true 2>/dev/null
	[ "$(recorded)" = "$(printf '%s\n' 'L1D_TLB_RD 9 2' 'dummy:u 1 8')" ]
	on_phone record -q --cpu c1-ultra -e cycles -o of.data -- true
	[ "$(recorded | head -n 1)" = "cycles 9 2" ]
	on_phone record -q -e armv9_c1_pro/L1D_CACHE/ -o of.data -- true 2>/dev/null
	[ "$(recorded | head -n 1)" = "armv9_c1_pro/L1D_CACHE/ 8 6" ]
	# Two types' events in one list.
	run --separate-stderr on_phone record -q -e armv9_c1_pro/L1D_CACHE/,armv9_c1_ultra/L1D_TLB_RD/ -e task-clock -o of.data -- true
	[ "$status" -eq 0 ]
	[[ "$stderr" != *lacks* ]]
	[ "$(recorded)" = "$(printf '%s\n' 'armv9_c1_pro/L1D_CACHE/ 8 6' 'task-clock 1 8' 'armv9_c1_ultra/L1D_TLB_RD/ 9 2' 'dummy:u 1 8')" ]
	on_phone record -q -C 6 -e cycles -o of.data -- true
	[ "$(recorded)" = "$(printf '%s\n' 'cycles 9 1' 'dummy:u 1 1')" ]
}

@test "record keeps groups together on each type; --topdown has each type's own" {
	on_phone record -q -a -e '{L1D_CACHE,INST_RETIRED}:S' -o of.data -- true
	[ "$(grep -c '^8 0x000[48] all [0-5] read$' log)" -eq 12 ]
	[ "$(grep -c '^9 0x000[48] all [67] read$' log)" -eq 4 ]
	HYBRID_FREE=8 on_phone record -q --topdown -a -o of.data -- true
	for type in 8 9; do
		sed -n "s/^$type \(0x[0-9a-f]*\) all .* read$/\1/p" log | sort -u >$type
	done
	for cpu in 8:c1-pro-r1p1 9:c1-ultra-r0p0; do
		for metric in retiring bad_speculation frontend_bound backend_bound; do
			plumb spec show --cpu "${cpu#*:}" $metric --json | jq -r '.results[0].events[]'
		done | sort -u >wanted
		[ "$(wc -l <"${cpu%:*}")" -ge "$(wc -l <wanted)" ]
	done
}

# on_grace ARGUMENT...: record --topdown on that machine, and in `group` what it asked for: target, CPU, codes.
on_grace()
{
	HYBRID_ROOT=$work/grace HYBRID_SPLIT=1024 on_phone record -q --topdown -o of.data "$@"
	/usr/bin/python3 - >group <<'END'
groups = {}
for line in open("log"):
    kind, code, *rest = line.split()
    if "read" in rest:
        groups.setdefault((*rest[:2], "chain" in rest), []).append(code)
for (target, cpu, chain), codes in groups.items():
    print(target, cpu, *(["chain"] if chain else []), *codes)
END
}

@test "--topdown samples the whole group with each target, led by the cycles" {
	# As many events as Arm's formulas for Neoverse V2 take.
	wanted=$(for metric in retiring bad_speculation frontend_bound backend_bound; do
		plumb spec show --cpu neoverse-v2 $metric --json | jq -r '.results[0].events[]'
	done | sort -u | wc -l)
	sleep 100 3>&- &
	sleeper=$!
	for target in "-- true" "-g -- true" "-p $sleeper -- true" "-t $sleeper -- true" "-a -- true" "-C 1,2 -- true"; do
		# shellcheck disable=SC2086 # options and a program
		on_grace $target
		case $target in
		-a*) [ "$(wc -l <group)" -eq 72 ] && [ "$(grep -c '^all ' group)" -eq 72 ] ;;
		-C*) [ "$(wc -l <group)" -eq 2 ] && [ "$(grep -c '^all [12] ' group)" -eq 2 ] ;;
		*) [ "$(grep -c '^all ' group)" -eq 0 ] && [ "$(grep -c '^task ' group)" -ge 1 ] ;;
		esac
		[ "$(grep -c chain group || true)" -eq "$([[ $target == -g* ]] && wc -l <group || echo 0)" ]
		# One group each, the same everywhere.
		[ "$(sed 's/^[a-z]* [-0-9]* //; s/^chain //' group | sort -u | wc -l)" -eq 1 ]
		[ "$(sed -n '1s/^[a-z]* [-0-9]* //; 1s/^chain //; 1p' group | wc -w)" -eq "$wanted" ]
		[[ "$(sed -n '1s/^[a-z]* [-0-9]* //; 1s/^chain //; 1p' group)" == 0x0011\ * ]]
	done
	kill $sleeper
}

@test "--topdown says which counter or event a machine lacks" {
	HYBRID_FREE=3 HYBRID_ROOT=$work/grace HYBRID_SPLIT=1024 run --separate-stderr on_phone record --topdown -o of.data -- true
	[ "$status" -eq 3 ]
	[ "${stderr_lines[0]}" = "plumb: --topdown requires 6 counters beside that of cycles, and this machine has 3" ]
	HYBRID_ROOT=$work/graviton4-2xlarge HYBRID_SPLIT=1024 run --separate-stderr on_phone record --topdown -o of.data -- true
	[ "$status" -eq 3 ]
	[ "${stderr_lines[0]}" = "plumb: --topdown requires OP_RETIRED, which this machine cannot count" ]
	[ ! -e of.data ]
}

@test "report --topdown shows each type with its own formulas" {
	[ -d "${PLUMB_REFERENCE:-}/mrs/cpu" ] || skip "no PLUMB_REFERENCE with Arm's files"
	command -v perf >/dev/null || skip "no perf here"
	# Two threads, one of which ran on both types. Neither type counts IMP_WFX_CLOCK_CYCLES (e0) or flushes (8162).
	cat >samples <<-'END'
		8 100 300 0011:1000 003f:1800 003d:1500 003e:300 003a:700 003b:800
		8 200 100 0011:1000 003f:4200 003d:4000 003e:200 003a:100 003b:900
		9 100 200 0011:1000 003f:3000 003d:2500 003e:500 003a:4000 003b:5000
	END
	HYBRID_FREE=16 HYBRID_SAMPLES=$PWD/samples on_phone record -q --topdown -a -o of.data -- true
	perf script -i of.data -F tid,event,period >theirs
	plumb report -i of.data --topdown -s tid --json >ours.json
	plumb report -i of.data --topdown -s tid --csv >ours.csv
	plumb report -i of.data -s tid -F period,retiring,tid --json >columns.json
	/usr/bin/python3 - "$PLUMB_REFERENCE/mrs/cpu" <<'END2'
import collections, csv, glob, json, re, sys
# By Arm's formulas, of the counts that perf reads.
counts = collections.defaultdict(float)
for line in open("theirs"):
    tid, period, pmu, event = re.match(r"\s*(\d+)\s+(\d+)\s+(\w+)/(\w+)/", line).groups()
    counts[pmu, int(tid), event] += int(period)
metrics = "retiring", "bad_speculation", "frontend_bound", "backend_bound"
expected = {}
for core, pmu, part, slots in (("C1-Pro", "armv9_c1_pro", "c1_pro_r1p1", 5), ("C1-Ultra", "armv9_c1_ultra", "c1_ultra_r0p0", 10)):
    of_arm = json.load(open(glob.glob(f"{sys.argv[1]}/*{part}_pmu.json")[0]))["metrics"]
    all_cycles = sum(n for (p, _, e), n in counts.items() if (p, e) == (pmu, "CPU_CYCLES"))
    for tid in {t for p, t, _ in counts if p == pmu}:
        values = [eval(of_arm[m]["formula"], {e: counts[pmu, tid, e] for e in of_arm[m]["events"]}) for m in metrics]
        cycles = counts[pmu, tid, "CPU_CYCLES"]
        expected[core, str(tid)] = [cycles * slots, 100 * cycles / all_cycles, *values]
assert len(expected) == 3, expected
fields = ("slots", "slots_share") + metrics
ours = json.load(open("ours.json"))
assert [t["cpu"] for t in ours["core_types"]] == ["C1-Pro", "C1-Ultra"] and "rows" not in ours
for rows in ({(t["cpu"], r["tid"]): r for t in ours["core_types"] for r in t["rows"]},
             {(r["cpu"], r["tid"]): r for r in csv.DictReader(open("ours.csv"))}):
    assert rows.keys() == expected.keys(), rows
    for row, values in expected.items():
        assert all(abs(float(rows[row][f]) - v) < 1e-6 for f, v in zip(fields, values)), (row, rows[row], values)
# The columns of an event have the shares of its own type.
columns = {("C1-Pro" if "c1_pro" in e["name"] else "C1-Ultra", r["tid"]): r["retiring"]
           for e in json.load(open("columns.json"))["events"] for r in e["rows"]}
assert columns.keys() == expected.keys()
assert all(abs(columns[row] - values[2]) < 1e-6 for row, values in expected.items()), columns
END2
	plumb report -i of.data --topdown -s tid >text
	[ "$(sed -n 's/^Top-down on \([^:]*\): about \([0-9,]*\) slots,.*/\1 \2/p' text)" = "$(printf '%s\n' 'C1-Pro 2,000,000' 'C1-Ultra 2,000,000')" ]
	[ "$(grep -c ' TID$' text)" -eq 2 ]
	# With one type, nothing is split.
	sed -i /^9/d samples
	HYBRID_FREE=16 HYBRID_SAMPLES=$PWD/samples on_phone record -q --topdown -C 0 -o of.data -- true
	plumb report -i of.data --topdown -s tid --json | json '[r["tid"] for r in d["rows"]] == ["100", "200"] and "core_types" not in d'
}
