# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian's arm64 packages, and our work for them."""
import glob
import os
import subprocess

PACKAGES = ("7zip", "brotli", "libbrotli1", "libc6", "libbz2-1.0", "libexpat1", "libgcc-s1", "liblzma5",
            "libpython3-stdlib", "libreadline8", "libsqlite3-0", "libstdc++6", "libtinfo6", "openssl",
            "python3-minimal", "sqlite3", "zlib1g")
# What the packages above need; its name has a version that changes with Debian's.
NEEDED = r"^(libpython3\.[0-9]+-(minimal|stdlib)|python3\.[0-9]+-minimal|libssl3(t64)?)$"
# Of each program, after those of the first milliseconds of the model's time, when it starts.
INSTRUCTIONS, DELAY = "120M", "10"
FROM_START = {"brotli-start": "72M"}  # 15 ms of Altra
# Bytes that OpenSSL encrypts per call.
BUFFERS = {"openssl": "16384", "openssl-small": "256", "openssl-large": "16777216"}

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
SQL = """
create table item (id integer primary key, name text, price real, kind integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
insert into item select i, 'item ' || (i * 7919 % 20011), i * 0.37, i % 97 from n;
create index by_name on item (name);
select kind, count(*), avg(price) from item group by kind order by 3 limit 3;
select count(*) from item a join item b on b.name = 'item ' || (a.id * 31 % 20011);
update item set price = price * 1.1 where kind < 50;
select name from item where name like '%77%' order by price desc limit 5;
delete from item where id % 3 = 0;
select sum(length(name)), max(price) from item;
"""
SQL_LARGE = """
create table item (key integer primary key, name text, filler text);
create index by_name on item (name);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)
insert or ignore into item select random(), hex(randomblob(8)), hex(randomblob(40)) from n;
"""


def fetch(folder):
    """Unpacks the packages in folder/root. Returns why that was impossible, or ''."""
    packages, root = os.path.join(folder, "packages"), os.path.join(folder, "root")
    os.makedirs(packages, exist_ok=True)
    try:
        known = subprocess.run(["apt-cache", "search", "--names-only", NEEDED], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        names = [*PACKAGES, *(line.split(" ")[0] for line in known.splitlines())]
        subprocess.run(["apt-get", "download", "-qq", *(name + ":arm64" for name in names)], check=True,
                       cwd=packages, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for package in glob.glob(os.path.join(packages, "*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    except (OSError, subprocess.CalledProcessError):
        return "apt cannot download Debian's arm64 packages"
    with open(os.path.join(folder, "work.py"), "w", encoding="utf-8") as file:
        file.write(PYTHON)
    with open(os.path.join(folder, "mixed.py"), "w", encoding="utf-8") as file:
        file.write(PYTHON_MIXED)
    with open(os.path.join(folder, "work.sql"), "w", encoding="utf-8") as file:
        file.write(SQL)
    with open(os.path.join(folder, "large.sql"), "w", encoding="utf-8") as file:
        file.write(SQL_LARGE)
    with open(os.path.join(folder, "text"), "wb") as file:
        for source in sorted(glob.glob(os.path.join(root, "usr/lib/python3.*/*.py"))):
            with open(source, "rb") as text:
                file.write(text.read())
    return ""


def command(name, folder):
    """The options and the command of a program."""
    root = os.path.join(folder, "root")
    text, binaries = os.path.join(folder, "text"), os.path.join(root, "usr", "bin")
    python = sorted(glob.glob(os.path.join(binaries, "python3.*")))
    words = {
        "python": [python[-1] if python else "", "-S", os.path.join(folder, "work.py")],
        "python-mixed": [python[-1] if python else "", "-S", os.path.join(folder, "mixed.py")],
        "sqlite": [os.path.join(binaries, "sqlite3"), ":memory:", ".read " + os.path.join(folder, "work.sql")],
        "sqlite-large": [os.path.join(binaries, "sqlite3"), ":memory:",
                         ".read " + os.path.join(folder, "large.sql")],
        "7zip": [os.path.join(binaries, "7zz"), "a", "-mmt1", "-bso0", "-so", "-txz", "anything", text],
        "7zip-code": [os.path.join(binaries, "7zz"), "a", "-mmt1", "-bso0", "-so", "-txz", "anything",
                      os.path.join(binaries, "7zz")],
        "brotli": [os.path.join(binaries, "brotli"), "-q", "5", "-c", text],
        "brotli-start": [os.path.join(binaries, "brotli"), "-q", "5", "-c", text],
        **{name: [os.path.join(binaries, "openssl"), "speed", "-bytes", size, "-seconds", "60", "-evp",
                  "aes-256-gcm"] for name, size in BUFFERS.items()},
    }[name]
    return ["--max-instructions", FROM_START.get(name, INSTRUCTIONS),
            "--delay", "0" if name in FROM_START else DELAY, "-L", root, "--", *words]
