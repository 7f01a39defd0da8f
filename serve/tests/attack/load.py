#!/usr/bin/env python3
"""A mixed load: 64 honest clients, which check each row of their answers, and 64 hostile ones at two other addresses.

    python3 serve/tests/attack/load.py BINARY [SECONDS [OPTION...]]

Each honest client has an address of its own, and compares what it gets with what is computed here, square by square. The
exit code is 1 if a row is wrong, an honest request fails, the service ends, memory grows from the first third of the time
to the last by more than 64 MiB or beyond what all clients may hold, or something is left over after the end.
"""

import gzip
import json
import multiprocessing
import os
import random
import sys
import threading
import time

import attacks
import wire
from attacks import CSV, FEN, FLIGHT, GZIP, JSONL, PGN, WHOLE
from victim import MIB, Service, percentile
from wire import Answers

CLIENTS, PROCESSES = 64, 2
ROOK, BISHOP = ((1, 0), (-1, 0), (0, 1), (0, -1)), ((1, 1), (-1, 1), (1, -1), (-1, -1))
STEPS = {"n": [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)], "k": [*ROOK, *BISHOP]}
RAYS = {"r": ROOK, "b": BISHOP, "q": [*ROOK, *BISHOP]}


def walk(square, steps, occupied, far):
    """The squares that a piece attacks, by walking."""
    attacked = 0
    for right, up in steps:
        file, rank = square % 8 + right, square // 8 + up
        while 0 <= file < 8 and 0 <= rank < 8:
            bit = 1 << 8 * rank + file
            attacked |= bit
            if not far or occupied & bit:
                break
            file, rank = file + right, rank + up
    return attacked


def position(chance):
    """A position as FEN, and the squares that White and Black attack."""
    squares = chance.sample(range(64), chance.randint(2, 24))
    pieces = {squares[0]: "K", squares[1]: "k"}
    for square in squares[2:]:
        pieces[square] = chance.choice("PpNnBbRrQq" if 8 <= square < 56 else "NnBbRrQq")
    occupied, attacked = sum(1 << square for square in pieces), [0, 0]
    for square, piece in pieces.items():
        kind, black = piece.lower(), piece.islower()
        steps = RAYS.get(kind) or STEPS.get(kind) or [(-1, -1 if black else 1), (1, -1 if black else 1)]
        attacked[black] |= walk(square, steps, occupied, kind in RAYS)
    ranks = ["".join(pieces.get(8 * rank + file, "1") for file in range(8)) for rank in range(7, -1, -1)]
    return f"{'/'.join(ranks)} {chance.choice('wb')} - -", attacked


class Pool:
    """Rows with their right answers, which requests take slices of."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.positions = [position(chance) for _ in range(1500)]
        self.pairs = []
        for _ in range(6000):
            square, occupied = chance.randrange(64), chance.getrandbits(64) & chance.getrandbits(64)
            self.pairs.append((square, occupied, walk(square, ROOK, occupied, True)))


def part(rows, chance):
    size = chance.choice((1, 10, 100, len(rows)))
    start = chance.randrange(len(rows) - size + 1)
    return rows[start : start + size]


class Honest:
    """A client with a connection to each port."""

    def __init__(self, service, number, pool):
        self.source, self.service, self.pool = f"127.0.2.{number + 1}", service, pool
        self.http = self.answers = self.flight = None
        self.chance = random.Random(number)

    def ask(self, path, body, *headers):
        if self.http and self.answers.is_last:
            self.http.close()
            self.http = None
        if self.http is None:
            self.http = wire.connect(self.service.http, self.source, timeout=60)
            self.answers = Answers(self.http)
        self.http.sendall(wire.post(path, body, *headers))
        status, answer = self.answers.next()
        if status != 200:
            raise ConnectionError(f"status {status}: {answer[:200]!r}")
        return answer.splitlines()

    def attacks(self):
        rows = part(self.pool.pairs, self.chance)
        body = "".join(f"{square} {occupied:#x}\n" for square, occupied, _ in rows).encode()
        lines = [int(json.loads(line)["attacks"], 16) for line in self.ask("/v1/attacks?slider=rook", body)]
        return lines == [attacked for _, _, attacked in rows]

    def analyze(self):
        rows = part(self.pool.positions, self.chance)
        body = "".join(f"{fen}\n" for fen, _ in rows).encode()
        lines = self.ask("/v1/analyze?what=maps", gzip.compress(body, 1), GZIP)
        got = [(row["line"], int(row["white_attacks"], 16), int(row["black_attacks"], 16)) for row in map(json.loads, lines)]
        return got == [(number + 1, *attacked) for number, (_, attacked) in enumerate(rows)]

    def summarize(self):
        rows = part(self.pool.positions, self.chance)
        lines = self.ask("/v1/summarize?what=maps&by=side", "".join(f"{fen}\n" for fen, _ in rows).encode(), "accept: text/csv")
        names, *lines = [line.decode().split(",") for line in lines]
        got, right = {}, {}
        for line in lines:
            row = dict(zip(names, line))
            if not row["column"].startswith("difference"):
                square = "abcdefgh".index(row["square"][0]) + 8 * int(row["square"][1]) - 8
                got[row["side"], row["column"], square] = (int(row["positions"]), int(row["count"]))
        for fen, attacked in rows:
            side = "white" if fen.split()[1] == "w" else "black"
            for column, squares in zip(("white_attacks", "black_attacks"), attacked):
                for square in range(64):
                    positions, count = right.get((side, column, square), (0, 0))
                    right[side, column, square] = (positions + 1, count + (squares >> square & 1))
        return got == right

    def exchange(self):
        if self.flight and not self.flight.takes_requests():
            self.flight.close()
            self.flight = None
        if self.flight is None:
            self.flight = wire.Http2(self.service.flight, self.source)
        rows = part(self.pool.pairs, self.chance)
        stream = self.flight.stream()
        occupied = b"".join(occupied.to_bytes(8, "little") for _, occupied, _ in rows)
        batch = wire.batch(len(rows), [b"", occupied, b"", bytes(square for square, _, _ in rows)])
        call = wire.flight(wire.PAIRS, first=wire.descriptor(path="rook_attacks")) + wire.flight(*batch)
        self.flight.send(wire.grpc(stream, FLIGHT + "DoExchange"))
        # No answer comes before the whole batch is there, so what is read here are windows.
        self.flight.send_in_windows(stream, call, True)
        answer = self.flight.whole(stream, 60)
        right = b"".join(attacked.to_bytes(8, "little") for _, _, attacked in rows)
        return answer.count(right) == 1 and len(answer) < len(right) + 600

    def close(self):
        for connection in self.http, self.flight:
            if connection:
                connection.close()
        self.http = self.flight = None


def honest(service, numbers, ends, pipe):
    pool, times, failures = Pool(numbers[0]), [], []

    def run(number):
        client, chance = Honest(service, number, pool), random.Random(number + 1000)
        while time.monotonic() < ends:
            time.sleep(chance.uniform(0.1, 0.5))
            kind = chance.choice((client.attacks, client.analyze, client.summarize, client.exchange))
            started = time.monotonic()
            try:
                if not kind():
                    failures.append(f"{kind.__name__}: a wrong row")
            except (OSError, ValueError, KeyError, IndexError) as error:
                failures.append(f"{kind.__name__}: {type(error).__name__}: {error}")
                client.close()
            times.append((time.monotonic() - started, kind.__name__))
        client.close()

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0, ends - time.monotonic()) + 60)
        if thread.is_alive():
            failures.append("a client has no answer a minute after the end")
    pipe.send((times, failures))


def requests(products):
    """Hostile requests, each as bytes."""
    tiny, long = b'[A "b"]\n\n1. e4 e5 *\n\n', "k" * 14000
    games, header = gzip.compress(attacks.game(8000) * 4), b"fen," + b"A" * 1_000_000 + b"\n" + (FEN + ",\n").encode() * 600
    columns, names = attacks.wide_csv(480_000, 2800)
    groups = "fen,c\n" + "".join(f"{FEN},{number}\n" for number in range(9000))
    keys = ",".join(["ply", *map(str, range(2500))])
    odd = wire.ipc((wire.PAIRS, b""), wire.pairs(1_700_000, shift=1))
    return [
        wire.post(f"/v1/summarize?what={products}&by={long}", tiny),
        wire.post("/v1/analyze?keep=all", gzip.compress(header), CSV, GZIP),
        wire.post(f"/v1/analyze?keep={long}", games, PGN, GZIP),
        wire.post(f"/v1/analyze?what={products}&keep=fen", games, PGN, GZIP, "accept-encoding: zstd"),
        wire.post(f"/v1/summarize?by={keys}", attacks.game(1000), PGN),
        wire.post(f"/v1/analyze?what={products}", attacks.game(1000), PGN),
        wire.post(f"/v1/analyze?keep={names}", columns, CSV, GZIP),
        wire.post(f"/v1/summarize?what={products}&by=c", gzip.compress(groups.encode()), CSV, GZIP),
        wire.post("/v1/attacks?slider=queen", odd, attacks.ARROW),
        attacks.paths(),
        wire.get("/openapi.json") * 100,
        wire.post("/v1/analyze?keep=all", gzip.compress(b'{"a": ' + b"[" * 900_000), JSONL, GZIP),
    ]


def hostile(service, numbers, ends, products):
    prepared = requests(products)

    def slow(attack, number, chance):
        connection = attack.connect(number, 4096)
        connection.sendall(chance.choice(prepared))
        while attack.left() and connection.recv(chance.randint(1, 2000)):
            time.sleep(0.02)

    def fast(attack, number, chance):
        connection = attack.connect(number)
        connection.sendall(chance.choice(prepared))
        while attack.left() and connection.recv(1 << 18):
            pass

    def unread(attack, number, chance):
        attacks.unread(attack, number, chance.choice(prepared))

    def cut(attack, number, chance):
        request = chance.choice(prepared)
        connection = attack.connect(number)
        connection.sendall(request[: chance.randrange(len(request))])
        time.sleep(chance.uniform(0, 0.3))
        wire.close_with_reset(connection)

    def half(attack, number, chance):
        connection = attack.connect(number)
        connection.sendall(chance.choice(prepared))
        connection.shutdown(1)
        connection.recv(1000)

    def garbage(attack, number, chance):
        request = bytearray(chance.choice(prepared)[:100_000])
        for _ in range(20):
            request[chance.randrange(len(request))] = chance.randrange(256)
        connection = attack.connect(number)
        connection.sendall(chance.choice((bytes(request), chance.randbytes(5000), wire.PREFACE + chance.randbytes(5000))))
        connection.recv(1000)

    def resets(attack, number, chance):
        connection = attack.http2(service.http, number)
        head, _, body = prepared[6].partition(b"\r\n\r\n")
        path = head.split()[1].decode()
        while attack.left():
            stream = connection.stream()
            kinds = [("content-type", "text/csv"), ("content-encoding", "gzip")]
            connection.send(wire.headers(stream, "POST", path, kinds))
            connection.send_in_windows(stream, body, True, attack.ends)
            connection.send(wire.frame(wire.RST_STREAM, 0, stream, bytes([0, 0, 0, 8])))

    def closed_window(attack, number, chance):
        connection = attack.http2(service.flight, number, 4096, window=0)
        call = wire.flight(wire.PAIRS, first=wire.descriptor(path="queen_attacks"))
        call += wire.flight(*wire.pairs(100_000, chance.randrange(8))) * 20
        info = wire.message(wire.descriptor(command=b'{"call": "queen_attacks"' + b" " * 64_900 + b"}"))
        exchange = chance.random() < 0.5
        while attack.left():
            stream = connection.stream()
            connection.send(wire.grpc(stream, FLIGHT + ("DoExchange" if exchange else "GetFlightInfo")))
            connection.send_in_windows(stream, call if exchange else info, True, attack.ends)

    kinds = (slow, fast, unread, unread, cut, half, garbage, resets, closed_window)

    def run(number):
        chance = random.Random(number + 2000)
        while time.monotonic() < ends:
            attack = attacks.Attack("load", None, None)
            attack.service, attack.ends = service, min(ends, time.monotonic() + chance.uniform(0.2, 6))
            try:
                chance.choice(kinds)(attack, number % 2, chance)
            except (OSError, ValueError, IndexError):
                time.sleep(0.05)
            attack.close()

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in numbers]
    for thread in threads:
        thread.start()
    while time.monotonic() < ends + 1:
        time.sleep(0.2)
    os._exit(0)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    service = Service(os.path.abspath(sys.argv[1]), *sys.argv[3:])
    products, before = service.products(), service.usage()
    ends = time.monotonic() + seconds
    context, pipes, processes = multiprocessing.get_context("fork"), [], []
    for number in range(PROCESSES):
        numbers = range(number, CLIENTS, PROCESSES)
        pipe, other = context.Pipe()
        pipes.append(pipe)
        processes.append(context.Process(target=honest, args=(service, numbers, ends, other), daemon=True))
        processes.append(context.Process(target=hostile, args=(service, numbers, ends, products), daemon=True))
    for process in processes:
        process.start()
    samples = []
    while time.monotonic() < ends:
        time.sleep(0.1)
        samples.append(service.usage())
    results = [pipe.recv() for pipe in pipes]
    for process in processes:
        process.join()
    times, failures = [time for times, _ in results for time in times], [failure for _, failures in results for failure in failures]
    check = attacks.Attack("load", None, None).check
    right = []

    def figure(what, asked, measured, is_right):
        right.append(is_right)
        check(what, asked, measured, is_right)

    wrong = [failure for failure in failures if failure.endswith("a wrong row")]
    figure("wrong rows", "0", f"{len(wrong)} of {len(times)} requests", not wrong and len(times) > CLIENTS)
    figure("failed requests", "0", f"{len(failures) - len(wrong)}", len(failures) == len(wrong))
    for name in sorted({name for _, name in times}):
        values = sorted(value for value, kind in times if kind == name)
        print(f"{'load':16} {name:24} {len(values)} requests: p50 {percentile(values, 0.5) * 1e3:.1f} ms, p99 {percentile(values, 0.99) * 1e3:.0f} ms, at most {values[-1] * 1e3:.0f} ms")
    values = sorted(value for value, _ in times)
    print(f"{'load':16} {'all':24} p50 {percentile(values, 0.5) * 1e3:.1f} ms, p99 {percentile(values, 0.99) * 1e3:.0f} ms, at most {values[-1] * 1e3:.0f} ms")
    third = len(samples) // 3
    first, last = max(sample.memory for sample in samples[:third]), max(sample.memory for sample in samples[-third:])
    most = max(sample.memory for sample in samples)
    figure("memory, last third", "first third and 64 MiB", f"{first >> 20} MiB, then {last >> 20} MiB", last <= first + 64 * MIB)
    figure("memory", f"{(WHOLE >> 20) + 256 + 64} MiB more than before", f"{most - before.memory >> 20} MiB", most - before.memory <= WHOLE + 320 * MIB)
    print(f"{'load':16} {'descriptors, threads':24} at most {max(sample.descriptors for sample in samples)}, {max(sample.threads for sample in samples)}")
    time.sleep(2)
    after = service.usage()
    try:
        streams = service.gauge("streams")
    except OSError:
        streams = -1.0
    figure("streams after", "0", f"{streams:.0f}", streams == 0)
    figure("descriptors after", "as before", f"{before.descriptors}, then {after.descriptors}", after.descriptors <= before.descriptors + 2)
    figure("threads after", "as before", f"{before.threads}, then {after.threads}", after.threads <= before.threads + 1)
    figure("memory after", "64 MiB more than before", f"{after.memory - before.memory >> 20} MiB", after.memory - before.memory <= 64 * MIB)
    code, log = service.stop()
    figure("the service", "runs", "runs" if code is None else f"exit code {code}: {log}", code is None)
    for failure in sorted(set(failures))[:10]:
        print("   ", failure[:200])
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
