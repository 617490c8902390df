"""What of a message is remembered, and that no secret is."""

import pytest
from memory_recall.worth import kept, statements_of

WORD36 = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"


@pytest.mark.parametrize(
    "statement",
    [
        "the staging database is called heron",
        "From now on the staging database runs on heron.internal.",
        "I never drink coffee!",
        "Unser Lager schließt freitags um drei",
        "我的航班星期五起飞。",
        "サーバーの名前はヘロンです",
    ],
)
def test_a_statement_is_remembered(statement):
    assert statements_of(statement) == [statement]


@pytest.mark.parametrize(
    "message",
    [
        "which database do I use on staging?",
        "Can you look at the logs and tell me more",
        "fix the bug in the parser",
        "Please run the tests again.",
        "今日は何曜日ですか\uff1f",
        "ok thanks",
        "/etc/hosts is what I mean here",
        "> somebody else wrote these words",
        "```\nthe code is not a statement\n```",
        "    12 | 0x7f | 99.2 % | 1,024 | 77 ms",
        "",
        "  \n\n ",
        "word " * 200,
    ],
)
def test_questions_requests_and_pasted_things_are_not(message):
    assert statements_of(message) == []


def test_a_message_is_taken_sentence_by_sentence():
    message = "Our shop is in Köln. Fix the sign! Is it far? - we open at nine\n1. we close at five"
    assert statements_of(message) == ["Our shop is in Köln.", "we open at nine", "we close at five"]


def test_after_remember_that_anything_counts():
    assert statements_of("Please remember that: run tests with tox") == ["run tests with tox"]
    assert statements_of("Remember: tea, never coffee") == ["tea, never coffee"]
    assert statements_of("remember the milk?") == []


@pytest.mark.parametrize(
    "message",
    [
        "[The process 12 has ended. Its output is above, and it was long.]",
        "[Background process done: the tests are green now.] ",
        "[Alice]",
    ],
)
def test_what_the_host_writes_in_place_of_a_message_is_nobodys_statement(message):
    assert statements_of(message) == []
    assert statements_of(f"{message} our shop is in town") == ["our shop is in town"]


def test_no_half_of_a_secret_is_kept_where_a_long_text_is_cut():
    token = f"ghp_{WORD36}"
    for before in range(19_960, 20_001, 5):
        text = ("x" * 99 + "\n") * (before // 100) + "x" * (before % 100 - 1) + " " + token
        assert WORD36[:8] not in kept(text, 30_000)
    assert kept("x" * 30_000, 30_000) == ""


def test_of_a_long_message_five_statements_are_kept():
    message = "\n".join(f"The box number {number} is blue." for number in range(50))
    assert len(statements_of(message)) == 5


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("my key is AKIA" + "IOSFODNN7EXAMPLE".replace("1", "A"), "my key is [REDACTED]"),
        (f"use ghp_{WORD36} please", "use [REDACTED] please"),
        ("use sk-" + "proj-" + WORD36, "use [REDACTED]"),
        ("the password is hunter2, ok?", "the password is [REDACTED], ok?"),
        ("das Passwort ist Igel99!", "das Passwort ist [REDACTED]"),
        ('"api_key": "abc123def"', '"api_key": "[REDACTED]"'),
        ("PIN: 4711", "PIN: [REDACTED]"),
        ("postgres://app:s3cret@db/app", "postgres://app:[REDACTED]@db/app"),
        ("-----BEGIN PRIVATE " + "KEY-----\nMIIE\n-----END PRIVATE KEY----- and so on", "[REDACTED] and so on"),
        ("-----BEGIN PRIVATE " + "KEY-----\nMIIE cut", "[REDACTED]"),
        ("eyJ" + "hbGciOiJIUzI1." + "eyJ" + "zdWIiOiIxMjM0." + WORD36, "[REDACTED]"),
        ("the deploy token is [redacted:github-token:7] here", "the deploy token is [REDACTED] here"),
    ],
)
def test_a_secret_is_masked_and_its_name_stays(text, stored):
    assert kept(text, 400) == stored


@pytest.mark.parametrize("text", ["the token is expired", "the secret of a good tea", "opinion: 42", "pins and 1 pin"])
def test_talk_about_secrets_stays(text):
    assert kept(text, 400) == text


def test_a_key_over_several_lines_is_masked_before_sentences_are_told_apart():
    key = "-----BEGIN PRIVATE " + "KEY-----\n" + "\n".join("MIIEvQIBADANBgkqhkiG9w" * 2 for _ in range(20))
    statements = statements_of(f"this is the key of our server:\n{key}\n-----END PRIVATE KEY-----\nit is new today")
    assert "it is new today" in statements
    assert "MIIE" not in " ".join(statements)


@pytest.mark.parametrize(
    "message",
    [
        "my deploy token is {}",
        "My key for it is `{}`!",
        "remember that the password is {}.",
        "我的密码是 password={}。",
    ],
)
def test_a_statement_that_ends_with_a_secret_says_nothing_when_it_is_masked(message):
    assert statements_of(message.format(f"ghp_{WORD36}")) == []


def test_a_statement_with_a_secret_in_it_is_remembered_without():
    said = "The shop runs on postgres://shop:s3cret99@db.acme.io/shop since May"
    assert statements_of(said) == [said.replace("s3cret99", "[REDACTED]")]


def test_what_is_kept_is_one_line_without_anything_unseen():
    assert kept("a\n\n b\tc\x00d \u202eevil\u202c", 40) == "a b c d evil"
    assert kept("x" * 20, 10) == "x" * 9 + "…"
    assert kept("lone \ud800 half", 40) == "lone ? half"


@pytest.mark.parametrize(
    "piece", ["eyJ", "-eyJ", "sk-", "://a:b", "password=", "password is ", "```", "a. ", "- ", "> "]
)
def test_hostile_repetition_costs_linear_work(piece):
    """A quadratic pattern needs minutes for this: the suite's timeout would end the test."""
    statements_of(piece * (300_000 // len(piece)))
