"""Open bits, and words of them.

An open bit is a function from the values of numbered variables to false or true. It is held as a reduced ordered binary
decision diagram: a node asks for a variable, and goes on to one node or another; the variables are asked for in order,
no node asks in vain, and no two are the same. So every function has one diagram and no other, and two bits are equal
for all values of the variables if, and only if, they are the same number here. 0 and 1 are false and true.
"""

import functools

LAST = 1 << 30
NODES = [(LAST, 0, 0), (LAST, 1, 1)]  # the variable, where to go if it is false, where to go if it is true
CHOSEN = {}


@functools.cache
def node(variable, low, high):
    NODES.append((variable, low, high))
    return len(NODES) - 1


def variable(number):
    return node(number, 0, 1)


def choose(condition, yes, no):
    """`yes` where the condition holds, `no` elsewhere."""
    if condition == 1 or yes == no:
        return yes
    if condition == 0:
        return no
    if yes == 1 and no == 0:
        return condition
    key = condition, yes, no
    if key not in CHOSEN:
        first = min(NODES[it][0] for it in key)
        low, high = (choose(*(NODES[it][side] if NODES[it][0] == first else it for it in key)) for side in (1, 2))
        CHOSEN[key] = low if low == high else node(first, low, high)
    return CHOSEN[key]


def not_(a):
    return choose(a, 0, 1)


def and_(a, b):
    return choose(a, b, 0)


def or_(a, b):
    return choose(a, 1, b)


def xor(a, b):
    return choose(a, not_(b), b)


def example(bit):
    """Values of some variables with which the bit is true, whatever the others are. It must not be 0."""
    found = {}
    while bit != 1:
        variable, low, high = NODES[bit]
        found[variable] = int(low == 0)
        bit = high if low == 0 else low
    return found


def values(bits, columns, everywhere):
    """What the bits are for many assignments at a time. Bit i of a column, and of a result, is of assignment i."""
    done = {0: 0, 1: everywhere}

    def value(bit):
        if bit not in done:
            variable, low, high = NODES[bit]
            done[bit] = columns[variable] & value(high) | ~columns[variable] & value(low)
        return done[bit]

    return [value(bit) for bit in bits]


# Words are lists of bits, the lowest first.


def word(number, width=64):
    return [number >> place & 1 for place in range(width)]


def number(bits):
    """The number that the word is, or None if some of its bits are open."""
    return None if max(bits) > 1 else int("".join(map(str, reversed(bits))), 2)


def add(a, b, carry=0):
    """The sum, the carry out of it, and whether it overflows as a sum of signed numbers."""
    total, before = [], 0
    for x, y in zip(a, b):
        before, either = carry, xor(x, y)
        total.append(xor(either, carry))
        carry = choose(either, carry, x)
    return total, carry, xor(carry, before)


def subtract(a, b):
    """The difference, the borrow, and whether it overflows as a difference of signed numbers."""
    total, carry, overflow = add(a, [not_(bit) for bit in b], 1)
    return total, not_(carry), overflow


def times(a, b):
    """The lower half of the product."""
    if number(b) is None:
        a, b = b, a
    total = word(0, len(a))
    for place, bit in enumerate(b):
        if bit:
            total, _, _ = add(total, [0] * place + [and_(bit, it) for it in a[: len(a) - place]])
    return total


def logic(how, a, b):
    return [how(x, y) for x, y in zip(a, b)]


def moved(how, a, by):
    """Shifted or rotated by a number of places."""
    by = by % len(a) if how in ("rol", "ror") else min(by, len(a))
    low, high = (a[:by], a[by:]) if how in ("shr", "sar", "ror") else (a[: len(a) - by], a[len(a) - by :])
    filled = {"shl": [0] * by, "shr": [0] * by, "sar": a[-1:] * by, "rol": high, "ror": low}[how]
    return filled + low if how in ("shl", "rol") else high + filled


def shift(how, a, count):
    """The same by an open number of places; of the count, the CPU looks at five bits, or at six for 64."""
    for place, bit in enumerate(count[: 6 if len(a) == 64 else 5]):
        a = [choose(bit, far, near) for far, near in zip(moved(how, a, 1 << place), a)]
    return a
