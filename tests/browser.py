"""Chromium without a window, driven through the DevTools protocol over two pipes: no driver program, no network."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """Where Chromium is, if it is installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """One page. Use as a context manager.

    Chromium reads commands from file descriptor 3 and writes to 4, each message a JSON text with a zero byte after it.
    """

    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="bcsearch-chromium-", ignore_cleanup_errors=True)
        to_read, self._commands = os.pipe()
        self._answers, to_write = os.pipe()
        shell = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        options += ["--remote-debugging-pipe", "--hide-scrollbars", f"--user-data-dir={self._profile.name}"]
        silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = ["bash", "-c", shell, "bash", program, *options, "about:blank"]
        self._process = subprocess.Popen(command, pass_fds=(to_read, to_write), **silent)  # type: ignore[call-overload]
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._count, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
        os.close(self._commands)
        os.close(self._answers)
        self._profile.cleanup()

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            more = os.read(self._answers, 1 << 20)
            if not more:
                raise RuntimeError("Chromium is gone")
            self._buffer += more
        text, self._buffer = self._buffer.split(b"\0", 1)
        answer: dict[str, Any] = json.loads(text)
        return answer

    def size(self, width: int, height: int, phone: bool = False) -> None:
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=phone)  # fmt: skip
        self._call("Emulation.setTouchEmulationEnabled", enabled=phone)

    def open(self, address: str) -> None:
        self._call("Page.navigate", url="about:blank")  # an address that differs only after # would not load anew
        self._call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """Value of a JavaScript expression in the page."""
        outcome = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in outcome:
            raise RuntimeError(outcome["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return outcome["result"].get("value")

    def wait(self, condition: str, seconds: float = 10) -> None:
        """Wait until a JavaScript condition holds."""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise AssertionError(
                    f"after {seconds} s still not: {condition}; the page says: {self.text('body')[:600]}"
                )
            time.sleep(0.02)

    def text(self, selector: str) -> str:
        return str(self.run(f"(document.querySelector({json.dumps(selector)}) || {{}}).innerText || ''"))

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element, as a person would: what covers it gets the click."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        place = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); "
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def press(self, key: str, code: int = 0) -> None:
        """Press a key by its name; `code` is its Windows key code where the page's default action needs one."""
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)

    def type(self, text: str) -> None:
        self._call("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))

    def problems(self) -> list[str]:
        """Exceptions, logged errors and requests that went to the network, so far."""
        self.run("1")
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(parameters["exceptionDetails"])[:400])
            elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                address = parameters["request"]["url"]
                if not address.startswith(("file:", "about:", "data:")):
                    found.append(f"request to {address}")
        return found
