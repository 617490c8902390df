"""A plugin that leaves a thread running does not keep the program from ending."""

import subprocess
import sys

FOREVER = """
import threading
def pulse():
    threading.Event().wait()
def register(ctx):
    threading.Thread(target=pulse, name="forever").start()
"""
ENDING = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from hermes_sdk.cli.left_threads import end_in_spite_of_them
{}
end_in_spite_of_them(3, patience={})
print("done")
sys.exit(3)
"""


def ending(left, patience):
    command = [sys.executable, "-W", "error", "-c", ENDING.format(left, patience)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_thread_that_never_ends_is_named_and_left(program):
    program.plugin("threads", FOREVER)
    done = program("plugins", "list", "--load")
    assert done.code == 0
    said = " ".join(done.err.split())
    assert "ended without waiting any longer for what plugins left running: thread 'forever' at" in said
    assert "threads/__init__.py:4" in "".join(done.err.split())
    assert "threads" in done.out


def test_the_exit_code_and_what_was_printed_survive():
    done = ending("threading.Thread(target=threading.Event().wait).start()", 0.1)
    assert (done.returncode, done.stdout) == (3, "done\n")
    assert "what plugins left running" in done.stderr


def test_what_ends_by_itself_is_waited_for():
    slow = "threading.Thread(target=lambda: (time.sleep(0.3), print('written'))).start()"
    done = ending(slow, 30)
    assert (done.returncode, done.stdout, done.stderr) == (3, "done\nwritten\n", "")


def test_an_executor_that_nobody_shut_down_ends_with_python():
    done = ending("pool = ThreadPoolExecutor(); pool.submit(print, 'job').result()", 30)
    assert (done.returncode, done.stdout, done.stderr) == (3, "job\ndone\n", "")
