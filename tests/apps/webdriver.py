"""A browser without a window, steered by the WebDriver protocol with nothing but the standard library."""
import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def is_there():
    return shutil.which("chromedriver") is not None and browser() is not None


def browser():
    return shutil.which("chromium") or shutil.which("google-chrome")


class Driver:
    """with Driver(folder for downloads) as page: page.go(address); page.run("return 1 + 1")"""

    def __init__(self, downloads, width=1480, height=940):
        self.process = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.base = f"http://127.0.0.1:{self._port()}"
            options = {
                "binary": browser(),
                "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                         f"--window-size={width},{height}"],
                "prefs": {"download.default_directory": str(downloads), "download.prompt_for_download": False,
                          "profile.default_content_setting_values.automatic_downloads": 1},
            }
            answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.session = f"/session/{answer['sessionId']}"
        except Exception:
            self.process.kill()
            raise

    def _port(self):
        for line in self.process.stdout:
            if "successfully on port " in line:
                return int(line.split("on port ")[1].rstrip(". \n"))
        raise RuntimeError("chromedriver ended before it listened")

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].splitlines()[0]) from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._send("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()

    def go(self, address):
        self._send("POST", self.session + "/url", {"url": address})

    def run(self, script, *arguments):
        return self._send("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=20):
        """Until the JavaScript expression is true; its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(f"return {script}")
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"after {seconds} s still not: {script}")

    def click(self, selector):
        element = self._send("POST", self.session + "/element", {"using": "css selector", "value": selector})
        self._send("POST", f"{self.session}/element/{element[ELEMENT]}/click", {})

    def keys(self, text):
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._send("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def drag(self, *places):
        """Presses the mouse at the first of the places (x, y in the window) and lets go at the last."""
        def move(place, milliseconds):
            return {"type": "pointerMove", "duration": milliseconds, "x": round(place[0]), "y": round(place[1])}
        actions = [move(places[0], 0), {"type": "pointerDown", "button": 0}]
        actions += [move(place, 80) for place in places[1:]] + [{"type": "pointerUp", "button": 0}]
        self._send("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._send("GET", self.session + "/screenshot")))

    def complaints(self):
        """Errors in the browser's console."""
        entries = self._send("POST", self.session + "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]
