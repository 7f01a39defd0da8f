"""Chromium without a window, for the tests of pages. Needs Chromium (apt install chromium), and nothing else."""

import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib

WIDE, PHONE = (1280, 900), (390, 844)


class Browser:
    """Chromium without a window, which speaks its protocol over two pipes."""

    def __init__(self, folder):
        names = ["chromium", "chromium-browser", "google-chrome", "chrome"]
        program = next(filter(None, map(shutil.which, names)), None)
        if program is None:
            sys.exit("there is no Chromium: apt install chromium")
        (read, theirs_out), (theirs_in, write) = os.pipe(), os.pipe()
        # The browser reads commands from 3, and answers on 4. Numbers above these are not lost as they are moved.
        high = [os.dup2(end, 100 + at, inheritable=True) for at, end in enumerate([theirs_in, theirs_out])]
        command = ["bash", "-c", 'exec "$@" 3<&100 4>&101 100<&- 101>&-', "bash", program]
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        options += ["--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe"]
        self.process = subprocess.Popen(
            [*command, *options, f"--user-data-dir={folder}/profile", "about:blank"],
            pass_fds=high,
            stderr=subprocess.DEVNULL,
        )
        for end in [*high, theirs_in, theirs_out]:
            os.close(end)
        self.answers, self.commands = os.fdopen(read, "rb"), write
        self.number, self.session, self.events, self.rest = 0, None, [], b""
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"]:
            self.send(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers.fileno(), 1 << 20)
            assert more, "the browser has ended"
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, parameters=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data) :]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def open(self, address, scheme, size):
        """Opens the page at this path or address, and waits until it is drawn."""
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.send("Emulation.setDeviceMetricsOverride", metrics)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", {"features": features})
        self.events.clear()
        self.send("Page.navigate", {"url": address if isinstance(address, str) else address.as_uri()})
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())
        self.settle()

    def settle(self):
        """Waits until what has changed is drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def value(self, expression):
        parameters = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        result = self.send("Runtime.evaluate", parameters)
        assert "exceptionDetails" not in result, f"{expression}: {result}"
        return result["result"].get("value")

    def key(self, key, modifiers=0):
        """Presses a key: a name, or the sign that it types."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "Delete": 46}
        codes |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        typed = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        parameters = {"key": key, "code": key, "windowsVirtualKeyCode": codes.get(key) or ord(key.upper()), "modifiers": modifiers}
        self.send("Input.dispatchKeyEvent", parameters | ({"type": "keyDown", "text": typed} if typed else {"type": "rawKeyDown"}))
        self.send("Input.dispatchKeyEvent", parameters | {"type": "keyUp"})

    def point(self, x, y):
        self.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    def drag(self, start, end, steps=4):
        """Presses the button of the mouse at a point, moves to another one, and lets it go."""
        points = [[a + (b - a) * step / steps for a, b in zip(start, end)] for step in range(steps + 1)]
        mouse = lambda kind, point, **more: self.send(
            "Input.dispatchMouseEvent", {"type": kind, "x": point[0], "y": point[1], "button": "left", "clickCount": 1} | more
        )
        mouse("mouseMoved", start, button="none")
        mouse("mousePressed", start)
        for point in points[1:]:
            mouse("mouseMoved", point, buttons=1)
        mouse("mouseReleased", end)

    def click(self, point):
        self.drag(point, point, 1)

    def picture(self, clip=None):
        """The bytes of a picture of what is to be seen, or of a part of the page."""
        parameters = {"format": "png"}
        if clip:
            parameters |= {"clip": clip | {"scale": 1}, "captureBeyondViewport": True}
        return base64.b64decode(self.send("Page.captureScreenshot", parameters)["data"])

    def errors(self, page="file:", requests=1):
        """What went wrong, and what else was asked for than a page whose address begins so. A page may read what it made."""
        wrong = []
        for event in self.events:
            method, parameters = event["method"], event["params"]
            if method == "Runtime.exceptionThrown" or method == "Runtime.consoleAPICalled":
                wrong.append(parameters)
            if method == "Log.entryAdded" and parameters["entry"]["level"] in ["error", "warning"]:
                wrong.append(parameters["entry"])
            if method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith((page, "blob:", "data:")):
                wrong.append(parameters["request"]["url"])
        sent = [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]
        count = sum(url.startswith(page) for url in sent)
        return wrong if count == requests else [*wrong, f"{count} requests"]

    def close(self):
        self.session = None
        self.send("Browser.close")
        self.process.wait(timeout=20)


def pixels(png):
    """The pixels of a picture, row by row."""
    at, data, kind = 8, b"", None
    while at < len(png):
        (length,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + length]
        if name == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", body[:10])
        elif name == b"IDAT":
            data += body
        at += 12 + length
    assert depth == 8 and kind in [2, 6]
    each = 3 if kind == 2 else 4
    data, stride, rows, before = zlib.decompress(data), width * each, [], bytes(width * each)
    for row in range(height):
        start = row * (stride + 1)
        filter, line = data[start], bytearray(data[start + 1 : start + 1 + stride])
        for at in range(stride):
            left, up = line[at - each] if at >= each else 0, before[at]
            corner = before[at - each] if at >= each else 0
            if filter == 1:
                line[at] = line[at] + left & 255
            elif filter == 2:
                line[at] = line[at] + up & 255
            elif filter == 3:
                line[at] = line[at] + (left + up) // 2 & 255
            elif filter == 4:
                guess = left + up - corner
                near = min([left, up, corner], key=lambda value: abs(guess - value))
                line[at] = line[at] + near & 255
        rows.append([tuple(line[at : at + 3]) for at in range(0, stride, each)])
        before = line
    return rows
