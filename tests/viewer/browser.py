"""A browser without a screen, and the questions and gestures of a person in front of it."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

CURE = "apt-get install chromium chromium-driver; pip install selenium"
PATIENCE = 180.0
"""How long something that must happen may take on a busy machine [s]."""
_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # as root, as in CI
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=1000,600",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no network but the page itself
)


@contextmanager
def browser() -> Iterator["Browser"]:
    """Open a browser, or skip the test and say what is missing."""
    selenium = pytest.importorskip("selenium", reason=f"no selenium here; {CURE}")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip(f"no chromium with its driver on this machine; {CURE}")
    from selenium.webdriver.chrome.service import Service

    options = selenium.webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in _FLAGS:
        options.add_argument(flag)
    opened = selenium.webdriver.Chrome(options=options, service=Service(driver))
    opened.set_script_timeout(PATIENCE)
    opened.set_page_load_timeout(PATIENCE)
    try:
        yield Browser(opened)
    finally:
        opened.quit()


def until(happens: Callable[[], object], what: str):
    """Wait for something that must happen; give what it is."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := happens():
            return found
        time.sleep(0.1)
    pytest.fail(f"did not happen within {PATIENCE:.0f} s: {what}")


class Browser:
    """What a person does with a page."""

    def __init__(self, driver) -> None:
        self.driver = driver

    def open(self, url: str) -> None:
        """Go to a page and wait until its controls are there."""
        self.driver.get(url)
        until(lambda: self.text().count("forward"), "the page has its controls")

    def text(self) -> str:
        """Give all that can be read."""
        return self.driver.execute_script("return document.body.innerText")

    def requests(self) -> list[str]:
        """Give the address of everything that was loaded beside the page itself."""
        script = "return performance.getEntriesByType('resource').map(entry => entry.name)"
        return self.driver.execute_script(script)

    def row(self, label: str, inside: str):
        """Find the control right of a label: the smallest row that holds both."""
        xpath = f"//label[normalize-space(.)={label!r}]/ancestor::*[.//*[{inside}]][1]//*[{inside}]"
        return until(lambda: self.driver.find_elements("xpath", xpath), f"a row {label!r}")[0]

    def slider(self, label: str):
        """Find a slider's handle."""
        return self.row(label, "@role='slider'")

    def drag(self, label: str, end: str) -> None:
        """Move a slider to its `left` or `right` end, by keyboard."""
        key = {"left": "\ue011", "right": "\ue010"}[end]
        until(lambda: self.slider(label).is_displayed(), f"slider {label!r} can be seen")
        self.slider(label).send_keys(key)

    def press(self, label: str) -> None:
        """Click a button."""
        xpath = f"//button[normalize-space(.)={label!r}]"
        button = until(lambda: self.driver.find_elements("xpath", xpath), f"a button {label!r}")[0]
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()

    def press_folder(self, title: str) -> None:
        """Click the title of a folder, which opens or closes it."""
        xpath = f"//*[normalize-space(text())={title!r}]"
        found = self.driver.find_elements("xpath", xpath)[0]
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()

    def choose(self, label: str, option: str) -> None:
        """Take an option of a menu."""
        menu = self.row(label, "self::input")
        menu.click()
        xpath = f"//*[@role='option'][normalize-space(.)={option!r}]"
        shown = lambda: [e for e in self.driver.find_elements("xpath", xpath) if e.is_displayed()]  # noqa: E731
        until(shown, f"an option {option!r}")[0].click()
