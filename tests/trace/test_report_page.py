"""The report in a real browser: ten entries and ten thousand, by mouse and by keyboard, without a network."""

import json
import shutil

import pytest

from hermes_sdk.trace.page import page as report_page
from hermes_sdk.trace.recording import read_recording

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
EVIL = "<img src=x onerror=\"document.title='owned'\"></script><script>document.title='owned'</script>"


def entry(number):
    step = {"plugin": "guard" if number % 2 else "mask", "source": "user", "what": "observed", "duration_ms": 0.1}
    if number % 5 == 0:
        step |= {"what": "block", "detail": EVIL}
    elif number % 5 == 1:
        step |= {"what": "modify", "value": {"command": EVIL + "!"}}
    return {
        "n": number,
        "at_ms": number * 2.0,
        "type": "hook",
        "hook": "pre_tool_call" if number % 3 else "post_tool_call",
        "tool": "terminal",
        "depth": 0,
        "ms": 0.25,
        "payload": {"args": {"command": EVIL}},
        "outcome": {"action": "block", "message": EVIL} if number % 5 == 0 else {"action": "run"},
        "steps": [step],
    }


@pytest.fixture(params=[10, 10_000])
def count(request):
    return request.param


@pytest.fixture
def page(tmp_path, count):
    driver = pytest.importorskip("playwright.sync_api")
    lines = [{"format": "hermes-sdk-recording", "version": 1, "title": EVIL, "redacted": True, "plugins": []}]
    recording = tmp_path / "r.jsonl"
    recording.write_text("\n".join(json.dumps(line) for line in [*lines, *map(entry, range(1, count + 1))]))
    html = tmp_path / "r.html"
    html.write_text(report_page(read_recording(recording)))
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1100, "height": 700})
        page.set_default_timeout(30_000)
        page.wrong = []
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.on("console", lambda message: page.wrong.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: page.wrong.append(request.url) if request.url.startswith("http") else None)
        page.goto(html.as_uri())
        page.wait_for_selector(".row")
        yield page
        assert page.wrong == []
        browser.close()


def shown(page):
    return page.inner_text("#count")


def test_it_reads_at_ten_and_at_ten_thousand(page, count):
    assert shown(page) == f"{count:,} of {count:,} entries"
    assert page.locator(".row").count() <= 60
    assert page.title() == EVIL
    assert page.locator("#rows img").count() == 0
    page.focus("#rows")
    page.keyboard.press("End")
    assert page.inner_text(".row.chosen .n") == str(count)
    assert page.inner_text("#detail h2").startswith(f"{count} ")
    box, rows = page.locator(".row.chosen").bounding_box(), page.locator("#rows").bounding_box()
    assert rows["y"] <= box["y"]
    assert box["y"] + box["height"] <= rows["y"] + rows["height"] + 1


def test_it_is_used_by_keyboard_alone(page, count):
    page.focus("#rows")
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    assert page.inner_text(".row.chosen .n") == "6"
    page.keyboard.press("Home")
    assert page.inner_text(".row.chosen .n") == "1"
    assert page.locator("#detail .plus").first.inner_text() == f'+  "command": {json.dumps(EVIL + "!")}'
    page.keyboard.press("Escape")
    assert page.locator("#detail").is_hidden()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("block mask")
    assert shown(page).startswith(f"{sum(1 for n in range(1, count + 1) if n % 5 == 0 and n % 2 == 0):,} of")


def test_filters_narrow_it_down(page, count):
    page.select_option("#plugin", "guard")
    guard = [n for n in range(1, count + 1) if n % 2]
    assert shown(page) == f"{len(guard):,} of {count:,} entries"
    page.check("#acting")
    acting = [n for n in guard if n % 5 in {0, 1}]
    assert shown(page) == f"{len(acting):,} of {count:,} entries"
    page.select_option("#hook", "post_tool_call")
    assert shown(page) == f"{len([n for n in acting if n % 3 == 0]):,} of {count:,} entries"
    page.click(".row") if [n for n in acting if n % 3 == 0] else None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
