"""Single instructions on the real CPU, to compare them with the one of open bits."""

import ctypes
import mmap
import random

from capstone import x86

from .bits import word
from .image import Unsupported

NAMES = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{number}" for number in range(8, 16)))
USED = [code for code, name in enumerate(NAMES) if name != "rsp"]
KEPT = [NAMES.index(name) for name in ("rbx", "rbp", "r12", "r13", "r14", "r15")]
RDI = NAMES.index("rdi")
CARRY, ZERO, SIGN, OVERFLOW, ALWAYS = 0, 6, 7, 11, 0x202


def push(register):
    return bytes([0x41] * (register > 7) + [0x50 + register % 8])


def pop(register):
    return bytes([0x41] * (register > 7) + [0x58 + register % 8])


def around(instruction):
    """Code that takes the flags and the registers from an array, carries out the instruction, and puts them back."""
    places = range(len(USED) + 1)
    code = b"".join(map(push, KEPT)) + push(RDI)
    code += b"".join(bytes([0xFF, 0x77, 8 * place]) for place in places)  # push [rdi + 8 * place]
    code += b"".join(map(pop, reversed(USED))) + b"\x9d"  # popf
    code += instruction + b"\x9c" + b"".join(map(push, USED))  # pushf
    code += b"\x48\x8b\xbc\x24" + (8 * len(places)).to_bytes(4, "little")  # mov rdi, [rsp + 8 * places]
    code += b"".join(bytes([0x8F, 0x47, 8 * place]) for place in reversed(places))  # pop [rdi + 8 * place]
    return code + pop(RDI) + b"".join(map(pop, reversed(KEPT))) + b"\xc3"


def is_plain(i):
    """Whether it touches nothing but flags and general registers, and not the stack pointer."""
    names = [i.reg_name(it) for it in sum(map(list, i.regs_access()), [])]
    touched = [it for it in i.operands if it.type == x86.X86_OP_MEM and i.mnemonic != "lea"]
    others = [it for it in names if it in ("rsp", "rip") or it.startswith("xmm")]
    return not touched and not others and i.mnemonic not in ("ret", "call", "ud2") and not i.mnemonic.startswith("j")


class Bench:
    """A page of memory to run an instruction in."""

    def __init__(self, i):
        self.i, code = i, around(bytes(i.bytes))
        self.page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.page[: len(code)] = code
        self.run = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.addressof(ctypes.c_char.from_buffer(self.page)))

    def agrees(self, machine):
        """Whether it does the same on both, with random numbers, small ones among them, in the registers."""
        registers = [random.getrandbits(random.choice((64, 64, 32, 8, 1))) for _ in USED]
        carry, overflow, (zero, sign) = *random.choices((0, 1), k=2), random.choice(((0, 0), (0, 1), (1, 0)))
        machine.registers |= {NAMES[code]: word(it) for code, it in zip(USED, registers)}
        machine.flags = carry, overflow, [1 - zero, sign]
        try:
            machine.step(self.i)
        except Unsupported:
            return True  # a division that would trap
        flags = ALWAYS | carry << CARRY | zero << ZERO | sign << SIGN | overflow << OVERFLOW
        state = (ctypes.c_uint64 * (len(USED) + 1))(flags, *registers)
        self.run(ctypes.addressof(state))
        carry, overflow, result = machine.flags
        flags = {CARRY: carry, OVERFLOW: overflow, ZERO: machine.condition("e"), SIGN: result[-1]}
        same_flags = all(state[0] >> place & 1 == flag for place, flag in flags.items() if flag < 2)
        return same_flags and all(machine.registers[NAMES[code]] == word(it) for code, it in zip(USED, state[1:]))
