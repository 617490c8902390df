"""A labelled set for the redaction plugin, made from a seed: secrets of every kind in the places where they turn up.

Formats are written down here from what issuers document and not taken from the patterns, or the set would agree with
them whatever they say. Nothing was ever issued, and no value stands in this file for a scanner to find.
"""

from __future__ import annotations

import base64
import json
import random
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOWER: Final = string.ascii_lowercase
UPPER: Final = string.ascii_uppercase
DIGITS: Final = string.digits
WORD: Final = string.ascii_letters + DIGITS
URL64: Final = WORD + "-_"
BASE64: Final = WORD + "+/"
HEX: Final = DIGITS + "abcdef"


@dataclass(frozen=True, slots=True)
class Example:
    """A text, and the one secret in it."""

    kind: str
    surrounding: str
    text: str
    secret: str


class Maker:
    """Random strings, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.choice = self._random.choice

    def of(self, alphabet: str, least: int, most: int = 0) -> str:
        """Return so many characters of an alphabet."""
        return "".join(self._random.choices(alphabet, k=self._random.randint(least, max(least, most))))

    def mixed(self, alphabet: str, least: int, most: int = 0) -> str:
        """Return the same, with a letter and a digit in it for certain."""
        return self.of(LOWER, 1) + self.of(alphabet, least - 2, max(least, most) - 2) + self.of(DIGITS, 1)

    def pem(self, name: str) -> str:
        """Return a block of PEM or OpenPGP armour."""
        lines = [self.of(BASE64, 64) for _ in range(self._random.randint(4, 26))]
        body = "\n".join([*lines, self.of(BASE64, 22) + "=="])
        return f"-----BEGIN {name}-----\n{body}\n-----END {name}-----"

    def jwt(self) -> str:
        """Return three parts of base64url, the first two of them JSON."""
        parts = [
            {"alg": self.choice(["HS256", "RS256"]), "typ": "JWT"},
            {"sub": self.of(DIGITS, 10), "iat": 1516239022},
        ]
        encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
        return ".".join([*encoded, self.of(URL64, 43, 86)])

    def uuid(self) -> str:
        """Return a UUID."""
        return "-".join(self.of(HEX, size) for size in (8, 4, 4, 4, 12))


KEY_BLOCKS: Final = [f"{name}PRIVATE KEY" for name in ("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ")] + [
    "PGP PRIVATE KEY BLOCK"
]
SECRETS: Final[dict[str, Callable[[Maker], str]]] = {
    "private-key": lambda m: m.pem(m.choice(KEY_BLOCKS)),
    "aws-key": lambda m: m.choice(["AKIA", "ASIA", "ABIA", "ACCA"]) + m.of(UPPER + "234567", 16),
    "github-token": lambda m: m.choice(
        [f"gh{m.choice('opsur')}_" + m.of(WORD, 36), "github_pat_" + m.of(WORD, 22) + "_" + m.of(WORD, 59)]
    ),
    "gitlab-token": lambda m: f"gl{m.choice(['pat', 'oas', 'dt', 'rt', 'ptt', 'ft', 'cbt'])}-" + m.of(URL64, 20, 50),
    "slack-token": lambda m: m.choice(
        [
            f"xox{m.choice('bpars')}-{m.of(DIGITS, 12)}-{m.of(DIGITS, 12)}-{m.of(WORD, 24)}",
            f"xapp-1-A{m.of(UPPER + DIGITS, 10)}-{m.of(DIGITS, 13)}-{m.of(HEX, 64)}",
        ]
    ),
    "slack-webhook": lambda m: f"T{m.of(UPPER + DIGITS, 8)}/B{m.of(UPPER + DIGITS, 8)}/{m.of(WORD, 24)}",
    "stripe-key": lambda m: m.choice(
        [f"{m.choice('sr')}k_{m.choice(['live', 'test'])}_" + m.of(WORD, 24, 99), "whsec_" + m.of(WORD, 32)]
    ),
    "anthropic-key": lambda m: f"sk-ant-{m.choice(['api03', 'admin01'])}-" + m.of(URL64, 93) + "AA",
    "openai-key": lambda m: m.choice(
        [
            f"sk-{m.choice(['proj', 'svcacct', 'admin'])}-" + m.of(URL64, 74) + "T3BlbkFJ" + m.of(URL64, 74),
            "sk-" + m.of(WORD, 20) + "T3BlbkFJ" + m.of(WORD, 20),
            "sk-or-v1-" + m.of(HEX, 64),
        ]
    ),
    "google-key": lambda m: "AIza" + m.of(URL64, 35),
    "google-oauth": lambda m: m.choice(["GOCSPX-" + m.of(URL64, 28), "ya29." + m.of(URL64, 120, 180)]),
    "huggingface-token": lambda m: "hf_" + m.of(WORD, 34),
    "npm-token": lambda m: "npm_" + m.of(WORD, 36),
    "pypi-token": lambda m: "pypi-AgEIcHlwaS5vcmc" + m.of(URL64, 140),
    "sendgrid-key": lambda m: f"SG.{m.of(URL64, 22)}.{m.of(URL64, 43)}",
    "azure-storage-key": lambda m: m.of(BASE64, 86) + "==",
    "azure-client-secret": lambda m: m.of(WORD + "_~.-", 33) + m.of(WORD, 1),
    "heroku-key": lambda m: "HRKU-AA" + m.of(URL64, 58),
    "databricks-token": lambda m: "dapi" + m.of(HEX, 32) + m.choice(["", "-2"]),
    "terraform-token": lambda m: m.of(WORD, 67),
    "vault-token": lambda m: f"hv{m.choice('sbr')}." + m.of(URL64, 24, 120),
    "doppler-token": lambda m: f"dp.{m.choice(['pt', 'ct', 'sa', 'scim', 'audit'])}." + m.of(WORD, 43),
    "pulumi-token": lambda m: "pul-" + m.of(HEX, 40),
    "planetscale-token": lambda m: f"pscale_{m.choice(['tkn', 'pw', 'oauth'])}_" + m.of(URL64, 43),
    "supabase-key": lambda m: m.choice(["sbp_" + m.of(HEX, 40), "sb_secret_" + m.of(URL64, 31)]),
    "docker-token": lambda m: f"dckr_{m.choice(['pat', 'oat'])}_" + m.of(URL64, 27, 32),
    "rubygems-key": lambda m: "rubygems_" + m.of(HEX, 48),
    "crates-token": lambda m: "cio" + m.of(WORD, 32),
    "nuget-key": lambda m: "oy2" + m.of(LOWER + DIGITS, 43),
    "atlassian-token": lambda m: m.choice(
        ["ATATT3" + m.of(URL64, 182) + "=" + m.of(HEX.upper(), 8), "ATBB" + m.of(WORD, 32)]
    ),
    "linear-key": lambda m: "lin_api_" + m.of(WORD, 40),
    "notion-token": lambda m: "ntn_" + m.of(DIGITS, 11) + m.of(WORD, 35),
    "airtable-token": lambda m: "pat" + m.of(WORD, 14) + "." + m.of(HEX, 64),
    "figma-token": lambda m: "figd_" + m.of(URL64, 40),
    "postman-key": lambda m: f"PMAK-{m.of(HEX, 24)}-{m.of(HEX, 34)}",
    "newrelic-key": lambda m: m.choice(["NRAK-" + m.of(UPPER + DIGITS, 27), "NRII-" + m.of(URL64, 32)]),
    "grafana-token": lambda m: m.choice([f"glsa_{m.of(WORD, 32)}_{m.of(HEX, 8)}", "glc_" + m.of(BASE64, 60, 200)]),
    "sentry-token": lambda m: m.choice(
        ["sntrys_eyJ" + m.of(BASE64, 80) + "_" + m.of(URL64, 43), "sntryu_" + m.of(HEX, 64)]
    ),
    "shopify-token": lambda m: f"shp{m.choice(['at', 'ca', 'pa', 'ss'])}_" + m.of(HEX, 32),
    "square-token": lambda m: m.choice(["sq0atp-" + m.of(URL64, 22), "sq0csp-" + m.of(URL64, 43)]),
    "braintree-token": lambda m: f"access_token$production${m.of(LOWER + DIGITS, 16)}${m.of(HEX, 32)}",
    "mailgun-key": lambda m: "key-" + m.of(HEX, 32),
    "twilio-key": lambda m: "SK" + m.of(HEX, 32),
    "discord-webhook": lambda m: m.of(URL64, 68),
    "teams-webhook": lambda m: f"{m.uuid()}@{m.uuid()}/IncomingWebhook/{m.of(HEX, 32)}/{m.uuid()}",
    "groq-key": lambda m: "gsk_" + m.of(WORD, 52),
    "perplexity-key": lambda m: "pplx-" + m.of(WORD, 48),
    "replicate-token": lambda m: "r8_" + m.of(WORD, 37),
    "xai-key": lambda m: "xai-" + m.of(WORD, 80),
    "langsmith-key": lambda m: f"lsv2_{m.choice(['pt', 'sk'])}_{m.of(HEX, 32)}_{m.of(HEX, 10)}",
    "age-key": lambda m: "AGE-SECRET-KEY-1" + m.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "digitalocean-token": lambda m: f"do{m.choice('oprt')}_v1_" + m.of(HEX, 64),
    "telegram-token": lambda m: "AA" + m.of(URL64, 33),
    "jwt": Maker.jwt,
    "url-password": lambda m: m.mixed(WORD + "-_.!$*+;=", 8, 24),
    "aws-secret": lambda m: m.of(BASE64, 40),
    "auth-header": lambda m: m.mixed(URL64 + ".", 20, 60),
    "secret": lambda m: m.choice(
        [m.mixed(WORD, 12, 40), m.mixed(WORD + "-_.!$%*+/@#", 10, 24), m.of(HEX, 32), m.uuid()]
    ),
}
"""Of each kind, a function that gives a secret in one of its documented formats."""

AROUND: Final[dict[str, list[str]]] = {
    "slack-webhook": ["https://hooks.slack.com/services/{}"],
    "azure-storage-key": [
        "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net"
    ],
    "azure-client-secret": ["Abc8Q~{}"],
    "terraform-token": ["aB3dE6gH9jK2mN.atlasv1.{}"],
    "discord-webhook": ["https://discord.com/api/webhooks/123456789012345678/{}"],
    "teams-webhook": ["https://acme.webhook.office.com/webhookb2/{}"],
    "telegram-token": ["1234567890:{}", "https://api.telegram.org/bot1234567890:{}/getMe"],
    "url-password": [
        "postgresql://app:{}@db.internal:5432/app",
        "redis://:{}@cache/0",
        "https://ci:{}@git.acme.io/a.git",
    ],
}
"""What has to stand around a secret whose own format says nothing."""

SURROUNDINGS: Final[dict[str, str]] = {
    "environment file": "DEBUG=1\n{NAME}={}\nPORT=8080\n",
    "quoted environment file": 'DEBUG=1\n{NAME}="{}"\nPORT=8080\n',
    "shell": "export {NAME}='{}' && make deploy\n",
    "JSON": '{{"id": 7, "{name}": "{}", "active": true}}',
    "YAML": "service:\n  {name}: {}\n  replicas: 2\n",
    "quoted YAML": 'service:\n  {name}: "{}"\n  replicas: 2\n',
    "ini": "[service]\n{name} = {}\ntimeout = 30\n",
    "Python": 'client = Client({name}="{}", timeout=5)\n',
    "JavaScript": "const config = {{ {name}: '{}', retries: 3 }};\n",
    "log": "2026-11-30T12:00:00Z INFO worker-3 started with {name}={} after 12 ms\n",
    "diff": "@@ -1,3 +1,3 @@\n-{NAME}=\n+{NAME}={}\n PORT=8080\n",
    "XML": '<setting name="x" {name}="{}"/>\n',
    "numbered lines": "1|DEBUG=1\n2|{NAME}={}\n3|PORT=8080",
    "command line": "deploy --{name}={} --verbose\n",
}
BY_FORM: Final[dict[str, str]] = {
    "prose": "I used {} for that and it worked.",
    "list": "- {}\n- second\n",
    "comment": "x = 1  # old one: {}\n",
    "address": "GET https://api.acme.io/v1/items?key={}&page=2 HTTP/1.1\n",
    "coloured": "\x1b[31m{}\x1b[0m is not valid\n",
    "alone": "{}",
}
"""Where only its form tells that something is a secret."""
NAMES: Final[dict[str, list[str]]] = {
    "aws-secret": ["aws_secret_access_key", "secret_access_key", "awsSecretAccessKey"],
    "secret": [
        "db_password",
        "api_key",
        "client_secret",
        "access_token",
        "admin_passwd",
        "apiKey",
        "authToken",
        "private_key",
    ],
}
IN_LINE: Final[dict[str, list[str]]] = {
    "": ["{}", "key is {}", "TOKEN={}"],
    "auth-header": ["Authorization: Bearer {}"],
    "aws-secret": ["aws_secret_access_key={}"],
    "secret": ["DB_PASSWORD={}", "api_key={}"],
}
HEADERS: Final = [
    "Authorization: Bearer {}\n",
    'curl -H "Authorization: Bearer {}" https://api.acme.io\n',
    '{{"headers": {{"Authorization": "Bearer {}"}}}}',
    "> authorization: Basic {}\n< HTTP/1.1 200 OK\n",
    "headers = {{'Authorization': 'token {}'}}\n",
]


def examples(rounds: int = 3, seed: int = 4711) -> Iterator[Example]:
    """Yield secrets of every kind in everything that can surround them.

    Args:
        rounds: How many secrets of a kind there are for each surrounding.
        seed: Makes another set.
    """
    make = Maker(seed)
    for kind, secret in SECRETS.items():
        for _ in range(rounds):
            for name, text in _surroundings(kind).items():
                yield _example(make, kind, name, text, secret(make))


def one_line_examples(rounds: int = 4, seed: int = 4711) -> Iterator[tuple[str, str, str]]:
    """Yield kind, text and secret, each text without a line break, for `disguises`; see `examples` for the arguments.

    Private keys are left out: they have line breaks of their own.
    """
    make = Maker(seed)
    for kind, secret in SECRETS.items():
        for _ in range(rounds if kind != "private-key" else 0):
            made = secret(make)
            yield kind, make.choice(IN_LINE.get(kind) or AROUND.get(kind, IN_LINE[""])).replace("{}", made), made


def _surroundings(kind: str) -> dict[str, str]:
    if kind == "auth-header":
        return {f"header {place}": text for place, text in enumerate(HEADERS)}
    if kind in NAMES:
        return SURROUNDINGS
    if kind == "private-key":
        written_as_json = {name: SURROUNDINGS[name] for name in ("JSON", "Python", "quoted environment file")}
        return written_as_json | {name: BY_FORM[name] for name in ("prose", "coloured", "alone")}
    return SURROUNDINGS | BY_FORM


def _example(make: Maker, kind: str, surrounding: str, text: str, secret: str) -> Example:
    if "\n" in secret and surrounding in SURROUNDINGS:
        secret = secret.replace("\n", "\\n")
    name = make.choice(NAMES.get(kind, ["value", "credential_of_ci", "setting"]))
    written = make.choice(AROUND.get(kind, ["{}"])).replace("{}", secret)
    filled = text.replace("{}", "\0").replace("{{", "{").replace("}}", "}")
    filled = filled.replace("{NAME}", name.upper()).replace("{name}", name).replace("\0", written)
    return Example(kind, surrounding, filled, secret)
