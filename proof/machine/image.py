"""A library as the loader lays it out, from address 0 on."""

import copy
import io

import capstone
from elftools.elf.elffile import ELFFile

R_X86_64_RELATIVE = 8
WRITABLE = 2

DECODER = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
DECODER.detail = True


class Unsupported(Exception):
    """The machine code does something that cannot be followed, or must not be done."""


class Image:
    def __init__(self, data):
        self.data, self.decoded, self.looked_up, self.visited = data, {}, {}, set()
        elf = ELFFile(io.BytesIO(data))
        self.symbols = {it.name: it.entry for it in elf.get_section_by_name(".symtab").iter_symbols()}
        self.own = {it["st_value"] for name, it in self.symbols.items() if "slider_attacks" in name}
        loaded = list(elf.iter_segments("PT_LOAD"))
        self.places = [(it["p_vaddr"], it["p_filesz"], it["p_offset"]) for it in loaded]
        # What nobody writes to, once the loader has filled in the pointers in it.
        fixed = [it for it in loaded if not it["p_flags"] & WRITABLE] + list(elf.iter_segments("PT_GNU_RELRO"))
        self.fixed = {it["p_vaddr"]: bytearray(it.data()) for it in fixed}
        self.elsewhere = set()
        for section in elf.iter_sections("SHT_RELA"):
            for it in section.iter_relocations():
                self.relocate(it["r_offset"], it["r_info_type"], it["r_addend"])

    def relocate(self, at, kind, addend):
        if kind != R_X86_64_RELATIVE:
            self.elsewhere |= set(range(at, at + 8))
            return
        for start, segment in self.fixed.items():
            if start <= at < start + len(segment):
                segment[at - start : at - start + 8] = addend.to_bytes(8, "little")

    def load(self, address, size):
        """A number that is the same in every run of the program, as long as it is."""
        for start, segment in self.fixed.items():
            inside = start <= address <= start + len(segment) - size
            if inside and self.elsewhere.isdisjoint(range(address, address + size)):
                return int.from_bytes(segment[address - start : address - start + size], "little")
        raise Unsupported(f"reads {size} bytes at {address:#x}, which are no constants")

    def symbol(self, name):
        """Address and size of the symbol with this name, or of the only one that has it in its own."""
        names = [name] if name in self.symbols else [it for it in self.symbols if name in it]
        found = {(self.symbols[it]["st_value"], self.symbols[it]["st_size"]) for it in names}
        if len(found) != 1:
            raise KeyError(f"{len(found)} symbols are called {name}")
        return found.pop()

    def instruction(self, address):
        if address not in self.decoded:
            at = self.place(address)
            [self.decoded[address]] = DECODER.disasm(self.data[at : at + 15], address, 1)
        return self.decoded[address]

    def place(self, address):
        """Where it is in the file."""
        return next(address - start + at for start, size, at in self.places if start <= address < start + size)

    def changed(self, address, new):
        """The same with other bytes there."""
        other, at = copy.copy(self), self.place(address)
        other.decoded, other.looked_up, other.visited = {}, {}, set()
        other.data = self.data[:at] + new + self.data[at + len(new) :]
        other.fixed = {start: bytearray(segment) for start, segment in self.fixed.items()}
        for start, segment in other.fixed.items():
            if start <= address < start + len(segment):
                segment[address - start : address - start + len(new)] = new
        return other
