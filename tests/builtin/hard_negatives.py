"""What looks like a secret and is none: the redaction plugin must leave all of it alone."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from labelled_set import BASE64, DIGITS, HEX, LOWER, UPPER, URL64, WORD, Maker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HARD_NEGATIVES: Final[dict[str, Callable[[Maker], str]]] = {
    # digests and identifiers
    "git log": lambda m: f"commit {m.of(HEX, 40)}\nAuthor: Jo Doe\n\n    Rotate the token of the deploy key\n",
    "digest of a file": lambda m: f"{m.of(HEX, 64)}  hermes_sdk-0.1.0.tar.gz\n",
    "digest under its name": lambda m: f'{{"{m.choice(["sha256", "digest", "etag", "checksum"])}": "{m.of(HEX, 64)}"}}',
    "pinned requirement": lambda m: f"pluggy==1.7 \\\n    --hash=sha256:{m.of(HEX, 64)}\n",
    "subresource integrity": lambda m: f'integrity="sha512-{m.of(BASE64, 86)}=="',
    "image digest": lambda m: f"FROM python@sha256:{m.of(HEX, 64)}\n",
    "digest under a secret's name": lambda m: f"signing_key: sha256:{m.of(HEX, 64)}\n",
    "UUID": lambda m: f'{{"request_id": "{m.uuid()}", "id": "{m.uuid()}"}}',
    "key in a key store": lambda m: f'"encryptionKey": "arn:aws:kms:eu-west-1:{m.of(DIGITS, 12)}:key/{m.uuid()}"',
    "etag header": lambda m: f'ETag: W/"{m.of(WORD, 27)}"\n',
    # markers that are called token
    "page of results": lambda m: (
        f'"{m.choice(["NextToken", "nextPageToken", "next_page_token"])}": "{m.mixed(BASE64, 60)}="'
    ),
    "page in an address": lambda m: f"GET /v1/items?page_token={m.mixed(WORD, 30)} HTTP/1.1\n",
    "continuation": lambda m: f'"continuation-token": "{m.mixed(BASE64, 40)}"',
    "repeated request": lambda m: f'"ClientRequestToken": "{m.uuid()}"',
    "idempotency": lambda m: f'idempotency_token="{m.uuid()}"',
    "lock": lambda m: f'"LockToken": "{m.uuid()}"',
    "assembly": lambda m: f'<assemblyIdentity name="x" publicKeyToken="{m.of(HEX, 15)}0" />',
    "type name": lambda m: f'    "AWS::ApiGateway::ApiKey": "{m.of(HEX, 15)}1",\n',
    # source code
    "call": lambda m: f"token = get_token{m.of(DIGITS, 1)}(request)\n",
    "subscript": lambda m: f"password = passwords{m.of(DIGITS, 2)}[0]\n",
    "attribute": lambda m: f"token = self.session.access_token{m.of(DIGITS, 1)}\n",
    "annotation": lambda m: (
        f"def sign(self, private_key: x25519.X25519PrivateKey, token: OAuth{m.of(DIGITS, 1)}Token): ...\n"
    ),
    "template": lambda m: (
        f"password: ${{{{ secrets.DB_PASSWORD_{m.of(DIGITS, 1)} }}}}\nPASSWORD=$(pass show db{m.of(DIGITS, 1)})\n"
    ),
    "variable": lambda m: f"API_KEY=$API_KEY_{m.of(DIGITS, 1)}\ncurl -u me:$TOKEN{m.of(DIGITS, 1)} https://x.acme.io\n",
    "count of tokens": lambda m: (
        f"max_tokens: {m.of(DIGITS, 4)}, token_count={m.of(DIGITS, 6)}, tokens: {m.of(DIGITS, 8)}\n"
    ),
    "pattern": lambda _: r"GITHUB = re.compile('ghp_[A-Za-z0-9]{36}|sk-ant-[\w-]{20,}|AKIA[0-9A-Z]{16}')",
    "pattern of an address": lambda _: r'"pattern": "https?://(?:www.)?[a-zA-Z0-9@:._+~#=-]{2,256}"',
    "word with a prefix": lambda m: f"task_{m.of(LOWER, 30)} risk-{m.of(LOWER, 30)} disk-{m.of(LOWER, 40)}\n",
    "minified": lambda m: (
        f"function a(e,t){{var n={{token:e.t{m.of(DIGITS, 1)},password:t.p}};return n.key={m.of(DIGITS, 5)}}}"
    ),
    # placeholders and documentation
    "x": lambda m: f"api_key = {'x' * 12}{m.of(DIGITS, 4)}\npassword: ********{m.of(DIGITS, 4)}\n",
    "your": lambda m: f'API_KEY="your-api-key-{m.of(DIGITS, 2)}"\ntoken: <your token {m.of(DIGITS, 2)}>\n',
    "my": lambda m: f"//registry.acme.io/:_authToken=MYTOKEN{m.of(DIGITS, 1)}\ntoken: YOUR_TOKEN_{m.of(DIGITS, 1)}\n",
    "documentation": lambda m: f'"SessionToken": "AQoEXAMPLE{m.mixed(BASE64, 40)}"\n',
    "cut off": lambda m: f'token: "{m.mixed(WORD, 10)}..."\n',
    "change me": lambda m: f"ADMIN_PASSWORD=changeme{m.of(DIGITS, 3)}\n",
    "documented address": lambda m: (
        f"http://user:a{m.of(DIGITS, 2)}@example.com/ http://u:p{m.of(DIGITS, 3)}@db.example/\n"
    ),
    "prose": lambda m: (
        f"the token was not accepted {m.of(DIGITS, 1)} times; see the password policy, chapter {m.of(DIGITS, 1)}\n"
    ),
    "already masked": lambda m: f"PASSWORD=[redacted:secret:{m.of('123456789', 1)}] key=[REDACTED]\n",
    # other ordinary text
    "addresses": lambda m: (
        f"https://acme.io:8080/a@{m.of(DIGITS, 1)} git@github.com:acme/repo{m.of(DIGITS, 2)}.git s3://b/k\n"
    ),
    "public key": lambda m: (
        m.pem("PUBLIC KEY") + "\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + m.of(BASE64, 43) + " jo@acme\n"
    ),
    "certificate": lambda m: m.pem("CERTIFICATE"),
    "image": lambda m: f'<img src="data:image/png;base64,{base64.b64encode(m.of(WORD, 600).encode()).decode()}">',
    "long base64": lambda m: m.of(BASE64, 3_000) + "==\n",
    "long hexadecimal": lambda m: m.of(HEX, 3_000) + "\n",
    "passwd file": lambda m: f"/etc/passwd:root{m.of(DIGITS, 4)}:x:0:0:root:/root:/bin/bash\n",
    "host keys": lambda m: (
        f"SHA256:{m.of(BASE64, 43)} root@host (ED25519)\n|1|{m.of(BASE64, 27)}=|{m.of(BASE64, 27)}= ssh-rsa\n"
    ),
    "table": lambda m: f"{m.of(UPPER, 12)} {m.of(DIGITS, 16)} {m.of(UPPER + DIGITS, 20)} {m.of(URL64, 24)}\n",
}
"""Of each case, a function that gives a text without a secret."""


def hard_negatives(rounds: int = 20, seed: int = 4711) -> Iterator[tuple[str, str]]:
    """Yield the name of a case and a text; see `examples` for the arguments."""
    make = Maker(seed)
    for name, text in HARD_NEGATIVES.items():
        for _ in range(rounds):
            yield name, text(make)
