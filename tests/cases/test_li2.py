"""LI2: SystemExit from plugin code ends the host; stray files such as setup.py get executed (plugins)."""

import asyncio

import pytest

from hermes_sdk.gateway_hooks import HookRegistry

CALL = {"tool_name": "t", "args": {}}


@pytest.fixture
def home(plugin_home):
    plugin_home.plugin("x", "def register(ctx): ...\n", "name: x\n", setup="import sys; sys.exit(1)\n")
    return plugin_home


@pytest.mark.parametrize("manifest", ["name: y\n", ""], ids=["with manifest", "as in the report"])
def test_li2_an_exit_at_import_is_a_failure_of_that_plugin(home, row_of, manifest):
    home.plugin("y", "import sys; sys.exit(3)\n", manifest)
    manager = home.loaded()
    assert list(manager.plugins) == ["x"]
    row = row_of(manager, "y")
    if manifest:
        assert row["status"] == "failed"
        assert "SystemExit: 3" in row["why"]
    else:
        assert (row["enabled"], row["status"]) == (False, "broken manifest")


def test_li2_an_exit_in_register_is_a_failure_of_that_plugin(home, row_of):
    home.plugin("y", "import sys\ndef register(ctx): sys.exit(3)\n")
    assert row_of(home.loaded(), "y")["status"] == "failed"


@pytest.mark.parametrize("declared", [True, False])
def test_li2_an_exit_in_a_callback_is_contained_and_a_gate_blocks(home, declared):
    code = "import sys\ndef register(ctx): ctx.register_hook('pre_tool_call', lambda **kw: sys.exit(5))\n"
    home.plugin("y", code, f"fail_closed: {str(declared).lower()}\n")
    assert home.loaded().hook.pre_tool_call(**CALL).blocked is declared


def test_li2_ctrl_c_in_a_callback_is_the_user_s(home):
    home.plugin("y", "def f(**kw): raise KeyboardInterrupt\ndef register(ctx): ctx.register_hook('pre_tool_call', f)\n")
    manager = home.loaded()
    with pytest.raises(KeyboardInterrupt):
        manager.hook.pre_tool_call(**CALL)


@pytest.fixture
def gateway_hook(tmp_path):
    """Return a function that writes a gateway hook and returns its home's registry, loaded."""

    def write(code):
        directory = tmp_path / "home" / "hooks" / "z"
        directory.mkdir(parents=True)
        (directory / "HOOK.yaml").write_text("name: z\nevents: [agent:start]\n")
        (directory / "handler.py").write_text(code)
        (directory / "setup.py").write_text("import sys; sys.exit(1)\n")
        registry = HookRegistry(tmp_path / "home")
        registry.discover_and_load()
        return registry

    return write


def test_li2_an_exit_at_the_import_of_a_gateway_handler_is_a_failure_of_that_hook(gateway_hook):
    [status] = gateway_hook("import sys; sys.exit(4)\n").status()
    assert (status.name, status.state, status.why) == ("z", "failed", "SystemExit: 4")


@pytest.mark.parametrize("error", ["SystemExit(4)", "KeyboardInterrupt", "GeneratorExit", "BaseException('x')"])
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_li2_nothing_that_a_gateway_handler_raises_ends_the_host(gateway_hook, kind, error):
    registry = gateway_hook(f"{kind} handle(event_type, context):\n    raise {error}\n")

    async def run():
        for _ in range(2):
            await registry.emit("agent:start")
        await registry.close(30)

    asyncio.run(run())
    [status] = registry.status()
    assert (status.handled, status.failed) == (2, 2)
    assert status.last_error.startswith(f"agent:start: {error.partition('(')[0]}")


def test_li2_ctrl_c_at_the_import_of_a_gateway_handler_is_the_user_s(gateway_hook):
    with pytest.raises(KeyboardInterrupt):
        gateway_hook("raise KeyboardInterrupt\n")
