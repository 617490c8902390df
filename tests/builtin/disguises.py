"""Ways in which a secret comes along that nobody would read as one at first sight."""

from __future__ import annotations

import base64
import json
import textwrap
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    Disguise = Callable[[str, str], str]
    """Is given a text in one line and a secret in it."""


def coloured(text: str, secret: str) -> str:
    """Colours in the middle, as a search that highlights what it finds has them."""
    middle = len(secret) // 2
    return text.replace(secret, f"{secret[:middle]}\x1b[01;31m\x1b[K{secret[middle]}\x1b[m\x1b[K{secret[middle + 1 :]}")


def percent_encoded(text: str, _secret: str) -> str:
    return f"GET https://acme.io/login?next={quote(text, safe='')} HTTP/1.1\n"


def percent_encoded_twice(text: str, _secret: str) -> str:
    return f"https://acme.io/?u={quote(quote(text, safe=''), safe='')}\n"


def with_entities(text: str, _secret: str) -> str:
    return f"<p>{''.join(c if c.isalnum() else f'&#{ord(c)};' for c in escape(text))}</p>"


def with_unicode_escapes(text: str, _secret: str) -> str:
    return '{"a": "' + "".join(c if c.isalnum() and c not in "aeyA" else f"\\u{ord(c):04x}" for c in text) + '"}'


def with_escaped_slashes(text: str, _secret: str) -> str:
    return json.dumps({"output": text, "code": 0}).replace("/", "\\/")


def json_in_json_in_json(text: str, secret: str) -> str:
    return json.dumps({"result": json.dumps({"content": with_unicode_escapes(text, secret)})})


def base64_of_it(text: str, _secret: str) -> str:
    return f"apiVersion: v1\nkind: Secret\ndata:\n  conf: {base64.b64encode(text.encode()).decode()}\n"


def base64_in_lines(text: str, _secret: str) -> str:
    return (
        "begin\n" + base64.encodebytes(f"# first line of a file\n{text}\nlast=line\n".encode() * 2).decode() + "\nend"
    )


def base64_in_a_json_string(text: str, secret: str) -> str:
    return json.dumps({"output": base64_in_lines(text, secret)})


def base64_for_addresses(text: str, _secret: str) -> str:
    return f"https://acme.io/?state={base64.urlsafe_b64encode(f'x?>{text}'.encode()).decode().rstrip('=')}&y=1"


def base64_twice(text: str, _secret: str) -> str:
    return base64.b64encode(base64.b64encode(text.encode())).decode()


def wrapped_by_a_terminal(text: str, secret: str, columns: int = 80) -> str:
    """The text begins so far to the right that the secret is broken after a third of it, or wherever it is full."""
    start = text.index(secret)
    filler = "x " * columns
    before = (columns - start - max(1, min(len(secret) // 3, columns - 8))) % columns
    line = (filler[: before - 1] + " " if before else "") + text
    return "$ env\n" + "\n".join(line[at : at + columns] for at in range(0, len(line), columns)) + "\n$ true\n"


def wrapped_in_a_json_string(text: str, secret: str) -> str:
    return json.dumps({"output": wrapped_by_a_terminal(text, secret), "exit_code": 0})


def wrapped_and_coloured(text: str, secret: str) -> str:
    return wrapped_by_a_terminal(text, secret).replace("\n", "\x1b[0m\n").replace("x x", "\x1b[33mx x\x1b[0m")


def continued_lines(text: str, secret: str) -> str:
    middle = len(secret) // 2
    return text.replace(secret, f"{secret[:middle]}\\\n{secret[middle:]}")


def continued_in_quoted_yaml(text: str, secret: str) -> str:
    third = len(secret) // 3
    return "x:\n  y: 1\n" + text.replace(
        secret, f"{secret[:third]}\\\n    {secret[third : 2 * third]}\\\n    {secret[2 * third :]}"
    )


def folded_in_yaml(text: str, _secret: str) -> str:
    return "conf: >-\n" + textwrap.indent("\n".join(textwrap.wrap(text, 30, break_on_hyphens=False)), "  ") + "\nz: 1\n"


ANYWHERE: Final[dict[str, Disguise]] = {
    function.__name__: function
    for function in (
        coloured,
        percent_encoded,
        percent_encoded_twice,
        with_entities,
        with_unicode_escapes,
        with_escaped_slashes,
        json_in_json_in_json,
        base64_of_it,
        base64_in_lines,
        base64_in_a_json_string,
        base64_for_addresses,
        base64_twice,
        wrapped_by_a_terminal,
        wrapped_in_a_json_string,
        wrapped_and_coloured,
        continued_lines,
        continued_in_quoted_yaml,
    )
}
"""For a text in one line."""
IN_ONE_WORD: Final[dict[str, Disguise]] = {"folded_in_yaml": folded_in_yaml}
"""For a text without spaces."""
