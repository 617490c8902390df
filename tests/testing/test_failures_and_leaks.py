"""How a failing test reads, what a leak is called, and that nobody else's tests change."""

import subprocess
import sys

import pytest

ISOLATED = ("-p", "no:cacheprovider", "-W", "error")


def run(pytester, code, *arguments):
    pytester.makepyfile(code)
    return pytester.runpytest_subprocess(*ISOLATED, *arguments)


def test_a_failed_assertion_says_what_happened_instead(pytester):
    result = run(
        pytester,
        """
        from hermes_sdk import hookimpl

        class Careful:
            @hookimpl
            def pre_tool_call(self):
                return {"action": "approve", "message": "sure?"}

        def test_guard(manager, fire):
            manager.register(Careful(), "careful")
            assert fire("pre_tool_call").blocked_by("guard")
        """,
    )
    result.assert_outcomes(failed=1)
    text = " ".join(result.stdout.str().split())
    assert "False (pre_tool_call was not blocked by 'guard': it gave action='approve', message='sure?'" in text
    assert "steps: careful approve 'sure?'" in text


LEAKS = {
    "a thread": (
        "import threading\n    threading.Thread(target=threading.Event().wait, daemon=True, name='stray').start()",
        "daemon thread 'stray', started at *test_a_leak_is_named.py:3",
    ),
    "an executor": (
        "import concurrent.futures as c, builtins\n    builtins.kept = c.ThreadPoolExecutor()\n    kept.submit(id, 1)",
        "thread 'ThreadPoolExecutor-*, started at *test_a_leak_is_named.py:4",
    ),
    "a forked process": (
        "import multiprocessing as m, time\n    m.get_context('fork').Process(target=time.sleep, args=(60,)).start()",
        "process * 'ForkProcess-*', started at *test_a_leak_is_named.py:3",
    ),
    "a process": (
        "import subprocess\n    subprocess.Popen(['sleep', '300'])",
        "process * 'sleep 300', started at *test_a_leak_is_named.py:3",
    ),
    "a variable": (
        "import os\n    os.environ['STRAY'] = '1'",
        "environment variable STRAY was set; use monkeypatch.setenv",
    ),
    "a removed one": ("import os\n    del os.environ['HOME']", "environment variable HOME was removed; *"),
    "a directory": ("import os\n    os.chdir('/')", "the working directory is / now; use monkeypatch.chdir"),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_named(pytester, name):
    code, line = LEAKS[name]
    result = run(pytester, f"\ndef test_leaks(hermes_home):\n    {code}\n")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*the test leaks:*", f"*{line}"])


def test_what_a_coroutine_starts_is_traced_to_its_line(pytester):
    pytester.makepyfile(
        """
        import asyncio

        async def begin():
            await asyncio.create_subprocess_exec("sleep", "300")

        def test_leaks(hermes_home):
            asyncio.run(begin())
        """
    )
    # no -W error: the transport that is dropped warns by itself, whenever it is collected
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*process * 'sleep 300', started at *is_traced_to_its_line.py:4"])


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_does_not_reach_the_next_test(pytester, name):
    code, _ = LEAKS[name]
    result = run(
        pytester,
        f"\nimport os\ndef test_leaks(hermes_home):\n    {code}\n\n"
        "def test_next(hermes_home):\n"
        "    assert 'STRAY' not in os.environ and 'HOME' in os.environ and os.getcwd() != '/'\n",
    )
    result.assert_outcomes(passed=2, errors=1)


def test_a_marker_allows_what_is_meant(pytester):
    result = run(
        pytester,
        """
        import os, threading, pytest

        @pytest.mark.allow_leaks("environment")
        def test_one(hermes_home):
            os.environ["STRAY"] = "1"

        @pytest.mark.allow_leaks
        def test_all(hermes_home):
            os.environ["STRAY"] = "1"
            threading.Thread(target=threading.Event().wait, daemon=True).start()

        @pytest.mark.allow_leaks("threads")
        def test_other(hermes_home):
            os.environ["STRAY"] = "1"
        """,
        "--strict-markers",
    )
    result.assert_outcomes(passed=3, errors=1)


def test_what_ends_in_time_is_no_leak(pytester):
    result = run(
        pytester,
        """
        import subprocess, threading, time

        def test_ends(hermes_home):
            threading.Thread(target=time.sleep, args=(0.2,)).start()
            subprocess.Popen(["sleep", "0.2"])
        """,
    )
    result.assert_outcomes(passed=1)


LEAKY = "import os\ndef test_leaks():\n    os.environ['STRAY'] = '1'\n"


def test_tests_without_the_fixtures_are_left_alone_unless_asked(pytester):
    run(pytester, LEAKY).assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nhermes_sdk_leak_check = true\n")
    run(pytester, LEAKY).assert_outcomes(passed=1, errors=1)


def test_what_a_wider_fixture_holds_is_no_leak_and_stays(pytester):
    result = run(
        pytester,
        """
        import os, threading, pytest

        @pytest.fixture(scope="module")
        def server():
            stop = threading.Event()
            thread = threading.Thread(target=stop.wait)
            thread.start()
            os.environ["SERVER"] = "1"
            yield
            del os.environ["SERVER"]
            stop.set()
            thread.join()

        def test_one(server, manager):
            assert os.environ["SERVER"] == "1"

        def test_two(server, fire):
            assert os.environ["SERVER"] == "1"
        """,
    )
    result.assert_outcomes(passed=2)


def test_a_failing_fixture_is_said_beside_the_leak(pytester):
    result = run(
        pytester,
        """
        import os, pytest

        @pytest.fixture
        def broken(hermes_home):
            yield
            raise RuntimeError("the fixture failed")

        def test_it(broken):
            os.environ["STRAY"] = "1"
        """,
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*the fixture failed*"])
    result.stdout.fnmatch_lines(["*STRAY was set*"])


def test_it_works_in_parallel(pytester):
    run(pytester, "def test_a(fire): fire('pre_tool_call')\ndef test_b(manager): pass\n", "-n", "2").assert_outcomes(
        passed=2
    )


HEAVY = ("asyncio", "hermes_hookspecs", "importlib_metadata", "pydantic", "rich", "typer", "yaml")
LOADED = """
import sys, pytest
{import_}
heavy = {heavy!r}
print([name for name in sys.modules if name.partition(".")[0] in heavy])
print([name for name in sys.modules if name.startswith("hermes_sdk.") and "testing" not in name])
"""


def test_loading_it_imports_nothing_of_hermes_sdk_but_itself():
    kit, plain = (
        subprocess.run(
            [sys.executable, "-c", LOADED.format(import_=each, heavy=HEAVY)], capture_output=True, text=True, check=True
        ).stdout
        for each in ("import hermes_sdk.testing.plugin", "")
    )
    assert kit == plain
