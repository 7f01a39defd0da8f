#!/usr/bin/env python3
"""Attacks on the service from outside, while honest clients at another address measure how it answers them.

    python3 serve/tests/attack/attacks.py BINARY [NAME...] [--command PATH] [--list]

Each attack has a fresh service with default options unless it says otherwise, and lasts SECONDS. Next to it runs a
service that nobody attacks: what its clients measure at the same time is "idle", so that a busy machine slows down both.
BINARY should be a release build. The exit code is 1 if a figure misses its target, and 2 for wrong arguments.

The figures that each attack is held to:

- memory: the share of one client (128 MiB; with several addresses, 512 MiB for all), 1 MiB per connection, or 4 MiB where
  it is of HTTP/2 and sends as much as windows allow, and FREE for what the allocator keeps and the threads compute.
- others p50, p99: at most 5 ms and 100 ms more than twice idle, each of five kinds of requests, and none fails. Twice,
  because the machine may be shared with others, who do not slow down both services alike.
- threads: at most THREADS more than before, whatever the number of requests.
- after: two seconds after all connections of the attack are closed, memory is back within FREE, no stream is left over,
  and threads and descriptors are as before.
"""

import argparse
import collections
import contextlib
import gzip
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import wire
from victim import MIB, Service, Victims, percentile
from wire import Answers, Http2

SECONDS = 4
FREE = 64 * MIB
THREADS = 16
CLIENT, WHOLE = 128 * MIB, 512 * MIB
FEN = "k7/8/8/8/8/8/8/K7 w - -"
GZIP = "content-encoding: gzip"
CSV, JSONL, PGN = "content-type: text/csv", "content-type: application/x-ndjson", "content-type: application/vnd.chess-pgn"
ARROW = "content-type: application/vnd.apache.arrow.stream"
FLIGHT = "/arrow.flight.protocol.FlightService/"
ATTACKS = {}


def attack(connections=0, http2=0, addresses=1, options=(), load=True):
    """A test: `connections` and `http2` (at 4 MiB) are how many it opens; without `load`, nothing is measured meanwhile."""

    def add(function):
        function.connections, function.http2, function.addresses = connections, http2, addresses
        function.options, function.load = options, load
        ATTACKS[function.__name__.replace("_", "-")] = function
        return function

    return add


class Attack:
    """What an attack needs: the service, the time it has, and what it has opened."""

    def __init__(self, name, binary, command):
        self.name, self.binary, self.command = name, binary, command
        self.opened, self.events, self.failed = set(), collections.Counter(), 0
        self.mine = threading.local()
        self.ends = None

    def check(self, what, target, measured, right):
        self.failed += not right
        print(f"{self.name:18} {what:24} {target:38} {measured:38} {'ok' if right else 'NO'}", flush=True)

    def left(self):
        return max(0.0, self.ends - time.monotonic())

    def rest(self):
        time.sleep(self.left())

    def connect(self, number=0, receive=None):
        """A connection of HTTP/1.1 from the address of that number."""
        connection = wire.connect(self.service.http, f"127.0.1.{1 + number}", receive, SECONDS)
        return self._open(connection)

    def _open(self, connection):
        self.opened.add(connection)
        getattr(self.mine, "opened", []).append(connection)
        return connection

    def http2(self, address, number=0, receive=None, **values):
        connection = Http2(address, f"127.0.1.{1 + number}", receive, **values)
        connection.connection.settimeout(SECONDS)
        return self._open(connection)

    def exchange(self, connection, request):
        """Sends a request over a connection and reads its answer."""
        connection.sendall(request)
        drain(connection)
        self.events["answers"] += 1

    def together(self, count, function, again=False):
        """Calls the function with each number in a thread of its own; with `again`, until the time is up.

        What a call has opened is closed at its end.
        """

        def call(number):
            while True:
                self.mine.opened = []
                try:
                    function(number)
                except (OSError, ValueError, IndexError) as error:
                    self.events[str(error) or type(error).__name__] += 1
                    time.sleep(0.05)
                for connection in self.mine.opened:
                    connection.close()
                    self.opened.discard(connection)
                if not again or not self.left():
                    return

        threads = [threading.Thread(target=call, args=(number,), daemon=True) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(self.left() + 0.5)

    def ask(self, request, timeout=30):
        """An answer of HTTP, read to its end; status 0 if it is cut off."""
        try:
            return self.service.ask(self.service.http, request, timeout, "127.0.1.1")
        except (OSError, ValueError, IndexError) as error:
            return 0, str(error).encode()

    def close(self):
        for connection in list(self.opened):
            with contextlib.suppress(OSError):
                connection.close()
        self.opened.clear()


def unread(attack, number, request):
    """Sends a request and never reads."""
    connection = attack.connect(number, receive=4096)
    connection.sendall(request)
    attack.rest()


def drain(connection):
    """Reads a chunked answer to its end and drops it."""
    tail = b""
    while not tail.endswith(b"\r\n0\r\n\r\n"):
        received = connection.recv(1 << 18)
        if not received:
            raise ConnectionError("the connection ended within an answer")
        tail = (tail + received)[-16:]


def game(plies, tags=""):
    moves = ("Nf3 Nf6 Ng1 Ng8 " * (plies // 4 + 1)).split()[:plies]
    return f"{tags}\n{' '.join(moves)} *\n\n".encode()


# The table.


def ended_together(attack, count, addresses):
    """Requests whose last byte comes at once for all; a key of 15 KB is in each of their 5,696 rows."""
    body = b'[A "b"]\n\n1. e4 e5 *\n\n'
    request = wire.post(f"/v1/summarize?what={attack.service.products()}&by={'k' * 14000}", body)
    connections = [attack.connect(number % addresses, receive=4096) for number in range(count)]
    for connection in connections:
        connection.sendall(request[:-1])
    for connection in connections:
        connection.sendall(request[-1:])
    attack.rest()


@attack(connections=60)
def sums_key(attack):
    ended_together(attack, 60, 1)


@attack(connections=120, addresses=2)
def sums_key_two(attack):
    ended_together(attack, 120, 2)


@attack(connections=1)
def wide_header(attack):
    """1.1 KB: each row repeats a name of 1 MB."""
    body = b"fen," + b"A" * 1_000_000 + b"\n" + (FEN + ",\n").encode() * 600
    unread(attack, 0, wire.post("/v1/analyze?keep=all", gzip.compress(body), CSV, GZIP))


@attack(load=False)
def one_row(attack):
    """A row of 6 MB from a name of 1 MB in letters that JSON escapes: whole, or refused with its place."""
    body = b'fen,"' + b"\1" * 1_000_000 + b'"\n' + FEN.encode() + b",\n"
    status, answer = attack.ask(wire.post("/v1/analyze?keep=all", gzip.compress(body), CSV, GZIP))
    whole = status == 200 and answer.count(b"\n") == 1 and len(answer) > 6_000_000
    refused = status in (413, 422) and b'"line":' in answer
    attack.check("answer", "a row of 6 MB, or an error with a line", f"status {status}, {len(answer)} bytes", whole or refused)


@attack(connections=60)
def keep_pgn(attack):
    """Each row has a name of 14 KB."""
    body = gzip.compress(game(8000) * 4)
    request = wire.post(f"/v1/analyze?keep={'k' * 14000}", body, PGN, GZIP)
    attack.together(60, lambda number: unread(attack, 0, request))


@attack(connections=60)
def pgn_products(attack):
    """32 KB: every four bytes are a row of all products."""
    request = wire.post(f"/v1/analyze?what={attack.service.products()}", game(8000), PGN)
    attack.together(60, lambda number: unread(attack, 0, request))


@attack(connections=3)
def sums_keys(attack):
    keys = ",".join(["ply", *(str(number) for number in range(2500))])
    request = wire.post(f"/v1/summarize?by={keys}", game(1000), PGN)
    attack.together(3, lambda number: unread(attack, 0, request))


@attack(load=False)
def key_count(attack):
    for count, expected in (16, 200), (17, 400), (2500, 400):
        keys = ",".join(["ply", *(str(number) for number in range(count - 1))])
        status, _ = attack.ask(wire.post(f"/v1/summarize?what=maps&by={keys}", game(8), PGN))
        attack.check(f"{count} keys", f"status {expected}", f"status {status}", status == expected)


@attack(load=False)
def key_time(attack):
    """Rows that each make a group, by 2 and by 16 keys, and half as many rows."""
    seconds = {}
    for rows, keys in (2000, 2), (4000, 2), (4000, 16):
        lines = [f"{FEN},{row}," + ",".join(str(row * 7 % (97 + key)) for key in range(15)) for row in range(rows)]
        names = [f"c{key}" for key in range(16)]
        body = "\n".join(["fen," + ",".join(names), *lines]).encode()
        before = attack.service.usage().seconds
        status, _ = attack.ask(wire.post(f"/v1/summarize?what=legal_moves&by={','.join(names[:keys])}", body, CSV))
        seconds[rows, keys] = attack.service.usage().seconds - before
        attack.check(f"{rows} rows, {keys} keys", "status 200", f"status {status}", status == 200)
    base = max(seconds[2000, 2], 0.05)
    attack.check("twice the rows", "below 4 times as long", f"{seconds[4000, 2] / base:.1f}", seconds[4000, 2] < 4 * base)
    base = max(seconds[4000, 2], 0.05)
    attack.check("8 times the keys", "below 12 times as long", f"{seconds[4000, 16] / base:.1f}", seconds[4000, 16] < 12 * base)


@attack(connections=60)
def small_many(attack):
    """60 connections with 4,096 bytes of PGN each, which are 1,000 rows, one request after the other."""
    request = wire.post(f"/v1/analyze?what={attack.service.products()}", game(1020)[:4087] + b" *\n", PGN)

    def client(number):
        connection = attack.connect()
        while attack.left():
            attack.exchange(connection, request)

    attack.together(60, client, again=True)


@attack(connections=60)
def flight_info(attack):
    """Descriptors of 64 KB, whose answers cannot be sent."""
    command = b'{"call": "queen_attacks"' + b" " * 64_900 + b"}"
    call = wire.message(wire.descriptor(command=command))

    def client(number):
        connection = attack.http2(attack.service.flight, receive=4096, window=0)
        while attack.left():
            stream = connection.stream()
            connection.send(wire.grpc(stream, FLIGHT + "GetFlightInfo"))
            connection.send_in_windows(stream, call, True, attack.ends)
            attack.events["calls"] += 1

    attack.together(60, client)
    attack.rest()


@attack(connections=100)
def openapi_unread(attack):
    def client(number):
        connection = attack.http2(attack.service.http, receive=4096, window=0)
        for _ in range(100):
            connection.send(wire.headers(connection.stream(), "GET", "/openapi.json", end=True))
        attack.rest()

    attack.together(100, client)


@attack(connections=100)
def openapi_pipelined(attack):
    """Pipelined requests of HTTP/1.1, with no response read."""
    attack.together(100, lambda number: unread(attack, 0, wire.get("/openapi.json") * 200))


def odd_offsets(attack, addresses):
    """Batches whose buffers begin at odd bytes, so that they must be copied; results cannot be sent."""
    rows = 1_700_000
    header, body = wire.pairs(rows, shift=1)
    call = wire.flight(wire.PAIRS, first=wire.descriptor(path="queen_attacks")) + wire.flight(header, body) * 2
    stream_of_arrow = wire.ipc((wire.PAIRS, b""), (header, body), (header, body))
    request = wire.post("/v1/attacks?slider=queen", stream_of_arrow, ARROW, "accept: application/vnd.apache.arrow.stream")

    def client(number):
        if number % 2:
            unread(attack, number // 2 % addresses, request)
        else:
            connection = attack.http2(attack.service.flight, number // 2 % addresses, receive=4096, window=0)
            stream = connection.stream()
            connection.send(wire.grpc(stream, FLIGHT + "DoExchange"))
            connection.send_in_windows(stream, call, False, attack.ends)
            attack.rest()

    attack.together(40, client)
    attack.rest()


@attack(connections=20, http2=20)
def arrow_odd(attack):
    odd_offsets(attack, 1)


@attack(connections=20, http2=20, addresses=4)
def arrow_odd_four(attack):
    odd_offsets(attack, 4)


def wide_csv(columns, names):
    names = [f"{number:04x}" for number in range(names)]
    return gzip.compress(b"fen," + b"x," * columns + ",".join(names).encode() + b"\n" + FEN.encode() + b"\n"), ",".join(names)


@attack(http2=20)
def resets(attack):
    """Streams that end at once, each with 490,000 columns and 2,800 names to keep."""
    body, names = wide_csv(480_000, 2800)
    headers = [("content-type", "text/csv"), ("content-encoding", "gzip")]

    def client(number):
        connection = attack.http2(attack.service.http)
        while attack.left() > 1:
            stream = connection.stream()
            connection.send(wire.headers(stream, "POST", f"/v1/analyze?on_error=skip&keep={names}", headers))
            connection.send_in_windows(stream, body, True, attack.ends)
            connection.send(wire.frame(wire.RST_STREAM, 0, stream, bytes([0, 0, 0, 8])))
            attack.events["streams"] += 1

    attack.together(20, client, again=True)
    before = attack.service.usage().seconds
    time.sleep(2)
    worked = attack.service.usage().seconds - before
    attack.check("work after the last", "below 1 s within 2 s", f"{worked:.2f} s", worked < 1)


@attack(load=False)
def columns(attack):
    for count, right in (1000, (200,)), (480_000, (400, 413, 422)):
        body, names = wide_csv(count - 10, 10)
        status, _ = attack.ask(wire.post(f"/v1/analyze?keep={names}&on_error=skip", body, CSV, GZIP))
        attack.check(f"{count} columns", f"status {' or '.join(map(str, right))}", f"status {status}", status in right)


def paths():
    numbers = ",".join(f"a.{number}" for number in range(480_000, 481_600))
    body = b'{"fen": "' + FEN.encode() + b'", "a": [' + b"0," * 490_000 + b"0]}\n"
    return wire.post(f"/v1/analyze?keep={numbers}", gzip.compress(body), JSONL, GZIP)


@attack(load=False)
def path_time(attack):
    """One request of 1,600 paths over 1 MB of JSON."""
    before = attack.service.usage().seconds
    status, _ = attack.ask(paths())
    worked = attack.service.usage().seconds - before
    attack.check("status", "status 200", f"status {status}", status == 200)
    attack.check("processor time", "below 0.5 s", f"{worked:.2f} s", worked < 0.5)


@attack(connections=16)
def keep_paths(attack):
    request = paths()

    def client(number):
        attack.exchange(attack.connect(), request)

    attack.together(16, client, again=True)


@attack(connections=120)
def documents(attack):
    """Each asks for /openapi.json and /v1/products as fast as it can read them."""

    def client(number):
        connection = attack.connect()
        answers = Answers(connection)
        while attack.left():
            for path in "/openapi.json", "/v1/products":
                connection.sendall(wire.get(path))
                answers.next()
                attack.events["answers"] += 1

    attack.together(120, client, again=True)


@attack(load=False, options=("--grace", "8"))
def goaway(attack):
    """Clients that ignore GOAWAY, without streams."""
    for address in attack.service.flight, attack.service.http:
        connection = attack.http2(address)
        stream = connection.stream()
        if address == attack.service.http:
            connection.send(wire.headers(stream, "GET", "/healthz", end=True))
        else:
            connection.send(wire.grpc(stream, "/grpc.health.v1.Health/Check"), wire.data(stream, wire.message(b""), True))
        connection.whole(stream, 5)
    started = time.monotonic()
    attack.service.process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        attack.service.process.wait(10)
    took, code = time.monotonic() - started, attack.service.process.poll()
    attack.check("end after SIGTERM", "within 1 s, exit code 0", f"{took:.1f} s, exit code {code}", took < 1 and code == 0)


@attack(load=False)
def server_resets(attack):
    """Streams that the server must reset, as their windows overflow: how many until the connection ends."""
    for name in "http", "flight":
        connection, count = attack.http2(getattr(attack.service, name)), 0
        try:
            for count in range(0, 20_000, 20):
                frames = []
                for _ in range(20):
                    stream = connection.stream()
                    frames.append(wire.headers(stream, "POST", "/v1/analyze") if name == "http" else wire.grpc(stream, FLIGHT + "DoExchange"))
                    frames.append(wire.frame(wire.WINDOW_UPDATE, 0, stream, b"\x7f\xff\xff\xff"))
                connection.send(*frames)
                answer = (wire.SETTINGS, 0, 0, b"")
                connection.send(wire.frame(wire.PING, 0, 0, bytes(8)))
                while answer and not (answer[0] == wire.PING and answer[1] & wire.ACK):
                    answer = connection.read(5)
                    if answer and answer[0] == wire.GOAWAY:
                        answer = None
                if not answer:
                    break
        except OSError:
            pass
        attack.check(f"resets, port of {name}", "the connection ends within 2,000", f"{count:,}", count < 2000)


@attack(load=False)
def half_closed(attack):
    body = FEN.encode() + b"\n"
    for name, request in ("POST", wire.post("/v1/analyze", body)), ("GET", wire.get("/v1/products")):
        connection = attack.connect()
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        try:
            status, answer = Answers(connection).next()
        except OSError as error:
            status, answer = 0, str(error).encode()
        attack.check(f"{name}, half-closed", "status 200", f"status {status}, {len(answer)} bytes", status == 200 and answer)


@attack(load=False)
def refusals(attack):
    method = b"M" * 9000
    status, body = attack.ask(wire.get("/v1/analyze").replace(b"GET", method, 1))
    attack.check("a method of 9 KB", "below 1,000 bytes, 405 or 400", f"status {status}, {len(body):,} bytes", status in (400, 405) and len(body) < 1000)
    status, body = attack.ask(wire.get("/" + "p" * 9000))
    attack.check("a path of 9 KB", "below 1,000 bytes, 404", f"status {status}, {len(body):,} bytes", status == 404 and len(body) < 1000)


with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as PAGE:
    PAGE.write("""<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'"><title>A page</title>""")


@attack(load=False, options=("--page", PAGE.name))
def page(attack):
    """With a page at /, an error must not say that / lists what there is."""
    status, body = attack.ask(wire.get("/nothing"))
    _, root = attack.ask(wire.get("/"))
    listed = b"GET / lists" not in body or b"/v1/products" in root
    attack.check("what 404 names", "a list that is there", body.decode()[:60], status == 404 and listed)


@attack(load=False)
def command(attack):
    """The command with a file of 1.5 MB, whose every row repeats a name of 1 MB."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(b"fen," + b"A" * 1_000_000 + b"\n" + (FEN + ",\n").encode() * 20_000)
        file.flush()
        run = subprocess.Popen([attack.command, "analyze", file.name, "--keep", "all", "--format", "jsonl"], stdout=subprocess.DEVNULL)
        peak, ends = 0, time.monotonic() + 8
        while run.poll() is None and time.monotonic() < ends:
            with contextlib.suppress(OSError, IndexError):
                lines = [line for line in open(f"/proc/{run.pid}/status") if line.startswith("VmHWM")]
                peak = max(peak, int(lines[0].split()[1]) << 10)
            time.sleep(0.02)
        code = run.poll()
        run.kill()
        run.wait()
    attack.check("memory", "200 MiB", f"{peak >> 20:,} MiB", peak < 200 * MIB)
    attack.check("exit code", "0, or still writing", str(code), code in (None, 0))


@attack(options=("--idle", "1", "--least-rate", str(4 * MIB)), load=False)
def hold(attack):
    """How long a client that reads nothing of 80 MB keeps them held, where 4 MiB per second are the limit."""
    body = b'[A "b"]\n\n1. e4 e5 *\n\n'
    connection = attack.connect(receive=4096)
    connection.sendall(wire.post(f"/v1/summarize?what={attack.service.products()}&by={'k' * 14000}", body))
    time.sleep(0.5)
    started = time.monotonic()
    while time.monotonic() < started + 15 and attack.service.gauge("held_bytes") > 0:
        time.sleep(0.2)
    took = time.monotonic() - started
    attack.check("an unread answer", "ends within 10 s", f"{took:.1f} s", took < 10)


# Attacks of other kinds, which run with --all or by name.


def zstd(*blocks, window=8):
    """A frame of zstd of (byte, length) runs, with a window of so many MiB, without its last block."""
    frame = b"\x28\xb5\x2f\xfd\0" + bytes([(window.bit_length() + 9) << 3])
    for byte, length in blocks:
        frame += (length << 3 | 2).to_bytes(3, "little") + byte
    return frame


@attack(connections=60)
def other_windows(attack):
    """Bodies of zstd with windows of 8 MiB, which are filled and then silent."""
    frame = zstd(*[(b"\n", 100_000)] * 80)
    request = wire.post("/v1/analyze", frame + bytes(1000), "content-encoding: zstd")[:-1000]
    attack.together(60, lambda number: unread(attack, 0, request))


@attack(connections=8)
def other_blank(attack):
    """1 MB that unpacks to 256 MB of line ends."""
    padding = b"\x50\x2a\x4d\x18" + (1_000_000).to_bytes(4, "little") + bytes(1_000_000)
    blank = zstd(*[(b"\n", 100_000)] * 2500) + b"\1\0\0"
    request = wire.post("/v1/analyze", padding + blank, "content-encoding: zstd")

    def client(number):
        connection = attack.connect()
        connection.sendall(request)
        attack.events[str(Answers(connection).next())[:80]] += 1

    attack.together(8, client, again=True)


@attack(connections=8)
def other_members(attack):
    """Members of gzip and frames of zstd that are empty, 4 MB in each request."""
    for_gzip = wire.post("/v1/analyze", gzip.compress(b"") * 200_000, GZIP)
    for_zstd = wire.post("/v1/analyze", b"\x28\xb5\x2f\xfd\x20\0\1\0\0" * 400_000, "content-encoding: zstd")

    def client(number):
        connection = attack.connect()
        connection.sendall(for_zstd if number % 2 else for_gzip)
        attack.events[str(Answers(connection).next())[:120]] += 1

    attack.together(8, client, again=True)


def asked_again(attack, count, *requests):
    """Some connections that send these requests in turns and read the answers."""

    def client(number):
        connection = attack.connect()
        connection.sendall(requests[number % len(requests)])
        status, body = Answers(connection).next()
        attack.events[f"{status}, {len(body)} bytes {body[:80] if status != 200 else ''}"] += 1

    attack.together(count, client, again=True)


@attack(connections=16)
def other_nested(attack):
    """500,000 brackets in JSON, in PGN and in the name of a path."""
    line = b'{"fen": "' + FEN.encode() + b'", "a": ' + b"[" * 500_000 + b"]" * 500_000 + b"}\n"
    objects = b'{"a":' * 160_000
    moves = b"\n1. e4 " + b"(1. d4 " * 100_000 + b") " * 100_000 + b"*\n"
    asked_again(
        attack,
        16,
        wire.post("/v1/analyze?keep=all", gzip.compress(line), JSONL, GZIP),
        wire.post("/v1/analyze?keep=a", gzip.compress(objects), JSONL, GZIP),
        wire.post("/v1/analyze?variations=true&keep=all", gzip.compress(moves), PGN, GZIP),
        wire.post("/v1/analyze?keep=" + "a." * 7000 + "a", gzip.compress(objects + b"1" + b"}" * 160_000), JSONL, GZIP),
    )


@attack(connections=16)
def other_conditions(attack):
    """Games with 25,000 tags, and 1,500 conditions that read the last one."""
    tags = "".join(f'[T{number} "1"]\n' for number in range(25_000))
    conditions = ",".join(f"T{number}=1" for number in range(24_000, 25_000))
    body = gzip.compress(game(2, tags) * 20)
    asked_again(
        attack,
        16,
        wire.post(f"/v1/analyze?what=legal_moves&games={conditions}", body, PGN, GZIP),
        wire.post(f"/v1/analyze?what=legal_moves&keep={conditions.replace('=1', '')}", body, PGN, GZIP),
    )


@attack(connections=40)
def other_groups(attack):
    """10,000 groups in each request, in all products, which cannot be sent."""
    lines = "".join(f"{FEN},{number}\n" for number in range(9_000))
    body = gzip.compress(f"fen,c\n{lines}".encode())
    all_products = wire.post(f"/v1/summarize?what={attack.service.products()}&by=c", body, CSV, GZIP)
    maps = wire.post("/v1/summarize?what=legal_moves&by=c", body, CSV, GZIP)
    attack.together(40, lambda number: unread(attack, 0, all_products if number % 2 else maps))


@attack(connections=64, addresses=2)
def other_groups_two(attack):
    """The same of two clients, which close their connections before the end: nobody may wait for them."""
    lines = "".join(f"{FEN},{number}\n" for number in range(9_000))
    request = wire.post(f"/v1/summarize?what={attack.service.products()}&by=c", gzip.compress(f"fen,c\n{lines}".encode()), CSV, GZIP)
    connections = [attack.connect(number % 2, receive=4096) for number in range(64)]
    for connection in connections:
        connection.sendall(request)
    time.sleep(1)
    attack.close()
    attack.rest()


@attack(connections=40)
def other_values(attack):
    """Keys of groups with 900 KB each, 60 in each request."""
    lines = b"".join(FEN.encode() + b"," + b"%d" % number + b"A" * 900_000 + b"\n" for number in range(60))
    request = wire.post("/v1/summarize?what=legal_moves&by=c", gzip.compress(b"fen,c\n" + lines), CSV, GZIP)
    attack.together(40, lambda number: unread(attack, 0, request))


@attack(http2=40)
def other_pings(attack):
    """Pings and settings whose answers are not read, on both ports."""
    frames = wire.frame(wire.PING, 0, 0, bytes(8)) * 500 + wire.settings(window=1) * 500

    def client(number):
        connection = attack.http2(attack.service.flight if number % 2 else attack.service.http, receive=4096)
        while attack.left():
            connection.send(frames)
            attack.events["blocks of 1,000 frames"] += 1

    attack.together(40, client, again=True)


@attack(http2=20)
def other_frames(attack):
    """Frames without content: of data, and of headers that never end."""

    def client(number):
        connection = attack.http2(attack.service.flight if number % 2 else attack.service.http)
        stream = connection.stream()
        if number % 4 < 2:
            connection.send(wire.headers(stream, "POST", "/v1/analyze") if number % 2 == 0 else wire.grpc(stream, FLIGHT + "DoExchange"))
            frames = wire.frame(wire.DATA, 0, stream) * 1000
        else:
            connection.send(wire.frame(wire.HEADERS, 0, stream, wire.block([(":method", "GET")])))
            frames = wire.frame(wire.CONTINUATION, 0, stream) * 1000
        while attack.left():
            connection.send(frames)
            attack.events["blocks of 1,000 frames"] += 1

    attack.together(20, client, again=True)


@attack(http2=20)
def other_rapid(attack):
    """Requests that are reset at once, small ones, on both ports."""
    call = wire.data(1, wire.flight(wire.PAIRS, first=wire.descriptor(path="rook_attacks")) + wire.flight(*wire.pairs(1000)))[9:]

    def client(number):
        connection = attack.http2(attack.service.flight if number % 2 else attack.service.http)
        while attack.left():
            frames = []
            for _ in range(50):
                stream = connection.stream()
                if number % 2:
                    frames += [wire.grpc(stream, FLIGHT + "DoExchange"), wire.data(stream, call)]
                else:
                    frames += [wire.headers(stream, "GET", f"/v1/analyze?fen={FEN.replace(' ', '_')}", end=True)]
                frames.append(wire.frame(wire.RST_STREAM, 0, stream, bytes([0, 0, 0, 8])))
            connection.send(*frames)
            attack.events["blocks of 50 streams"] += 1

    attack.together(20, client, again=True)


@attack(connections=60)
def other_drips(attack):
    """A record of 1 MB in pieces of 200 bytes: a field in quotation marks, a comment of PGN, a line of JSON."""
    begins = [(CSV, b'fen,a\nx,"'), (PGN, b"\n1. e4 {"), (JSONL, b'{"a": "')]

    def client(number):
        kind, begin = begins[number % 3]
        connection = attack.connect()
        connection.sendall(f"POST /v1/analyze?keep=all HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n{kind}\r\n\r\n".encode())
        connection.sendall(b"%x\r\n%s\r\n" % (len(begin), begin))
        for _ in range(5000):
            connection.sendall(b"c8\r\n" + b"\n" * 200 + b"\r\n" if number % 3 == 0 else b"c8\r\n" + b"x" * 200 + b"\r\n")
        attack.events["records"] += 1

    attack.together(60, client, again=True)


@attack(connections=60)
def other_bytes(attack):
    """Chunks of one byte, with an extension of 100 bytes."""
    chunk = b"1;" + b"e" * 100 + b"\r\n\n\r\n"

    def client(number):
        connection = attack.connect()
        connection.sendall(b"POST /v1/analyze HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        while attack.left():
            connection.sendall(chunk * 500)
            attack.events["blocks of 500 chunks"] += 1

    attack.together(60, client, again=True)


@attack(connections=30, http2=30)
def other_schema(attack):
    """Schemas of 2,500 columns, as large as they may be."""
    header = wire.schema([("occupancies", 64), ("squares", 8), *((f"c{number}", 64) for number in range(2500))])
    request = wire.post("/v1/attacks?slider=rook", wire.ipc((header, b"")), ARROW)
    call = wire.flight(header, first=wire.descriptor(path="rook_attacks"))

    def client(number):
        if number % 2:
            connection = attack.connect()
            connection.sendall(request)
            status, body = Answers(connection).next()
            attack.events[f"{status} {body[:80]}"] += 1
        else:
            connection = attack.http2(attack.service.flight)
            while attack.left():
                stream = connection.stream()
                connection.send(wire.grpc(stream, FLIGHT + "DoExchange"))
                connection.send_in_windows(stream, call, True, attack.ends)
                connection.whole(stream, 5)
                attack.events["calls"] += 1

    attack.together(60, client, again=True)


@attack(connections=30, http2=30)
def other_batches(attack):
    """Batches of no row and of one row, thousands in each stream."""
    few = [wire.pairs(number % 2) for number in range(4000)]
    request = wire.post("/v1/attacks?slider=rook", wire.ipc((wire.PAIRS, b""), *few), ARROW)
    call = wire.flight(wire.PAIRS, first=wire.descriptor(path="rook_attacks")) + b"".join(wire.flight(*one) for one in few)

    def client(number):
        if number % 2:
            attack.exchange(attack.connect(), request)
        else:
            connection = attack.http2(attack.service.flight, window=1 << 20)
            stream = connection.stream()
            connection.open_window()
            connection.send(wire.grpc(stream, FLIGHT + "DoExchange"))
            connection.send_in_windows(stream, call, True, attack.ends)
            connection.whole(stream, 5)
            attack.events["streams"] += 1

    attack.together(60, client, again=True)


@attack(connections=16)
def other_repeated(attack):
    """A product named 2,000 times, a column kept 3,000 times, a key 16 times, a number of 14,000 digits."""
    body = (FEN + "\n").encode() * 2000
    asked_again(
        attack,
        16,
        wire.post(f"/v1/analyze?what={','.join(['counts'] * 2000)}", body),
        wire.post(f"/v1/analyze?keep={','.join(['fen'] * 3000)}", body),
        wire.post(f"/v1/summarize?by={','.join(['side'] * 3000)}", body),
        wire.post(f"/v1/analyze?every={'9' * 14000}", body),
    )


@attack(connections=60)
def other_lines(attack):
    """Records of almost 1 MiB that do not end: a line, a game, a record of CSV."""
    texts = (CSV, b"fen,a\n" + FEN.encode() + b',"' + b"x" * 1_040_000), (PGN, b"\n1. e4 " + b"(1. d4) " * 130_000), (JSONL, b'{"a": "' + b"x" * 1_040_000)

    def client(number):
        kind, body = texts[number % 3]
        unread(attack, 0, wire.post("/v1/analyze?keep=all", body + b"xx", kind)[:-2])

    attack.together(60, client)


@attack(connections=60)
def other_packed(attack):
    """Answers in gzip and in zstd that are not read."""
    body = gzip.compress(game(8000) * 4)
    products = attack.service.products()
    requests = [wire.post(f"/v1/analyze?what={products}&keep=fen", body, PGN, GZIP, f"accept-encoding: {name}") for name in ("gzip", "zstd")]
    attack.together(60, lambda number: unread(attack, 0, requests[number % 2]))


@attack(connections=120)
def other_heads(attack):
    """Headers of 15 KB that do not end, and requests that wait to be told to go on."""
    head = ("GET / HTTP/1.1\r\nhost: x\r\n" + "".join(f"h{number}: {'v' * 250}\r\n" for number in range(58))).encode()
    expect = b"POST /v1/analyze HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\nexpect: 100-continue\r\n\r\n"
    attack.together(120, lambda number: unread(attack, 0, expect if number % 2 else head), again=True)


@attack(http2=30)
def other_descriptions(attack):
    """ListFlights, GetSchema and actions without end, whose answers cannot be sent."""

    def client(number):
        connection = attack.http2(attack.service.flight, receive=4096, window=0)
        command = b'{"call": "analyze", "what": [' + b",".join([b'"threats"'] * 5000) + b"]}"
        method, content = [
            ("ListFlights", b""),
            ("GetSchema", wire.descriptor(command=command)),
            ("DoAction", wire.field(1, b"cpu")),
            ("ListActions", b""),
        ][number % 4]
        while attack.left():
            stream = connection.stream()
            connection.send(wire.grpc(stream, FLIGHT + method))
            connection.send_in_windows(stream, wire.message(content), True, attack.ends)
            attack.events["calls"] += 1

    attack.together(30, client)
    attack.rest()


@attack(connections=1500)
def other_metrics(attack):
    """1,500 connections to the port of the metrics, half of which say nothing and half of which read nothing."""

    def client(number):
        for _ in range(75):
            connection = wire.connect(attack.service.metrics, "127.0.1.1", 4096)
            attack.opened.add(connection)
            connection.sendall(wire.get("/metrics") * (20 * (number % 2)))

    attack.together(20, client)
    attack.rest()


@attack(http2=30)
def other_amplified(attack):
    """Bitboards with the most threats there are, in all products: 100 bytes of a row are some kilobytes; nothing is read."""
    names = [f"{side}_{piece}" for side in ("white", "black") for piece in ("pawn", "knight", "bishop", "rook", "queen", "king")]
    boards = [0x00FF000000000000 >> 8, 0x42, 0x24, 0x81, 0x3C3C000000 << 8, 1 << 4] + [0xFF00 << 8, 0x42 << 56, 0x24 << 56, 0x81 << 56, 0xC3C3000000 << 8, 1 << 60]
    rows, buffers = 100_000, []
    for board in boards:
        buffers += [b"", board.to_bytes(8, "little") * rows]
    schema = wire.schema([(name, 64) for name in names] + [("side_to_move", 0)])
    products = ",".join(f'"{name}"' for name in attack.service.products().split(","))
    command = b'{"call": "analyze", "on_error": "report", "what": [%s]}' % products.encode()
    offsets = b"".join(number.to_bytes(4, "little") for number in range(rows + 1))
    buffers += [b"", offsets, b"w" * rows]
    header, body = wire.batch(rows, buffers, nodes=[(rows, 0)] * 13)
    call = wire.flight(schema, first=wire.descriptor(command=command)) + wire.flight(header, body) * 3

    def client(number):
        connection = attack.http2(attack.service.flight, receive=4096, window=0)
        stream = connection.stream()
        connection.send(wire.grpc(stream, FLIGHT + "DoExchange"))
        connection.send_in_windows(stream, call, False, attack.ends)
        attack.events["sent"] += 1
        attack.rest()

    attack.together(30, client)


@attack(connections=60)
def other_trailers(attack):
    """Trailers of chunks without end."""
    head = b"POST /v1/analyze HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n"

    def client(number):
        connection = attack.connect()
        connection.sendall(head)
        for count in range(100_000):
            if not attack.left():
                break
            connection.sendall(b"t%d: %s\r\n" % (count, b"v" * 1000))
        attack.events["ended"] += 1

    attack.together(60, client, again=True)


@attack(load=False)
def other_depth(attack):
    """Paths of 7,000 steps, 100 paths that are prefixes of each other, and 1,000 conditions on 25,000 tags: one request each."""
    nested = b'{"fen": "' + FEN.encode() + b'", "a": ' + b'{"a":' * 160_000 + b"1" + b"}" * 160_001 + b"\n"
    tags = "".join(f'[T{number} "1"]\n' for number in range(25_000))
    conditions = ",".join(f"T{number}=1" for number in range(24_000, 25_000))
    prefixes = ",".join("a" + ".a" * steps for steps in range(1, 100))
    for name, path, kind, body in (
        ("a path of 7,000 steps", f"/v1/analyze?keep={'a.' * 7000}a", JSONL, nested),
        ("100 prefixes", f"/v1/analyze?keep={prefixes}", JSONL, nested),
        ("1,000 conditions", f"/v1/analyze?what=legal_moves&games={conditions}", PGN, game(2, tags) * 20),
    ):
        before = attack.service.usage().seconds
        status, _ = attack.ask(wire.post(path, gzip.compress(body), kind, GZIP))
        worked = attack.service.usage().seconds - before
        attack.check(name, "below 0.5 s", f"{worked:.2f} s, status {status}", worked < 0.5 and status > 0)


@attack(load=False)
def other_all_end(attack):
    """60 connections of one client with 5 MB of answer each, half of which read after all others: each ends, with all rows."""
    request = wire.post(f"/v1/analyze?what=legal_moves&keep={'k' * 14000}", game(360), PGN)
    attack.ends = time.monotonic() + 30
    rows = []

    def client(number):
        connection = attack.connect(receive=65536)
        connection.settimeout(30)
        connection.sendall(request)
        if number % 2:
            time.sleep(3)
        status, body = Answers(connection).next()
        rows.append(body.count(b"\n"))

    attack.together(60, client)
    attack.check("answers with all rows", "60 of 361 rows", f"{rows.count(361)} of {len(rows)}", rows == [361] * 60)


@attack(load=False)
def other_harmed(attack):
    """Streams of a client that are not read do not keep its small requests from an answer."""
    products = attack.service.products()
    attack.ends = time.monotonic() + 8
    request = wire.post(f"/v1/analyze?what={products}", game(8000), PGN)
    for _ in range(40):
        connection = attack.connect(receive=4096)
        connection.sendall(request)
    time.sleep(2)
    times = []
    for _ in range(20):
        started = time.monotonic()
        status, _ = attack.ask(wire.post("/v1/analyze?what=maps", FEN.encode() + b"\n"), 3)
        times.append(time.monotonic() - started if status == 200 else 3.0)
        if time.monotonic() > attack.ends:
            break
    attack.check("small requests", "below 1 s each", f"at most {max(times):.2f} s", max(times) < 1)


def measure(attack, function, idle):
    """The attack, with victims of its service and of one that is idle."""
    victims = Victims(attack.service, idle)
    time.sleep(0.8)
    before, peak, running = attack.service.usage(), collections.Counter(), threading.Event()

    def sample():
        while not running.wait(0.02):
            for name, value in attack.service.usage()._asdict().items():
                peak[name] = max(peak[name], value)

    sampler = threading.Thread(target=sample)
    sampler.start()
    begin = time.monotonic()
    attack.ends = begin + SECONDS
    try:
        function(attack)
        attack.rest()
        end = time.monotonic()
        peak["memory"] = max(peak["memory"], attack.service.usage().peak)
        taken = victims.between(begin, end)
    finally:
        running.set()
        sampler.join()
        attack.close()
    allowed = (CLIENT if attack.addresses() == 1 else WHOLE) + FREE + function.connections * MIB + function.http2 * 4 * MIB
    grown = peak["memory"] - before.memory
    attack.check("memory", f"{allowed >> 20} MiB more than before", f"{grown >> 20:,} MiB", grown <= allowed)
    half, most, wrong = [], [], []
    for (service, kind), (values, errors) in taken.items():
        if service == 0:
            quiet = taken[1, kind][0]
            half.append((percentile(values, 0.5) - percentile(quiet, 0.5), percentile(values, 0.5), kind))
            most.append((percentile(values, 0.99) - percentile(quiet, 0.99), percentile(values, 0.99), kind))
            wrong += errors
    (above, value, kind), (above99, value99, kind99) = max(half), max(most)
    attack.check("others p50", "twice idle and 5 ms", f"{value * 1e3:.1f} ms, idle and {above * 1e3:.1f} ({kind})", above < 0.005 + value - above)
    attack.check("others p99", "twice idle and 100 ms", f"{value99 * 1e3:.0f} ms, idle and {above99 * 1e3:.0f} ({kind99})", above99 < 0.1 + value99 - above99)
    attack.check("others fail", "0", f"{len(wrong)} {wrong[0][:60] if wrong else ''}", not wrong)
    ends = time.monotonic() + 2
    while True:
        after = attack.service.usage()
        with contextlib.suppress(OSError, TypeError, ValueError, IndexError):
            streams = -1.0
            streams = attack.service.gauge("streams")
        back = after.memory - before.memory <= FREE and after.descriptors <= before.descriptors + 3
        back = back and after.threads <= before.threads + 1 and 0 <= streams <= 5
        if back or time.monotonic() > ends:
            break
        time.sleep(0.1)
    attack.check("memory after", f"{FREE >> 20} MiB more than before", f"{after.memory - before.memory >> 20:,} MiB", after.memory - before.memory <= FREE)
    # The victims have connections and streams of their own.
    attack.check("streams after", "those of the others, at most 5", f"{streams:.0f}", 0 <= streams <= 5)
    attack.check("descriptors", "as before", f"{before.descriptors}, {peak['descriptors']}, then {after.descriptors}", after.descriptors <= before.descriptors + 3)
    attack.check("threads", f"at most {THREADS} more, then as before", f"{before.threads}, {peak['threads']}, then {after.threads}", peak["threads"] <= before.threads + THREADS and after.threads <= before.threads + 1)
    victims.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--command", help="the command slider-attacks [default: in the directory of BINARY]")
    parser.add_argument("--all", action="store_true", help="also run attacks of other kinds")
    parser.add_argument("--list", action="store_true", help="only list the names")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{name:18} {(function.__doc__ or '').splitlines()[0] if function.__doc__ else ''}" for name, function in ATTACKS.items()))
        return 0
    unknown = [name for name in options.names if name not in ATTACKS]
    if unknown:
        parser.error(f"there is no attack {unknown[0]}: {', '.join(ATTACKS)}")
    binary = os.path.abspath(options.binary)
    command = options.command or os.path.join(os.path.dirname(binary), "slider-attacks")
    failed, idle = 0, Service(binary)
    print(f"{'attack':18} {'figure':24} {'target':38} {'measured':38} ok")
    for name in options.names or [name for name in ATTACKS if options.all or not name.startswith("other-")]:
        function = ATTACKS[name]
        attack = Attack(name, binary, command)
        attack.service = Service(binary, *function.options)
        attack.addresses = lambda: function.addresses
        attack.ends = time.monotonic() + SECONDS
        try:
            if function.load:
                measure(attack, function, idle)
            else:
                function(attack)
        except Exception as error:
            attack.check("the attack", "runs", f"{type(error).__name__}: {error}"[:100], False)
        attack.close()
        code, log = attack.service.stop()
        if name != "goaway":
            attack.check("the service", "runs", "runs" if code is None else f"exit code {code}: {log}", code is None)
        if attack.events and os.environ.get("VERBOSE"):
            print("   ", dict(attack.events.most_common(4)))
        failed += attack.failed
    idle.stop()
    os.unlink(PAGE.name)
    print(f"{failed} figures are not as asked" if failed else "all figures are as asked")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
