"""The web chat as a person uses it: a real gateway in a process, a real Chromium in front of it."""

import itertools
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


def restart(gateway, number=signal.SIGKILL):
    """Return functions that end the gateway and start it again at its port."""
    port = gateway.base.rpartition(":")[2]

    def start():
        config = (gateway.home / "config.yaml").read_text().replace("port: 0", f"port: {port}")
        (gateway.home / "config.yaml").write_text(config)
        gateway.start()

    return lambda: gateway.end(number), start


def disconnected(page):
    page.wait_for_function("() => document.getElementById('connection').textContent.startsWith('not connected')")


def test_an_approval_that_is_answered_offline_is_sent_when_the_connection_is_back(page, gateway):
    hold_sockets(page)
    open_chat(page, gateway)
    say(page, "tidy up, please")
    page.wait_for_selector(".approval button")
    page.evaluate("window.offline(true)")
    disconnected(page)
    page.click("text=Allow once")
    assert "It is sent when the connection is back." in page.inner_text(".approval")
    assert page.locator(".approval button:enabled").count() == 0
    page.evaluate("window.offline(false)")
    connected(page)
    page.wait_for_selector(".agent")
    assert page.inner_text(".approval .who") == "Allowed once"
    assert page.inner_text(".tool .status") == "done"
    assert page.is_hidden("#problem")
    assert page.wrong == []


def test_an_approval_that_was_answered_elsewhere_is_shown_so_when_the_connection_is_back(page, gateway):
    hold_sockets(page)
    open_chat(page, gateway)
    say(page, "tidy up, please")
    page.wait_for_selector(".approval button")
    page.evaluate("window.offline(true)")
    disconnected(page)
    page.click("text=Deny")
    # another window: a second tab would put the first one into the background, where pages sleep
    other = page.context.browser.new_context().new_page()
    open_chat(other, gateway)
    other.wait_for_selector(".approval button")
    other.click("text=Allow once")
    other.wait_for_selector(".agent")
    other.close()
    page.evaluate("window.offline(false)")
    connected(page)
    page.wait_for_selector(".agent")
    assert page.inner_text(".approval .who") == "Allowed once"
    assert page.inner_text("#problem").startswith("Your answer (Deny) came too late")
    assert page.inner_text(".tool .status") == "done"


def test_an_approval_that_a_restart_has_closed_is_shown_so(page, gateway):
    end, start = restart(gateway)
    open_chat(page, gateway)
    say(page, "tidy up, please")
    page.wait_for_selector(".approval button")
    end()
    disconnected(page)
    page.click("text=Allow once")
    start()
    connected(page)
    page.wait_for_function("() => document.querySelector('.approval .who').textContent.includes('restarted')")
    assert "came too late: The gateway was restarted." in page.inner_text("#problem")
    assert page.locator(".tool.running").count() == 0


def hold_sockets(page):
    """Let a test take the page's connection away, and give it back; at once, not after the page's own pause."""
    page.add_init_script(
        """
        const Real = WebSocket;
        let away = false, all = [];
        window.offline = (value) => { away = value; if (away) all.forEach((each) => each.close()); };
        window.WebSocket = class extends Real {
          constructor(url) { super(away ? url.replace("/ws?", "/nowhere?") : url); all.push(this); }
        };
        """
    )


def test_a_message_that_is_too_long_is_refused_once_and_the_next_one_goes(page, gateway):
    open_chat(page, gateway)
    frames = []
    page.on("websocket", lambda socket: frames.append(socket.url))  # another connection would be a loop
    page.evaluate("document.getElementById('text').value = 'x'.repeat(65_537)")
    page.focus("#text")
    page.keyboard.press("Enter")
    page.wait_for_selector("#problem:not([hidden])")
    assert page.inner_text("#problem") == "That message is too long: 65,537 bytes, at most 65,536."
    assert page.locator(".user").count() == 0
    assert len(page.input_value("#text")) == 65_537  # nothing that was written is lost
    # control characters and quotes take up to six bytes each on their way
    page.evaluate("document.getElementById('text').value = '\\u0001'.repeat(65_000)")
    page.keyboard.press("Enter")
    page.wait_for_selector(".approval button")
    assert page.locator(".pending").count() == 0
    assert frames == []


def test_more_messages_than_the_gateway_takes_at_once_all_arrive_in_order(page, gateway):
    end, start = restart(gateway, signal.SIGTERM)
    open_chat(page, gateway)
    end()
    disconnected(page)
    for number in range(40):  # thirty in ten seconds are let in
        say(page, f"/stop {number}")
    start()
    connected(page)
    page.wait_for_function("() => document.querySelectorAll('.agent').length === 40")
    assert page.locator(".pending").count() == 0
    assert page.locator(".user .bubble").all_inner_texts() == [f"/stop {number}" for number in range(40)]


def test_a_message_that_is_not_taken_is_marked(page, gateway):
    config = (gateway.home / "config.yaml").read_text()
    assert "gateway:\n" in config
    gateway.end(signal.SIGTERM)
    (gateway.home / "config.yaml").write_text(
        config.replace("gateway:\n", "gateway:\n  max_waiting: 1\n  when_busy: queue\n")
    )
    gateway.start()
    open_chat(page, gateway)
    say(page, "tidy up, please")
    page.wait_for_selector(".approval button")
    say(page, "this waits")
    page.wait_for_selector(".user:not(.pending) >> nth=1")
    say(page, "this does not")
    page.wait_for_selector(".user.refused")
    assert "1 messages wait in this chat already" in page.inner_text(".user.refused .why")
    assert page.locator(".user.refused").count() == 1
    page.reload()
    connected(page)
    assert page.locator(".user.refused").count() == 1
    page.click("text=Deny")  # the button is no message
    page.wait_for_selector(".agent >> nth=1")


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


SCREENS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_door_has_a_form_of_its_own(page, gateway, width, scheme):
    page.set_viewport_size({"width": width, "height": 640})
    page.emulate_media(color_scheme=scheme)
    page.goto(gateway.base)
    card = page.locator("main").bounding_box()
    boxes = [page.locator(name).bounding_box() for name in ("label", "#token", ".hint", "button")]
    for upper, lower in itertools.pairwise(boxes):  # one below the other
        assert upper["y"] + upper["height"] <= lower["y"]
    assert all(card["x"] <= box["x"] and box["x"] + box["width"] <= card["x"] + card["width"] for box in boxes)
    assert boxes[1]["width"] > card["width"] * 0.8
    assert boxes[3]["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
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
