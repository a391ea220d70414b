# SPDX-License-Identifier: Apache-2.0
"""Random words, and LLVM's disassembly of words."""
import random
import re
import shutil
import subprocess

from tap import Skip

LLVM_MC = "llvm-mc-19"
SEED = 20240229


def disassemble(words, features):
    """{word: text} of those that are instructions; the others are left out."""
    if not shutil.which(LLVM_MC):
        raise Skip(f"no {LLVM_MC}: apt-get install llvm-19")
    source = "".join(" ".join(f"0x{byte:02x}" for byte in word.to_bytes(4, "little")) + "\n"
                     for word in words)
    done = subprocess.run([LLVM_MC, "--disassemble", "-triple=aarch64", f"-mattr={features}",
                           "--show-encoding"], input=source, capture_output=True, text=True,
                          check=False)
    invalid = {int(line) - 1 for line in re.findall(r"<stdin>:(\d+):1: warning: invalid",
                                                    done.stderr)}
    texts = [line.split("//")[0].strip() for line in done.stdout.splitlines()
             if "// encoding" in line]
    valid = [word for line, word in enumerate(words) if line not in invalid]
    if len(valid) != len(texts):
        raise AssertionError(f"{len(texts)} texts of {len(valid)} instructions")
    return dict(zip(valid, texts))


def sample(count):
    generator = random.Random(SEED)
    return [generator.getrandbits(32) for _ in range(count)]
