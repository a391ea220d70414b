# SPDX-License-Identifier: Apache-2.0
# plumb stat of what runs already: processes, threads, CPUs, control groups. What is counted are
# software events, which any Linux has; perf counts beside it.

# shellcheck disable=SC2030,SC2031 # each test is a process of its own, with its teardown
load lib.bash

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	plumb stat -a -e task-clock -x , true 2>/dev/null || skip "no perf_event_open"
}

teardown()
{
	[ -z "${busy:-}" ] || kill "$busy" 2>/dev/null || true
}

# said LINE...: that standard error is these lines.
said()
{
	# shellcheck disable=SC2154 # by run
	[ "$stderr" = "$(printf '%s\n' "$@")" ] || {
		echo "$stderr"
		return 1
	}
}

# A process that touches a page each time it reads a line, and answers: faults can be counted on.
begin_toucher()
{
	mkfifo to from
	/usr/bin/python3 -uc '
import mmap, sys
room = mmap.mmap(-1, 64 << 20)
room.madvise(mmap.MADV_NOHUGEPAGE)
page = 0
print("ready")
for line in sys.stdin:
    for _ in range(int(line)):
        room[page * 4096] = 1
        page += 1
    print("done")
' <to >from &
	busy=$!
	exec 7>to 8<from
	read -r -t 60 -u 8 _
}

touch_pages()
{
	echo "$1" >&7
	read -r -t 60 -u 8 _
}

# Begins counting under --control, off at first. tell COMMAND: sends it, and waits for the answer.
begin_control()
{
	mkfifo control ack
	exec 5<>control 6<>ack
	plumb stat -D -1 --control fifo:control,ack "$@" 2>out 7>&- 8<&- &
	counter=$!
	tell ping
}

@test "-p counts a process, not the machine, while --control says so" {
	begin_toucher
	begin_control -p "$busy" --json -e page-faults,minor-faults:k
	touch_pages 100
	tell enable
	touch_pages 1000
	tell disable
	touch_pages 100
	tell enable
	touch_pages 500
	tell stop
	wait "$counter"
	json '
		d["target"] == f"process {pid}" and d["command"] == [] and d["exit_status"] == 0 and
		1500 <= d["events"][0]["count"] < 1600' pid=<(echo "$busy") <out
}

@test "--timeout ends what is never enabled" {
	run --separate-stderr timeout 60 "$PLUMB" stat -a -D -1 --timeout 100 --json -e cs
	# shellcheck disable=SC2154 # by run
	[ "$status" -eq 0 ]
	json '
		d["events"][0]["count"] is None and
		d["warnings"] == ["nothing was measured: counting was never enabled"]' <<<"$stderr"
}

@test "-p ends when the process does, and counts threads that it starts" {
	begin_toucher
	begin_control -p "$busy" --per-thread --json -e page-faults
	tell enable
	touch_pages 300
	exec 7>&-
	wait "$counter"
	busy=
	json '
		300 <= d["events"][0]["count"] < 600 and len(d["units"]) == 1 and
		d["units"][0]["tid"] == int(d["target"].split()[1]) and
		d["units"][0]["name"].startswith("python3") and
		d["units"][0]["events"] == d["events"]' <out
}

@test "-t counts one thread; -i leaves out those that it starts" {
	# The second thread starts when the line arrives, and touches the pages.
	mkfifo to from
	/usr/bin/python3 -uc '
import mmap, sys, threading
room = mmap.mmap(-1, 64 << 20)
room.madvise(mmap.MADV_NOHUGEPAGE)
def work(first):
    for page in range(first, first + 2000):
        room[page * 4096] = 1
print("ready")
for first, line in enumerate(sys.stdin):
    thread = threading.Thread(target=work, args=(2000 * first,))
    thread.start()
    thread.join()
    print("done")
' <to >from &
	busy=$!
	exec 7>to 8<from
	read -r -t 60 -u 8 _
	begin_control -t "$busy" --json -e page-faults
	tell enable
	touch_pages x
	tell stop
	wait "$counter"
	json '2000 <= d["events"][0]["count"] < 2500' <out
	rm control ack
	begin_control -t "$busy" -i --json -e page-faults
	tell enable
	touch_pages x
	tell stop
	wait "$counter"
	json 'd["events"][0]["count"] < 500' <out
}

@test "-a counts all CPUs for as long as a program runs; units add up" {
	plumb stat -a -A --json -o out -e cpu-clock,context-switches -- sh -c 'sleep 0.1; exit 3' ||
		[ $? -eq 3 ]
	json '
		d["target"] == "all CPUs" and d["exit_status"] == 3 and
		[u["cpu"] for u in d["units"]] == sorted(u["cpu"] for u in d["units"]) and
		len(d["units"]) == cpus and
		all(sum(u["events"][i]["count"] for u in d["units"]) == d["events"][i]["count"]
		    for i in range(2)) and
		all(0.9 < u["events"][0]["count"] / 1e9 / d["elapsed_seconds"] < 1.1
		    for u in d["units"])' cpus=<(getconf _NPROCESSORS_ONLN) <out
}

# columns: the lines with the numbers, times and rates taken out of them. Some versions of perf add
# " [software]" to names.
columns()
{
	sed -E 's/ \[software\]//; s/[0-9]+\.[0-9]+/N/g; s/(^|,)[0-9]{2,}/\1N/g; s/,[KMG]?\/sec$/,RATE/;
		s/,[0-9]+,,context/,N,,context/; s/^[0-9]+,,context/N,,context/;
		s/<not counted>,([^,]*),([^,]*),0,/N,\1,\2,N,/; s/,100\.00,,$/,N,,/'
}

@test "--control: a stop before the timeout is no timeout" {
	mkfifo control
	exec 5<>control
	echo stop >&5
	run --separate-stderr timeout 60 "$PLUMB" stat -e task-clock --timeout 40000 --control fifo:control -- sleep 50
	lacks "ended the program" <<<"$stderr"
	# Nor if the program takes its time to end.
	echo stop >&5
	run --separate-stderr timeout 60 "$PLUMB" stat -e task-clock --timeout 500 --control fifo:control -- \
		bash -c 'trap "sleep 0.8; exit 0" TERM; sleep 50 & wait'
	lacks "ended the program" <<<"$stderr"
	run --separate-stderr timeout 60 "$PLUMB" stat -e task-clock --timeout 50 --control fifo:control -- sleep 50
	grep -qx "plumb: ended the program after 50 ms" <<<"$stderr"
}

@test "-x: perf stat prints the same columns for the same targets" {
	local target

	command -v perf >/dev/null || skip "no perf"
	for target in -a "-a -A" "-a --per-core" "-a --per-socket" "-a --per-node" "-C 0" "-C 0 -A"; do
		# shellcheck disable=SC2086 # words
		perf stat $target -x , -e cpu-clock,context-switches sleep 0.05 2>theirs
		# shellcheck disable=SC2086
		plumb stat $target -x , -e cpu-clock,context-switches sleep 0.05 2>ours
		[ -s theirs ]
		diff <(columns <theirs) <(columns <ours)
	done
}

@test "control groups: each is counted, beside perf" {
	local group=plumb-test-$$ mount

	mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ {print $2; exit}' /proc/mounts)
	: "${mount:=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/mounts)}"
	[ -n "$mount" ] && mkdir "$mount/$group" 2>/dev/null || skip "no control group can be made"
	mkdir "$mount/$group/empty"
	begin_toucher
	if ! echo "$busy" >"$mount/$group/cgroup.procs"; then
		rmdir "$mount/$group/empty" "$mount/$group"
		skip "the control group takes no process"
	fi
	begin_control -G "$group,$group/empty" --json -e page-faults
	tell enable
	touch_pages 1000
	tell stop
	wait "$counter"
	plumb stat -G "$group,$group/empty" -x , -e page-faults sleep 0.05 2>lines || true
	# Each has a descriptor of its own: more of them than the soft limit allows.
	(ulimit -Sn 64 && plumb stat -G "$(printf "$group,%.0s" {1..100})$group" -x , -e cs true 2>many)
	[ "$(wc -l <many)" -eq 101 ]
	exec 7>&-
	wait "$busy"
	busy=
	rmdir "$mount/$group/empty" "$mount/$group"
	json '
		[u["cgroup"] for u in d["units"]] == [g, g + "/empty"] and
		1000 <= d["units"][0]["events"][0]["count"] < 1100 and
		d["units"][1]["events"][0]["count"] in (0, None) and d["units"][0]["name"] is None' \
		g=<(echo "\"$group\"") <out
	[ "$(cut -d , -f 3,4 lines)" = "page-faults,$group"$'\n'"page-faults,$group/empty" ]
}

@test "text and CSV show each unit; intervals too" {
	run --separate-stderr plumb stat -C 0 -A -e context-switches -- true
	grep -qx "Software events: CPU 0, during true" <<<"$stderr"
	grep -qE '^  CPU0 +[0-9,]+  context-switches$' <<<"$stderr"
	plumb stat -C 0 --per-core --csv -e context-switches -o out -- true
	grep -q '^time,.*,units,unit,cgroup' out
	grep -qE '^,perf,,,,context-switches,[0-9]+,events,S[0-9]+-D[0-9]+-C[0-9]+,.$' out
	run --separate-stderr plumb stat -C 0 -A -I 20 --interval-count 2 -e context-switches
	[ "$status" -eq 0 ]
	[ "$(grep -cE '^ +[0-9.]+ +[0-9,]+  CPU0 context-switches$' <<<"$stderr")" -ge 1 ]
}

@test "acknowledgements that nobody reads neither end the counting nor stop it" {
	/usr/bin/python3 -c '
import os, subprocess, sys
commands, tell = os.pipe()
gone, closed = os.pipe()
idle, full = os.pipe()
os.close(gone)
os.set_blocking(full, False)
try:
    while True:
        os.write(full, b"x" * 4096)
except BlockingIOError:
    os.set_blocking(full, True)
for ack in closed, full:
    os.write(tell, b"ping\nping\nstop\n")
    counter = subprocess.run(
        [sys.argv[1], "stat", "-a", "-x,", "-e", "cpu-clock", "--control", f"fd:{commands},{ack}"],
        stderr=subprocess.PIPE, text=True, pass_fds=(commands, ack), timeout=60)
    assert counter.returncode == 0, counter.returncode
    assert "cpu-clock" in counter.stderr, counter.stderr' "$PLUMB"
}

@test "Ctrl-C ends the counting and prints the counts" {
	# In the background, a shell has the signal ignored.
	/usr/bin/python3 -c '
import os, signal, subprocess, sys
counter = subprocess.Popen([sys.argv[1], "stat", "-a", "-x,", "-I", "20", "-e", "cpu-clock"],
                           stderr=subprocess.PIPE, text=True)
assert counter.stderr.readline()
counter.send_signal(signal.SIGINT)
rest = counter.communicate(timeout=60)[1]
assert counter.returncode == 0, counter.returncode
assert "cpu-clock" in rest, rest
# The answer to a ping says that the counting has begun.
commands, tell = os.pipe()
answers, ack = os.pipe()
os.write(tell, b"ping\n")
counter = subprocess.Popen(
    [sys.argv[1], "stat", "-a", "-D", "1000000", "-e", "cpu-clock", "--control",
     f"fd:{commands},{ack}"], stderr=subprocess.PIPE, text=True, pass_fds=(commands, ack))
assert os.read(answers, 4) == b"ack\n"
counter.send_signal(signal.SIGINT)
rest = counter.communicate(timeout=60)[1]
assert counter.returncode == 0, counter.returncode
assert "nothing was measured: counting ended within the" in rest, rest' "$PLUMB"
}

@test "targets that do not exist, or do not go together" {
	run --separate-stderr plumb stat -p 999999999 -e cs
	[ "$status" -ne 0 ]
	said "plumb: no process 999999999"
	run --separate-stderr plumb stat -t "$$,999999999" -e cs -- true
	[ "$status" -ne 0 ]
	said "plumb: no thread 999999999"
	plumb stat -p "$$,$$" -e cs -- true
	run --separate-stderr plumb stat -C 65000 -e cs
	said "plumb: CPU 65000 does not exist or is offline" \
		"       see /sys/devices/system/cpu/online for the CPUs online"
	run --separate-stderr plumb stat -G ../etc -e cs
	[ "$status" -ne 0 ]
	if grep -qE ' cgroup2 | cgroup [^ ]*\<perf_event\>' /proc/mounts; then
		grep -q "^plumb: no control group ../etc below /" <<<"$stderr"
	else
		said "plumb: control group ../etc: no hierarchy of control groups is mounted that perf can use" \
			"       mount the hierarchy of version 2"
	fi
	run --separate-stderr plumb stat -a -p 1 -e cs
	[ "$status" -eq 2 ]
	said "plumb: --all-cpus cannot be combined with --pid or --tid" "       see plumb stat --help"
	run --separate-stderr plumb stat -A -e cs true
	[ "$status" -eq 2 ]
	said "plumb: --no-aggr, --per-core, --per-socket and --per-node require --all-cpus, --cpus or --for-each-cgroup" \
		"       see plumb stat --help"
	run --separate-stderr plumb stat -A -C 0 -p 1 -e cs true
	said "plumb: --no-aggr, --per-core, --per-socket and --per-node cannot be combined with --pid or --tid" \
		"       see plumb stat --help"
	run --separate-stderr plumb stat -G / --no-multiplex -e cs true
	[ "$status" -eq 2 ]
	run --separate-stderr plumb stat -a -r 3 -e cs
	said "plumb: --repeat requires a program" "       see plumb stat --help"
	run --separate-stderr plumb stat -p 1,x -e cs
	said "plumb: invalid value '1,x' for --pid" "       list numbers, separated by commas"
	run --separate-stderr plumb stat --control 5 -e cs true
	said "plumb: invalid value '5' for --control" \
		"       use fd:N, fd:N,M, fifo:FILE or fifo:FILE,FILE: commands come from the first, acknowledgements go to the second"
	run --separate-stderr plumb stat --control fifo: -e cs true
	grep -qx "plumb: invalid value 'fifo:' for --control" <<<"$stderr"
	run --separate-stderr plumb stat --control fd:99 -e cs true
	said "plumb: --control: descriptor 99 is not open"
	run --separate-stderr plumb stat --control fifo:nowhere -e cs true
	[ "$status" -eq 2 ]
	said "plumb: --control: nowhere: No such file or directory"
	echo enable >file
	run --separate-stderr plumb stat --control fifo:file -e cs true
	said "plumb: --control: file is not a named pipe" "       make one with mkfifo"
	run --separate-stderr plumb stat --source model --control fifo:nowhere true
	[ "$status" -eq 2 ]
	said "plumb: --control, --no-inherit and --delay -1 require --source perf" "       see plumb stat --help"
	for only in --what-if "--from main" "--to 0x10" "--max-instructions 5"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr plumb stat -a $only -e cs true
		[ "$status" -eq 2 ]
		said "plumb: --what-if, --max-instructions, --from and --to require the model, which counts only the program that it runs" \
			"       see plumb stat --help"
	done
	run --separate-stderr plumb stat --source model -a -- true
	[ "$status" -eq 2 ]
}
