"""The secret formats of the redaction plugin: what is masked, what is left alone, and at what cost."""

import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redaction.masker import Masker
from secret_samples import AROUND, SAMPLES, WORD36, in_text

from hermes_sdk.masking.finder import lower
from hermes_sdk.masking.kinds import KINDS


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
    assert len(lower(everything)) == len(everything)


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
