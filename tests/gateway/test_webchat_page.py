"""The web chat as a person uses it: a real gateway in a process, a real Chromium in front of it."""

import shutil
import signal

import pytest
from gateway_process import TOKEN, GatewayProcess

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]

GUARD = (
    "def f(tool_name, args, **kw):\n"
    "    if str(args.get('command')).startswith('shutdown'):\n"
    "        return {'action': 'block', 'message': 'the machine stays on'}\n"
    "def register(ctx):\n    ctx.register_hook('pre_tool_call', f)\n"
)
EVIL = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


def tool(command):
    return {"tools": [{"name": "terminal", "args": {"command": command}}]}


@pytest.fixture
def gateway(tmp_path):
    gateway = GatewayProcess(tmp_path)
    gateway.plugin("guard", GUARD)
    gateway.configure(plugins="[guard]")
    gateway.play(
        [tool("rm -rf ./leftovers && echo tidied"), {"say": f"Tidied up.\n```\n$ ls\n{EVIL}\n```\nDone {EVIL}"}],
        [tool("shutdown now"), {"say": "I may not do that."}],
    )
    gateway.start()
    yield gateway
    gateway.close()


@pytest.fixture
def page():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1000, "height": 800})
        page.set_default_timeout(30_000)
        page.wrong = []
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.on("request", lambda request: page.wrong.append(request.url) if "127.0.0.1" not in request.url else None)
        yield page
        browser.close()


def open_chat(page, gateway):
    page.goto(f"{gateway.base}/#token={TOKEN}")
    page.wait_for_selector("#text")
    connected(page)


def connected(page):
    page.wait_for_function("() => document.getElementById('connection').textContent === 'connected'")


def say(page, text):
    page.fill("#text", text)
    page.keyboard.press("Enter")


def test_a_conversation_with_an_approval_a_block_and_a_new_start(page, gateway):
    open_chat(page, gateway)
    assert page.url == f"{gateway.base}/"  # no token in the address, nor in the history
    say(page, f"tidy up, please {EVIL}")
    page.wait_for_selector(".approval button")
    assert page.inner_text(".approval h2") == "May I run this?"
    assert page.inner_text(".approval pre") == "rm -rf ./leftovers && echo tidied"
    assert page.locator(".approval button").all_inner_texts() == [
        "Allow once",
        "Allow for this session",
        "Always allow",
        "Deny",
    ]
    assert page.locator(".tool").count() == 0
    page.click("text=Allow once")
    page.wait_for_selector(".agent")
    assert page.inner_text(".approval .who") == "Allowed once"
    assert page.inner_text(".tool .status") == "done"
    page.click(".tool summary")
    assert "tidied" in page.inner_text(".tool pre >> nth=1")

    say(page, "now switch it off")
    page.wait_for_selector(".tool.blocked")
    assert page.inner_text(".tool.blocked .why") == "the machine stays on"
    assert "shutdown now" in page.inner_text(".tool.blocked pre")
    page.wait_for_selector(".agent >> nth=1")

    page.click("#new")
    page.wait_for_selector(".divider")
    assert page.inner_text(".divider") == "A new conversation begins."
    say(page, "again")
    page.wait_for_selector(".approval button")  # the new conversation has allowed nothing yet
    page.click("text=Deny")
    page.wait_for_function("() => document.querySelectorAll('.agent').length === 3")
    kinds = page.eval_on_selector_all("#log > *", "all => all.map(each => each.className.split(' ')[1])")
    assert kinds == [
        *("user", "approval", "tool", "agent"),
        *("user", "tool", "agent"),
        *("user", "divider"),
        *("user", "approval", "tool", "agent"),
    ]
    # what anybody wrote is text
    assert EVIL in page.inner_text(".user .bubble >> nth=0")
    assert EVIL in page.inner_text(".agent pre >> nth=0")
    assert page.title() == "Hermes chat"
    assert page.locator("#log img, #log script").count() == 0
    assert page.wrong == []


def test_the_page_is_used_by_keyboard_alone(page, gateway):
    open_chat(page, gateway)
    page.keyboard.type("tidy up, please")  # the field has the focus from the start
    page.keyboard.press("Enter")
    page.wait_for_selector(".approval button")
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.textContent") == "Deny":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector(".agent")
    assert page.inner_text(".approval .who") == "Denied"
    assert page.evaluate("document.activeElement.id") == "text"  # back to where one writes
    names = page.eval_on_selector_all(
        "button, textarea, [role]",
        "all => all.map(each => each.ariaLabel || each.labels?.[0]?.textContent || each.textContent)",
    )
    assert all(name.strip() for name in names[:3])
    assert page.get_attribute("#log", "aria-live") == "polite"


def test_the_page_comes_back_after_a_restart_with_what_was_said(page, gateway):
    open_chat(page, gateway)
    say(page, "/help")
    page.wait_for_selector(".agent")
    port = gateway.base.rpartition(":")[2]
    gateway.end(signal.SIGTERM)
    page.wait_for_function("() => document.getElementById('connection').textContent.startsWith('not connected')")
    say(page, "/stop")  # kept by the page until somebody takes it
    page.wait_for_selector(".pending")
    config = (gateway.home / "config.yaml").read_text().replace("port: 0", f"port: {port}")
    (gateway.home / "config.yaml").write_text(config)
    gateway.start()
    connected(page)
    page.wait_for_selector(".agent >> nth=1")
    assert page.locator(".pending").count() == 0
    assert page.locator(".user").all_inner_texts() == ["You\n/help", "You\n/stop"]
    page.reload()
    connected(page)
    page.wait_for_selector(".agent >> nth=1")
    assert page.locator(".user").count() == 2


def test_without_the_token_there_is_only_the_door(page, gateway):
    page.goto(gateway.base)
    assert page.inner_text("h1") == "Hermes chat"
    assert page.locator("#log").count() == 0
    page.fill("#token", "a-wrong-token-of-length")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('problem').textContent !== ''")
    assert page.inner_text("#problem") == "that is not the token"
    page.fill("#token", TOKEN)
    page.click("button")
    page.wait_for_selector("#text")


@pytest.mark.parametrize(("width", "scheme"), [(1000, "light"), (390, "dark")])
def test_nothing_runs_out_of_the_screen(page, gateway, width, scheme):
    page.set_viewport_size({"width": width, "height": 700})
    page.emulate_media(color_scheme=scheme)
    open_chat(page, gateway)
    say(page, "x" * 600)
    page.wait_for_selector(".approval button")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = "all => all.filter(each => each.getBoundingClientRect().height < 44).length"
    assert page.eval_on_selector_all("button, textarea", small) == 0
    field = page.locator("#text").bounding_box()
    assert field["y"] + field["height"] <= 700
