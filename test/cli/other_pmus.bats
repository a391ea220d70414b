# SPDX-License-Identifier: Apache-2.0
# plumb stat -e with PMUs that belong to no core: test/machines has the files of an Ampere Altra with two
# mesh interconnects, hybrid_kernel.c their kernel; and this machine's time-stamp counter, beside perf.
# shellcheck disable=SC2154 # by lib.bash and bats

load lib.bash

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	/usr/bin/python3 "$here/../machines/machines.py" "$work" altra >/dev/null
	"${CC:-cc}" -D_GNU_SOURCE -O1 -fPIC -shared -o "$work/kernel.so" "$here/hybrid_kernel.c" -ldl
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HYBRID_ROOT=$work/altra HYBRID_COUNTS=$PWD/counts HYBRID_LOG=$PWD/log HYBRID_SPLIT=1024
	# The two meshes count a miss of the system cache, and a core its instructions.
	printf '%s\n' '30 10005 1000 1000000 1000000' '31 10005 234 1000000 1000000' \
		'8 0008 5000 1000000 1000000' >counts
}

# on_altra ARGUMENT...: plumb, with that kernel below it. Sanitizers want to be loaded first.
on_altra()
{
	rm -f log
	env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" \
		LD_PRELOAD="$work/kernel.so" "$PLUMB" "$@"
}

counts='[.events[] | .name, .count]'

@test "a kind's units add up, a unit counts alone, beside events of the core and metrics" {
	on_altra stat --json -e arm_cmn/hnf_cache_miss/,arm_cmn_1/type=5,eventid=1/ -e INST_RETIRED \
		-o out.json -- true 2>/dev/null
	[ "$(jq -c "$counts" out.json)" = '["arm_cmn/hnf_cache_miss/",1234,"arm_cmn_1/type=5,eventid=1/",234,"INST_RETIRED",5000]' ]
	jq -r '.warnings[]' out.json | grep -q "events of PMUs outside the cores count the whole machine"
	# On the CPU that serves a unit; the core's own event waits for the program's execve(2).
	[ "$(grep -c '^30 0x10005 all 0$' log)" -eq 1 ]
	[ "$(grep -c '^31 0x10005 all 0$' log)" -eq 2 ]
	[ "$(grep -c '^8 0x0008 task -1 exec$' log)" -eq 1 ]
	on_altra stat --json -M ipc -e arm_cmn_0/hnf_cache_miss,name=misses/ -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.metrics[0].name, .events[0].name, .events[0].count]' out.json)" = '["ipc","misses",1000]' ]
}

@test "every target, unit and format" {
	on_altra stat --json -a -A -e '{arm_cmn/hnf_cache_miss/,arm_cmn/dtc_cycles/}' -o out.json -- true 2>/dev/null
	[ "$(jq -c '[.units[] | select(.events[0].count) | .name, .events[0].count]' out.json)" = '["CPU0",1234]' ]
	[ "$(jq '.warnings | length' out.json)" -eq 0 ]
	[ "$(on_altra stat -x, -e arm_cmn_0/hnf_cache_miss/ -o /dev/stdout -- true 2>/dev/null | cut -d, -f1-3)" = \
		"1000,,arm_cmn_0/hnf_cache_miss/" ]
	# -C counts the units that these CPUs serve.
	on_altra stat --json -C 1 -e arm_dmc620/clkdiv2_rdwr/,INST_RETIRED -o out.json -- true 2>/dev/null
	[ "$(grep -c '^32 0x0000 all 1$' log)" -eq 1 ]
	on_altra stat --json -C 1 -e arm_dmc620/clkdiv2_rdwr/,arm_cmn/dtc_cycles/ -o out.json -- true 2>/dev/null
	[ "$(jq -c .warnings out.json)" = '["arm_cmn is not counted: none of the CPUs that are counted serves it","events of PMUs outside the cores count the whole machine, whatever else is measured"]' ]
	run --separate-stderr on_altra stat -C 1 -e arm_cmn/dtc_cycles/ -- true
	[ "$status" -eq 3 ]
	[[ "$stderr" == *"cannot count any of the requested events: arm_cmn/dtc_cycles/"* ]]
	on_altra stat --json --per-thread -p $$ -e arm_cmn/hnf_cache_miss/,INST_RETIRED -o out.json -- true 2>/dev/null
	[ "$(jq -c "$counts, [.units[0].events[].count]" out.json | paste -s)" = \
		"$(printf '%s\t%s' '["arm_cmn/hnf_cache_miss/",1234,"INST_RETIRED",5000]' '[null,5000]')" ]
}

@test "what such a PMU cannot do is said" {
	while IFS='|' read -r event message hint; do
		run --separate-stderr on_altra stat -e "$event" -- true
		[ "$status" -eq 2 ]
		[ "${stderr_lines[0]}" = "plumb: $message" ]
		[ -z "$hint" ] || [ "${stderr_lines[1]}" = "       $hint" ]
	done <<-'END'
		arm_cmn/hnf_cache_mis/|arm_cmn: 'hnf_cache_mis': unknown event of this PMU|did you mean hnf_cache_miss?
		arm_cmn/evntid=1/|arm_cmn: 'evntid': unknown term of this PMU|did you mean eventid?
		arm_cmn/eventid=0x800/|arm_cmn: 'eventid': the value has more bits than this term|
		arm_cmn/hnf_cache_miss/u|'u': only events of cores have modifiers|
		{arm_cmn/dtc_cycles/,cycles}|'{arm_cmn/dtc_cycles/,cycles}': an event of this PMU cannot be in a group with others|
		arm_cmm/dtc_cycles/|'arm_cmm': unknown event or PMU|
	END
	run --separate-stderr on_altra stat --all-user -e arm_cmn/dtc_cycles/ -- true
	[ "$status" -eq 2 ]
	[ "${stderr_lines[0]}" = "plumb: 'arm_cmn/dtc_cycles/': this PMU cannot tell user code from the kernel" ]
	run --separate-stderr on_altra record -e arm_cmn/dtc_cycles/ -o of.data -- true
	[ "$status" -eq 2 ]
	[ "${stderr_lines[0]}" = "plumb: 'arm_cmn/dtc_cycles/': only cores can be sampled; this PMU can be counted" ]
}

@test "a unit that no CPU serves, that counts less than others or has an unreadable list of CPUs is not left out silently" {
	local unit=sys/bus/event_source/devices/arm_cmn_1
	cp -r "$work/altra" altra
	export HYBRID_ROOT=$PWD/altra
	echo >altra/$unit/cpumask
	on_altra stat --json -e arm_cmn_1/dtc_cycles/,INST_RETIRED -o out.json -- true 2>/dev/null
	[ "$(jq -c .warnings out.json)" = '["arm_cmn_1 is not counted: no CPU serves it"]' ]
	echo 0 >altra/$unit/cpumask
	HYBRID_REFUSES=31 on_altra stat --json -a -e arm_cmn/hnf_cache_miss/ -o out.json -- true 2>/dev/null
	[ "$(jq -c "[$counts, .warnings]" out.json)" = '[["arm_cmn/hnf_cache_miss/",1000],["arm_cmn_1 does not count arm_cmn/hnf_cache_miss/: only the other units'"'"' counts are in the total"]]' ]
	echo 3-1 >altra/$unit/cpumask
	run --separate-stderr on_altra stat -e arm_cmn/dtc_cycles/ -- true
	[ "$status" -ne 0 ]
	[ "${stderr_lines[0]}" = "plumb: arm_cmn: cannot read from sysfs which CPUs serve it" ]
}

@test "this machine's time-stamp counter counts as with perf" {
	[ -f /sys/bus/event_source/devices/msr/events/tsc ] || skip "there is no PMU msr"
	command -v perf strace >/dev/null || skip "there is no perf or no strace"
	for tool in plumb perf; do
		run strace -f -e trace=perf_event_open -o $tool.calls \
			"$([ $tool = perf ] && echo perf || echo "$PLUMB")" stat -a -x, -e msr/tsc/ -o $tool.csv sleep 0.1
		[ "$status" -eq 0 ] || skip "it cannot be counted here"
		# The type, the event, and on which CPUs.
		sed -n 's/.*perf_event_open({type=\(0x[0-9a-f]*\)[^,]*, .*config=\(0x[0-9a-f]*\|[0-9]*\),.*}, \(-\?[0-9]*, [0-9]*, -1\).*= [0-9]*$/\1 \2 \3/p' \
			$tool.calls | sort -u >$tool.opened
	done
	[ -s plumb.opened ]
	diff plumb.opened perf.opened
	# Both for a tenth of a second, by the same clock.
	/usr/bin/python3 -c '
ours, theirs = (int(open(name + ".csv").read().split("\n")[-2].split(",")[0]) for name in ("plumb", "perf"))
assert ours > 0 and theirs > 0 and 0.2 < ours / theirs < 5, (ours, theirs)'
}
