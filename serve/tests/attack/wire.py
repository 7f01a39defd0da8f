"""The bytes of HTTP/1.1, HTTP/2, gRPC and Arrow, written by hand: no library corrects what an attack sends."""

import select
import socket
import struct
import time


def connect(address, source, receive=None, timeout=10):
    """A connection from an address of the loopback, which is the client; `receive` bounds the kernel's buffer."""
    connection = socket.socket()
    if receive:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    connection.settimeout(timeout)
    connection.bind((source, 0))
    connection.connect(address)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def get(path, *headers):
    return "\r\n".join([f"GET {path} HTTP/1.1", "host: x", *headers, "", ""]).encode()


def post(path, body, *headers):
    return "\r\n".join([f"POST {path} HTTP/1.1", "host: x", f"content-length: {len(body)}", *headers, "", ""]).encode() + body


class Answers:
    """Reads answers of HTTP/1.1 from a connection, one after the other."""

    def __init__(self, connection):
        self.connection, self.buffer, self.is_last = connection, b"", False

    def _more(self):
        received = self.connection.recv(1 << 18)
        if not received:
            raise ConnectionError("the connection ended within an answer")
        self.buffer += received

    def _until(self, mark):
        while mark not in self.buffer:
            self._more()
        line, self.buffer = self.buffer.split(mark, 1)
        return line

    def _exactly(self, length):
        while len(self.buffer) < length:
            self._more()
        taken, self.buffer = self.buffer[:length], self.buffer[length:]
        return taken

    def next(self):
        """The status and the body of the next answer."""
        status, *headers = self._until(b"\r\n\r\n").lower().split(b"\r\n")
        headers = dict(header.split(b": ", 1) for header in headers)
        # After this answer, the server closes the connection.
        self.is_last = headers.get(b"connection") == b"close"
        body = b""
        if headers.get(b"transfer-encoding") == b"chunked":
            while True:
                chunk = self._exactly(int(self._until(b"\r\n"), 16))
                self._exactly(2)
                if not chunk:
                    break
                body += chunk
        else:
            body = self._exactly(int(headers.get(b"content-length", 0)))
        return int(status.split()[1]), body


DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def settings(**values):
    names = {"table": 1, "window": 4, "frame": 5, "headers": 6}
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", names[name], value) for name, value in values.items()))


def _integer(value, prefix):
    top = (1 << prefix) - 1
    if value < top:
        return bytes([value])
    encoded, value = bytes([top]), value - top
    while value >= 128:
        encoded, value = encoded + bytes([value & 127 | 128]), value >> 7
    return encoded + bytes([value])


def block(headers):
    """A block of headers, each a literal that is not indexed."""
    encoded = b""
    for name, value in headers:
        name, value = name.encode(), value.encode()
        encoded += b"\0" + _integer(len(name), 7) + name + _integer(len(value), 7) + value
    return encoded


def headers(stream, method, path, more=(), end=False):
    """The frames that begin a request."""
    whole = block([(":method", method), (":scheme", "http"), (":authority", "x"), (":path", path), *more])
    parts = [whole[at : at + 16384] for at in range(0, len(whole), 16384)]
    frames = b""
    for number, part in enumerate(parts):
        flags = END_HEADERS if number + 1 == len(parts) else 0
        frames += frame(CONTINUATION, flags, stream, part) if number else frame(HEADERS, flags | end, stream, part)
    return frames


def grpc(stream, method):
    return headers(stream, "POST", method, [("content-type", "application/grpc"), ("te", "trailers")])


def data(stream, payload, end=False):
    """The frames of some bytes."""
    frames = [frame(DATA, 0, stream, payload[at : at + 16384]) for at in range(0, len(payload), 16384)]
    return b"".join(frames) + (frame(DATA, END_STREAM, stream) if end else b"")


class Http2:
    """A connection of HTTP/2, which answers nothing by itself but settings that are read."""

    def __init__(self, address, source, receive=None, **values):
        self.connection = connect(address, source, receive)
        self.buffer, self.opened = b"", 0
        self.window, self.initial, self.grown, self.is_closing = 65535, 65535, {}, False
        self.connection.sendall(PREFACE + settings(**values))

    def send(self, *frames):
        self.connection.sendall(b"".join(frames))

    def stream(self):
        self.opened += 1
        return 2 * self.opened - 1

    def open_window(self, size=(1 << 31) - 65536):
        self.send(frame(WINDOW_UPDATE, 0, 0, size.to_bytes(4, "big")))

    def read(self, timeout=None):
        """The next frame, as kind, flags, stream and payload; None at the end of the connection. Counts windows."""
        if timeout is not None:
            self.connection.settimeout(timeout)
        while len(self.buffer) < 9 or len(self.buffer) < 9 + int.from_bytes(self.buffer[:3], "big"):
            received = self.connection.recv(1 << 18)
            if not received:
                return None
            self.buffer += received
        end = 9 + int.from_bytes(self.buffer[:3], "big")
        kind, flags, stream, payload = self.buffer[3], self.buffer[4], int.from_bytes(self.buffer[5:9], "big"), self.buffer[9:end]
        self.buffer = self.buffer[end:]
        if kind == SETTINGS and not flags & ACK:
            self.initial = dict(struct.iter_unpack(">HI", payload)).get(4, self.initial)
            self.send(frame(SETTINGS, ACK, 0))
        elif kind == GOAWAY:
            self.is_closing = True
        elif kind == WINDOW_UPDATE and stream == 0:
            self.window += int.from_bytes(payload, "big")
        elif kind == WINDOW_UPDATE:
            self.grown[stream] = self.grown.get(stream, 0) + int.from_bytes(payload, "big")
        return kind, flags, stream & 0x7FFFFFFF, payload

    def takes_requests(self):
        """Whether the server has not said that it takes no new requests; answers what has come."""
        try:
            while self.buffer or select.select([self.connection], [], [], 0)[0]:
                frame_read = self.read(0.01)
                if frame_read is None:
                    return False
                kind, flags, stream, payload = frame_read
                if kind == PING and not flags & ACK:
                    self.send(frame(PING, ACK, 0, payload))
        except OSError:
            return False
        self.connection.settimeout(10)
        return not self.is_closing

    def whole(self, stream, timeout=None):
        """The data of a stream until its end; other streams are dropped. Takes all that comes."""
        body = b""
        while True:
            answer = self.read(timeout)
            if answer is None:
                raise ConnectionError("the connection ended within an answer")
            kind, flags, number, payload = answer
            if kind == PING and not flags & ACK:
                self.send(frame(PING, ACK, 0, payload))
            if kind == DATA and payload:
                grown = len(payload).to_bytes(4, "big")
                self.send(frame(WINDOW_UPDATE, 0, 0, grown), *[frame(WINDOW_UPDATE, 0, stream, grown)] * (number == stream))
                body += payload if number == stream else b""
            if kind == GOAWAY and int.from_bytes(payload[:4], "big") < stream:
                raise ConnectionError("the connection is closed by GOAWAY")
            if number == stream and kind == RST_STREAM:
                raise ConnectionError(f"the stream was reset, code {int.from_bytes(payload, 'big')}")
            if number == stream and kind in (DATA, HEADERS) and flags & END_STREAM:
                self.grown.pop(stream, None)
                return body

    def send_in_windows(self, stream, payload, end=False, until=None):
        """Sends data as the windows of the server allow; returns how much, which is less if the stream ends before."""
        sent = 0
        while sent < len(payload):
            room = min(self.window, self.initial + self.grown.get(stream, 0), 16384, len(payload) - sent)
            if room > 0:
                self.send(frame(DATA, 0, stream, payload[sent : sent + room]))
                sent += room
                self.window -= room
                self.grown[stream] = self.grown.get(stream, 0) - room
                continue
            answer = self.read(until and max(0.01, until - time.monotonic()))
            if answer is None:
                raise ConnectionError("the connection ended")
            kind, flags, number, _ = answer
            if number == stream and (kind == RST_STREAM or kind == HEADERS and flags & END_STREAM):
                return sent
        if end:
            self.send(frame(DATA, END_STREAM, stream))
        return sent

    def close(self):
        self.connection.close()


def close_with_reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def varint(value):
    encoded = b""
    while value >= 128:
        encoded, value = encoded + bytes([value & 127 | 128]), value >> 7
    return encoded + bytes([value])


def field(number, content):
    """A field of bytes of a protobuf."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def message(content):
    """A message of gRPC."""
    return b"\0" + len(content).to_bytes(4, "big") + content


def descriptor(path=None, command=None):
    if command is not None:
        return b"\x08\x02" + field(2, command)
    return b"\x08\x01" + field(3, path.encode())


def flight(header=b"", body=b"", first=None):
    """A message of FlightData."""
    content = field(1, first) if first else b""
    return message(content + field(2, header) + (field(1000, body) if body else b""))


class Flat:
    """Writes a flatbuffer front to back: each table after the one that refers to it."""

    def __init__(self):
        self.out = bytearray(4)

    def pad(self, alignment, before=0):
        while (len(self.out) + before) % alignment:
            self.out.append(0)

    def table(self, *fields):
        """Fields are (slot, format, value); the format "o" is a function that writes the child."""
        size, places = 4, []
        for slot, form, value in fields:
            width = 4 if form == "o" else struct.calcsize(form)
            size += -size % width
            places.append(size)
            size += width
        slots = max((slot for slot, _, _ in fields), default=-1) + 1
        self.pad(8, 4 + 2 * slots)
        vtable = [0] * slots
        for (slot, _, _), place in zip(fields, places):
            vtable[slot] = place
        self.out += struct.pack(f"<{2 + slots}H", 4 + 2 * slots, size, *vtable)
        at = len(self.out)
        self.out += struct.pack("<i", 4 + 2 * slots) + bytes(size - 4)
        for (_, form, value), place in zip(fields, places):
            if form != "o":
                struct.pack_into("<" + form, self.out, at + place, value)
        for (_, form, value), place in zip(fields, places):
            if form == "o":
                struct.pack_into("<I", self.out, at + place, value() - at - place)
        return at

    def structs(self, form, values):
        self.pad(8, 4)
        at = len(self.out)
        self.out += struct.pack("<I", len(values)) + b"".join(struct.pack("<" + form, *value) for value in values)
        return at

    def vector(self, children):
        self.pad(4)
        at = len(self.out)
        self.out += struct.pack("<I", len(children)) + bytes(4 * len(children))
        for number, child in enumerate(children):
            place = at + 4 + 4 * number
            struct.pack_into("<I", self.out, place, child() - place)
        return at

    def text(self, value):
        self.pad(4)
        at = len(self.out)
        self.out += struct.pack("<I", len(value)) + value.encode() + b"\0"
        return at

    def message(self, kind, header, body):
        root = self.table((0, "h", 4), (1, "B", kind), (2, "o", header), (3, "q", body))
        struct.pack_into("<I", self.out, 0, root)
        self.pad(8)
        return bytes(self.out)


def schema(columns):
    """The message of a schema of integers or texts; `columns` are (name, bits), 0 bits for text."""
    flat = Flat()

    def column(name, bits):
        kind = (lambda: flat.table((0, "i", bits), (1, "?", False))) if bits else (lambda: flat.table())
        return lambda: flat.table(
            (0, "o", lambda: flat.text(name)),
            (1, "?", True),
            (2, "B", 2 if bits else 5),
            (3, "o", kind),
            (5, "o", lambda: flat.vector([])),
        )

    fields = [column(name, bits) for name, bits in columns]
    return flat.message(1, lambda: flat.table((1, "o", lambda: flat.vector(fields))), 0)


def batch(rows, buffers, shift=0, nodes=None):
    """The message and the body of a batch of columns without nulls; each buffer begins `shift` bytes after a multiple of 8."""
    places, body = [], bytearray(shift)
    for content in buffers:
        places.append((len(body), len(content)))
        body += content
        body += bytes(-(len(body) - shift) % 8)
    body += bytes(-len(body) % 8)
    flat = Flat()
    nodes = nodes or [(rows, 0)] * (len(buffers) // 2)
    header = flat.message(
        3,
        lambda: flat.table(
            (0, "q", rows),
            (1, "o", lambda: flat.structs("qq", nodes)),
            (2, "o", lambda: flat.structs("qq", places)),
        ),
        len(body),
    )
    return header, bytes(body)


def pairs(rows, shift=0, square=b"\0", occupancy=bytes(8)):
    """Rows of a square and an occupancy, all alike, for the calls of pairs."""
    return batch(rows, [b"", occupancy * rows, b"", square * rows], shift)


PAIRS = schema([("occupancies", 64), ("squares", 8)])


def ipc(*messages):
    """An Arrow stream of such messages."""
    return b"".join(struct.pack("<Ii", 0xFFFFFFFF, len(header)) + header + body for header, body in messages) + b"\xff\xff\xff\xff\0\0\0\0"
