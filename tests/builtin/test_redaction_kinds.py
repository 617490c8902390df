"""The secret formats of the redaction plugin: what is masked, what is left alone, and at what cost."""

import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redaction.kinds import KINDS
from redaction.masker import Masker, _lower

# Put together from parts, so that no scanner takes the test suite for a leak.
WORD36 = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
WORD64 = WORD36 + "kL9nM2pQ5rS8tU1vW4xY7zA0bC3d"
HEX64 = "0123456789abcdef" * 4
PEM_BODY = "\n".join([WORD64] * 3)

SAMPLES = {
    "private-key": "-----BEGIN RSA PRIVATE " + f"KEY-----\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----",
    "aws-key": "AKIA" + "IOSFODNN7EXAMPLE".replace("1", "A"),
    "aws-secret": "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
    "github-token": "ghp_" + WORD36,
    "gitlab-token": "glpat-" + WORD36[:20],
    "slack-token": "xoxb-" + "123456789012-123456789012-" + WORD36[:24],
    "slack-webhook": "T00000000/B00000000/" + WORD36[:24],
    "stripe-key": "sk_live_" + WORD36[:24],
    "anthropic-key": "sk-ant-" + "api03-" + WORD64,
    "openai-key": "sk-" + "proj-" + WORD64,
    "google-key": "AIza" + WORD36[:35],
    "google-oauth": "GOCSPX-" + WORD36[:28],
    "huggingface-token": "hf_" + WORD36[:34],
    "npm-token": "npm_" + WORD36,
    "pypi-token": "pypi-" + "AgEIcHlwaS5vcmc" + WORD64,
    "sendgrid-key": "SG." + WORD36[:22] + "." + WORD64[:43],
    "azure-storage-key": WORD64 + WORD36[:22] + "==",
    "azure-client-secret": WORD36[:34],
    "heroku-key": "HRKU-" + "AA" + WORD64[:56],
    "databricks-token": "dapi" + HEX64[:32],
    "terraform-token": WORD64,
    "vault-token": "hvs." + WORD64,
    "doppler-token": "dp." + "pt." + WORD64[:43],
    "pulumi-token": "pul-" + HEX64[:40],
    "planetscale-token": "pscale_" + "tkn_" + WORD64[:43],
    "supabase-key": "sbp_" + HEX64[:40],
    "docker-token": "dckr_" + "pat_" + WORD36[:27],
    "rubygems-key": "rubygems_" + HEX64[:48],
    "crates-token": "cio" + WORD36[:32],
    "nuget-key": "oy2" + WORD64[:43].lower(),
    "atlassian-token": "ATATT3" + WORD64 + "=1A2B3C4D",
    "linear-key": "lin_" + "api_" + WORD64[:40],
    "notion-token": "ntn_" + WORD64[:46],
    "airtable-token": "pat" + WORD36[:14] + "." + HEX64,
    "figma-token": "figd_" + WORD64[:40],
    "postman-key": "PMAK-" + HEX64[:24] + "-" + HEX64[:34],
    "newrelic-key": "NRAK-" + WORD36[:27].upper(),
    "grafana-token": "glsa_" + WORD36[:32] + "_" + HEX64[:8],
    "sentry-token": "sntrys_" + "eyJpYXQiOjE3" + WORD64,
    "shopify-token": "shpat_" + HEX64[:32],
    "square-token": "sq0atp-" + WORD36[:22],
    "braintree-token": "access_token$" + "production$" + HEX64[:16] + "$" + HEX64[:32],
    "mailgun-key": "key-" + HEX64[:32],
    "twilio-key": "SK" + HEX64[:32],
    "discord-webhook": WORD64 + "_-ab",
    "teams-webhook": "1b2c3d4e-0000-4000-8000-123456789abc@" + HEX64[:32] + "/IncomingWebhook/" + HEX64[:32],
    "groq-key": "gsk_" + WORD64[:52],
    "perplexity-key": "pplx-" + WORD64[:48],
    "replicate-token": "r8_" + WORD36 + "x",
    "xai-key": "xai-" + WORD64 + WORD36[:16],
    "langsmith-key": "lsv2_" + "pt_" + HEX64[:32] + "_" + HEX64[:10],
    "age-key": "AGE-SECRET-" + "KEY-1" + WORD64[:58].upper(),
    "digitalocean-token": "dop_v1_" + HEX64,
    "telegram-token": "AA" + WORD36[:33],
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + WORD36,
    "url-password": "s3cr3t-pass",
    "auth-header": WORD36,
    "secret": "correct-horse-7-battery",
}

AROUND = {  # kinds that are known by what stands before them
    "aws-secret": "aws_secret_access_key = {}",
    "slack-webhook": "curl https://hooks.slack.com/services/{}",
    "azure-storage-key": "AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net",
    "azure-client-secret": "value: abc8Q~{} end",
    "terraform-token": "value: aB3dE6gH9jK2mN.atlasv1.{} end",
    "discord-webhook": "curl https://discord.com/api/webhooks/123456789012345678/{}",
    "teams-webhook": "curl https://acme.webhook.office.com/webhookb2/{}",
    "url-password": "postgresql://app:{}@db.internal:5432/app",
    "telegram-token": "https://api.telegram.org/bot1234567890:{}/getMe",
    "auth-header": "Authorization: Bearer {}",
    "secret": "DB_PASSWORD={}",
}


def in_text(kind: str) -> str:
    return AROUND.get(kind, "value: {} end").format(SAMPLES[kind])


def test_every_kind_has_a_sample():
    assert set(SAMPLES) == {kind.name for kind in KINDS}
    assert len(KINDS) >= 40


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_well_formed_secret_becomes_a_placeholder_of_its_kind(kind):
    masked = Masker(KINDS).mask(in_text(kind))
    assert f"[redacted:{kind}:1]" in masked
    assert SAMPLES[kind] not in masked


@pytest.mark.parametrize("kind", SAMPLES)
def test_what_stands_around_a_secret_stays(kind):
    text = in_text(kind)
    assert Masker(KINDS).mask(text) == text.replace(SAMPLES[kind], f"[redacted:{kind}:1]")


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_secret_behind_an_escaped_line_break_in_json_is_found_and_the_json_stays_valid(kind):
    result = json.dumps({"output": f"first line\n{in_text(kind)}\nlast line", "exit_code": 0})
    masked = Masker(KINDS).mask(result)
    assert f"[redacted:{kind}:1]" in masked
    output = json.loads(masked)["output"]
    assert output.startswith("first line\n")
    assert output.endswith("last line")


@pytest.mark.parametrize("kind", sorted(set(SAMPLES) - set(AROUND)))
def test_a_coloured_secret_in_raw_terminal_output_is_found(kind):
    coloured = in_text(kind).replace(SAMPLES[kind], f"\x1b[31m{SAMPLES[kind]}\x1b[0m")
    assert f"\x1b[31m[redacted:{kind}:1]" in Masker(KINDS).mask(coloured)


@pytest.mark.parametrize("kind", SAMPLES)
def test_masking_a_masked_text_changes_nothing(kind):
    masker = Masker(KINDS)
    once = masker.mask(in_text(kind))
    assert masker.mask(once) is once


@pytest.mark.parametrize(
    "text",
    [
        "the token was not accepted; see the password policy",
        "def login(user: str, password: str) -> Token: ...",
        "token = request.headers.get('authorization')",
        "token = base64.b64encode(digest)",
        "password = passwords1[0]",
        "arn:aws:secretsmanager:*:*:secret:rds-preview-1",
        "postgres://user:password@localhost/db",
        "PASSWORD=${DB_PASSWORD}",
        "PASSWORD=$DB_PASSWORD1",
        "API_KEY=<your key, 32 characters>",
        "postgres://user:${PASSWORD}@host/db",
        "postgres://user:*****@host/db",
        "INDEX = '{scheme}://aws:{auth_token}@{netloc}'",
        "a proxy in the form scheme://[user:passwd@]proxy.server:port",
        "of the form redis://[:password]@host:port",
        "max_tokens: 4096, token_count=123456",
        "git commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "risk-assessment-of-the-whole-department-in-2024",
        "task_test_configuration_of_the_module",
        "https://example.com:8080/path@2",
        "ssh git@github.com:owner/repository.git",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    ],
)
def test_ordinary_text_is_left_alone(text):
    assert Masker(KINDS).mask(text) is text


def test_the_same_value_has_the_same_number_and_another_value_another():
    masker = Masker(KINDS)
    first, second = "ghp_" + WORD36, "ghp_" + WORD36[::-1]
    assert masker.mask(f"{first} {second} {first}") == (
        "[redacted:github-token:1] [redacted:github-token:2] [redacted:github-token:1]"
    )
    assert masker.mask(second) == "[redacted:github-token:2]"


def test_each_kind_counts_for_itself():
    masked = Masker(KINDS).mask(f"{SAMPLES['aws-key']} {SAMPLES['github-token']}")
    assert masked == "[redacted:aws-key:1] [redacted:github-token:1]"


def test_a_secret_longer_than_expected_is_masked_to_its_end():
    assert Masker(KINDS).mask("PASSWORD=" + "a1" * 5_000) == "PASSWORD=[redacted:secret:1]"


def test_a_private_key_that_was_cut_off_is_masked():
    cut = SAMPLES["private-key"][:200]
    assert Masker(KINDS).mask(f"{cut}") == "[redacted:private-key:1]"


def test_a_private_key_in_numbered_lines_is_masked():
    """The tool read_file numbers lines."""
    numbered = "\n".join(f"{n}|{line}" for n, line in enumerate(SAMPLES["private-key"].splitlines(), 1))
    assert Masker(KINDS).mask(numbered) == "1|[redacted:private-key:1]"


def test_a_masker_keeps_no_secret():
    masker = Masker(KINDS)
    masker.mask(in_text("github-token"))
    assert SAMPLES["github-token"] not in repr(vars(masker))


REPEATED = [
    *("-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----" + "A" * 70),
    *("AKIA", "ghp_a", "github_pat_", "glpat-", "xoxb-", "hooks.slack.com/services/", "sk_live_", "sk-ant-"),
    *("AccountKey=", "8Q~", "abc8Q~a", "HRKU-AA", "dapi", "dapi0", ".atlasv1.", "hvs.", "dp.pt.", "pul-", "pul-0"),
    *("pscale_tkn_", "sbp_0", "dckr_pat_", "rubygems_0", "cio", "cioa", "oy2", "ATATT3", "lin_api_", "ntn_", "pata"),
    *("figd_", "PMAK-0", "NRAK-A", "glsa_a", "glc_", "sntrys_", "shpat_0", "sq0atp-", "access_token$production$"),
    *("key-", "key-0", "SK", "SK0", "discord.com/api/webhooks/1", "webhook.office.com/webhookb2/", "gsk_", "pplx-"),
    *("r8_", "xai-", "lsv2_pt_0", "AGE-SECRET-KEY-1"),
    *("sk-", "sk-proj-", "AIza", "GOCSPX-", "ya29.", "hf_", "npm_", "pypi-AgE", "SG.", "SG.a", "dop_v1_a"),
    *(
        "12345678:AA",
        "eyJ",
        "eyJabcdefgh.",
        "\\neyJ",
        "[0meyJ",
        "://",
        "://a:",
        "://a:b",
        "bearer ",
        "Bearer\t",
    ),
    *(
        "authorization: ",
        "password",
        "password=",
        "token: ",
        'api_key\\"',
        "aws_secret_access_key=",
        "=",
        "\\n",
    ),
    *("a", "0", " ", "\n", "-", "[redacted:secret:1]"),
]


@pytest.mark.parametrize("piece", REPEATED)
def test_hostile_repetition_costs_linear_work(piece):
    """A quadratic pattern needs minutes for 400,000 characters: the suite's timeout would end the test."""
    Masker(KINDS).mask(piece * (400_000 // len(piece)))


def test_lower_case_keeps_every_character_in_its_place():
    """The copy that is searched must line up with the text that is cut."""
    everything = "".join(map(chr, range(0x110000)))
    assert len(_lower(everything)) == len(everything)


def test_a_secret_is_found_behind_characters_that_change_their_length_in_lower_case():
    assert Masker(KINDS).mask("\u0130\u0130 PASSWORD=Corr3ct-Horse \u0130") == (
        "\u0130\u0130 PASSWORD=[redacted:secret:1] \u0130"
    )


@settings(deadline=None)
@given(st.text(st.sampled_from(string.printable + "é\u2028\ud800"), max_size=200))
def test_any_text_can_be_masked_twice(text):
    masker = Masker(KINDS)
    once = masker.mask(text)
    assert masker.mask(once) == once
