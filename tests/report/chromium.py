"""Chromium without a window, driven by its own debugging protocol over two pipes.

Nothing but the browser is needed: no driver, no package, no port. Messages are JSON, each ended
by a zero byte; the browser reads them from its file 3 and writes to its file 4.
"""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio",
         "--no-default-browser-check", "--remote-debugging-pipe")  # fmt: skip

# Puts the pipes where the browser looks for them, wherever they were.
START = (
    "import os, sys; r, w = int(sys.argv[1]), int(sys.argv[2]); "
    "os.dup2(r, 63); os.dup2(w, 64); os.dup2(63, 3); os.dup2(64, 4); "
    "os.close(63); os.close(64); os.execv(sys.argv[3], sys.argv[3:])"
)


def chromium_path():
    """Where Chromium is, or None."""
    given = os.environ.get("RDEX_CHROMIUM")
    found = (given and shutil.which(given)) or next(filter(None, map(shutil.which, NAMES)), None)
    return found if os.name == "posix" else None


class Browser:
    """One browser with one page."""

    def __init__(self, folder: Path) -> None:
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        command = [chromium_path(), *FLAGS, f"--user-data-dir={folder}"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, str(to_browser), str(from_browser), *command],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._count = 0
        self._session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        """End the browser."""
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        os.close(self._out)
        os.close(self._in)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def call(self, method, seconds=60, **params):
        """Send a command and wait for its answer; events that come in between are kept."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            answer = self._read(seconds)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _read(self, seconds):
        """The next message."""
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path: Path, width=1280, height=900, scheme="light"):
        """Load a file and wait until it is there."""
        self.size(width, height)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])  # fmt: skip
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait("document.readyState === 'complete'")

    def size(self, width, height=900):
        """Set the size of the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)  # fmt: skip

    def run(self, script):
        """Value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)  # fmt: skip
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def wait(self, condition, seconds=30):
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.05)

    def choose(self, id, label):
        """Choose the entry of a select that reads `label`, as a user would."""
        self.run(
            f"(() => {{ const s = document.getElementById({json.dumps(id)});"
            f" s.value = [...s.options].find((o) => o.text === {json.dumps(label)}).value;"
            " s.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )

    def key(self, name, code):
        """Press and let go a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode=code)  # fmt: skip

    def screenshot(self, path: Path, whole=False, part=None):
        """Save what is seen, the whole page, or a part (x, y, width, height) of it as PNG."""
        options = {}
        if whole:
            content = self.call("Page.getLayoutMetrics")["cssContentSize"]
            part = 0, 0, content["width"], content["height"]
        if part:
            clip = dict(zip(("x", "y", "width", "height"), part, strict=True)) | {"scale": 1}
            options = {"captureBeyondViewport": True, "clip": clip}
        for seconds in (15, 15, 60):  # on a busy machine the frame to capture may never come
            try:
                answer = self.call("Page.captureScreenshot", seconds, format="png", **options)
                break
            except TimeoutError:
                self.call("Page.bringToFront")
        else:
            raise TimeoutError("no screenshot in three tries")
        path.write_bytes(base64.b64decode(answer["data"]))

    def complaints(self):
        """Errors and warnings of console, log and scripts since the page was opened."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                found.append([each.get("value") for each in params["args"]])
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def requests(self):
        """Addresses asked for since the page was opened, itself and what is inside it left out."""
        sent = [event["params"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]  # fmt: skip
        return [each["request"]["url"] for each in sent
                if each.get("type") != "Document"
                and not each["request"]["url"].startswith(("data:", "blob:"))]  # fmt: skip
