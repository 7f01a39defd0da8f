"""A web server that behaves as the first part of each path says: well, or badly."""

import collections
import http.server
import pathlib
import re
import socket
import threading
import time

EXPIRED = b"<?xml version='1.0'?><Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"

# The speed of a connection that is limited, in bytes per second, and how many bytes it sends at a time.
LIMIT = 4 << 20
PIECE = 32 << 10


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers GET, and HEAD never: a URL with a signature is good for one method."""

    protocol_version = "HTTP/1.1"
    folder: pathlib.Path
    # How often each range of a path was requested.
    requests: collections.Counter = collections.Counter()
    # How many requests threads have sent that receive the answers themselves.
    direct = 0
    # How many answers are being sent whose connections have limited speed, and how many there were at most.
    sending = most_sending = 0
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def refuse(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # noqa: N802
        path = self.path.partition("?")[0]
        _, mode, *name = path.split("/")
        given = self.headers.get("Range")
        key = f"{path} {given}"
        Handler.requests[key] += 1
        Handler.direct += self.headers.get("User-Agent", "").startswith("slider-attacks/")
        is_first = Handler.requests[key] == 1
        if mode == "refused":
            return self.refuse(int(name[0]), EXPIRED if name[0] in ("400", "403") else b"")
        if mode == "redirect":
            self.send_response(302)
            self.send_header("Location", "/plain/" + name[0])
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if mode == "bucket":  # as S3 answers when the token has expired
            return self.refuse(400, EXPIRED)
        if mode == "once500" and is_first:
            return self.refuse(500)
        file = self.folder / name[0]
        if not file.is_file():
            return self.refuse(404)
        data = file.read_bytes()
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", given or "")
        has_range = found and mode not in ("norange", "lies")
        start, end = 0, len(data)
        if has_range:
            start, end = int(found[1]), min(int(found[2]) + 1, len(data))
            if start >= len(data):
                return self.refuse(416)
        body = data[start:end]
        self.send_response(206 if has_range else 200)
        if has_range:
            shift = 1 if mode == "wrongrange" else 0
            self.send_header("Content-Range", f"bytes {start + shift}-{end - 1 + shift}/{len(data)}")
        if mode == "tagged" or mode == "brokentagged":
            self.send_header("ETag", '"one"')
        if mode == "changes":
            self.send_header("ETag", '"first"' if start == 0 else '"second"')
        length = len(body)
        if mode == "lies" or mode == "short206":
            length += 1000
        if mode == "long":
            body += b"x" * 1000
            length += 1000
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if mode in ("broken", "brokentagged") and is_first or mode == "alwaysbroken":
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        if mode in ("lies", "short206"):
            self.wfile.write(body)
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        if mode == "limited":
            return self.send_at_limit(body)
        step = {"drops": 1000, "slow": 100_000}.get(mode, len(body) or 1)
        for at in range(0, len(body), step):
            self.wfile.write(body[at : at + step])
            if mode == "slow":
                time.sleep(0.02)

    def send_at_limit(self, body):
        """Sends LIMIT bytes per second, as far as the machine can."""
        with Handler.lock:
            Handler.sending += 1
            Handler.most_sending = max(Handler.most_sending, Handler.sending)
        try:
            start = time.monotonic()
            for at in range(0, len(body), PIECE):
                time.sleep(max(0, start + at / LIMIT - time.monotonic()))
                self.wfile.write(body[at : at + PIECE])
        finally:
            with Handler.lock:
                Handler.sending -= 1


class Server(http.server.ThreadingHTTPServer):
    """A server that says nothing about clients which go away."""

    daemon_threads = True

    def handle_error(self, *_):
        pass


def start(folder: pathlib.Path) -> str:
    """Starts the server for the files of a folder, and returns its URL."""
    Handler.folder = folder
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
