"""Secrets in disguise: coloured, encoded, wrapped, and all of it in each other; and what that costs on hostile text."""

import base64
import json
from urllib.parse import quote

import pytest
from disguises import ANYWHERE, IN_ONE_WORD
from labelled_set import SECRETS, Maker, one_line_examples
from redaction.masker import Masker

from hermes_sdk.masking import base64_views, prefilter, views
from hermes_sdk.masking.finder import Finder
from hermes_sdk.masking.kinds import KINDS

FINDER = Finder(KINDS)
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
KEY = "[redacted:github-token:1]"


def found_in(text, finder=FINDER):
    found = []

    def placeholder(kind, value):
        found.append((kind, value))
        return f"[redacted:{kind}:1]"

    return found, finder.replace(text, placeholder)


def private_keys(seed):
    """Texts with a private key, and the key."""
    make = Maker(seed)
    for around in ("{}", "key is {}", "TOKEN={}"):
        secret = SECRETS["private-key"](make)
        yield around.format(secret), secret


@pytest.mark.parametrize("disguise", [*ANYWHERE, *IN_ONE_WORD])
def test_a_secret_of_any_kind_is_found_in_disguise_and_known_by_its_value(disguise):
    disguised = ANYWHERE.get(disguise) or IN_ONE_WORD[disguise]
    for kind, text, secret in one_line_examples():
        if disguise in ANYWHERE or " " not in text:
            found, masked = found_in(disguised(text, secret))
            assert (kind, secret) in found, disguised(text, secret)
            assert secret not in masked


@pytest.mark.parametrize(
    "disguise", ["coloured", "percent_encoded", "with_entities", "base64_of_it", "base64_in_lines", "continued_lines"]
)
def test_nothing_of_a_private_key_is_left(disguise):
    for text, secret in private_keys(seed=12):
        disguised = ANYWHERE[disguise](text, secret)
        _, masked = found_in(disguised)
        assert "[redacted:private-key:1]" in masked
        lines = [line for line in disguised.splitlines() if len(line) > 60]
        assert not [line for line in lines if line[5:55] in masked]


def test_a_private_key_in_base64_over_lines_is_masked_as_one():
    (_, secret), *_ = private_keys(seed=13)
    wrapped = base64.encodebytes(secret.encode()).decode()
    found, masked = found_in(f"key: |\n{wrapped}\nnext: 1\n")
    assert [kind for kind, _ in found] == ["private-key"]
    assert masked.split() == ["key:", "|", "[redacted:private-key:1]", "next:", "1"]


def test_a_secret_has_the_same_number_in_every_disguise():
    masker = Masker(KINDS)
    assert masker.mask(TOKEN) == KEY
    for disguise in ANYWHERE.values():
        assert KEY in masker.mask(disguise(f"a {TOKEN}", TOKEN))


def test_what_stands_around_a_secret_in_disguise_stays():
    assert found_in(f"a%20b {quote('x=' + TOKEN + '&y=1', safe='')} c%20d")[1] == f"a%20b x%3D{KEY}%26y%3D1 c%20d"
    assert found_in(f"\x1b[1mok\x1b[0m {TOKEN[:9]}\x1b[31m{TOKEN[9:]}\x1b[0m \x1b[1mok")[1] == (
        f"\x1b[1mok\x1b[0m {KEY}\x1b[0m \x1b[1mok"
    )
    assert found_in("\\u0041: ghp\\u005f" + TOKEN[4:] + ' "\\u0042"')[1] == f'\\u0041: {KEY} "\\u0042"'


@pytest.mark.parametrize(
    "text",
    [
        'password = \\\n    "{}"\n',
        "export PASSWORD=\\\n{}\n",
        'PASSWORD="\\\n{}"\n',
        "password:  \\\r\n  {}\n",
        '"conf": "password=\\\\\\n{}"',
    ],
)
def test_a_line_may_go_on_between_a_name_and_its_value(text):
    assert found_in(text.format("correct-horse-7"))[0] == [("secret", "correct-horse-7")]


def test_a_line_that_goes_on_between_two_words_is_no_disguise(monkeypatch):
    """In source code nearly all do: to read them differently would cost more than all that is found."""
    monkeypatch.setattr(views, "View", None)
    for text in ("if a and \\\n        b:\n", 'x = ("one", \\\n     "two")\n', "first, \\\n    second = pair\n"):
        assert FINDER.replace(text, lambda kind, _: f"[redacted:{kind}:1]") is text


def test_basic_credentials_are_masked_behind_the_name_of_the_user():
    header = base64.b64encode(b"url=https://deploy:correct-horse-7@git.acme.io/").decode()
    found, masked = found_in(f"x: {header}\n")
    assert found == [("url-password", "correct-horse-7")]
    assert base64.b64decode(masked[3:].partition("[")[0][:24]) == b"url=https://deploy"


def test_json_stays_valid_where_a_disguise_in_it_is_masked():
    for disguise in ANYWHERE.values():
        text = json.dumps({"output": disguise(f"a {TOKEN}", TOKEN), "exit_code": 0})
        masked = found_in(text)[1]
        assert KEY in masked
        assert json.loads(masked)["exit_code"] == 0


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([TOKEN[:-1] + str(n) for n in range(8)]),  # tokens of one length, a line each
        f"GITHUB_TOKEN={TOKEN}\nDEPLOY_TOKEN={TOKEN}\nPORT=8080\n",
        f"{'x ' * 20}{TOKEN}\nsecond line of the text",  # a longest line of 80 characters that ends with one
        f"token: {TOKEN}\n  note: >-\n    one\n    two\n",
        f"- {TOKEN}\\\n  \n",
    ],
)
def test_a_line_that_ends_with_a_secret_does_not_take_the_next_one_with_it(text):
    found, masked = found_in(text)
    assert masked.count(KEY) == text.count("ghp_")
    assert all(len(value) == len(TOKEN) for _, value in found)


@pytest.mark.parametrize(
    "text",
    [
        "password: test1\nuser2name: someone\n",
        "the longest line of this text ends with the word token\n2026 was the year\nshort\n",
        "100%25 of 4%20096 \\/ &amp; \x1b[31mred\x1b[0m \\u0041 &#65; c2VjcmV0",
        base64.b64encode(b"nothing in here is a secret, only a sentence or two of text").decode(),
        "data: aGVsbG8gd29ybGQsIGhvdyBhcmUgeW91IHRvZGF5Pw==",
        "a: >-\n  folded text of\n  many words\nb: |\n  one\n  two\n",
        "x = 1 + \\\n    token_of_the_day\n",
    ],
)
def test_what_is_encoded_or_wrapped_and_no_secret_stays(text):
    assert FINDER.replace(text, lambda kind, _: f"[redacted:{kind}:1]") is text


PIECES = [
    *("\x1b[31m", "\x1b", "\x1b]", "\x1b[31mghp_", "%41", "%2541", "%25", "%", "&#65;", "&amp;", "&", "\\u0041", "\\/"),
    *(
        "\\",
        "\\\n",
        "a\\\n",
        "\\\\\\n",
        "YWJj",
        "Y2Jh\n",
        "aGhwX2FCM2RFNmdIOWpLMm1ONXBROHNUMXZXNHlaN2JDMGZHM2hKNg",
        "QUFB",
    ),
    *(
        "a: >-\n  b\n  c\n",
        ": |\n",
        ": >-\n a",
        f"{'a' * 79}b\n",
        f"{TOKEN[:20]}\n",
        f"{TOKEN}\n",
        f"{'x' * 60}{TOKEN[:20]}\n",
    ),
    *(
        f"{TOKEN}\x1b[0m",
        quote(f"={TOKEN}", safe=""),
        base64.b64encode(TOKEN.encode()).decode() + "\n",
        "a%20b\x1b[1m\\u0041&#65;",
    ),
]


@pytest.mark.parametrize("piece", PIECES)
def test_hostile_repetition_costs_linear_work(piece):
    """Quadratic work on 400,000 characters takes minutes: the suite's timeout would end the test."""
    Masker(KINDS).mask(piece * (400_000 // len(piece)))


def test_disguises_in_disguises_are_looked_through_to_a_depth_and_no_further():
    text = TOKEN
    for depth in range(6):
        assert (KEY in found_in(text)[1]) == (depth <= 3), depth
        text = base64.b64encode(f"in here: {text}".encode()).decode()


def test_a_wrapped_secret_is_found_where_other_lines_are_longer():
    wrapped = ANYWHERE["wrapped_by_a_terminal"](f"a {TOKEN}", TOKEN)
    assert KEY in found_in(f"{wrapped}{'and a long line of text ' * 9}\n")[1]


def test_what_was_masked_first_may_have_hidden_a_disguise():
    around = base64.b64encode(f"TOKEN={TOKEN}\n".encode()).decode()
    assert found_in(f"postgres://u:{quote(around)}@h x{quote('://u:' + TOKEN + '@')}")[1].count("[redacted:") == 2


@pytest.mark.parametrize("disguise", ANYWHERE)
def test_the_same_is_found_without_re2(disguise, monkeypatch):
    text = ANYWHERE[disguise](f"a {TOKEN}", TOKEN)
    with_re2 = found_in(text)
    monkeypatch.setattr(prefilter, "re2", None)
    monkeypatch.setattr(base64_views, "re2", None)
    assert found_in(text, Finder(KINDS)) == with_re2
