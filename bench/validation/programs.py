# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian's arm64 packages, and our work for them."""
import glob
import os
import random
import subprocess

PACKAGES = ("7zip", "libc6", "libbz2-1.0", "libexpat1", "libgcc-s1", "liblzma5", "libpython3-stdlib",
            "libstdc++6", "openssl", "python3-minimal", "zlib1g")
# What the packages above need; its name has a version that changes with Debian's.
NEEDED = r"^(libpython3\.[0-9]+-(minimal|stdlib)|python3\.[0-9]+-minimal|libssl3(t64)?)$"
HERE = os.path.dirname(os.path.abspath(__file__))
# Of each program, after those of the first milliseconds of the model's time, when it starts.
INSTRUCTIONS, DELAY = "120M", "10"
# Bytes that "openssl speed" encrypts per call, for as long with each.
BUFFERS = [16, 64, 256, 1024, 8192, 16384]
# A published program, for which access_log.c stands in.
ANALYZER = "log_analyzer"
ANALYZER_LINES, ANALYZER_RUN = 500000, "400M"
ANALYZER_OPTIONS = ["-O2", "-march=armv8.2-a+dotprod", "-mtune=neoverse-n1", "-static"]

PYTHON = """
import math
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def far(self):
        return math.sqrt(self.x * self.x + self.y * self.y)
def primes(limit):
    sieve = [True] * limit
    for i in range(2, int(limit ** 0.5) + 1):
        if sieve[i]:
            for j in range(i * i, limit, i):
                sieve[j] = False
    return sum(sieve) - 2
def words(count):
    seen = {}
    for i in range(count):
        word = str(i * 7919 % 1009)
        seen[word] = seen.get(word, 0) + 1
    return sorted(seen.items(), key=lambda item: item[1])[-1]
while True:
    primes(20000)
    words(5000)
    sum(Point(i, i + 1).far() for i in range(5000))
"""
# Objects, text and containers of random contents, which the predictor sees once.
PYTHON_MIXED = """
state = 1
def number(limit):
    global state
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return (state >> 8) % limit
class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None
def insert(node, key):
    while True:
        side = 'left' if key < node.key else 'right'
        below = getattr(node, side)
        if below is None:
            setattr(node, side, Node(key))
            return
        node = below
while True:
    words = [chr(97 + number(26)) * (1 + number(5)) + str(number(100000)) for _ in range(2000)]
    root, counts, text = Node(words[0]), {}, []
    for word in words:
        insert(root, word)
        counts[word[:2]] = counts.get(word[:2], 0) + 1
        if word.endswith(('1', '3')):
            text.append(word.upper())
        elif number(3) == 0:
            try:
                text.append(str(int(word[-3:])))
            except ValueError:
                text.append('none')
    words.sort(key=lambda word: (word[-1], word))
    ','.join(text).split('A')
"""
# Multiplies matrices, whose numbers are objects all over the heap.
PYTHON_MATRIX = """
def multiply(a, b, size):
    return [[sum(a[i][k] * b[k][j] for k in range(size)) for j in range(size)] for i in range(size)]
size = 60
a = [[float(i * size + j) for j in range(size)] for i in range(size)]
b = [[float(i - j) for j in range(size)] for i in range(size)]
while True:
    multiply(a, b, size)
"""


def fetch(folder, more=(), needed=NEEDED):
    """Unpacks the packages, and `more`, in folder/root. Returns why that was impossible, or ''."""
    packages, root = os.path.join(folder, "packages"), os.path.join(folder, "root")
    os.makedirs(packages, exist_ok=True)
    try:
        known = subprocess.run(["apt-cache", "search", "--names-only", needed], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        names = [*PACKAGES, *more, *(line.split(" ")[0] for line in known.splitlines())]
        subprocess.run(["apt-get", "download", "-qq", *(name + ":arm64" for name in names)], check=True,
                       cwd=packages, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for package in glob.glob(os.path.join(packages, "*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    except (OSError, subprocess.CalledProcessError):
        return "apt cannot download Debian's arm64 packages"
    for name, script in (("work", PYTHON), ("mixed", PYTHON_MIXED), ("matrix", PYTHON_MATRIX)):
        with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as file:
            file.write(script)
    with open(os.path.join(folder, "text"), "wb") as file:
        for source in sorted(glob.glob(os.path.join(root, "usr/lib/python3.*/*.py"))):
            with open(source, "rb") as text:
                file.write(text.read())
    return ""


def write_log(path, lines):
    """Writes a web server's log, with clients, times and statuses distributed as published."""
    draw = random.Random(1)
    statuses = [200] * 5 + [201, 204, 301, 400, 403, 404, 404, 500, 502, 503]
    methods = ["GET", "POST", "PUT", "DELETE", "PATCH"]
    pages = ["/api/users", "/api/products", "/api/orders", "/index.html", "/api/search",
             "/api/auth/login", "/static/app.js", "/api/cart", "/health", "/api/notifications"]

    def client():
        kind = draw.randrange(100)
        if kind < 30:
            return f"10.0.{draw.randrange(4)}.{draw.randrange(10) + 1}"
        if kind < 60:
            return f"192.168.{draw.randrange(8)}.{draw.randrange(50) + 1}"
        if kind < 85:
            return f"172.16.{draw.randrange(16)}.{draw.randrange(64) + 1}"
        return f"{draw.randrange(50) + 1}.{draw.randrange(32)}.{draw.randrange(16)}.{draw.randrange(16)}"

    with open(path, "w", encoding="ascii") as file:
        for i in range(lines):
            time = 0.5 + draw.randrange(1000) / 10
            time += 500 * (draw.randrange(20) == 0) + 5000 * (draw.randrange(100) == 0)
            file.write(f"{client()} - - [28/Feb/2026:10:{i // 3600 % 60:02}:{i // 60 % 60:02} +0000] "
                       f'"{draw.choice(methods)} {draw.choice(pages)} HTTP/1.1" {draw.choice(statuses)} '
                       f"{draw.randrange(50000) + 100} {time:.1f}\n")


def build_analyzer(folder, compiler):
    """Builds what stands in for log_analyzer, and writes the log that it reads."""
    subprocess.run([compiler, *ANALYZER_OPTIONS, "-o", os.path.join(folder, ANALYZER),
                    os.path.join(HERE, "access_log.c")], check=True)
    write_log(os.path.join(folder, "access.log"), ANALYZER_LINES)


def commands(name, folder):
    """The options and command lines of a program; of several, each is run for as many cycles."""
    if name.startswith(ANALYZER):
        copied = ["copied"] if name != ANALYZER else []
        return [["--max-instructions", ANALYZER_RUN, "--", os.path.join(folder, ANALYZER),
                 os.path.join(folder, "access.log"), "2", *copied]]
    root = os.path.join(folder, "root")
    text, binaries = os.path.join(folder, "text"), os.path.join(root, "usr", "bin")
    python = sorted(glob.glob(os.path.join(binaries, "python3.*")))
    work, mixed, matrix = ([python[-1] if python else "", "-S", os.path.join(folder, script)]
                           for script in ("work.py", "mixed.py", "matrix.py"))
    archive = [os.path.join(binaries, "7zz"), "a", "-mmt1", "-bso0", "-so", "-txz", "anything"]
    code = os.path.join(binaries, "7zz")

    def encrypt(size):
        return [os.path.join(binaries, "openssl"), "speed", "-elapsed", "-bytes", str(size), "-seconds", "3600",
                "-evp", "aes-256-gcm"]
    runs = {
        "python": [work, mixed],
        "python-mixed": [mixed],
        "python-matrix": [matrix],
        "7zip": [[*archive, text], [*archive, code]],
        "7zip-code": [[*archive, code]],
        "openssl": [encrypt(size) for size in BUFFERS],
        "openssl-small": [encrypt(BUFFERS[0])],
        "openssl-large": [encrypt(BUFFERS[-1])],
    }[name]
    share = int(INSTRUCTIONS[:-1]) // len(runs)
    return [["--max-instructions", f"{share}M", "--delay", DELAY, "-L", root, "--", *words] for words in runs]
