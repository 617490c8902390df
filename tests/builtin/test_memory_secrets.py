"""What memory_recall masks before it writes."""

import pytest
from memory_recall.secrets_out import without_secrets

WORD36 = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("my key is AKIA" + "IOSFODNN7EXAMPLE".replace("1", "A"), "my key is [masked]"),
        (f"use ghp_{WORD36} please", "use [masked] please"),
        ("use sk-" + "proj-" + WORD36, "use [masked]"),
        ("the password is hunter2, ok?", "the password is [masked], ok?"),
        ('"api_key": "abc123def"', '"api_key": "[masked]"'),
        ("PIN: 4711", "PIN: [masked]"),
        ("postgres://app:s3cret@db/app", "postgres://app:[masked]@db/app"),
        ("-----BEGIN PRIVATE " + "KEY-----\nMIIE\n-----END PRIVATE KEY----- and so on", "[masked] and so on"),
        ("-----BEGIN PRIVATE " + "KEY-----\nMIIE cut", "[masked]"),
        ("eyJ" + "hbGciOiJIUzI1." + "eyJ" + "zdWIiOiIxMjM0." + WORD36, "[masked]"),
    ],
)
def test_a_secret_is_masked_and_its_name_stays(text, stored):
    assert without_secrets(text) == stored


@pytest.mark.parametrize("text", ["the token is expired", "the secret of a good tea", "opinion: 42", "pins and 1 pin"])
def test_talk_about_secrets_stays(text):
    assert without_secrets(text) == text


@pytest.mark.parametrize(
    "piece",
    ["eyJ", "-eyJ", "eyJabcdefgh.", "sk-", "://a:b", "password=", "-----BEGIN PRIVATE KEY", "AKIA", "pin"],
)
def test_hostile_repetition_costs_linear_work(piece):
    """A quadratic pattern needs minutes for this: the suite's timeout would end the test."""
    without_secrets(piece * (300_000 // len(piece)))
