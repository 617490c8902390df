"""Questions at a terminal: by name or first letter, with a time limit, and never answered by nobody."""

import sys

ASK = """
import sys
from hermes_sdk.cli.ask import ask, someone_is_there
print("there" if someone_is_there() else "nobody")
try:
    print("answer:", ask("allow?", ("once", "always", "deny"), screen=sys.stdout, timeout={timeout}))
except TimeoutError:
    print("too late")
"""


def asked(terminal, timeout=None):
    screen = terminal(command=[sys.executable, "-c", ASK.format(timeout=timeout)])
    screen.wait_for("there")
    screen.wait_for("[o]nce, [a]lways, [d]eny?")
    return screen


def test_a_first_letter_is_an_answer(terminal):
    screen = asked(terminal)
    screen.type("A")
    screen.wait_for("answer: always")


def test_a_whole_word_is_an_answer(terminal):
    screen = asked(terminal)
    screen.type(" once ")
    screen.wait_for("answer: once")


def test_anything_else_is_asked_again(terminal):
    screen = asked(terminal)
    for nonsense in ("", "yes", "alway"):
        screen.type(nonsense)
        screen.wait_for("[o]nce, [a]lways, [d]eny?")
    screen.type("deny")
    screen.wait_for("answer: deny")


def test_the_end_of_input_is_no_answer(terminal):
    screen = asked(terminal)
    screen.press("D")
    screen.wait_for("answer: None")


def test_nobody_answering_in_time_is_told_apart(terminal):
    asked(terminal, timeout=0.3).wait_for("too late")
