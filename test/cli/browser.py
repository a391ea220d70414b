#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""browser.py PLUMB: `plumb report` on a terminal, driven by keys in tmux, whose screen is read."""
import contextlib
import glob
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "interop"))
from tap import Skip, Tap  # noqa: E402

tap = Tap()
SAMPLE_TYPE = 0x1 | 0x2 | 0x4 | 0x100  # address, process and thread, time, period
THREADS = {7: b"worker", 8: b"idler", 9: b"\x1b[2Jevil\xc2\x9b1m"}
BASE, PATH = 0x400000, b"/nowhere/some program"
IN_TERMINAL = os.path.join(HERE, "in_terminal.py")
WAIT = 60  # seconds; only a test that fails waits as long


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(value):
    return value + bytes(8 - len(value) % 8)


def write_recording(path, addresses=60, threads=None, chains=False):
    """Address i, 16 bytes each, has i + 1 samples in one of the threads, called by address 0."""
    threads = threads or THREADS
    chain = struct.pack("<QQ", 3, 0xfffffffffffffe00) if chains else b""
    attribute = struct.pack("<IIQQQQQ", 1, 128, 0, 100, SAMPLE_TYPE | 0x20 * chains, 0, 0)
    attribute = attribute.ljust(128, b"\0") + struct.pack("<QQ", 0, 0)
    data, now = b"", 1000
    for tid, name in threads.items():
        data += record(3, 0, struct.pack("<ii", 7, tid) + text(name))
    data += record(1, 2, struct.pack("<iIQQQ", 7, 7, BASE, 0x10000, 0) + text(PATH))
    for at in range(addresses):
        for _ in range(at + 1):
            now += 10
            frames = struct.pack("<QQ", BASE + 16 * at, BASE) if chains else b""
            data += record(9, 2, struct.pack("<QiiQQ", BASE + 16 * at, 7, 7 + at % 3, now, 100) +
                           chain + frames)
    header = b"PERFILE2" + struct.pack("<QQ", 104, len(attribute))
    header += struct.pack("<QQQQ", 104, len(attribute), 104 + len(attribute), len(data))
    header += struct.pack("<QQQQQQ", 0, 0, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(header + attribute + data)
    return addresses * (addresses + 1) // 2


class Terminal:
    """A command on a terminal of tmux's, with a server of its own."""

    def __init__(self, folder, command, columns=80, rows=24, term="screen-256color"):
        self.tmux = ["tmux", "-S", os.path.join(folder, "tmux"), "-f", "/dev/null"]
        self.done = os.path.join(folder, "done")
        # Ctrl-C must not end the shell, too.
        line = f"trap : INT; LC_ALL=C.UTF-8 TERM={term} {command}; echo ended with $?; touch '{self.done}'; cat"
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("TMUX", "NO_COLOR")}
        self.environment = dict(environment, LC_ALL="C.UTF-8")
        self.run("new-session", "-d", "-x", str(columns), "-y", str(rows), line)
        self.leader = self.run("display-message", "-p", "#{pane_pid}").strip()

    def run(self, *arguments):
        return subprocess.run([*self.tmux, *arguments], check=True, capture_output=True, text=True,
                              env=self.environment, timeout=WAIT).stdout

    def screen(self, colors=False):
        return self.run("capture-pane", "-p", *(["-e"] if colors else [])).split("\n")

    def wait(self, what, condition):
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            screen = self.screen()
            with contextlib.suppress(IndexError):  # it is being drawn
                if condition(screen):
                    return screen
            time.sleep(0.05)
        raise AssertionError(f"{what}:\n" + "\n".join(self.screen()))

    def wait_text(self, pattern):
        return self.wait(f"no {pattern}", lambda screen: re.search(pattern, "\n".join(screen)))

    def wait_page(self):
        """Waits until a page is there, however long it takes to read the recording."""
        return self.wait("no page", lambda screen: "? help" in "\n".join(screen) and
                         "reading the recording" not in "\n".join(screen))

    def keys(self, *keys):
        self.run("send-keys", *keys)

    def close(self):
        """Ends all that runs there. A leak checker that SIGHUP interrupts goes on for ever."""
        subprocess.run([*self.tmux, "kill-server"], capture_output=True, check=False,
                       timeout=WAIT)
        for process in session(self.leader):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def session(leader):
    """The processes of a terminal's session."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            pid, rest = file.read().split(" ", 1)
            if rest.rpartition(")")[2].split()[3] == leader:
                yield int(pid)


class Browser:
    """plumb report of the recording, on a terminal."""

    def __init__(self, plumb, options="", **how):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "a recording.data")
        self.samples = write_recording(self.path)
        self.plumb, self.options, self.how = plumb, options, how

    def __enter__(self):
        self.terminal = Terminal(self.folder.name,
                                 f"'{self.plumb}' report -i '{self.path}' {self.options}",
                                 **self.how)
        return self.terminal

    def __exit__(self, *_):
        self.terminal.close()
        self.folder.cleanup()

    def stdio_80(self, *options):
        """What --stdio prints on a terminal of 80 columns, where call trees are narrower."""
        run = subprocess.run([sys.executable, IN_TERMINAL, "80", "sh", "-c", '"$@" 2>/dev/null', "sh",
                              self.plumb, "report", "--stdio", "--no-pager", "--color", "never", "-i",
                              self.path, *options], capture_output=True, text=True, check=True,
                             timeout=WAIT, env=dict(os.environ, LC_ALL="C.UTF-8", TERM="screen-256color"))
        return [line.rstrip() for line in run.stdout.replace("\r", "").rstrip("\n").split("\n")]

    def stdio(self, *options):
        run = subprocess.run([self.plumb, "report", "--stdio", "-i", self.path, *options],
                             capture_output=True, text=True, check=True, timeout=WAIT,
                             env=dict(os.environ, LC_ALL="C.UTF-8"))
        return run.stdout.rstrip("\n").split("\n")


def whole_instruction(line):
    """Whether a line ends with an instruction: its address, mnemonic and operands."""
    return re.search(r"[0-9a-f]{6}  [a-z.]+[0-9.]* +[^ ]+$", line)


def cut_instruction(line):
    """Whether a line has an instruction, and goes on beyond the screen."""
    return re.search(r"[0-9a-f]{6}  [a-z.]", line) and line.endswith(">")


def selected(terminal):
    """The lines that are drawn reversed, between the first and the last."""
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in terminal.screen(colors=True)[1:-2]
            if re.match(r"\x1b\[[0-9;]*\b7m", line)]


@tap.test
def the_first_page(plumb):
    """The first page is what --stdio prints"""
    browser = Browser(plumb, "-s tid,ip")
    with browser as terminal:
        screen = terminal.wait_page()
        printed = browser.stdio("-s", "tid,ip")
        assert [line.rstrip() for line in screen[1:23]] == printed[:22], screen
        assert screen[0].startswith(" 1 Report 2 Lines"), screen[0]
        assert selected(terminal)[0].rstrip() == printed[3]
        terminal.keys("Down")
        terminal.wait("the command", lambda screen: "data' -s tid,ip" in screen[23])


@tap.test
def warnings(plumb):
    """Warnings that --stdio prints are named by the last line, and m shows them"""
    browser = Browser(plumb, "-s symbol")
    with browser as terminal:
        run = subprocess.run([plumb, "report", "--stdio", "-i", browser.path, "-s", "symbol"],
                             capture_output=True, text=True, check=True, timeout=WAIT)
        said = "/nowhere/some program cannot be read, so its functions are unknown"
        assert run.stderr.split("\n")[0] == f"plumb: {said}", run.stderr
        screen = terminal.wait_page()
        assert screen[23].startswith(f" {said[:40]}"), screen[23]
        assert screen[23].endswith("m warnings  ? help"), screen[23]
        terminal.keys("m")
        screen = terminal.wait_text("press any key to return")
        assert screen[0] == " Warnings" and screen[1].strip() == said, screen
        assert screen[2].strip() == run.stderr.split("\n")[1].strip(), screen
        terminal.keys("x")
        # It is not said again with each page, but can still be read.
        terminal.keys("2")
        terminal.wait_text("srcline,symbol .*m warnings  [?] help")
        terminal.keys("?")
        terminal.wait_text("m +show warnings")


@tap.test
def rows_and_pages(plumb):
    """Keys select rows and scroll, below headings that stay"""
    browser = Browser(plumb, "-s ip")
    with browser as terminal:
        terminal.wait_page()
        printed = browser.stdio("-s", "ip")
        terminal.keys("Down", "j")
        terminal.wait("two down", lambda _: selected(terminal)[:1] and
                      selected(terminal)[0].rstrip() == printed[5])
        terminal.keys("k")
        terminal.wait("one up", lambda _: selected(terminal)[0].rstrip() == printed[4])
        terminal.keys("End")
        terminal.wait("the last", lambda screen: screen[1].rstrip() == printed[2] and
                      selected(terminal) and selected(terminal)[0].rstrip() == printed[-1])
        terminal.keys("Home")
        terminal.wait("the first", lambda screen: screen[1].rstrip() == printed[0])
        terminal.keys("NPage")
        terminal.wait("a page", lambda _: selected(terminal) and
                      selected(terminal)[0].rstrip() == printed[3 + 20])


@tap.test
def keys_of_other_terminals(plumb):
    """Home and End work as other terminals send them; unknown keys do nothing"""
    with Browser(plumb, "-s ip") as terminal:
        def send(sequence):
            terminal.keys("-H", *[f"{ord(letter):x}" for letter in "\x1b" + sequence])
        terminal.wait_page()
        for home, end in (("[1~", "[4~"), ("[7~", "[8~"), ("[H", "[F"), ("OH", "OF")):
            send(end)
            terminal.wait(f"the last by {end}", lambda _: "0x400000" in selected(terminal)[0])
            send(home)
            terminal.wait(f"the first by {home}", lambda _: "0x4003b0" in selected(terminal)[0])
        # Letters and digits in them are not keys: G would select the last row, q would quit.
        for unknown in ("[27;5;9~", "[57G", "[?2;4q", "[[G", "Oq"):
            send(unknown)
        terminal.keys("Down")
        screen = terminal.wait("the second", lambda _: "0x4003a0" in selected(terminal)[0])
        assert "-s ip" in screen[23], screen
        # Esc goes back.
        terminal.keys("2")
        terminal.wait_text("SOURCE LINE")
        terminal.keys("Escape")
        terminal.wait("where it was", lambda _: "0x4003a0" in selected(terminal)[0])


@tap.test
def search(plumb):
    """A search goes to the match and says the share of all matches"""
    browser = Browser(plumb, "-s ip")
    with browser as terminal:
        terminal.wait_page()
        # 0x400000 to 0x4000f0: the addresses with 1 to 16 samples.
        terminal.keys("/", "4", "0", "0", "0", "Enter")
        share = 100 * (16 * 17 // 2) / browser.samples
        terminal.wait_text(rf"/4000: 16 rows with {share:.2f}%")
        terminal.wait("the match", lambda _: "0x4000f0" in selected(terminal)[0])
        terminal.keys("n")
        terminal.wait("the next", lambda _: "0x4000e0" in selected(terminal)[0])
        terminal.keys("N", "N")
        terminal.wait("from the end", lambda _: "0x400000" in selected(terminal)[0])
        terminal.keys("/", "z", "z", "Enter")
        terminal.wait_text("/zz: not found")
        # Ctrl-C gives up the prompt, not the browser.
        terminal.keys("/", "4")
        terminal.wait_text(" /4_")
        terminal.keys("C-c")
        terminal.wait("the prompt's end", lambda screen: "/4_" not in screen[-2] and "? help" in screen[-2])
        terminal.keys("/", "4", "0", "0", "0", "Enter")
        terminal.wait_text("/4000: 16 rows")


@tap.test
def views_and_filters(plumb):
    """Views, filters and the way back show what --stdio prints with their options"""
    browser = Browser(plumb)
    with browser as terminal:
        terminal.wait_page()

        def shows(*options):
            printed = browser.stdio(*options)
            terminal.wait(" ".join(options), lambda screen:
                          [line.rstrip() for line in screen[1:1 + min(22, len(printed))]] ==
                          printed[:22])

        terminal.keys("7")
        shows("-s", "comm,tid")
        terminal.keys("j", "t")
        tid = int(browser.stdio("-s", "comm,tid")[4].split()[-1])
        shows("-s", "comm,tid", "--tid", str(tid))
        terminal.keys("3")
        shows("-s", "ip,symbol", "--tid", str(tid))
        terminal.keys("a")
        shows("-s", "ip,symbol")
        terminal.keys("Escape")
        shows("-s", "ip,symbol", "--tid", str(tid))
        terminal.keys("BSpace")
        shows("-s", "comm,tid", "--tid", str(tid))
        terminal.keys("Escape")
        shows("-s", "comm,tid")
        terminal.keys("Escape")
        terminal.wait_text("FUNCTION")
        terminal.keys("d")
        terminal.wait_text("--dsos 'some program'")
        terminal.keys("5")
        terminal.wait_text("no SPE records match")
        # Without call chains there are no trees, and the page stays.
        terminal.keys("1", "g")
        screen = terminal.wait_text("--call-graph requires samples with call chains")
        assert "some program" in "\n".join(screen[1:23]), screen
        # Messages are wrapped.
        terminal.run("resize-window", "-x", "50", "-y", "10")
        terminal.keys("8")
        terminal.wait_text("(?s)--topdown requires.*\n       .*Topdown_L1")


@tap.test
def call_trees(plumb):
    """g adds call trees below the rows; keys reach all of them"""
    browser = Browser(plumb, "-s ip")
    write_recording(browser.path, chains=True)
    with browser as terminal:
        terminal.wait_page()
        terminal.keys("g")
        terminal.wait_text("call trees are below: press End")
        printed = browser.stdio_80("-s", "ip", "-g")

        def shows(first):
            terminal.wait(f"line {first}", lambda screen:
                          [line.rstrip() for line in screen[1:23]] == printed[first:][:22])

        last = len(printed) - 22
        assert last > 80, printed
        terminal.keys("End")
        shows(last)
        terminal.keys("Up", "k")
        shows(last - 2)
        terminal.keys("PPage")
        shows(last - 22)
        terminal.keys("j")
        shows(last - 21)
        terminal.keys("Home")
        shows(0)


@tap.test
def wide_names(plumb):
    """Names of wide characters take two columns for each, and stay in theirs"""
    browser = Browser(plumb, "-s comm,tid", columns=40, rows=12)
    write_recording(browser.path, threads={7: "執行緒五".encode(), 8: b"b", 9: "計算".encode()})
    with browser as terminal:
        terminal.wait_page()
        terminal.keys("<")
        screen = terminal.wait_text("sorted by TID")
        rows = [line for line in screen if re.search(r"% .* [789]$", line.rstrip())]
        assert [" ".join(line.split()[-2:]) for line in rows] == ["計算 9", "b 8", "執行緒五 7"], screen
        widths = [sum(1 + (character > "\u2fff") for character in line.rstrip()) for line in rows]
        assert len(set(widths)) == 1, screen
        terminal.keys("/", "五", "Enter")
        terminal.wait_text("/五: 1 row with")
        # The help is wrapped, too.
        terminal.keys("?")
        screen = terminal.wait_text("other keys return")
        assert not any(line.endswith(">") for line in screen), screen


@tap.test
def sorting(plumb):
    """Rows can be sorted by any column"""
    browser = Browser(plumb, "-s ip")
    with browser as terminal:
        terminal.wait_page()
        terminal.keys("<")
        screen = terminal.wait_text("sorted by ADDRESS")
        assert [line.split()[-1] for line in screen[4:8]] == [
            f"{BASE + 16 * at:#x}" for at in range(59, 55, -1)], screen
        terminal.keys("r")
        screen = terminal.wait_text("sorted by ADDRESS, reversed")
        assert [line.split()[-1] for line in screen[4:8]] == [
            f"{BASE + 16 * at:#x}" for at in range(4)], screen
        terminal.keys("<")
        terminal.wait_text("sorted by SAMPLES, reversed")


@tap.test
def sorting_call_trees(plumb):
    """Rows that are sorted take their call trees along"""
    compiler = shutil.which("aarch64-linux-gnu-gcc")
    if not compiler:
        raise Skip("there is no compiler for AArch64")
    browser = Browser(plumb, "--topdown -g --no-children --limit 3")
    source = os.path.join(browser.folder.name, "tree.c")
    program = os.path.join(browser.folder.name, "tree")
    with open(source, "w", encoding="ascii") as file:
        for name, turns, call in (("leaf", 20000, ""), ("zmiddle", 30000, "leaf();"),
                                  ("aouter", 40000, "zmiddle();")):
            file.write(f"__attribute__((noipa)) void {name}(void) {{ {call}\n"
                       f"for (volatile int i = 0; i < {turns}; i++) ;\n}}\n")
        file.write("int main(void) { aouter(); return 0; }\n")
    subprocess.run([compiler, "-O1", "-static", "-o", program, source], check=True)
    run = subprocess.run([plumb, "record", "--exact", "-o", browser.path, "--", program],
                         capture_output=True, text=True, check=False, timeout=WAIT)
    if run.returncode == 3:
        raise Skip("the model does not run here")
    assert run.returncode == 0, run.stderr

    def trees(terminal):
        """The functions of each row and its tree, in the order of the screen."""
        lines, blocks = terminal.screen(), []
        column = next(line.index("FUNCTION") for line in lines if "FUNCTION" in line)
        for line in (line for line in lines if re.match(" *[0-9.]+%", line)):
            if re.match(r"\w", line[column:]):
                blocks.append([])
            blocks[-1].append(line.split()[-1])
        return blocks

    with browser as terminal:
        terminal.wait_text("aouter")
        before = trees(terminal)
        assert {block[0]: block[1:3] for block in before} == {
            "leaf": ["zmiddle", "aouter"], "zmiddle": ["aouter", "main"],
            "aouter": ["main", "__libc_start_call_main"]}, terminal.screen()
        terminal.keys("<", "r")
        terminal.wait_text("sorted by FUNCTION, reversed")
        after = trees(terminal)
        assert after == sorted(before, reverse=True), (before, after)


FIELDS = "-F share,interval,samples,period,latency,latency_interval,latency_share,comm,tid,ip"


@tap.test
def narrow_screens(plumb):
    """A screen always has the names; it says which numbers it has no room for"""
    browser = Browser(plumb, FIELDS)
    numbers = ["95 % INTERVAL", "SAMPLES", "EVENTS", "LATENCY", "95 % INTERVAL", "OF LATENCY"]
    told = [*numbers]
    told[0], told[4] = "95 % INTERVAL of SHARE", "95 % INTERVAL of LATENCY"
    with browser as terminal:
        terminal.wait_page()
        printed = browser.stdio(*FIELDS.split())

        def page(columns, left_out, rows=5):
            """Waits for a page with whole rows, without the numbers at these places."""
            said = (f"{columns} columns have no room for "
                    f"{', '.join(told[at] for at in left_out)}: press w for a wider page")
            heading = " ".join(["SHARE", *(name for at, name in enumerate(numbers)
                                           if at not in left_out), "COMMAND TID ADDRESS"])

            def is_there(screen):
                lines = [" ".join(line.split()) for line in screen]
                if (said in " ".join(lines)) != bool(left_out) or heading not in lines:
                    return False
                below = lines[lines.index(heading) + 1:]
                return all(re.fullmatch(r"[\d.]+% .*(worker|idler|evil.*) \d 0x4[0-9a-f]{5}", line)
                           for line in below[:rows])
            terminal.wait(f"{columns} columns", is_there)

        page(80, [2, 4])
        # A wide page has all of it, and so has a wide screen.
        terminal.keys("w")
        terminal.wait("the wide page", lambda screen: screen[3] == printed[2][:79] + ">")
        terminal.keys("w")
        page(80, [2, 4])
        terminal.run("resize-window", "-x", "200", "-y", "50")
        terminal.wait("all columns", lambda screen: [line.rstrip() for line in screen[1:49]] ==
                      printed[:48])
        terminal.run("resize-window", "-x", "40", "-y", "12")
        page(40, range(len(numbers)), rows=2)
        # The page stays if it cannot be printed for another width.
        os.unlink(browser.path)
        terminal.run("resize-window", "-x", "50", "-y", "12")
        terminal.wait("the page for 40", lambda screen: "40 columns have" in "\n".join(screen) and
                      "plumb: " in screen[11])
    # Text on a terminal leaves out the same.
    browser = Browser(plumb, f"--stdio --no-pager --limit 5 {FIELDS}")
    with browser as terminal:
        screen = terminal.wait_text("ended with 0")
        said = "80 columns have no room for EVENTS, 95 % INTERVAL of LATENCY: use a wider terminal"
        text = "\n".join(screen)
        assert said in " ".join(text.split()), screen
        rows = screen[[line.split()[:1] for line in screen].index(["SHARE"]) + 1:][:5]
        assert all(re.search(" 0x4[0-9a-f]{5}$", line) for line in rows), screen


@tap.test
def exact_profiles(plumb):
    """An exact profile: rows of several lines are one, and Enter opens a function"""
    compiler = shutil.which("aarch64-linux-gnu-gcc")
    if not compiler:
        raise Skip("there is no compiler for AArch64")
    browser = Browser(plumb)
    source = os.path.join(browser.folder.name, "two.c")
    program = os.path.join(browser.folder.name, "two")
    # Too long for a page, which is wider than the screen.
    first, second = "zz_first_" + 300 * "x", "zz_second_" + 300 * "x"
    with open(source, "w", encoding="ascii") as file:
        for name, turns in ((first, 30000), (second, 10000)):
            file.write(f"__attribute__((noinline)) void {name}(void) {{\n"
                       f"for (volatile int i = 0; i < {turns}; i++) ;\n}}\n")
        file.write(f"int main(void) {{ {first}(); {second}(); }}\n")
    subprocess.run([compiler, "-g", "-O1", "-static", "-o", program, source], check=True)
    run = subprocess.run([plumb, "record", "--exact", "-o", browser.path, "--", program],
                         capture_output=True, text=True, check=False, timeout=WAIT)
    if run.returncode == 3:
        raise Skip("the model does not run here")
    assert run.returncode == 0, run.stderr
    with browser as terminal:
        terminal.wait_text("1 Functions")
        terminal.keys("m")
        terminal.wait_text("there are no warnings")
        terminal.keys("8")
        terminal.wait_text("SLOTS +RETIRE +SPEC +FRONT +BACK +LARGEST CAUSE +FUNCTION")
        terminal.keys("w")
        terminal.wait_text("zz_first_ *\n.*x{5}>")

        def row(name):
            """The line of a function's row, which another line ends."""
            lines = terminal.screen()
            at = next((n for n, line in enumerate(lines) if f" {name[:6]}" in line), None)
            assert at is not None, lines
            assert "%" in lines[at] and "%" not in lines[at + 1], lines
            return at, lines[at + 1].strip()

        assert row(first)[0] < row(second)[0]
        parts = [row(name)[1] for name in (first, second)]
        assert all(part.endswith("xxx>") for part in parts), parts
        # By the function's name, backwards: the second before the first.
        terminal.keys("<", "r")
        terminal.wait_text("sorted by FUNCTION, reversed")
        assert row(second)[0] < row(first)[0]
        terminal.keys("Home", "/", *"zz_first_", "Enter")
        terminal.wait("the row", lambda _: selected(terminal)[:1] and
                      first[:8] in selected(terminal)[0])
        rows = terminal.screen()[1:23]
        terminal.keys("Enter")
        # A ">" says that the line goes on.
        terminal.wait("the function", lambda screen: screen[1] == first[:79] + ">")
        assert "xxxx" in terminal.screen()[23], terminal.screen()
        # What the screen has no room for is to the right, and nothing is beyond that.
        terminal.keys(*60 * ["Right"])
        terminal.wait("the end", lambda screen: screen[1].endswith(" slots, counted exactly by the model"))
        terminal.keys(*60 * ["Left"])
        terminal.wait("the beginning", lambda screen: screen[1] == first[:79] + ">")
        # A page for 80 columns has whole instructions, and names what it leaves out for them.
        terminal.keys(*12 * ["Down"])
        terminal.wait("cut off", lambda screen: any(map(cut_instruction, screen)))
        terminal.keys("w")
        terminal.wait("whole", lambda screen: any(map(whole_instruction, screen)) and
                      not any(map(cut_instruction, screen)))
        terminal.keys("Home")
        terminal.wait_text("80 columns have no room for CYCLES PORTS")
        terminal.keys("w")
        terminal.wait("the wide page", lambda screen: "no room" not in "\n".join(screen))
        # The way back needs no recording, the way there does.
        os.unlink(browser.path)
        terminal.keys("Escape")
        terminal.wait("the rows again", lambda screen: screen[1:23] == rows)
        assert first[:8] in selected(terminal)[0]
        terminal.keys("Enter")
        terminal.wait_text("cannot be opened: No such file")
        terminal.keys("Escape")
        terminal.wait("the rows once more", lambda screen: screen[1:23] == rows)


@tap.test
def opening_an_instruction(plumb):
    """Enter on an instruction or a branch opens its function there, also where it was moved to"""
    compiler, disassembler = map(shutil.which, ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump"))
    if not compiler or not disassembler:
        raise Skip("there are no compiler and disassembler for AArch64")
    for kind in ("-static", "-static-pie"):
        browser = Browser(plumb, "--symbol spin")
        source, program = (os.path.join(browser.folder.name, name) for name in ("spin.c", "spin"))
        with open(source, "w", encoding="ascii") as file:
            file.write("volatile int v;\n__attribute__((noinline)) void spin(int n) {\n" +
                       60 * "v += 3;\n" + "for (int i = 0; i < n; i++)\nv += 7;\n" +
                       60 * "v += 5;\n" + "}\nint main(void) { spin(9999); }\n")
        subprocess.run([compiler, "-g", "-O1", kind, "-o", program, source], check=True)
        run = subprocess.run([plumb, "record", "--exact", "-o", browser.path, "--", program],
                             capture_output=True, text=True, check=False, timeout=WAIT)
        if run.returncode == 3:
            raise Skip("the model does not run here")
        assert run.returncode == 0, run.stderr
        code = subprocess.run([disassembler, "-d", "--disassemble=spin", program], check=True,
                              capture_output=True, text=True).stdout
        branch = re.findall(r"^ *([0-9a-f]+):\t.*\tb\.ne", code, re.MULTILINE)[-1]
        with browser as terminal:
            for view, title, below in (("3", "Top-down: ", True), ("5", "Branches: ", False)):
                terminal.wait_page()
                terminal.keys(view)
                terminal.wait_text(title)
                terminal.keys("/", *branch[-3:], "Space", "Space", "Enter")
                terminal.wait("the row", lambda _: selected(terminal)[:1] and
                              branch[-3:] + "  spin" in selected(terminal)[0])
                terminal.keys("Enter")
                terminal.wait("the branch", lambda _: selected(terminal)[:1] and
                              re.search(rf"{branch}  b\.ne ", selected(terminal)[0]))
                # It moves with the text, and is found again when the page is made again.
                if below:
                    terminal.keys("w")
                    terminal.wait("the branch on a wide page", lambda _: selected(terminal)[:1] and
                                  re.search(rf"{branch}  b\.ne ", selected(terminal)[0]))
                    terminal.keys("w")
                    terminal.keys(*30 * ["Down"])
                    terminal.wait("past it", lambda _: not selected(terminal))
                terminal.keys("Escape")
                terminal.wait("the row again", lambda _: selected(terminal)[:1] and
                              branch[-3:] + "  spin" in selected(terminal)[0])


@tap.test
def help_and_leaving(plumb):
    """? lists the keys; q leaves the terminal as it was"""
    with Browser(plumb) as terminal:
        terminal.wait_page()
        terminal.keys("?")
        screen = terminal.wait_text("press any key to return")
        assert all(len(line) <= 80 for line in screen)
        terminal.keys("x")
        terminal.wait_text("1 Functions")
        # All of it can be read on a small screen, too.
        terminal.run("resize-window", "-x", "60", "-y", "10")
        terminal.keys("?")
        terminal.wait_text("Up and Down: scroll")
        terminal.keys(*30 * ["Down"])
        terminal.wait_text("The last line shows")
        terminal.keys(*30 * ["Up"])
        terminal.wait_text("select another row")
        terminal.keys("x")
        terminal.wait_text("1 Functions")
        terminal.keys("q")
        screen = terminal.wait_text("ended with 0")
        assert "Functions" not in "\n".join(screen), screen


@tap.test
def leaving_while_a_page_loads(plumb):
    """q leaves also while a page loads; Esc only stops that"""
    browser = Browser(plumb)
    with browser as terminal:
        terminal.wait_page()
        # Nobody writes to it, so that a page is never read.
        os.unlink(browser.path)
        os.mkfifo(browser.path)
        terminal.keys("2")
        terminal.wait_text("reading the recording: .*Esc stops it")
        terminal.keys("Escape")
        terminal.wait_text("stopped")
        terminal.keys("2")
        terminal.wait_text("reading the recording: .*Esc stops it")
        terminal.keys("q")
        terminal.wait_text("ended with 0")


@tap.test
def hostile_names(plumb):
    """Names cannot move the cursor or clear the screen"""
    with Browser(plumb, "-s comm") as terminal:
        screen = terminal.wait_page()
        assert any("?[2Jevil?1m" in line for line in screen), screen
        assert screen[0].startswith(" 1 Report"), screen


@tap.test
def resize(plumb):
    """The page follows the size of the terminal"""
    browser = Browser(plumb, "-s comm,dso,ip", columns=120, rows=40)
    with browser as terminal:
        screen = terminal.wait_page()
        assert screen[39].rstrip().endswith("? help"), screen[39]
        terminal.run("resize-window", "-x", "60", "-y", "12")
        screen = terminal.wait("the smaller screen", lambda screen: len(screen) == 13 and
                               "-s comm,dso,ip" in screen[11])
        terminal.run("resize-window", "-x", "20", "-y", "5")
        terminal.wait_text("too small")
        terminal.run("resize-window", "-x", "80", "-y", "24")
        printed = browser.stdio("-s", "comm,dso,ip")[:22]
        terminal.wait("the larger screen", lambda screen: "-s comm,dso,ip" in screen[23] and
                      [line.rstrip() for line in screen[1:23]] == printed)


@tap.test
def signals(plumb):
    """Ctrl-C and SIGTERM end it, and leave the terminal as it was"""
    for end in ("C-c", signal.SIGTERM):
        with Browser(plumb) as terminal:
            terminal.wait_page()
            if end == "C-c":
                terminal.keys(end)
                terminal.wait_text("ended with 130")
            else:
                shell = int(terminal.run("list-panes", "-F", "#{pane_pid}"))
                child = subprocess.run(["ps", "--ppid", str(shell), "-o", "pid="],
                                       capture_output=True, text=True, check=True).stdout
                os.kill(int(child.split()[0]), end)
                terminal.wait_text("ended with 143")
            assert not any("1 Functions" in line for line in terminal.screen())


@tap.test
def without_its_terminal(plumb):
    """When its terminal goes, it ends, even if no SIGHUP tells it so"""
    for controlling in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "perf.data")
            write_recording(path)
            terminal, its = pty.openpty()
            # Without a terminal of its own, a session gets no SIGHUP.
            with subprocess.Popen([*(["setsid", "--ctty"] if controlling else ["setsid"]), plumb,
                                   "report", "-i", path, "--tui"], stdin=its, stdout=its,
                                  stderr=its, env=dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8")
                                  ) as process:
                os.close(its)
                shown = b""
                while b"? help" not in shown:
                    shown += os.read(terminal, 4096)
                os.close(terminal)
                try:
                    process.wait(WAIT)
                except subprocess.TimeoutExpired:
                    process.kill()
                    raise AssertionError("it runs on without a terminal") from None
                assert process.returncode == (-signal.SIGHUP if controlling else 0), \
                    (controlling, process.returncode)


@tap.test
def without_a_terminal(plumb):
    """In a pipe, with --stdio and on a dumb terminal there is text"""
    browser = Browser(plumb, "--stdio --no-pager")
    with browser as terminal:
        terminal.wait_text("ended with 0")
    browser = Browser(plumb, "--no-pager", term="dumb")
    with browser as terminal:
        terminal.wait_text("ended with 0")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        write_recording(path)
        run = subprocess.run([plumb, "report", "-i", path, "--tui"], capture_output=True,
                             text=True, check=False, timeout=WAIT, stdin=subprocess.DEVNULL)
        assert run.returncode == 2 and "not a terminal" in run.stderr, run


@tap.test
def nothing_to_show(plumb):
    """A recording that cannot be read ends it with the error and its status"""
    browser = Browser(plumb)
    with open(browser.path, "wb") as file:
        file.write(b"nonsense")
    with browser as terminal:
        screen = "\n".join(terminal.wait_text("ended with 2"))
        assert "plumb: " in screen, screen


if not shutil.which("tmux"):
    tap.skip_all("there is no tmux")
tap.run(os.path.abspath(sys.argv[1]))
