"""Each rule of the checker: what it finds, where, and what it leaves alone."""

import textwrap

import pytest

from hermes_sdk.check import RULES, check

KWARGS = "**kwargs"


@pytest.fixture
def plugin(tmp_path):
    """Write a directory plugin and check it."""

    def write(code, manifest="name: sample\n", **files):
        directory = tmp_path / "sample"
        directory.mkdir(exist_ok=True)
        (directory / "__init__.py").write_text(textwrap.dedent(code))
        if manifest:
            (directory / "plugin.yaml").write_text(textwrap.dedent(manifest))
        for name, text in files.items():
            (directory / f"{name}.py").write_text(textwrap.dedent(text))
        return check(directory)

    return write


def found(report):
    return [(finding.code, finding.severity, f"{finding.place}") for finding in report.findings]


def test_a_plugin_in_order_has_no_findings(plugin):
    report = plugin(
        """
        import logging
        logger = logging.getLogger(__name__)

        def guard(tool_name, args, **kwargs):
            logger.info("asked about %s", tool_name)
            return {"action": "block", "message": "no"} if tool_name == "terminal" else None

        def register(ctx):
            ctx.register_hook("pre_tool_call", guard)
        """
    )
    assert report.findings == ()
    assert report.ok
    assert report.hooks == ("pre_tool_call",)


def test_nothing_of_the_plugin_is_run(plugin, tmp_path):
    report = plugin(f"open({str(tmp_path / 'ran')!r}, 'w')\n\ndef register(ctx): ...\n")
    assert report.ok
    assert not (tmp_path / "ran").exists()


def test_a_file_that_cannot_be_parsed_is_named_and_the_others_are_checked(plugin):
    report = plugin("def register(ctx): ctx.register_hook('pre_tool_cal', f)\n", broken="def f(:\n")
    assert [(finding.code, str(finding.place.path)) for finding in report.findings] == [
        ("HC101", "__init__.py"),
        ("HC001", "broken.py"),
    ]


@pytest.mark.parametrize(
    ("name", "severity", "hint"),
    [
        ("pre_tool_cal", "error", "did you mean 'pre_tool_call'?"),
        ("on_stream_start", "warning", "did you mean 'on_session_start'?"),
        ("something_else_entirely", "warning", ""),
    ],
)
def test_an_unknown_hook_is_an_error_where_it_is_a_slip_only(plugin, name, severity, hint):
    report = plugin(f"def f(**kwargs): ...\ndef register(ctx):\n    ctx.register_hook({name!r}, f)\n")
    (finding,) = report.findings
    assert (finding.code, finding.severity, finding.fix) == ("HC101", severity, hint)
    assert str(finding.place) == "__init__.py:3:23"


def test_an_optional_hook_may_be_unknown(plugin):
    report = plugin(
        """
        from hermes_sdk import hookimpl

        @hookimpl(optionalhook=True)
        def on_tuesday(): ...
        """
    )
    assert report.findings == ()


WAYS = {
    "name": "ctx.register_hook('post_tool_call', f)",
    "keywords": "ctx.register_hook(hook_name='post_tool_call', callback=f)",
    "constant": "NAME = 'post_tool_call'; ctx.register_hook(NAME, f)",
    "pairs": "for n, c in (('post_tool_call', f),): ctx.register_hook(n, c)",
    "dict": "table = {'post_tool_call': f}\n    for n, c in table.items(): ctx.register_hook(n, c)",
    "deferred": "for n, c in [('post_tool_call', f)]: run(lambda n=n, c=c: ctx.register_hook(n, c))",
    "names": "for n in ('post_tool_call',): ctx.register_hook(n, f)",
    "alias": "g = f; ctx.register_hook('post_tool_call', g)",
    "made": "ctx.register_hook('post_tool_call', make())",
    "method": "ctx.register_hook('post_tool_call', Plugin().f)",
    "instance": "p = Plugin(); ctx.register_hook('post_tool_call', p.f)",
    "inherited": "ctx.register_hook('post_tool_call', Child().f)",
    "static": "ctx.register_hook('post_tool_call', Plugin().static)",
    "other module": "ctx.register_hook('post_tool_call', other.f)",
    "imported": "ctx.register_hook('post_tool_call', imported)",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_an_argument_that_is_not_sent_is_found_however_the_callback_is_registered(plugin, way):
    report = plugin(
        f"""
        from . import other
        from .other import f as imported

        def f(params, **kwargs): ...

        def make():
            def inner(params, **kwargs): ...
            return inner

        class Plugin:
            def f(self, params, **kwargs): ...
            @staticmethod
            def static(params, **kwargs): ...

        class Child(Plugin): ...

        def run(call): call()

        def register(ctx):
            {way.replace(chr(10), chr(10) + " " * 8)}
        """,
        other="def f(params, **kwargs): ...\n",
    )
    (finding,) = report.findings
    assert finding.code == "HC102"
    assert "post_tool_call does not send 'params': the callback is never called" in finding.message


def test_what_cannot_be_told_from_the_text_is_left_alone(plugin):
    report = plugin(
        """
        from somewhere import callbacks
        import functools

        def f(a, **kwargs): ...

        def register(ctx, names=None):
            for name in names:
                ctx.register_hook(name, f)
            ctx.register_hook("post_tool_call", callbacks["x"])
            ctx.register_hook("post_tool_call", functools.partial(f, 1))
            f2 = f
            f2 = callbacks.g
            ctx.register_hook("post_tool_call", f2)
        """
    )
    assert report.findings == ()


def test_a_parameter_hides_what_has_its_name_outside(plugin):
    report = plugin(
        """
        def f(params, **kwargs): ...

        def add(ctx, f):
            ctx.register_hook("post_tool_call", f)

        def register(ctx):
            add(ctx, print)
        """
    )
    assert report.findings == ()


def test_a_hookimpl_with_an_argument_that_is_not_sent_is_refused_and_a_default_is_a_warning(plugin):
    report = plugin(
        """
        from hermes_hookspecs import hookimpl

        class Plugin:
            @hookimpl
            def post_tool_call(self, tool_name, params): ...

        @hookimpl(specname="pre_tool_call")
        def guard(tool_name, risk=3): ...
        """
    )
    assert [(finding.code, finding.severity, finding.message) for finding in report.findings] == [
        ("HC102", "error", "post_tool_call does not send 'params': pluggy refuses the plugin"),
        ("HC102", "warning", "pre_tool_call does not send 'risk': it always has its default"),
    ]


def test_the_hook_of_a_hookimpl_is_the_one_that_its_specname_stands_for(plugin):
    report = plugin(
        """
        from hermes_hookspecs import hookimpl

        JUDGE = "pre_tool_call"

        @hookimpl(specname=JUDGE)
        def guard(tool_name, risk): ...

        def wrapper(hook):
            @hookimpl(wrapper=True, specname=hook)
            def watch(**payload):
                return (yield)

            return watch
        """
    )
    assert report.hooks == ("pre_tool_call",)
    assert [finding.message for finding in report.findings] == [
        "pre_tool_call does not send 'risk': pluggy refuses the plugin"
    ]


def test_second_names_of_arguments_are_sent(plugin):
    report = plugin(
        """
        def f(arguments, args, child_status, **kwargs): ...

        def register(ctx):
            ctx.register_hook("transform_tool_result", f)
        """
    )
    assert [finding.message.split(":")[0] for finding in report.findings] == [
        "transform_tool_result does not send 'child_status'"
    ]


def test_a_callback_without_room_is_warned_about_and_a_hookimpl_is_not(plugin):
    report = plugin(
        """
        from hermes_sdk import hookimpl

        def f(tool_name): ...

        @hookimpl
        def post_tool_call(tool_name): ...

        def register(ctx):
            ctx.register_hook("pre_tool_call", f)
        """
    )
    assert found(report) == [("HC103", "warning", "__init__.py:4:1")]


def test_a_generator_is_an_error_unless_it_is_a_wrapper(plugin):
    report = plugin(
        """
        from hermes_sdk import hookimpl

        def f(**kwargs):
            yield {"action": "block", "message": "no"}

        @hookimpl(wrapper=True)
        def transform_tool_result():
            return (yield)

        def register(ctx):
            ctx.register_hook("pre_tool_call", f)
        """
    )
    assert found(report) == [("HC104", "error", "__init__.py:5:5")]


@pytest.mark.parametrize(
    ("hook", "answer", "message"),
    [
        ("pre_tool_call", "{'action': 'blok', 'message': 'no'}", "knows no action 'blok', did you mean 'block'?"),
        ("pre_tool_call", "{'action': 'block'}", "ignores a 'block' without 'message'"),
        ("pre_tool_call", "{'action': 'block', 'reason': 'no'}", "ignores a 'block' without 'message'"),
        ("pre_tool_call", "{'action': 'deny', 'message': 'no'}", "knows no action 'deny'"),
        ("pre_tool_call", "{'action': 'modify'}", "ignores a 'modify' without 'args'"),
        ("pre_gateway_dispatch", "{'action': 'rewrite'}", "ignores a 'rewrite' without 'text'"),
        ("pre_llm_call", "{'contxt': 'x'}", "takes text or a mapping with 'context', and this has none"),
        ("transform_tool_result", "{'result': 'x'}", "takes text, and a mapping changes nothing"),
        ("post_tool_call", "{'action': 'block', 'message': 'no'}", "ignores answers: 'block' has no effect"),
    ],
)
def test_an_answer_that_has_no_effect_is_a_warning(plugin, hook, answer, message):
    report = plugin(
        f"def f(**kwargs):\n    return {answer}\n\ndef register(ctx):\n    ctx.register_hook('{hook}', f)\n"
    )
    (finding,) = report.findings
    assert (finding.code, finding.severity) == ("HC105", "warning")
    assert message in finding.message


@pytest.mark.parametrize(
    ("hook", "answer"),
    [
        ("pre_tool_call", "{'action': 'block', 'message': 'no'}"),
        ("pre_llm_call", "'text'"),
        ("pre_tool_call", "{'action': 'block', **extra}"),
        ("pre_tool_call", "{'action': word}"),
        ("pre_tool_call", "{}"),
        ("pre_llm_call", "{'context': 'x'}"),
        ("post_tool_call", "{'seen': True}"),
        ("pre_gateway_dispatch", "{'action': 'skip'}"),
    ],
)
def test_an_answer_that_counts_or_cannot_be_judged_is_left_alone(plugin, hook, answer):
    report = plugin(
        f"""
        word, extra = "block", {{}}

        def f(**kwargs):
            return {answer}

        def register(ctx):
            ctx.register_hook({hook!r}, f)
        """
    )
    assert report.findings == ()


def test_blocking_calls_are_found_down_the_plugin_in_hooks_that_fire_often(plugin):
    report = plugin(
        """
        import subprocess as sp
        import threading
        import time
        from urllib.request import urlopen

        class Client:
            def send(self):
                urlopen("http://127.0.0.1")

        client = Client()

        def helper():
            sp.run(["ls"], timeout=3)
            threading.Thread(target=slow).start()

        def slow():
            time.sleep(10)

        def pre(**kwargs):
            helper()
            time.sleep(0)

        def post(**kwargs):
            client.send()

        def end(**kwargs):
            time.sleep(1)

        async def start(**kwargs):
            time.sleep(2)

        def register(ctx):
            ctx.register_hook("pre_tool_call", pre)
            ctx.register_hook("post_tool_call", post)
            ctx.register_hook("on_session_end", end)
            ctx.register_hook("on_session_start", start)
        """
    )
    assert [finding.message for finding in report.findings] == [
        "urllib.request.urlopen holds the agent up each time (in post_tool_call, by way of send)",
        "subprocess.run holds the agent up each time (in pre_tool_call, by way of helper)",
        "time.sleep blocks the event loop (in on_session_start)",
    ]


def test_print_and_exit_are_found_where_a_host_runs_them_only(plugin):
    report = plugin(
        """
        import os, sys

        def f(**kwargs):
            print("seen")
            print("seen", file=sys.stderr)
            os._exit(3)

        def main():
            print("for a person")
            sys.exit(1)

        def register(ctx):
            print("loading")
            ctx.register_hook("on_session_end", f)

        if __name__ == "__main__":
            main()
        """
    )
    assert found(report) == [
        ("HC203", "warning", "__init__.py:5:5"),
        ("HC204", "warning", "__init__.py:7:5"),
        ("HC203", "warning", "__init__.py:14:5"),
    ]


def test_a_bare_except_is_found_unless_it_raises_again(plugin):
    report = plugin(
        """
        def register(ctx):
            try:
                pass
            except:
                pass
            try:
                pass
            except BaseException:
                pass
            try:
                pass
            except:
                raise
            try:
                pass
            except Exception:
                pass
        """
    )
    assert found(report) == [("HC202", "warning", "__init__.py:5:5"), ("HC202", "warning", "__init__.py:9:5")]


def test_ctx_members_are_followed_into_functions_and_may_be_asked_for_first(plugin):
    report = plugin(
        """
        def add(context):
            context.register_comand("x", print)

        def register(ctx):
            add(ctx)
            ctx.settings
            ctx.paths.data
            if hasattr(ctx, "register_voice"):
                ctx.register_voice()
            try:
                ctx.register_radio()
            except AttributeError:
                pass
            getattr(ctx, "smoke")
            getattr(ctx, "register_mirror", None)
        """
    )
    assert [
        (finding.code, finding.severity, finding.message.split(":")[0], finding.fix) for finding in report.findings
    ] == [
        ("HC501", "error", "ctx has no 'register_comand'", "did you mean 'register_command'?"),
        ("HC503", "note", "ctx.settings is hermes-sdk's own", "there, ask with hasattr(ctx, 'settings') first"),
        ("HC503", "note", "ctx.paths is hermes-sdk's own", "there, ask with hasattr(ctx, 'paths') first"),
        ("HC501", "error", "ctx has no 'smoke'", "ask with hasattr(ctx, ...) first"),
    ]
    assert not report.ok


def test_notes_alone_are_fine(plugin):
    report = plugin("def f(**kw): ...\ndef register(ctx):\n    ctx.register_hook('subagent_start', f)\n")
    assert [(finding.code, finding.severity) for finding in report.findings] == [("HC503", "note")]
    assert report.ok


def test_the_hosts_insides_are_a_warning_unless_there_is_a_way_out(plugin):
    report = plugin(
        """
        from typing import TYPE_CHECKING
        import hermes_state
        from hermes_constants import get_hermes_home
        from .agent import mine
        try:
            from agent.memory import Store
        except ImportError:
            Store = None
        if TYPE_CHECKING:
            from gateway.run import GatewayRunner

        def register(ctx): ...
        """,
        agent="mine = 1\n",
    )
    assert found(report) == [("HC502", "warning", "__init__.py:3:1")]


def test_a_manifest_is_checked_with_its_place(plugin):
    report = plugin(
        "def f(**kw): ...\ndef register(ctx):\n    ctx.register_hook('post_tool_call', f)\n",
        "name: sample\ndescripton: x\nfail_closed: 7\nprovides_hooks: [post_tool_call, pre_tool_call]\n",
    )
    assert found(report) == [
        ("HC303", "warning", "plugin.yaml:2:1"),
        ("HC303", "error", "plugin.yaml:3:1"),
        ("HC305", "warning", "plugin.yaml:4:34"),
    ]


def test_a_directory_without_manifest_or_without_register_has_nothing_to_load(plugin):
    assert [finding.message.split(":")[0] for finding in plugin("x = 1\n", "").findings] == [
        "there is no manifest",
        "there is neither register(ctx) nor a @hookimpl function",
    ]


def test_a_comment_silences_its_line_and_one_that_silences_nothing_is_found(plugin):
    report = plugin(
        """
        def f(**kw):
            print(1)  # hermes: ignore[HC203]
            return 2  # hermes: ignore[HC203, HC999]

        def register(ctx):
            ctx.register_hook("on_session_end", f)
        """
    )
    assert [(finding.code, finding.message, finding.place.line) for finding in report.findings] == [
        ("HC002", "HC203 finds nothing here", 4),
        ("HC002", "there is no rule 'HC999'", 4),
    ]


@pytest.mark.parametrize("name", ["code.py", "settings.example.json"])
def test_a_secret_is_found_and_never_shown(plugin, tmp_path, name):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / name).write_text(f'x = 1\ntoken = "{secret}"\n')
    report = plugin("def register(ctx): ...\n")
    assert found(report) == [("HC401", "error", f"{name}:2:10")]
    assert secret[4:] not in str(report.findings)


def test_what_only_looks_like_a_setting_is_no_secret(plugin):
    report = plugin("""
        import os
        token = os.environ["API_TOKEN"]
        password = "<your password>"
        digest = "9c1181aee1fcc4127d5fd58b465998db9c0fe6851098444b32cfa1b3f6bca69c"
        def register(ctx): ...
    """)
    assert report.findings == ()


def test_columns_count_characters(plugin):
    report = plugin("def register(ctx):\n    'ä→€'; ctx.nothing\n")
    assert found(report) == [("HC501", "error", "__init__.py:2:12")]


def test_rules_have_codes_in_order_and_texts():
    assert list(RULES) == sorted(RULES)
    assert all(rule.summary.endswith(".") and rule.why.endswith(".") for rule in RULES.values())
    assert len({rule.name for rule in RULES.values()}) == len(RULES)
