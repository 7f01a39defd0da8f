"""A CPU whose registers and memory hold open bits, and functions that run on it."""

import copy
import ctypes
import functools
import itertools

from capstone import x86

from .bits import add, and_, choose, logic, moved, not_, number, or_, shift, subtract, times, variable, word, xor
from .image import Unsupported


def registers():
    """By name: the register that it is a part of, from which bit on, and of how many."""
    found = {name: (name, 0, 128) for name in (f"xmm{at}" for at in range(16))}
    for name in "abcd":
        whole, parts = f"r{name}x", {f"r{name}x": 64, f"e{name}x": 32, f"{name}x": 16, f"{name}l": 8}
        found |= {part: (whole, 0, width) for part, width in parts.items()} | {f"{name}h": (whole, 8, 8)}
    for name in ("si", "di", "bp", "sp"):
        parts = {f"r{name}": 64, f"e{name}": 32, name: 16, f"{name}l": 8}
        found |= {part: (f"r{name}", 0, width) for part, width in parts.items()}
    for name in (f"r{at}" for at in range(8, 16)):
        parts = {name: 64, f"{name}d": 32, f"{name}w": 16, f"{name}b": 8}
        found |= {part: (name, 0, width) for part, width in parts.items()}
    return found


REGISTERS = registers()
ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
KEPT = ("rbx", "rbp", "rsp", "r12", "r13", "r14", "r15")

# Addresses that no library is loaded to, and a page's worth of stack.
STACK, FRAME, RETURN = 1 << 40, 1 << 12, 1 << 41
SQUARES, OCCS, OUT = 1 << 42, 1 << 43, 1 << 44

# Variables from this number on are what nobody knows: registers that hold no argument, and undefined flags.
UNKNOWN = 1 << 16

MOST_ENTRIES, MOST_STEPS = 1 << 13, 1 << 16

OPPOSITE = {"ae": "b", "ne": "e", "a": "be", "ns": "s", "ge": "l", "g": "le"}
LOGIC = {
    and_: ("and", "test", "pand", "andps", "andpd"),
    or_: ("or", "por", "orps", "orpd"),
    xor: ("xor", "pxor", "xorps", "xorpd"),
    lambda a, b: and_(not_(a), b): ("andn", "pandn", "andnps", "andnpd"),
}
LOGIC = {name: how for how, names in LOGIC.items() for name in names}
MOVES = ("mov", "movabs", "movzx", "movaps", "movapd", "movups", "movupd", "movdqa", "movdqu")


class Machine:
    def __init__(self, image, arguments, memory=(), output=range(0)):
        self.image, self.output, self.unknown = image, output, itertools.count(UNKNOWN)
        whole = {name: width for name, (parent, _, width) in REGISTERS.items() if name == parent}
        self.registers = {name: [self.undefined() for _ in range(width)] for name, width in whole.items()}
        for name, bits in zip(ARGUMENTS, arguments):
            self.registers[name] = bits + self.registers[name][len(bits) :]
        self.kept = {name: self.registers[name] for name in KEPT} | {"rsp": word(STACK)}
        self.flags = self.undefined_flags()
        self.given = 1  # what is known of the variables on this way through the code
        self.memory = {}
        for address, bits in memory:
            self.put(address, bits)
        self.registers["rsp"] = word(STACK)
        self.push(word(RETURN))

    def fork(self):
        other = copy.copy(self)
        other.registers, other.memory = dict(self.registers), dict(self.memory)
        return other

    def undefined(self):
        return variable(next(self.unknown))

    def undefined_flags(self):
        """Carry, overflow, and the result from which the others follow."""
        return self.undefined(), self.undefined(), [self.undefined(), self.undefined()]

    def put(self, address, bits):
        self.memory |= {address + at // 8: bits[at : at + 8] for at in range(0, len(bits), 8)}

    def store(self, address, bits):
        at = number(address)
        if at is None or not (STACK - FRAME <= at <= STACK - len(bits) // 8 or at in self.output and len(bits) == 64):
            raise Unsupported("writes to what is neither the stack nor the output")
        self.put(at, bits)

    def load(self, address, size):
        at = number(address)
        if at is None:
            return self.look_up(address, size)
        if at < STACK - FRAME:
            return word(self.image.load(at, size), 8 * size)
        if any(byte not in self.memory for byte in range(at, at + size)):
            raise Unsupported("reads what nobody has written")
        return [bit for byte in range(at, at + size) for bit in self.memory[byte]]

    def look_up(self, address, size):
        """An entry of a table: a choice, by the open bits of the address, among all entries that they can ask for."""
        entries = itertools.count(1)

        def entry(place, fixed, given):
            while place >= 0 and address[place] < 2:
                fixed |= address[place] << place
                place -= 1
            if place < 0:
                if next(entries) > MOST_ENTRIES:
                    raise Unsupported("reads a table by too open an index")
                return word(self.image.load(fixed, size), 8 * size)
            sides = ((fixed | 1 << place, and_(given, address[place])), (fixed, and_(given, not_(address[place]))))
            found = [entry(place - 1, fixed, given) for fixed, given in sides if given]
            return found[0] if len(found) == 1 else [choose(address[place], yes, no) for yes, no in zip(*found)]

        key = self.given, size, *address
        if key not in self.image.looked_up:
            self.image.looked_up[key] = entry(len(address) - 1, 0, self.given)
        return self.image.looked_up[key]

    def push(self, bits):
        self.registers["rsp"] = subtract(self.registers["rsp"], word(8))[0]
        self.store(self.registers["rsp"], bits)

    def pop(self):
        bits = self.load(self.registers["rsp"], 8)
        self.registers["rsp"] = add(self.registers["rsp"], word(8))[0]
        return bits

    def register(self, name):
        parent, low, width = REGISTERS[name]
        return self.registers[parent][low : low + width]

    def address(self, i, memory):
        if memory.segment:
            raise Unsupported("a segment")
        total = word(memory.disp + (i.address + i.size if memory.base == x86.X86_REG_RIP else 0))
        if memory.base not in (0, x86.X86_REG_RIP):
            total = add(total, self.register(i.reg_name(memory.base)))[0]
        if memory.index:
            total = add(total, times(self.register(i.reg_name(memory.index)), word(memory.scale)))[0]
        return total

    def read(self, i, operand, width):
        """So many bits of it; where it has less, zeros above."""
        if operand.type == x86.X86_OP_IMM:
            return word(operand.imm, width)
        if operand.type == x86.X86_OP_REG:
            bits = self.register(i.reg_name(operand.reg))
        else:
            bits = self.load(self.address(i, operand.mem), operand.size)
        return (bits + [0] * width)[:width]

    def write(self, i, operand, bits):
        if len(bits) != 8 * operand.size:
            raise Unsupported("operands of an unknown size")
        if operand.type == x86.X86_OP_MEM:
            self.store(self.address(i, operand.mem), bits)
        else:
            parent, low, width = REGISTERS[i.reg_name(operand.reg)]
            old = self.registers[parent]
            above = word(0, 32) if width == 32 else old[low + width :]
            self.registers[parent] = old[:low] + bits + above

    def condition(self, code):
        """What a jump or a move asks of the flags."""
        carry, overflow, result = self.flags
        match code:
            case "b":
                return carry
            case "e":
                return not_(functools.reduce(or_, result))
            case "s":
                return result[-1]
            case "be":
                return or_(carry, self.condition("e"))
            case "l":
                return xor(result[-1], overflow)
            case "le":
                return or_(self.condition("l"), self.condition("e"))
            case _ if code in OPPOSITE:
                return not_(self.condition(OPPOSITE[code]))
        raise Unsupported("an unknown condition")

    def step(self, i):
        """Carries out an instruction. If it is a jump, tells where to, and under which condition."""
        name, operands = i.mnemonic, i.operands
        width = 8 * operands[0].size if operands else 0

        def read(place, width=width):
            return self.read(i, operands[place], width)

        def write(bits):
            self.write(i, operands[0], bits)

        match name:
            case "nop":
                pass
            case _ if name in MOVES:
                write(read(1))
            case "movq":
                write((read(1, 64) + word(0))[:width])
            case "movsx" | "movsxd":
                bits = read(1, 8 * operands[1].size)
                write(bits + bits[-1:] * (width - len(bits)))
            case "lea":
                write(self.address(i, operands[1].mem)[:width])
            case "add" | "sub" | "cmp":
                result, carry, overflow = (add if name == "add" else subtract)(read(0), read(1))
                self.flags = carry, overflow, result
                if name != "cmp":
                    write(result)
            case "inc" | "dec":
                result, _, overflow = (add if name == "inc" else subtract)(read(0), word(1, width))
                self.flags = self.flags[0], overflow, result
                write(result)
            case "neg":
                result, carry, overflow = subtract(word(0, width), read(0))
                self.flags = carry, overflow, result
                write(result)
            case "not":
                write([not_(bit) for bit in read(0)])
            case _ if name in LOGIC:
                result = logic(LOGIC[name], read(-2), read(-1))
                if name in ("and", "or", "xor", "andn", "test"):
                    self.flags = 0, 0, result
                if name != "test":
                    write(result)
            case "imul" if len(operands) > 1:
                write(times(read(-2), read(-1)))
                self.flags = self.undefined_flags()
            case "div" if width == 64:
                high, low, by = (number(it) for it in (self.registers["rdx"], self.registers["rax"], read(0)))
                if None in (high, low, by) or high >= by:
                    raise Unsupported("a division of open numbers, or one that traps")
                quotient, rest = divmod(high << 64 | low, by)
                self.registers |= {"rax": word(quotient), "rdx": word(rest)}
                self.flags = self.undefined_flags()
            case "shl" | "shr" | "sar" | "rol" | "ror":
                count = read(1, 8) if len(operands) > 1 else word(1, 8)
                write(shift(name, read(0), count))
                if number(count) != 0:
                    self.flags = self.undefined_flags()
            case "shlx" | "shrx" | "sarx":
                write(shift(name[:3], read(1), read(2)))
            case "bswap":
                bits = read(0)
                write([bits[place ^ width - 8] for place in range(width)])
            case "bt" | "bts" if operands[0].type == x86.X86_OP_REG and width > 16:
                bits, mark = read(0), shift("shl", word(1, width), read(1))
                self.flags = functools.reduce(or_, logic(and_, mark, bits)), *self.undefined_flags()[1:]
                if name == "bts":
                    write(logic(or_, mark, bits))
            case "pext" | "pdep":
                if (mask := number(read(2))) is None:
                    raise Unsupported("an open mask")
                under = [place for place in range(width) if mask >> place & 1]
                source, bits = read(1), word(0, width)
                for low, place in enumerate(under):
                    bits[low if name == "pext" else place] = source[place if name == "pext" else low]
                write(bits)
            case "psllq" | "psrlq" if operands[1].type == x86.X86_OP_IMM:
                how, by = {"psllq": "shl", "psrlq": "shr"}[name], operands[1].imm
                write(moved(how, read(0)[:64], by) + moved(how, read(0)[64:], by))
            case "paddq":
                a, b = read(0), read(1)
                write(add(a[:64], b[:64])[0] + add(a[64:], b[64:])[0])
            case "punpcklqdq" | "unpcklpd":
                write(read(0)[:64] + read(1)[:64])
            case "punpckhqdq" | "unpckhpd":
                write(read(0)[64:] + read(1)[64:])
            case "movsd" if width == 128 and operands[1].type == x86.X86_OP_REG:
                write(read(1)[:64] + read(0)[64:])
            case "shufpd":
                first, second = operands[2].imm & 1, operands[2].imm >> 1 & 1
                write(read(0)[64 * first :][:64] + read(1)[64 * second :][:64])
            case "shufps":
                lanes = [(read(place // 2), operands[2].imm >> 2 * place & 3) for place in range(4)]
                write([bit for bits, lane in lanes for bit in bits[32 * lane :][:32]])
            case "pshufd":
                bits = read(1)
                write([bits[32 * (operands[2].imm >> place // 32 * 2 & 3) + place % 32] for place in range(128)])
            case "pcmpeqd":
                differ = logic(xor, read(0), read(1))
                lanes = [not_(functools.reduce(or_, differ[at : at + 32])) for at in range(0, 128, 32)]
                write([lanes[place // 32] for place in range(128)])
            case "push":
                self.push(read(0))
            case "pop":
                write(self.pop())
            case "call":
                self.push(word(i.address + i.size))
                return number(read(0, 64)), 1
            case "ret":
                return number(self.pop()), 1
            case "jmp":
                return number(read(0, 64)), 1
            case _ if name.startswith("j"):
                return operands[0].imm, self.condition(name[1:])
            case _ if name.startswith("cmov"):
                holds = self.condition(name[4:])
                write([choose(holds, yes, no) for yes, no in zip(read(1), read(0))])
            case _ if name.startswith("set"):
                write([self.condition(name[3:])] + [0] * 7)
            case _:
                raise Unsupported("an unknown instruction")
        return None


def run(image, start, machine):
    """What comes of a machine that runs from an address until it returns: one machine for each way through the code."""
    waiting, returned = [(start, machine)], []
    for _ in range(MOST_STEPS):
        if not waiting:
            return returned
        at, machine = waiting.pop()
        i = image.instruction(at)
        try:
            to, taken = machine.step(i) or (i.address + i.size, 1)
            if to is None:
                raise Unsupported("goes on at an open address")
            if i.mnemonic == "call" and to not in image.own:
                raise Unsupported("calls what is no part of the library")
            if to == RETURN and any(machine.registers[name] != bits for name, bits in machine.kept.items()):
                raise Unsupported("returns with other registers than it must keep")
        except Unsupported as error:
            raise Unsupported(f"{at:#x}: {i.mnemonic} {i.op_str}: {error}") from None
        image.visited.add(at)
        for to, given in ((to, and_(machine.given, taken)), (at + i.size, and_(machine.given, not_(taken)))):
            if given:
                way = machine.fork() if given != machine.given else machine
                way.given = given
                (returned.append(way) if to == RETURN else waiting.append((to, way)))
    raise Unsupported("takes more steps than any of the functions should")


class Function:
    """A function of numbers that returns one, of as many bits as told."""

    def __init__(self, image, symbol, width):
        (self.start, self.size), self.image, self.width = image.symbol(symbol), image, width

    def open(self, arguments):
        """What it gives for words with open bits."""
        return self.outcome(Machine(self.image, arguments), lambda machine: machine.registers["rax"])

    def outcome(self, machine, output):
        *others, last = run(self.image, self.start, machine)
        bits = output(last)
        for way in others:
            bits = [choose(way.given, bit, other) for bit, other in zip(output(way), bits)]
        return bits[: self.width]

    def instructions(self):
        at = self.start
        while at < self.start + self.size:
            yield self.image.instruction(at)
            at += self.image.instruction(at).size

    def is_complete(self):
        """Whether the runs have come to all of it but to what calls a panic."""
        runs = itertools.groupby(self.instructions(), lambda i: i.address in self.image.visited)
        return all(visited or [*run][-1].mnemonic in ("call", "ud2") for visited, run in runs)

    def native(self, base, arguments):
        """What it gives for numbers, on this CPU; `base` is where the library has been loaded."""
        function = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * len(arguments))(base + self.start)
        return function(*arguments) & (1 << self.width) - 1


class Entry(Function):
    """An entry of a backend, called with two pairs: square, occupancy, square, occupancy. It gives both attack sets."""

    def open(self, arguments):
        places = (SQUARES, OCCS, SQUARES + 1, OCCS + 8)
        memory = [(place, bits[:8] if place < OCCS else bits) for place, bits in zip(places, arguments)]
        slices = [word(it) for start in (SQUARES, OCCS, OUT) for it in (start, 2)]
        machine = Machine(self.image, slices, memory, output=range(OUT, OUT + 16, 8))
        return self.outcome(machine, lambda machine: machine.load(word(OUT), 16))

    def native(self, base, arguments):
        squares, occs = (ctypes.c_uint8 * 2)(*arguments[::2]), (ctypes.c_uint64 * 2)(*arguments[1::2])
        out = (ctypes.c_uint64 * 2)()
        slices = [it for array in (squares, occs, out) for it in (ctypes.addressof(array), 2)]
        ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * 7)(base + self.start)(*slices, 2)
        return out[0] | out[1] << 64
