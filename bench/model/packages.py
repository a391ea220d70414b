# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian's packages, and work of about a hundred million instructions for each.

For speed.py. A folder has each architecture's packages unpacked: arm64 and native; scripts/bench
downloads them. Inputs are made from a seed, so each run does the same work, on each architecture.
"""
import glob
import os
import random

WORDS, TEXT_WORDS = 4000, 60000

SQL = """
CREATE TABLE item (id INTEGER PRIMARY KEY, kind INTEGER, price INTEGER, name TEXT);
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
INSERT INTO item SELECT n, n * 7919 % 101, n * 104729 % 9973, 'item ' || n * 31 % 30011 FROM number;
CREATE INDEX by_name ON item (name);
SELECT kind, COUNT(*), SUM(price), MIN(name) FROM item GROUP BY kind ORDER BY kind LIMIT 5;
SELECT COUNT(*) FROM item a JOIN item b ON b.name = 'item ' || a.id WHERE a.price < b.price;
"""

LUA = """
local sieve, primes, shown = {}, 0, {}
for i = 2, 100000 do
  if not sieve[i] then
    primes = primes + 1
    for k = i * i, 100000, i do sieve[k] = true end
  end
end
for i = 1, 20000 do
  local key = ("%x"):format(i * 7919 % 4093)
  shown[key] = (shown[key] or 0) + #key
end
print(primes, shown["ff"])
"""

PERL = r"""
my (%count, $vowels);
while (<STDIN>) {
  last if $. > 1500;
  for my $word (split) { $count{$word}++; $vowels += $word =~ tr/aeiou//; }
  s/(\w)(\w+)/$2$1/g;
  $vowels++ if /^\w+a.*b\w*c/;
}
my @first = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "$vowels @first[0 .. 4]\n";
"""

PYTHON = """
class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

def insert(root, key):
    while root.key != key:
        side = 'left' if key < root.key else 'right'
        if getattr(root, side) is None:
            setattr(root, side, Node(key))
        root = getattr(root, side)

def depth(node):
    return 1 + max(depth(node.left), depth(node.right)) if node else 0

root, number = Node(1 << 19), 1
for _ in range(4000):
    number = number * 48271 % 2147483647
    insert(root, number % (1 << 20))
print(depth(root), sum(len(str(n)) for n in range(30000)))
print(sorted({n * n % 1009 for n in range(10000)})[:5])
"""

# Of each program: its path, its arguments, and which input it reads.
PROGRAMS = {
    "gzip": ("bin/gzip", ["-6", "-c"], "text"),
    "xz": ("usr/bin/xz", ["-1", "-c"], "text"),
    "sqlite": ("usr/bin/sqlite3", ["-batch", "-init", "/dev/null", ":memory:"], "sql"),
    "lua": ("usr/bin/lua5.4", ["-e", LUA], None),
    "perl": ("usr/bin/perl", ["-e", PERL], "text"),
    "python": ("usr/bin/python3.*", ["-I", "-S", "-c", PYTHON], None),
}


def make_inputs(folder):
    """Writes the inputs into a folder; returns the path of each."""
    chance = random.Random(20261129)
    syllables = [a + b for a in "bcdfglmnprst" for b in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(WORDS)]
    often = [1 / (rank + 1) for rank in range(WORDS)]
    text = chance.choices(words, often, k=TEXT_WORDS)
    lines = (" ".join(text[at:at + 12]) for at in range(0, TEXT_WORDS, 12))
    contents = {"text": "\n".join(lines) + "\n", "sql": SQL}
    paths = {}
    for name, content in contents.items():
        paths[name] = os.path.join(folder, name)
        with open(paths[name], "w", encoding="ascii") as file:
            file.write(content)
    return paths


def find(root, place):
    """The path of a program in a root."""
    return glob.glob(os.path.join(root, place))[0]


def libraries(root):
    """The folders of a native root with libraries, for LD_LIBRARY_PATH."""
    folders = [os.path.join(root, place) for place in ("lib", "usr/lib")]
    return ":".join(os.path.join(folder, name) for folder in folders if os.path.isdir(folder)
                    for name in sorted(os.listdir(folder)) if name.endswith("-linux-gnu"))
