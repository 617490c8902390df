"""The secret formats that are masked: what their issuers document, and the shapes that anybody's have.

Every pattern runs in linear time on hostile text, with three habits: it starts with a literal (which `re`
finds at memory speed), it repeats without a limit only where nothing has to follow or where the repeated
characters cannot start the pattern anew, and no repeat stands inside another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from hermes_sdk.masking.stand_ins import Candidate, anything, bearer, named, url_password

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of secret."""

    name: str
    """Shown in the placeholder: ``[redacted:NAME:1]``."""
    sources: tuple[str, ...]
    """Regular expressions. Each finds the secret: the group ``secret`` where there is one, else the whole match."""
    any_case: bool = False
    """Whether they, written in lower case, are matched against a lower-case copy of the text."""
    accept: Callable[[Candidate], bool] = anything
    """Has the last word about what was found."""
    flags: int = re.ASCII
    """Flags of `re` for the sources."""
    by_re2: bool = False
    """Whether google-re2 has to search for them: patterns of users that `re` could need quadratic time for."""
    hints: tuple[str, ...] = ()
    """For each source a pattern that every text with such a secret has, where there is one that fewer others have."""

    @property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """The sources, compiled."""
        return tuple(compiled(source, self.flags) for source in self.sources)


@cache
def compiled(source: str, flags: int) -> re.Pattern[str]:
    """Return a pattern, compiled when it is first needed: all of them together take a tenth of a second."""
    return re.compile(source, flags)


def kind(name: str, *sources: str, any_case: bool = False, accept: Callable[[Candidate], bool] = anything) -> Kind:
    """Return a kind."""
    return Kind(name, sources, any_case, accept)


def _token(prefix: str, rest: str) -> str:
    r"""Return a pattern for a token that does not start inside a word.

    A tool result is JSON, where a line break is the two characters ``\n``, and raw terminal output has
    colours: a letter that ends such an escape is no part of a word. The condition stands behind the prefix,
    so that the pattern starts with a literal.
    """
    before = (r"(?<![A-Za-z0-9_-]", r"(?<=\\[nrt]", r"(?<=[\[;][0-9]m", r"(?<=[\[;][0-9][0-9]m")
    return f"{prefix}(?:{'|'.join(f'{start}{prefix})' for start in before)}){rest}"


_KEY_OF: Final = ("api", "access", "secret", "private", "auth", "account", "encryption", "signing")
_SECRET_KEYS: Final = "|".join(rf"(?<={word}[_-]key)|(?<={word}key)" for word in _KEY_OF)
_SECRET_NAME: Final = rf"(?:password|passwd|pwd|secret(?<!:secret)|token|credentials?|key(?:{_SECRET_KEYS}))"
_SOME_NAME: Final = rf"(?:password|passwd|pwd|secret|token|credentials?|(?:{'|'.join(_KEY_OF)})[_-]?key)"
"""The same without lookaround, for `Kind.hints`."""
_ASSIGNED: Final = r"\\?[\"']?\s{0,4}(?::=|=>|=|:)\s{0,4}\\?"
"""Between a name and its value, but for the quote: ``=``, ``: ``, ``": ``, also inside a JSON string."""
_BARE: Final = r"[^\s\x1b\"'`\\,;&|()\[\]{}<>]"
_VALUES: Final = (
    (rf"{_ASSIGNED}\"", r"[^\"\s\x1b\\]", r"[^\"\s\x1b\\]", r"{7,399}", r"\\?\""),
    (rf"{_ASSIGNED}'", r"[^'\s\x1b\\]", r"[^'\s\x1b\\]", r"{7,399}", r"\\?'"),
    (r"=", r"[^\s\x1b\"'`\\\[]", r"[^\s\x1b\"'`\\]", r"{7,}", ""),
    (rf"{_ASSIGNED}[\"']?", _BARE, _BARE, r"{7,}", ""),
)
"""What stands before a value, its first character, the others and how many, and what stands behind it."""


def _with_a_digit(opens: str, first: str, other: str) -> str:
    """Return what every text has with a named value that `named` can take; most names in source code get no digit.

    It ends with the first eight characters or at the first digit behind them, because each match costs time.
    google-re2 sees what is not ASCII as `?`, digits of other scripts, too.
    """
    digit = "[0-9?]"
    plain_first, plain = (f"{each[:-1]}0-9?]" for each in (first, other))
    early = [f"{plain_first}{plain}{{{place - 1}}}{digit}{other}{{{7 - place}}}" for place in range(1, 8)]
    return rf"{_SOME_NAME}{opens}(?:{digit}{other}{{7}}|{'|'.join(early)}|{plain_first}{plain}{{7,}}{digit})"


KINDS: Final[tuple[Kind, ...]] = (
    kind(  # RFC 7468 and OpenPGP armour; the end may have been cut off, and lines may be numbered `12|`
        "private-key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----)[\w+/=\s\\|:,.()@-]){64,}(?:-----END [A-Z0-9 ]{1,60}-----)?",
    ),
    kind(  # AWS IAM guide, "Understanding unique ID prefixes": long-term and temporary access keys
        "aws-key", r"A(?:KIA|SIA|BIA|CCA)(?<![A-Z0-9]A[A-Z]{3})[A-Z2-7]{16}(?![A-Z0-9])"
    ),
    kind("github-token", r"gh[opsur]_[A-Za-z0-9]{36,}", r"github_pat_\w{40,}"),  # GitHub, "Token formats"
    kind(  # GitLab, "Token overview: token prefixes"
        "gitlab-token", r"gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_-]{20,}"
    ),
    kind("slack-token", r"xox[abceoprs]-[A-Za-z0-9-]{10,}", r"xapp-[A-Za-z0-9-]{10,}"),  # Slack, "Token types"
    kind(  # Slack, "Incoming webhooks": the path is the credential
        "slack-webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9_/-]{20,})",
    ),
    kind(  # Stripe, "API keys" and "Webhooks": secret and restricted keys, signing secrets
        "stripe-key",
        _token("sk_(?:live|test)_", r"[A-Za-z0-9]{16,}"),
        _token("rk_(?:live|test)_", r"[A-Za-z0-9]{16,}"),
        r"whsec_[A-Za-z0-9+/=]{24,}",
    ),
    kind("anthropic-key", _token("sk-ant-", r"[A-Za-z0-9_-]{20,}")),  # Anthropic, "API keys"
    kind(  # OpenAI: project, service account and admin keys, the older form; OpenRouter's look alike
        "openai-key",
        _token("sk-", r"(?:(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})"),
    ),
    kind("google-key", _token("AIza", r"[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),  # Google Cloud, "API keys"
    kind(  # Google, "OAuth 2.0": client secrets and access tokens
        "google-oauth", r"GOCSPX-[A-Za-z0-9_-]{28}", r"ya29\.[A-Za-z0-9_-]{30,}"
    ),
    kind("huggingface-token", _token("hf_", r"[A-Za-z0-9]{34,}")),  # Hugging Face, "User access tokens"
    kind("npm-token", _token("npm_", r"[A-Za-z0-9]{36,}")),  # npm, "About access tokens"
    kind("pypi-token", r"pypi-AgE[A-Za-z0-9_-]{50,}"),  # PyPI, "API tokens"
    kind("sendgrid-key", _token(r"SG\.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}")),  # SendGrid, "API keys"
    kind("azure-storage-key", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{86}==)"),  # Azure Storage, "Connection strings"
    kind(  # Microsoft Entra, "Client secrets": three characters, then `8Q~`
        "azure-client-secret", r"8Q~(?<=[A-Za-z0-9_~.]{3}8Q~)(?P<secret>[A-Za-z0-9_~.-]{34})(?![A-Za-z0-9_~.-])"
    ),
    kind("heroku-key", r"HRKU-AA[A-Za-z0-9_-]{50,}"),  # Heroku, "API key format"
    kind("databricks-token", _token("dapi", r"[a-f0-9]{32}(?:-[0-9])?(?![A-Za-z0-9])")),  # Databricks, "Access tokens"
    kind("terraform-token", r"\.atlasv1\.(?P<secret>[A-Za-z0-9_=-]{60,})"),  # HCP Terraform, "API tokens"
    kind("vault-token", _token(r"hv[sbr]\.", r"[A-Za-z0-9_-]{24,}")),  # HashiCorp Vault, "Token prefixes"
    kind("doppler-token", _token(r"dp\.", r"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}")),  # Doppler, "Tokens"
    kind("pulumi-token", _token("pul-", r"[a-f0-9]{40}(?![A-Za-z0-9])")),  # Pulumi Cloud, "Access tokens"
    kind("planetscale-token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9._-]{32,}"),  # PlanetScale, "Service tokens"
    kind("supabase-key", r"sbp_[a-f0-9]{40}", r"sb_secret_[A-Za-z0-9_-]{20,}"),  # Supabase, "API keys"
    kind("docker-token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),  # Docker Hub, "Personal access tokens"
    kind("rubygems-key", r"rubygems_[a-f0-9]{48}"),  # RubyGems, "API key scopes"
    kind("crates-token", _token("cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])")),  # crates.io, "API tokens"
    kind("nuget-key", _token("oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])")),  # NuGet, "API keys"
    kind(
        "atlassian-token", r"ATATT3[A-Za-z0-9_=-]{60,}", _token("ATBB", r"[A-Za-z0-9]{24,60}(?![A-Za-z0-9+/])")
    ),  # Atlassian, "API tokens"
    kind("linear-key", r"lin_api_[A-Za-z0-9]{32,}"),  # Linear, "Personal API keys"
    kind("notion-token", _token("ntn_", r"[A-Za-z0-9]{40,}")),  # Notion, "Authorization"
    kind("airtable-token", _token("pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}")),  # Airtable, "Personal access tokens"
    kind("figma-token", _token("figd_", r"[A-Za-z0-9_-]{36,}")),  # Figma, "Access tokens"
    kind("postman-key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),  # Postman, "API keys"
    kind("newrelic-key", r"NRAK-[A-Z0-9]{27}", r"NRII-[A-Za-z0-9_-]{32}"),  # New Relic, "API keys"
    kind("grafana-token", r"glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}", r"glc_[A-Za-z0-9+/=]{40,}"),  # Grafana, "Tokens"
    kind("sentry-token", r"sntrys_[A-Za-z0-9+/=_-]{40,}", r"sntryu_[a-f0-9]{64}"),  # Sentry, "Auth tokens"
    kind("shopify-token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),  # Shopify, "Access tokens"
    kind("square-token", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}"),  # Square, "Access tokens"
    kind("braintree-token", r"access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}"),  # Braintree, "Access tokens"
    kind("mailgun-key", _token("key-", r"[0-9a-f]{32}(?![A-Za-z0-9])")),  # Mailgun, "API keys"
    kind("twilio-key", _token("SK", r"[0-9a-f]{32}(?![A-Za-z0-9])")),  # Twilio, "API keys"
    kind(  # Discord, "Webhooks": the end of the path is the credential
        "discord-webhook", r"discord(?:app)?\.com/api/webhooks/[0-9]{5,20}/(?P<secret>[A-Za-z0-9_-]{60,})"
    ),
    kind(  # Microsoft Teams, "Incoming webhooks"
        "teams-webhook", r"webhook\.office\.com/webhookb2/(?P<secret>[A-Za-z0-9@/-]{60,})"
    ),
    kind("groq-key", _token("gsk_", r"[A-Za-z0-9]{48,}")),  # Groq, "API keys"
    kind("perplexity-key", _token("pplx-", r"[A-Za-z0-9]{40,}")),  # Perplexity, "API keys"
    kind("replicate-token", _token("r8_", r"[A-Za-z0-9]{37}(?![A-Za-z0-9])")),  # Replicate, "API tokens"
    kind("xai-key", _token("xai-", r"[A-Za-z0-9]{60,}")),  # xAI, "API keys"
    kind("langsmith-key", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),  # LangSmith, "API keys"
    kind("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),  # age, "Secret keys"
    kind("digitalocean-token", r"do[oprt]_v1_[a-f0-9]{64}"),  # DigitalOcean, "Personal access tokens"
    kind(  # Telegram, "Authorizing your bot": bot id, colon, secret
        "telegram-token", r":(?<=[0-9]{8}:)(?P<secret>AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"
    ),
    kind(  # RFC 7519: header and claims are JSON objects, whose base64url starts with "eyJ"
        "jwt", _token("eyJ", r"[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}")
    ),
    kind(  # RFC 3986, user information: postgres://user:THIS@host
        "url-password",
        r"://[^\s:/@\"'<>\\]{0,64}:(?P<secret>[^\s\x1b/@\"'<>\\]{3,})@",
        accept=url_password,
    ),
    kind(  # the secret half of an AWS key has no prefix: known by the names that the AWS tools give it
        "aws-secret",
        rf"secret[_-]?access[_-]?key{_ASSIGNED}[\"']?(?P<secret>[a-z0-9+/]{{40}})(?![a-z0-9+/])",
        rf"aws[_-]?secret[_-]?key{_ASSIGNED}[\"']?(?P<secret>[a-z0-9+/]{{40}})(?![a-z0-9+/])",
        any_case=True,
    ),
    kind(  # RFC 6750 and RFC 7617
        "auth-header",
        r"authorization\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?(?:basic|token)\s{1,4}(?P<secret>[a-z0-9._~+/=-]{16,})",
        r"bearer\s{1,4}(?P<secret>[a-z0-9._~+/=-]{16,})",
        any_case=True,
        accept=bearer,
    ),
    Kind(  # NAME=value, name: value, "name": "value"; the end of the name says that it is a secret
        "secret",
        tuple(
            f"{_SECRET_NAME}{opens}(?P<secret>{first}{other}{count}){ends}"
            for opens, first, other, count, ends in _VALUES
        ),
        any_case=True,
        accept=named,
        hints=tuple(_with_a_digit(opens, first, other) for opens, first, other, _, _ in _VALUES),
    ),
)
"""In the order in which they are looked for: the more telling name wins where two could match."""
