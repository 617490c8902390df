"""The redaction plugin's kinds on the labelled set: every secret in every surrounding, and nothing else."""

import re

import pytest
from hard_negatives import HARD_NEGATIVES, hard_negatives
from labelled_set import SECRETS, examples

from hermes_sdk.masking.finder import Finder
from hermes_sdk.masking.kinds import KINDS

EXAMPLES = list(examples(rounds=4))
NEGATIVES = list(hard_negatives())
FINDER = Finder(KINDS)


def mask(text):
    return FINDER.replace(text, lambda kind, _: f"[redacted:{kind}:1]")


def test_the_set_has_every_kind_and_every_text_its_secret_once():
    assert sorted(SECRETS) == sorted(kind.name for kind in KINDS)
    assert all(example.text.count(example.secret) == 1 for example in EXAMPLES)
    assert list(examples(rounds=4)) == EXAMPLES, "a seed makes one set"


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_masked_whole_and_alone_wherever_it_stands(kind):
    """Recall of 100 %, by the right name, and not a character too many."""
    for example in EXAMPLES:
        if example.kind == kind:
            expected = example.text.replace(example.secret, f"[redacted:{kind}:1]")
            assert mask(example.text) == expected, example.surrounding


@pytest.mark.parametrize("case", HARD_NEGATIVES)
def test_what_only_looks_like_a_secret_is_left_alone(case):
    for name, text in NEGATIVES:
        if name == case:
            assert mask(text) is text


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=«correct.horse7.battery»",
        "DB_PASSWORD=«Xy7,semi;colon&(all)of[it]»\nPORT=1",
        'password = "«Xy7,semi;colon&(all)of[it]»"',
        "password: '«Xy7,semi;colon&(all)of[it]»'",
        'db_password: "«correct.horse7»"',
        '{"args": "{\\"password\\": \\"«Xy7,semi;colon»\\"}"}',
        "SECRET_KEY=«MyVeryOwn7Key»",
        '"token": "«Xy7OAuthToken»"',
        "client_token_secret: «abcdefgh1»",
        "password=«Yours7Password»",
        "request_token: «abcdefgh1»",
        "postgres://app:«hunter2»@db.example.com/app",
    ],
)
def test_what_resembles_a_stand_in_is_masked_whole_where_it_is_none(text):
    kind = "url-password" if "://" in text else "secret"
    assert mask(re.sub("[«»]", "", text)) == re.sub("«.*»", f"[redacted:{kind}:1]", text)
