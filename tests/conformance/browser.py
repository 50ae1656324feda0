"""A page in headless Chromium: scripts, keys, clicks and screenshots, by the DevTools protocol over
a pipe (--remote-debugging-pipe), so that nothing but Chromium is needed."""
import base64
import json
import os
import subprocess
import tempfile


class Page:
    """An open page; close() ends the browser."""

    def __init__(self, path, dark=False, size=(1280, 860)):
        to_read, self.to = os.pipe()
        self.out, from_write = os.pipe()
        self.folder = tempfile.TemporaryDirectory()
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                   "--no-first-run", "--disable-background-networking",
                   "--disable-component-update", "--remote-debugging-pipe",
                   "--user-data-dir=" + self.folder.name, "--window-size=%d,%d" % size]

        def files():
            os.dup2(to_read, 3, inheritable=True)
            os.dup2(from_write, 4, inheritable=True)

        # Beyond 4, so that dup2() overwrites none of them.
        to_read, from_write = (self.above(fd) for fd in (to_read, from_write))
        self.process = subprocess.Popen(command, pass_fds=(3, 4), preexec_fn=files,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.number, self.rest, self.session, self.errors = 0, b"", None, []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        self.send("Runtime.enable")
        self.send("Log.enable")
        self.send("Page.enable")
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=features)
        self.loaded = False
        self.send("Page.navigate", url="file://" + os.path.realpath(path))
        while not self.loaded:
            self.read()

    @staticmethod
    def above(fd):
        import fcntl
        new = fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
        os.close(fd)
        return new

    def read(self):
        while b"\0" not in self.rest:
            part = os.read(self.out, 1 << 20)
            if not part:
                raise RuntimeError("chromium ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Page.loadEventFired":
            self.loaded = True
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(message["params"])[:400])
        if message.get("method") == "Log.entryAdded" and \
                message["params"]["entry"]["level"] == "error":
            self.errors.append(message["params"]["entry"]["text"])
        if message.get("method") == "Runtime.consoleAPICalled" and \
                message["params"]["type"] in ("error", "assert"):
            self.errors.append(json.dumps(message["params"]["args"])[:400])
        return message

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]

    def run(self, script):
        """The value of an expression of JavaScript."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(script + ": " + json.dumps(answer["exceptionDetails"])[:400])
        return answer["result"].get("value")

    def resize(self, width, height):
        """Until the page has drawn itself anew: its resize event comes before a frame."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Runtime.evaluate", awaitPromise=True, expression="new Promise((drawn) =>"
                  " requestAnimationFrame(() => requestAnimationFrame(drawn)))")

    def key(self, key, text=""):
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      text=text if kind == "keyDown" else "",
                      windowsVirtualKeyCode={"Enter": 13, "Tab": 9, "Escape": 27}.get(key, 0))

    def click(self, x, y, count=1):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                      button="none" if kind == "mouseMoved" else "left", clickCount=count)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def shot(self, path):
        image = self.send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(image))

    def close(self):
        os.close(self.to)
        self.process.wait(20)
        os.close(self.out)
        self.folder.cleanup()
