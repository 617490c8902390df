"""The secret formats that are masked: what their issuers document, and the shapes that anybody's have.

Every pattern runs in linear time on hostile text, with three habits: it starts with a literal (which `re`
finds at memory speed), it repeats without a limit only where nothing has to follow or where the repeated
characters cannot start the pattern anew, and no repeat stands inside another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_STAND_IN: Final = re.compile(r"\$\{?\w+\}?|%\w+%?|<.*|\[.*|\*+|x+|\.+|pass(?:word)?|pwd|secret|token", re.IGNORECASE)
"""What documentation and templates write where a secret goes."""


def _no_stand_in(value: str, _after: str) -> bool:
    return _STAND_IN.fullmatch(value) is None


def _mixed(value: str, after: str) -> bool:
    """Whether a value has letters and digits and is no call or subscript, as most in source code are."""
    return (
        any(character.isdigit() for character in value)
        and any(character.isalpha() for character in value)
        and after not in {"(", "["}
        and "://" not in value
        and _no_stand_in(value, after)
    )


def _anything(_value: str, _after: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of secret."""

    name: str
    """Shown in the placeholder: ``[redacted:NAME:1]``."""
    patterns: tuple[re.Pattern[str], ...]
    """Each finds the secret: the group ``secret`` where there is one, else the whole match."""
    any_case: bool = False
    """Whether the patterns, written in lower case, are matched against a lower-case copy of the text."""
    accept: Callable[[str, str], bool] = _anything
    """Has the last word about what was found: is given the value and the character behind it."""


def _kind(name: str, *patterns: str, any_case: bool = False, accept: Callable[[str, str], bool] = _anything) -> Kind:
    return Kind(name, tuple(re.compile(pattern, re.ASCII) for pattern in patterns), any_case, accept)


def _token(prefix: str, rest: str) -> str:
    r"""Return a pattern for a token that does not start inside a word.

    A tool result is JSON, where a line break is the two characters ``\n``, and raw terminal output has
    colours: a letter that ends such an escape is no part of a word. The condition stands behind the prefix,
    so that the pattern starts with a literal.
    """
    before = (r"(?<![A-Za-z0-9_-]", r"(?<=\\[nrt]", r"(?<=[\[;][0-9]m", r"(?<=[\[;][0-9][0-9]m")
    return f"{prefix}(?:{'|'.join(f'{start}{prefix})' for start in before)}){rest}"


_SECRET_KEYS: Final = "|".join(
    rf"(?<={word}[_-]key)|(?<={word}key)"
    for word in ("api", "access", "secret", "private", "auth", "account", "encryption", "signing")
)
_ASSIGNED: Final = r"\\?[\"']?\s{0,4}(?::=|=>|=|:)\s{0,4}\\?[\"']?"
"""Between a name and its value: ``=``, ``: ``, ``": "``, also inside a JSON string."""

KINDS: Final[tuple[Kind, ...]] = (
    _kind(  # RFC 7468 and OpenPGP armour; the end may have been cut off, and lines may be numbered `12|`
        "private-key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----)[\w+/=\s\\|:,.()@-]){64,}(?:-----END [A-Z0-9 ]{1,60}-----)?",
    ),
    _kind(  # AWS IAM guide, "Understanding unique ID prefixes": long-term and temporary access keys
        "aws-key", r"A(?:KIA|SIA|BIA|CCA)(?<![A-Z0-9]A[A-Z]{3})[A-Z2-7]{16}(?![A-Z0-9])"
    ),
    _kind("github-token", r"gh[opsur]_[A-Za-z0-9]{36,}", r"github_pat_\w{40,}"),  # GitHub, "Token formats"
    _kind(  # GitLab, "Token overview: token prefixes"
        "gitlab-token", r"gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_-]{20,}"
    ),
    _kind("slack-token", r"xox[abceoprs]-[A-Za-z0-9-]{10,}", r"xapp-[A-Za-z0-9-]{10,}"),  # Slack, "Token types"
    _kind(  # Slack, "Incoming webhooks": the path is the credential
        "slack-webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9_/-]{20,})",
    ),
    _kind(  # Stripe, "API keys" and "Webhooks": secret and restricted keys, signing secrets
        "stripe-key",
        _token("sk_(?:live|test)_", r"[A-Za-z0-9]{16,}"),
        _token("rk_(?:live|test)_", r"[A-Za-z0-9]{16,}"),
        r"whsec_[A-Za-z0-9+/=]{24,}",
    ),
    _kind("anthropic-key", _token("sk-ant-", r"[A-Za-z0-9_-]{20,}")),  # Anthropic, "API keys"
    _kind(  # OpenAI: project, service account and admin keys, the older form; OpenRouter's look alike
        "openai-key",
        _token("sk-", r"(?:(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})"),
    ),
    _kind("google-key", _token("AIza", r"[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),  # Google Cloud, "API keys"
    _kind(  # Google, "OAuth 2.0": client secrets and access tokens
        "google-oauth", r"GOCSPX-[A-Za-z0-9_-]{28}", r"ya29\.[A-Za-z0-9_-]{30,}"
    ),
    _kind("huggingface-token", _token("hf_", r"[A-Za-z0-9]{34,}")),  # Hugging Face, "User access tokens"
    _kind("npm-token", _token("npm_", r"[A-Za-z0-9]{36,}")),  # npm, "About access tokens"
    _kind("pypi-token", r"pypi-AgE[A-Za-z0-9_-]{50,}"),  # PyPI, "API tokens"
    _kind("sendgrid-key", _token(r"SG\.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}")),  # SendGrid, "API keys"
    _kind("digitalocean-token", r"do[oprt]_v1_[a-f0-9]{64}"),  # DigitalOcean, "Personal access tokens"
    _kind(  # Telegram, "Authorizing your bot": bot id, colon, secret
        "telegram-token", r":(?<=[0-9]{8}:)(?P<secret>AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"
    ),
    _kind(  # RFC 7519: header and claims are JSON objects, whose base64url starts with "eyJ"
        "jwt", _token("eyJ", r"[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}")
    ),
    _kind(  # RFC 3986, user information: postgres://user:THIS@host
        "url-password",
        r"://[^\s:/@\"'<>\\]{0,64}:(?P<secret>[^\s/@\"'<>\\]+)@",
        accept=_no_stand_in,
    ),
    _kind(  # the secret half of an AWS key has no prefix: known by the name that the AWS tools give it
        "aws-secret",
        rf"aws_?secret_?(?:access_?)?key{_ASSIGNED}(?P<secret>[a-z0-9+/]{{40}})(?![a-z0-9+/])",
        any_case=True,
    ),
    _kind(  # RFC 6750 and RFC 7617
        "auth-header",
        r"authorization\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?(?:basic|token)\s{1,4}(?P<secret>[a-z0-9._~+/=-]{16,})",
        r"bearer\s{1,4}(?P<secret>[a-z0-9._~+/=-]{16,})",
        any_case=True,
        accept=_mixed,
    ),
    _kind(  # NAME=value, name: value, "name": "value"; the end of the name says that it is a secret
        "secret",
        rf"(?:password|passwd|pwd|secret(?<!:secret)|token|credentials?|key(?:{_SECRET_KEYS})){_ASSIGNED}"
        r"(?P<secret>[^\s\"'`\\,;&|()\[\]{}<>]{8,})",
        any_case=True,
        accept=_mixed,
    ),
)
"""In the order in which they are looked for: the more telling name wins where two could match."""
