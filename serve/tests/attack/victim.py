"""The service under attack, and the clients that measure how it answers meanwhile."""

import collections
import json
import multiprocessing
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time

import wire

MIB = 1 << 20
FENS = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\nk7/8/8/8/8/8/8/R6K b - -\n"
RATE = 40  # requests per second of each kind


class Service:
    """A process of the service on free ports of the loopback, with at most 8 GiB of addresses."""

    def __init__(self, binary, *options):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [binary, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE,
            stderr=self.log,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)),
        )
        lines = [self.process.stdout.readline().decode() for _ in range(3)]
        ports = [re.search(r":(\d+)", line.split("//", 1)[1]) for line in lines]
        self.flight, self.http, self.metrics = [("127.0.0.1", int(port[1])) for port in ports]

    def usage(self):
        """Bytes of memory now and at most, threads, descriptors, and seconds of processor time."""
        root = f"/proc/{self.process.pid}"
        try:
            status = dict(re.findall(r"^(\w+):\s+(\d+)", open(f"{root}/status").read(), re.M))
            times = open(f"{root}/stat").read().rsplit(")", 1)[1].split()
            seconds = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
            descriptors = len(os.listdir(f"{root}/fd"))
            return Usage(int(status["VmRSS"]) << 10, int(status["VmHWM"]) << 10, int(status["Threads"]), descriptors, seconds)
        except (OSError, KeyError):
            return Usage(0, 0, 0, 0, 0)

    def gauge(self, name):
        _, body = self.ask(self.metrics, wire.get("/metrics"))
        return float(re.search(rf"^slider_attacks_{name} (\S+)$", body.decode(), re.M)[1])

    def ask(self, address, request, timeout=10, source="127.0.0.9"):
        """The answer to one request of HTTP/1.1."""
        connection = wire.connect(address, source, timeout=timeout)
        try:
            connection.sendall(request)
            return wire.Answers(connection).next()
        finally:
            connection.close()

    def products(self):
        return ",".join(json.loads(self.ask(self.http, wire.get("/v1/products"))[1]))

    def stop(self):
        """The exit code, and the last lines of the log if it is not that of a process that was killed here."""
        code = self.process.poll()
        if code is None:
            self.process.kill()
        self.process.wait()
        self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, self.log.tell() - 400))
        last = self.log.read().decode(errors="replace")
        self.log.close()
        self.process.stdout.close()
        return code, last


Usage = collections.namedtuple("Usage", "memory peak threads descriptors seconds")


class Kept:
    """Requests of HTTP/1.1 on a connection that is kept open."""

    def __init__(self, service, request):
        self.request = request
        self.connection = wire.connect(service.http, "127.0.0.2", timeout=5)
        self.answers = wire.Answers(self.connection)

    def ask(self):
        self.connection.sendall(self.request)
        status, body = self.answers.next()
        if status != 200:
            raise ConnectionError(f"status {status}: {body[:200]!r}")
        return body

    def close(self):
        self.connection.close()


class Get(Kept):
    def __init__(self, service):
        super().__init__(service, wire.get("/v1/attacks?slider=rook&square=a1&occ=0x0"))


class Rows(Kept):
    def __init__(self, service):
        super().__init__(service, wire.post("/v1/analyze?what=maps,counts", FENS))


class Sums(Kept):
    def __init__(self, service):
        super().__init__(service, wire.post("/v1/summarize?what=maps&by=side", FENS))


class Health:
    """A new connection for each request, to the port of HTTP and to that of the metrics in turns."""

    def __init__(self, service):
        self.service, self.turns = service, 0

    def ask(self):
        self.turns += 1
        address = self.service.http if self.turns % 2 else self.service.metrics
        status, body = self.service.ask(address, wire.get("/healthz", "connection: close"), 5, "127.0.0.2")
        return b"%d %s" % (status, body)

    def close(self):
        pass


class Flight:
    """Calls of Flight with three rows on one connection."""

    def __init__(self, service):
        self.connection = wire.Http2(service.flight, "127.0.0.2")
        self.call = wire.flight(wire.PAIRS, first=wire.descriptor(path="rook_attacks")) + wire.flight(*wire.pairs(3))

    def ask(self):
        stream = self.connection.stream()
        request = wire.grpc(stream, "/arrow.flight.protocol.FlightService/DoExchange")
        self.connection.send(request, wire.data(stream, self.call, True))
        answer = self.connection.whole(stream, 5)
        if answer.count(0x0101_0101_0101_01FE .to_bytes(8, "little")) != 3:
            raise ConnectionError(f"a wrong answer of {len(answer)} bytes")
        return b"3 rows"

    def close(self):
        self.connection.close()


KINDS = {"get": Get, "rows": Rows, "sums": Sums, "flight": Flight, "health": Health}
RIGHT = {"get": b"0x01010101010101fe", "health": b"200 serving", "flight": b"3 rows", "rows": b"0x7effff0000000000"}


def percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))] if sorted_values else float("inf")


def _measure(kind, service, times, errors, running):
    """Asks at a steady rate. A request that takes longer counts also for those that were due meanwhile."""
    client, first, due = None, None, time.monotonic()
    while running.is_set():
        time.sleep(max(0, due - time.monotonic()))
        try:
            client = client or KINDS[kind](service)
            answer = client.ask()
            if first is None and RIGHT.get(kind, b"") in answer:
                first = answer
            if answer != first:
                errors.append(f"wrong answer {answer[:80]!r}")
        except (OSError, ValueError, IndexError) as error:
            errors.append(f"{type(error).__name__}: {error}")
            if client:
                client.close()
            client = None
            time.sleep(0.05)
        now = time.monotonic()
        while due < now:
            times.append((due, now - due))
            due += 1 / RATE


def _victim(services, pipe):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    running = threading.Event()
    running.set()
    results = {(at, kind): ([], []) for at in range(len(services)) for kind in KINDS}
    for (at, kind), (times, errors) in results.items():
        threading.Thread(target=_measure, args=(kind, services[at], times, errors, running), daemon=True).start()
    while True:
        command = pipe.recv()
        if command == "end":
            os._exit(0)
        begin, end = command
        taken = {}
        for key, (times, errors) in results.items():
            # What was due by the end and has no answer yet has waited for at least so long.
            values = [took for due, took in list(times) if begin <= due <= end]
            last = times[-1][0] if times else begin
            missing = int((end - max(last, begin)) * RATE) - 1
            values += [end - max(last, begin) - number / RATE for number in range(1, missing)]
            taken[key] = sorted(values), list(errors)
            errors.clear()
        pipe.send(taken)


class Victims:
    """Honest clients of some services in a process of their own, at 127.0.0.2: five kinds of small requests."""

    def __init__(self, *services):
        context = multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_victim, args=(services, other), daemon=True)
        self.process.start()

    def between(self, begin, end):
        """By service and kind: the delays of that time in order, and the errors since the last call."""
        self.pipe.send((begin, end))
        return self.pipe.recv()

    def stop(self):
        self.pipe.send("end")
        self.process.join()
