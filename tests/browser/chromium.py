"""A page in headless Chromium, driven through chromedriver by the standard library alone (W3C WebDriver)."""

import contextlib
import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

AXE = Path(os.environ.get("AXE", Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"))
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
OPTIONS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


def program(*names: str) -> str:
    """Path of the first program of these that is installed; the folder CHROMEWEBDRIVER is looked at too."""
    folders = os.pathsep.join(filter(None, (os.environ.get("CHROMEWEBDRIVER"), os.environ.get("PATH"))))
    found = next(filter(None, (shutil.which(name, path=folders) for name in names)), None)
    if found is None:
        raise FileNotFoundError(f"None of {', '.join(names)} is installed (Debian: chromium and chromium-driver).")
    return found


class Page:
    """
    A session of one page.

    Parameters
    ----------
    url : str
        Of the session, at chromedriver.
    """

    def __init__(self, url: str):
        self.url = url

    def send(self, path: str, **body: object) -> object:
        return _send(self.url + path, body)

    def devtools(self, command: str, **parameters: object) -> object:
        return self.send("/goog/cdp/execute", cmd=command, params=parameters)

    def show(self, path: Path, width: int, scheme: str, address: str = "") -> None:
        """Open a file at a width in pixels, in a colour scheme ("light" or "dark")."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("/url", url="about:blank")
        self.send("/url", url=path.resolve().as_uri() + address)
        # On a busy machine chromedriver is ahead of a long page.
        while self.run("return location.protocol + document.readyState") != "file:complete":
            time.sleep(0.05)

    def run(self, script: str, **names: object) -> object:
        """Result of a script with some names in it; its body may await."""
        known = "".join(f"const {name} = arguments[0].{name}; " for name in names)
        body = f"{known}const done = arguments[arguments.length - 1]; (async () => {{ {script} }})()"
        body += ".then((value) => done({ value }), (error) => done({ error: String(error) }));"
        found = self.send("/execute/async", script=body, args=[names])
        if "error" in found:
            raise RuntimeError(found["error"])
        return found.get("value")

    def serious(self, within: str = "") -> list[str]:
        """What axe finds serious in the page, or in the elements of a selector."""
        self.run(
            "const tag = document.createElement('script'); tag.text = axe; document.head.append(tag);",
            axe=AXE.read_text(encoding="utf-8"),
        )
        script = "return (await axe.run(within || document, { resultTypes: ['violations'] })).violations"
        return [
            f"{one['id']} ({one['impact']}, {len(one['nodes'])} times): {one['nodes'][0]['html'][:200]}"
            for one in self.run(script, within=within)
            if one["impact"] in ("serious", "critical")
        ]

    def press(self, key: str) -> None:
        """Press and release a key, by its WebDriver code or letter."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.send("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])


@contextlib.contextmanager
def page(profile: Path):
    """A page in a browser with a profile of its own, in an empty folder."""
    driver = subprocess.Popen(
        [program("chromedriver"), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        port = next(line.split()[-1].rstrip(".") for line in driver.stdout if "started successfully on port" in line)
        options = {
            "binary": program("chromium", "google-chrome", "chrome"),
            "args": [*OPTIONS, f"--user-data-dir={profile}"],
        }
        wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}
        session = _send(f"http://127.0.0.1:{port}/session", {"capabilities": wanted})["sessionId"]
        opened = Page(f"http://127.0.0.1:{port}/session/{session}")
        opened.send("/timeouts", script=120_000)
        yield opened
        _send(opened.url, None, "DELETE")
    finally:
        driver.terminate()
        driver.wait()


def _send(url: str, body: object, method: str = "POST") -> object:
    request = urllib.request.Request(url, json.dumps(body).encode() if body is not None else None, method=method)
    request.add_header("Content-Type", "application/json")
    for _ in range(50):
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{url}: {error.read().decode()[:500]}") from error
        except urllib.error.URLError:
            time.sleep(0.1)
    raise ConnectionError(f"chromedriver does not answer at {url}")
