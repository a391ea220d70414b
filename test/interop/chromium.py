# SPDX-License-Identifier: Apache-2.0
"""Drives Debian's Chromium over its debugging protocol, with the standard library alone.

    with Browser() as browser:
        browser.open("/tmp/page.html", width=1280, height=800)
        browser.evaluate("document.title")
"""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

from tap import Skip

TIMEOUT = 60


class Socket:
    """The client's side of a WebSocket (RFC 6455), as far as the protocol needs it."""

    def __init__(self, url):
        address, path = url[len("ws://"):].split("/", 1)
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=TIMEOUT)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET /{path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n"
                            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                            "Sec-WebSocket-Version: 13\r\n\r\n".encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes:
            self.bytes += self.receive()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise AssertionError(f"no WebSocket: {head!r}")

    def receive(self):
        more = self.socket.recv(1 << 20)
        if not more:
            raise AssertionError("the browser ended the connection")
        return more

    def take(self, count):
        while len(self.bytes) < count:
            self.bytes += self.receive()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def send(self, text):
        data = text.encode()
        size = len(data)
        head = (bytes([0x81, 0x80 | size]) if size < 126
                else struct.pack(">BBH", 0x81, 0xfe, size) if size < 65536
                else struct.pack(">BBQ", 0x81, 0xff, size))
        # A mask of zeros leaves the bytes as they are.
        self.socket.sendall(head + bytes(4) + data)

    def next(self):
        """Returns the next message, which may come in parts."""
        message = b""
        while True:
            first, second = self.take(2)
            size = second & 0x7f
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            data = self.take(size)
            if first & 0x0f == 8:
                raise AssertionError("the browser closed the connection")
            if first & 0x0f in (0, 1, 2):
                message += data
                if first & 0x80:
                    return message.decode()


class Browser:
    def __init__(self):
        program = shutil.which("chromium")
        if not program:
            raise Skip("there is no chromium")
        self.folder = tempfile.mkdtemp(prefix="plumb-chromium-")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--hide-scrollbars", "--remote-debugging-port=0", f"--user-data-dir={self.folder}",
             "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.messages = []  # of the console, errors, and what the policy refused
        self.requests = []  # addresses that were loaded
        self.number = 0
        self.opened = 0
        try:
            self.socket = Socket(self.page())
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(domain + ".enable")
        except BaseException:
            self.close()
            raise

    def page(self):
        """Returns the address of the only tab, once the browser has one."""
        end = time.monotonic() + TIMEOUT
        path = os.path.join(self.folder, "DevToolsActivePort")
        while time.monotonic() < end:
            try:
                with open(path, encoding="ascii") as file:
                    port = int(file.readline())
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5) as answer:
                    for target in json.load(answer):
                        if target["type"] == "page":
                            return target["webSocketDebuggerUrl"]
            except (OSError, ValueError):
                pass
            time.sleep(0.05)
        raise AssertionError("chromium did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def note(self, message):
        method, values = message.get("method", ""), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(str([a.get("value") for a in values["args"]]))
        elif method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description")
                                 or details["text"])
        elif method == "Log.entryAdded":
            self.messages.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])

    def call(self, method, **values):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": values}))
        while True:
            message = json.loads(self.socket.next())
            if message.get("id") == self.number:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression):
        end = time.monotonic() + TIMEOUT
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise AssertionError(f"never true: {expression}; {self.messages}")
            time.sleep(0.02)

    def settle(self):
        """Waits until the page has drawn what it knows; tables fit their columns after a frame."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() =>"
                      " requestAnimationFrame(() => done(true))))")

    def open(self, path, state="", width=1280, height=800, dark=False):
        """Opens a page and waits until it shows itself."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        # Only another address is loaded anew.
        self.opened += 1
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}?{self.opened}{state}")
        self.wait("document.documentElement?.dataset.ready === 'yes'")
        self.settle()

    def follow(self, state):
        """Leads the page to another state, as a link in it does; takes a tenth of opening it anew."""
        self.evaluate("new Promise((done) => {"
                      f" const link = new URL({json.dumps(state)}, location);"
                      " if (link.href === location.href) { done(true); return; }"
                      " addEventListener('hashchange', () => done(true), { once: true });"
                      " location.hash = link.hash; })")
        self.settle()

    def press(self, key, **values):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        codes = {"Escape": 27, "Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                 "ArrowDown": 40, "Tab": 9}
        more = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        kind = "keyDown" if text else "rawKeyDown"
        self.call("Input.dispatchKeyEvent", type=kind, key=key, text=text, **more, **values)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more, **values)

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))
