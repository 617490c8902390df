"""Tells a secret from what only stands where one would: samples, templates, page markers, names in code.

Each rule here answers something that masking found in a large tree of packages, manuals and logs, and is held by a
hard negative of the labelled set. None looks at how random a value is: people choose passwords, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

CONTEXT: Final = 64
"""Characters on either side of a value that a rule can see."""

_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_TEMPLATE: Final = re.compile(
    r"\$\w+|\$[({].*|\{.*\}|%\w+%?|<.*|&lt;.*|\[.*|\*+|x+|\.+|\^+|#+|(?:pass(?:word|wd)?|pwd|secret|token)\]?|"
    r"(?-i:(?:MY|YOUR)_?[A-Z_]+[0-9]?)",
    re.IGNORECASE,
)
"""What documentation and templates write where a secret goes."""
_SAMPLE: Final = re.compile(
    r"(?-i:EXAMPLE)|x{4}|\*{3}|placeholder|redacted|changeme|change[_-]me|replace[_-]?(?:me|with)|"
    r"(?:^|[^a-z])(?:your|insert)[_-]",
    re.IGNORECASE,
)
"""Parts of values that are made up; four x in a row stand in one of 100,000 tokens of base64."""
_CUT_OFF: Final = re.compile(r"[^.]{0,32}\.{3}[^.]{0,32}")
_RESOURCE: Final = re.compile(r"arn:[a-z-]+:|projects/[\w-]+/|https?:|sha(?:1|256|384|512)[:-]", re.IGNORECASE)
"""Names of what is kept elsewhere, of AWS and Google Cloud, addresses, and digests that say what they are."""
_NAME: Final = re.compile(r"([\w.:$/\\-]{1,64}?)[\s\"'\\]*(?::=|=>|=|:)[\s\"'\\]*$", re.ASCII)
_QUOTES: Final = ("'", '"', "`")
_VARIABLE: Final = re.compile(r"(?:^|[\r\n|]|\\n|export |ENV |-e ) {0,8}[A-Z_][A-Z0-9_]{0,60}=$")
"""A line of an environment file, where a value ends with the line; read_file numbers lines, `12|`."""
_ENDS: Final = re.compile(r"[,;&|()\[\]{}<>]")
"""What ends a value elsewhere, unless it is quoted."""
_TYPE: Final = re.compile(r"[A-Za-z]\w{0,60}(?:Token|Key|Types?|Handle)[0-9]?")
_PUBLIC_NAME: Final = re.compile(
    r"(?:next|prev|previous|page|pagination|continuation|forward|backward|starting|resume|resumption|sync|cancellation|"
    r"client|clientrequest|idempotency|change|lock|creation|purchase|update|lifecycleaction|publickey)token$"
)
"""Names, without dashes and underscores: pages of results, repeated requests, versions, .NET assemblies."""
_RESERVED_HOST: Final = re.compile(
    r"@(?:[\w-]{1,63}\.){0,8}(?:example\.(?:com|net|org)|example|invalid)\b", re.IGNORECASE
)
"""RFC 2606: nobody is there."""
_SHORT: Final = 4
"""Characters of a password that documentation writes in the address of such a host: `abc`, `pass`."""
_REGEX_USER: Final = re.compile(r"://[^/@:]*[(\[{][^/@:]*:$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that has the form of a secret, and what stands around it."""

    value: str
    before: str
    """Up to `CONTEXT` characters."""
    after: str
    """Up to `CONTEXT` characters."""


def anything(_found: Candidate) -> bool:
    """Take a form that nothing else has."""
    return True


def bearer(found: Candidate) -> bool:
    """Whether what stands behind `Bearer` has letters and digits and is no template."""
    return _mixed(found) and _TEMPLATE.fullmatch(found.value) is None


def named(found: Candidate) -> bool:
    """Whether the value of a name that promises a secret has letters and digits, and is none of the rest here."""
    value = found.value
    return (
        _mixed(found)
        and _TEMPLATE.fullmatch(value) is None
        and _SAMPLE.search(value) is None
        and _CUT_OFF.fullmatch(value) is None
        and _RESOURCE.match(value) is None
        and _is_whole(found)
        and not _is_public(found.before)
        and not _is_code(found)
    )


def url_password(found: Candidate) -> bool:
    """Whether this stands in an address that somebody could call, and not in documentation or in a pattern."""
    documented = len(found.value) <= _SHORT and _RESERVED_HOST.match(found.after)
    return _TEMPLATE.fullmatch(found.value) is None and not documented and _REGEX_USER.search(found.before) is None


def _mixed(found: Candidate) -> bool:
    """Whether a value has letters and digits and is no call or subscript, as most in source code are."""
    return (
        _DIGIT.search(found.value) is not None
        and _LETTER.search(found.value) is not None
        and found.after[:1] not in {"(", "["}
        and "://" not in found.value
    )


def _is_whole(found: Candidate) -> bool:
    """Whether what usually ends a value may be part of this one."""
    return (
        _ENDS.search(found.value) is None
        or found.before.endswith(_QUOTES)
        or _VARIABLE.search(found.before) is not None
    )


def _is_public(before: str) -> bool:
    """Whether the name that a value is given is one of values that anybody may see."""
    found = _NAME.search(before)
    if found is None:
        return False
    name = found[1].lower()
    return (
        _PUBLIC_NAME.search(re.sub(r"[\\_.-]", "", name)) is not None
        or name.endswith("/etc/passwd")
        or ("::" in name and '"' in found[0])  # "AWS::ApiGateway::ApiKey": a type, with its digest
    )


def _is_code(found: Candidate) -> bool:
    """Whether a value is a name in source code: `auth.token2` or `OAuth2Token`, words without quotes."""
    if found.before.endswith(_QUOTES) or _VARIABLE.search(found.before):
        return False
    parts = re.split(r"\?*\.|=", found.value)
    return _TYPE.fullmatch(found.value) is not None or (
        len(parts) > 1 and all(part.isidentifier() and _in_words(part) for part in parts if part)
    )


def _in_words(identifier: str) -> bool:
    """Whether letters stand together, as in words: in random text every other character is of another class."""
    runs = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", identifier)
    return sum(map(len, runs)) >= 3 * len(runs) if len(identifier) > 8 else True  # noqa: PLR2004 - letters a word
