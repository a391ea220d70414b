# SPDX-License-Identifier: Apache-2.0
"""Determines what an A64 instruction does from the text of a disassembler only.

The decoder is tested against this: the text is from binutils or LLVM, and nothing here knows
encodings. Registers are numbered as in model/insn.h.
"""
import re

X0, SP, V0, P0, FFR, FLAGS, FPCR, ZA, SYSTEM = 0, 31, 32, 64, 80, 81, 82, 83, 84

NONE, IMMEDIATE, CONDITIONAL, CALL, INDIRECT, INDIRECT_CALL, RETURN, EXCEPTION = range(8)
LOAD, STORE, EXCLUSIVE, ACQUIRE, RELEASE, ATOMIC, PREFETCH, ZERO, GATHER = (1 << i for i in range(9))
TAG, COMPARE_SWAP, FIRST_FAULT = 1 << 10, 1 << 13, 1 << 14
KINDS = ("LD ST DP ASE VFP CRYPTO PC_WRITE ISB DSB DMB RC_LD RC_ST STREX CAS SVE ASE_INST SVE_PRED "
         "FP_HP FP_SP FP_DP INT8 INT16 INT32 INT64 LDFF SIMD_FP CSEL").split()
KIND = {name: 1 << bit for bit, name in enumerate(KINDS)}

BRANCHES = {"b": IMMEDIATE, "bl": CALL, "br": INDIRECT, "blr": INDIRECT_CALL, "ret": RETURN,
            "cbz": CONDITIONAL, "cbnz": CONDITIONAL, "tbz": CONDITIONAL, "tbnz": CONDITIONAL,
            "retaa": RETURN, "retab": RETURN, "braa": INDIRECT, "brab": INDIRECT,
            "braaz": INDIRECT, "brabz": INDIRECT, "blraa": INDIRECT_CALL, "blrab": INDIRECT_CALL,
            "blraaz": INDIRECT_CALL, "blrabz": INDIRECT_CALL,
            "retaasppc": RETURN, "retabsppc": RETURN, "retaasppcr": RETURN, "retabsppcr": RETURN}
EXCEPTIONS = {"svc", "hvc", "smc", "brk", "hlt", "udf", "eret", "eretaa", "eretab", "drps",
              "dcps1", "dcps2", "dcps3", "tcancel"}
ATOMIC_NAME = re.compile(r"(ld|st)(add|clr|eor|set|smax|smin|umax|umin)(a|l|al)?([bh]?)$")
SWAP_NAME = re.compile(r"(swp|cas|casp)(a|l|al)?([bh]?)$")
# Of 128 bits, and of entries of translation tables.
PAIR_NAME = re.compile(r"(ldclrp|ldsetp|swpp|rcws?(?:clr|set|swp)p)(a|l|al)?$")
ENTRY_NAME = re.compile(r"rcws?(clr|set|swp|casp?)(a|l|al)?$")
PREFETCHES = {"prfm", "prfum", "prfb", "prfh", "prfw", "prfd", "rprfm"}
# Instructions whose first operand is not a result.
NO_RESULT = {"cmp", "cmn", "tst", "ccmp", "ccmn", "fcmp", "fcmpe", "fccmp", "fccmpe", "ptest",
             "ctermeq", "ctermne", "rmif", "setf8", "setf16", "msr", "msrr", "sys", "sysp", "dc", "ic", "at",
             "tlbi", "cfp", "dvp", "cpp", "wfet", "wfit", "wrffr", "cmpp", "gcsss1", "gcspushm"}
# General registers that are read besides being written.
GENERAL_UPDATES = re.compile(
    r"(movk|bfm|bfi|bfxil|bfc|pac(ia|ib|da|db|iza|izb|dza|dzb)|aut(ia|ib|da|db|iza|izb|dza|dzb)|"
    r"xpac[id]|(sq|uq)?(inc|dec)[bhwdp]|clast[ab]|ldg|chkfeat)$")
CRYPTO = re.compile(r"(aes(e|d|mc|imc)|sha(1|256|512)\w+|sm3\w+|sm4e(key)?|eor3|bcax|xar|rax1)$")
SVE_GENERAL = re.compile(
    r"(cnt[bhwd]|(sq|uq)?(inc|dec)[bhwd]|addv?l|addpl|addsvl|addspl|rdvl|rdsvl|cterm\w+|setffr)$")
# Vector instructions that also read the register they write: they accumulate, insert, or merge.
VECTOR_UPDATES = re.compile(
    r"(f?ml[as](l[bt]?2?)?|fn?ml[as]|bfml[as]|fcvtnt|fmlall[bt]{2}|m[al][ad]pt|fdot|tbxq|[su]ml[as]l[bt]?2?|sqr?dml[as]l?[bht]*2?|[su]dot|usdot|sudot|"
    r"bfdot|bfml[as]l[bt]|bfmmla|fmmla|[su]mmla|usmmla|fcmla|cmla|sqrdcmlah|cdot|[su]abal?[bt]?2?|"
    r"[su]adalp|[su]r?sra|sli|sri|tbx|bsl|bit|bif|ins|movk|sha1[cpm]|sha1su[01]|sha256\w+|sha512h2?|"
    r"sha512su[01]|sm3tt\w+|sm3partw[12]|aes[ed]|sm4e|eorbt|eortb|insr|(adc|sbc)l[bt]|"
    r"(r?(add|sub)hn|fcvtn|bfcvtn|fcvtxn|xtn|r?shrn|sq?xtun|[su]qxtn|[su]qr?shrn|sqr?shrun|sqxtun)2)$")
VECTOR_REPLACES = re.compile(
    r"(f?(add|sub|mul|abs|neg|max|min|maxnm|minnm)|and|orr|eor|movi|mvni|dup|zip[12]|uzp[12]|trn[12]|"
    r"cm(eq|gt|ge|hi|hs|tst)|fcm(eq|gt|ge)|[su]shll2?|xtn|tbl|ext|rev(16|32|64)|[su]mull2?|cnt|fdiv|"
    r"fsqrt|scvtf|ucvtf|fcvt\w*|frint\w)$")

GENERAL = re.compile(r"(?:w|x)(\d+)$|(wzr|xzr)$|(wsp|sp)$")
VECTOR_REGISTER = re.compile(r"([bhsdqvz])(\d+)(?:\.\d*([bhsdq]))?(?:\[[^]]*\])?$")
PREDICATE = re.compile(r"pn?(\d+)(?:/[mz])?(?:\.[bhsdq])?(?:\[[^]]*\])?$")
VECTOR = 16  # bytes of a scalable vector
FUSED = re.compile(r"fn?m(add|sub|la|ls|ad|sb)$")
FP_ARITHMETIC = re.compile(
    r"f(add|sub|mul|div|max|min|maxnm|minnm|sqrt|abd|nmul|mulx|addp|subr|divr)$|" + FUSED.pattern)
INT_ARITHMETIC = re.compile(r"(add|sub|mul|mla|mls|neg|abs|[su]max|[su]min|[su]abd|[su]shl|shl|"
                            r"[su]shr|[su]sra|[su]qadd|[su]hadd|[su]aba|addp|addv|clz|asr|lsr|lsl)$")
SIZES = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16}


class Unparsed(Exception):
    pass


def split_operands(text):
    """Splits at the commas outside brackets and braces."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def registers_of(text):
    """The registers that an operand names, in order; a list or range is all its registers."""
    found = []
    match = re.match(r"\{(.*)\}", text)
    if match:
        for part in match[1].split(","):
            ends = [registers_of(end.strip()) for end in part.split("-")]
            if len(ends) == 2 and ends[0] and ends[1]:
                first, last = ends[0][0], ends[1][0]
                file, size = (P0, 16) if first >= P0 else (V0, 32)
                found += [file + (first - file + i) % size
                          for i in range((last - first) % size + 1)]
            elif ends[0]:
                found += ends[0]
        return found
    match = GENERAL.match(text)
    if match:
        return [int(match[1])] if match[1] else [SP] if match[3] else []
    match = VECTOR_REGISTER.match(text)
    if match:
        return [V0 + int(match[2])]
    match = PREDICATE.match(text)
    if match:
        return [P0 + int(match[1])]
    if re.match(r"za|zt0", text):
        return [ZA]
    return []


def vector_letter(operand):
    """The element letter of a vector operand, or of the first register of a list."""
    match = re.search(r"[vz]\d+\.\d*([bhsdq])", operand)
    if match:
        return match[1]
    match = re.match(r"([bhsdq])\d+", operand)
    return match and match[1]


class Instruction:
    """mnemonic, operands; reads, writes (sets of registers); branch, memory, size, kinds; governing,
    the number of the predicate."""

    def __init__(self, text, pc=None):
        text = re.sub(r"\s*//.*", "", text.strip())
        self.mnemonic, _, rest = text.partition("\t")
        if not rest and " " in text:
            self.mnemonic, _, rest = text.partition(" ")
        self.operands = split_operands(rest.strip())
        self.pc = pc
        governing = re.search(r"\bp(\d+)/[zm]", rest)
        self.governing = int(governing[1]) if governing else None
        self.reads, self.writes = set(), set()
        self.branch, self.target, self.memory, self.size = NONE, None, 0, None
        self.kinds = 0
        self.address = []
        self.flags_read = self.flags_written = False
        name = self.mnemonic
        self.conditional = re.match(r"(b|bc)\.(\w+)$", name)
        self.is_sve = any(re.search(r"\bz\d+|\bp\d+|\bpn\d+|\bza|\bzt0", op) for op in self.operands) or \
            bool(SVE_GENERAL.match(name))
        if self.conditional or name in BRANCHES:
            self._branch()
        elif name in EXCEPTIONS:
            self.branch = EXCEPTION
        elif self._memory_sort():
            self._memory()
        else:
            self._data()
        self._flags()

    # Registers

    def _slice(self, operand):
        """The general register that chooses a slice of ZA, or an element of a predicate."""
        match = re.match(r"\{?\s*(?:za|p\d).*\[(w\d+),", operand)
        self.reads.update(registers_of(match[1]) if match else [])

    def _read(self, operand):
        if "[" in operand and not re.match(r"[vz{p]|za", operand):
            inner = operand[operand.index("[") + 1:operand.index("]")]
            for part in split_operands(inner):
                self.reads.update(registers_of(part.split(" ")[0]))
        else:
            self.reads.update(registers_of(operand))

    def _branch(self):
        name = self.mnemonic
        self.branch = CONDITIONAL if self.conditional else BRANCHES[name]
        self.kinds = KIND["PC_WRITE"]
        for operand in self.operands:
            if registers_of(operand):
                self._read(operand)
        if self.branch in (CALL, INDIRECT_CALL):
            self.writes.add(30)
        if name in ("ret", "retaa", "retab") and not self.operands:
            self.reads.add(30)
        if name.startswith(("retaasppc", "retabsppc")):
            self.reads.add(30)
        if name.startswith(("retaa", "retab")):
            self.reads.add(SP)
        if self.branch in (IMMEDIATE, CALL, CONDITIONAL):
            last = self.operands[-1].split(" ")[0]
            if last.startswith("#"):
                self.target = int(last[1:], 0)
            elif self.pc is not None:
                distance = (int(last, 16) - self.pc) % 2**64
                self.target = distance - 2**64 if distance >= 2**63 else distance

    def _memory_sort(self):
        name = self.mnemonic
        if name in PREFETCHES:
            return True
        if name in ("dc",):
            return False
        if re.match(r"(ld|st|swp|cas|cpy|set[gpme]|rcw|gcsstt?r)", name) and \
                any("[" in op and not re.match(r"[vz{]", op) for op in self.operands):
            return True
        return name.startswith(("ldr", "ldrsw")) and len(self.operands) == 2  # a literal

    def _memory(self):
        name = self.mnemonic
        at = next((i for i, op in enumerate(self.operands)
                   if "[" in op and not re.match(r"[vz{]|za", op)), None)
        data = self.operands[:at] if at is not None else self.operands[:-1]
        if at is not None:
            address = self.operands[at]
            inner = address[address.index("[") + 1:address.index("]")]
            for part in split_operands(inner):
                self.address += registers_of(part.split(" ")[0])
            self.reads.update(self.address)
            if address.endswith("!") or len(self.operands) > at + 1:
                self.writes.update(self.address[:1])
                for extra in self.operands[at + 1:]:
                    self.reads.update(registers_of(extra))
        for operand in data:
            self._slice(operand)
        if name in PREFETCHES:
            self.memory = PREFETCH
            if any(reg >= V0 for reg in self.address):
                self.memory |= GATHER
            self.kinds = KIND["SVE"] if self.is_sve else 0
            for operand in data[1:]:
                self._read(operand)
            return
        if re.match(r"cpy|set", name):
            raise Unparsed(name)
        atomic = ATOMIC_NAME.match(name)
        swap = SWAP_NAME.match(name)
        order = (atomic or swap)[2 if swap else 3] or "" if atomic or swap else ""
        data_registers = [reg for op in data for reg in registers_of(op)]
        pair, entry = PAIR_NAME.match(name), ENTRY_NAME.match(name)
        if pair or entry:
            order = (pair or entry)[2] or ""
            compares = not pair and entry[1].startswith("cas")
            self.memory = LOAD | STORE | ATOMIC | (COMPARE_SWAP if compares else 0)
            self.memory |= (ACQUIRE if "a" in order else 0) | (RELEASE if "l" in order else 0)
            self.reads.update(data_registers)
            if pair:
                self.writes.update(data_registers)
            elif compares:
                self.writes.update(reg for op in data[:len(data) // 2] for reg in registers_of(op))
            else:
                self.reads = set(registers_of(data[0])) | set(self.address)
                self.writes.update(registers_of(data[1]))
            self._memory_flags()
            self.size = 16 if pair or name.startswith(("rcwcasp", "rcwscasp")) else 8
            return
        if atomic or swap:
            self.memory = LOAD | STORE | ATOMIC | (COMPARE_SWAP if "cas" in name else 0)
            self.memory |= ACQUIRE if "a" in order else 0
            self.memory |= RELEASE if "l" in order else 0
            self.reads.update(data_registers)
            if name.startswith("casp"):
                self.writes.update(registers_of(data[0]) + registers_of(data[1]))
            elif name.startswith("cas"):
                self.writes.update(registers_of(data[0]))
            elif len(data) == 2:
                self.writes.update(registers_of(data[1]))
                self.reads.difference_update(set(registers_of(data[1])) -
                                             set(registers_of(data[0])) - set(self.address))
        elif name.startswith("ld"):
            self.memory = LOAD
            governed = [op for op in data if PREDICATE.match(op)] if self.is_sve else []
            if name == "ldr" and self.is_sve:
                governed = []
            for operand in data:
                if operand in governed or operand.startswith("w1") and self.is_sve:
                    self._read(operand)
                else:
                    self.writes.update(registers_of(operand))
            if re.match(r"ld[1-4]$", name) and re.search(r"\}\[\d+\]", " ".join(data)):
                self.reads.update(reg for reg in data_registers if reg >= V0)  # one lane
            if name == "ldg":
                self.reads.update(data_registers)
            if "za" in " ".join(data):
                self.reads.add(ZA)
        else:
            self.memory = STORE
            self.reads.update(data_registers)
            if re.match(r"stl?x[rp]|st64bv", name):
                status = registers_of(data[0])
                self.writes.update(status)
                used = {reg for op in data[1:] for reg in registers_of(op)} | set(self.address)
                self.reads -= set(status) - used
                self.memory |= 0 if name.startswith("st64bv") else EXCLUSIVE
        self._memory_flags()
        self._memory_size(data)

    def _memory_flags(self):
        name = self.mnemonic
        if re.match(r"lda?x[rp]", name):
            self.memory |= EXCLUSIVE
        if re.match(r"(ldar|ldapu?r|ldlar|ldax[rp]|ldiapp|ldap1)", name):
            self.memory |= ACQUIRE
        if re.match(r"(stlr|stlur|stllr|stlx[rp]|stilp|stl1)", name):
            self.memory |= RELEASE
        if re.match(r"(st2?z?2?g(m)?|stzgm|ldgm?)$", name):
            self.memory |= TAG
        if re.match(r"ld[fn]f1", name):
            self.memory |= FIRST_FAULT
            self.reads.add(FFR)
            self.writes.add(FFR)
        if self.is_sve and any(reg >= V0 for reg in self.address):
            self.memory |= GATHER
        self.kinds |= KIND["LD"] if self.memory & LOAD else 0
        self.kinds |= KIND["ST"] if self.memory & STORE else 0
        self.kinds |= KIND["RC_LD"] if self.memory & ACQUIRE else 0
        self.kinds |= KIND["RC_ST"] if self.memory & RELEASE else 0
        self.kinds |= KIND["STREX"] if self.memory & STORE and self.memory & EXCLUSIVE else 0
        self.kinds |= KIND["CAS"] if self.memory & COMPARE_SWAP else 0
        self.kinds |= KIND["SVE"] if self.is_sve else 0
        self.kinds |= KIND["LDFF"] if self.memory & FIRST_FAULT else 0
        if re.match(r"(ld|st)([1-4]r?|ap1|l1)$", name) and not self.is_sve:
            self.kinds |= KIND["ASE_INST"]

    def _memory_size(self, data):
        """Bytes in all; None where the text does not tell."""
        name = self.mnemonic
        if self.memory & TAG or name.startswith("st64") or name.startswith("ld64"):
            return
        if self.is_sve:
            self._scalable_size(data)
            return
        listed = re.match(r"\{", data[0]) if data else None
        if listed:
            count = len(registers_of(data[0]))
            shape = re.search(r"\.(\d*)([bhsdq])", data[0])
            element = SIZES[shape[2]]
            if "}[" in data[0] or name.endswith("r"):
                self.size = count * element
            else:
                self.size = count * element * int(shape[1])
            return
        narrow = re.search(r"(s?)([bhw])$", name)
        plain = re.sub(r"^(ldapr|ldapur|ldaxr|ldxr|ldar|ldlar|ldtr|ldur|ldr|stlxr|stxr|stlr|stllr|"
                       r"stlur|sttr|stur|str)", "", name)
        if atomic := (ATOMIC_NAME.match(name) or SWAP_NAME.match(name)):
            letter = atomic[4] if atomic.re is ATOMIC_NAME else atomic[3]
            unit = {"b": 1, "h": 2}.get(letter) or (8 if data[0].startswith("x") else 4)
            self.size = unit * (2 if name.startswith("casp") else 1)
        elif name.startswith(("ldp", "stp", "ldnp", "stnp", "ldxp", "ldaxp", "stxp", "stlxp",
                              "stgp", "ldiapp", "stilp")):
            first = data[1] if name.startswith(("stxp", "stlxp")) else data[0]
            self.size = 2 * (4 if name == "ldpsw" else self._width(first))
        elif plain != name and narrow and plain in ("b", "h", "sb", "sh", "sw"):
            self.size = {"b": 1, "h": 2, "w": 4}[narrow[2]]
        else:
            first = data[1] if name.startswith(("stxr", "stlxr")) else data[0]
            self.size = self._width(first)

    def _scalable_size(self, data):
        """With vectors of VECTOR bytes."""
        name, text = self.mnemonic, " ".join(data)
        if name in ("ldr", "str"):
            self.size = 64 if text.startswith("zt0") else \
                VECTOR // 8 if re.match(r"p\d", text) else VECTOR
            return
        match = re.match(r"(?:ld|st)(?:nt|ff|nf)?(\d)(r[qo]?)?(s?)([bhwdq])$", name)
        memory = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}[match[4]]
        if "za" in text:
            self.size = VECTOR
        elif match[2]:
            self.size = {"r": memory, "rq": 16, "ro": 32}[match[2]]
        else:
            lanes = VECTOR // SIZES[vector_letter(text)]
            self.size = max(int(match[1]), len(registers_of(data[0]))) * memory * lanes

    @staticmethod
    def _width(register):
        return {"w": 4, "x": 8, "b": 1, "h": 2, "s": 4, "d": 8, "q": 16}[register[0]]

    def _data(self):
        name = self.mnemonic
        for operand in self.operands:
            self._slice(operand)
        if name in ("dc",) and self.operands and self.operands[0].lower() in ("zva", "gva", "gzva"):
            self.memory = STORE | (TAG if self.operands[0].lower() == "gva" else 0)
            self.kinds = KIND["ST"]
            self.reads.update(registers_of(self.operands[1]))
            return
        if name == "mrrs":
            self.writes.update(reg for op in self.operands[:2] for reg in registers_of(op))
        elif name in NO_RESULT:
            for operand in self.operands:
                self._read(operand)
        elif self.operands:
            self.writes.update(registers_of(self.operands[0]))
            for operand in self.operands[1:]:
                self._read(operand)
            if GENERAL_UPDATES.match(name):
                self.reads.update(reg for reg in registers_of(self.operands[0]) if reg <= SP)
        if re.match(r"pac(ia|ib)(sp|z)$|aut(ia|ib)(sp|z)$|xpaclri$", name):
            self.reads.add(30)
            self.writes.add(30)
            if name.endswith("sp"):
                self.reads.add(SP)
        if re.match(r"auti[ab]sppcr?$|pac(n?b)?i[ab]sppc$", name):
            self.reads.update((30, SP))
            self.writes.add(30)
        if re.match(r"(pac|aut)i[ab]1716$", name):
            self.reads.update((16, 17))
            self.writes.add(17)
        self._data_kinds()

    def _data_kinds(self):
        name, text = self.mnemonic, " ".join(self.operands)
        general = any(GENERAL.match(op) for op in self.operands)
        if name in ("dmb", "dsb", "isb"):
            self.kinds = KIND[name.upper()] | (KIND["DP"] if name == "dsb" else 0)
        elif re.match(r"(ssbb|pssbb|dfb)$", name):
            self.kinds = KIND["DSB"] | KIND["DP"]
        elif re.match(r"(nop|yield|wfe|wfi|sevl?|esb|psb|tsb|csdb|bti|dgh|hint|clrbhb|chkfeat|gcsb|"
                      r"msrr?|mrrs|mrs|sysp?|sysl|ic|dc|at|tlbi|cfp|dvp|cpp|cosp|clrex|sb|smstart|smstop|"
                      r"wfet|wfit|tstart|tcommit|ttest|cmpp|stshh|trcit|gcs\w+|brb)$", name):
            self.kinds = 0
        elif CRYPTO.match(name):
            self.kinds = KIND["CRYPTO"] | (KIND["SVE"] if self.is_sve else KIND["ASE_INST"])
            if self.is_sve and name in ("eor3", "bcax", "xar"):
                self.kinds = KIND["SVE"]
        elif self.is_sve:
            self.kinds = KIND["SVE"]
        elif general and re.match(r"(dup|ins|mov|umov|smov)$", name) and re.search(r"\bv\d", text):
            self.kinds = KIND["ASE_INST"]
        elif any(re.match(r"\{?v\d|\{ v\d", op) for op in self.operands):
            self.kinds = KIND["ASE"] | KIND["ASE_INST"] if name != "fmov" or not general else 0
        elif name not in ("adr", "adrp") and any(VECTOR_REGISTER.match(op) for op in self.operands):
            if name == "fmov" and general:
                self.kinds = 0
            else:
                self.kinds = None  # VFP, or ASE on scalars: the text is the same
        else:
            self.kinds = KIND["DP"]

    def arithmetic(self):
        """(kind bit, floating-point operations) of plain arithmetic on vectors or scalars of
        floating point; None for everything else."""
        name = self.mnemonic
        floating = FP_ARITHMETIC.match(name)
        integer = INT_ARITHMETIC.match(name)
        first = self.operands[0] if self.operands else ""
        if first.startswith("{"):
            return None  # SME2's lists of vectors
        letter = vector_letter(first)
        if not letter or not floating and (not integer or not re.match(r"[vz]\d", first)):
            return None
        if integer:
            return KIND[f"INT{8 * SIZES[letter]}"], 0
        shape = re.match(r"v\d+\.(\d+)", first)
        lanes = int(shape[1]) if shape else 16 // SIZES[letter] if first[0] == "z" else 1
        return (KIND["FP_" + {"h": "HP", "s": "SP", "d": "DP"}[letter]],
                lanes * (2 if FUSED.match(name) else 1))

    def _flags(self):
        name = self.mnemonic
        if self.conditional or re.match(r"(adc|sbc|ngc)s?$|cs(el|inc|inv|neg|et|etm)$|"
                                        r"c(inc|inv|neg)$|fcsel$|f?ccm[pn]e?$|cfinv|[ax]{2}flag",
                                        name):
            self.flags_read = True
        if re.match(r"(adds|subs|ands|bics|adcs|sbcs|negs|ngcs|cmp|cmn|tst|ccm[pn]|fcmpe?|fccmpe?|"
                    r"setf8|setf16|rmif|cfinv|[ax]{2}flag|fjcvtzs|subps|cmpp|ptest|pfirst|pnext|"
                    r"ptrues|rdffrs|while\w+|cterm\w+|n?match|ands|bics|eors|nands|nors|orns|orrs|"
                    r"brk[abn]s|brkp[ab]s|nots|movs|cmp(eq|ge|gt|hi|hs|le|lo|ls|lt|ne)|rcw\w+)$",
                    name) or (name == "mrs" and self.operands[1].lower() in ("rndr", "rndrrs")):
            self.flags_written = True
