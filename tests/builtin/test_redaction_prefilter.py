"""The set of google-re2 in front of the searches: it may save searches and must never save a secret."""

import pytest
from disguises import ANYWHERE
from hypothesis import given, settings
from hypothesis import strategies as st
from redaction.masker import Masker
from redaction.personal import PERSONAL
from redaction.settings import Settings
from secret_samples import SAMPLES, in_text

from hermes_sdk.masking import prefilter
from hermes_sdk.masking.kinds import KINDS

re2 = pytest.importorskip("re2")

ALL = (*KINDS, *PERSONAL)
CLEAN = "2026-11-30 12:00:00 INFO request 4711 handled in 12 ms\n" * 1_000


@pytest.fixture
def without_re2(monkeypatch):
    """Run as where the extra is not installed."""
    monkeypatch.setattr(prefilter, "re2", None)


def searches(kinds):
    return [(kind, pattern) for kind in kinds for pattern in kind.hints or kind.sources]


def test_the_set_understands_every_pattern():
    assert prefilter.Prefilter(searches(ALL))._unknown == []


def test_a_clean_text_is_not_searched_at_all():
    assert list(prefilter.Prefilter(searches(KINDS)).needed(CLEAN)) == []


def test_names_that_get_a_value_without_a_digit_are_not_searched():
    assert (
        list(prefilter.Prefilter(searches(KINDS)).needed("token = self.tokenizer()\nkey, password = read_them()\n"))
        == []
    )


@pytest.mark.usefixtures("without_re2")
@pytest.mark.parametrize("kind", SAMPLES)
def test_the_same_is_masked_without_re2(kind):
    assert f"[redacted:{kind}:1]" in Masker(KINDS).mask(in_text(kind))


SHORT = ("github-token", "aws-key", "secret")
DISGUISES = [
    "%41",
    "%25",
    "&#65;",
    "&amp;",
    "\\u0041",
    "\\/",
    "\x1b[0m",
    ": >-\n  a\n",
    "YWJjZGVmZ2hpamts",
    "x" * 79 + "\n",
]
PIECES = st.one_of(
    st.sampled_from([in_text(kind) for kind in SAMPLES]),
    st.sampled_from([*SAMPLES.values(), "a@b.io", "+12025550143", "DE89370400440532013000", "4111111111111111"]),
    st.sampled_from(
        [disguise(f"a {SAMPLES[kind]}", SAMPLES[kind]) for disguise in ANYWHERE.values() for kind in SHORT]
    ),
    st.sampled_from([*DISGUISES, *(f"{SAMPLES['github-token'][:20]}{end}" for end in ("\n", "\\\n", "\x1b[m"))]),
    st.sampled_from(
        ["\\n", "\n", "\v", "\x1b[31m", " ", "\u0130", "\u212a", "\ud800", "é", "?", "://u:", "@h", "password = "]
    ),
    st.sampled_from(
        ["token=", "apiKey: '", '"secret": "', "abcdefgh", "7", "\uff17", "'", '"', " \\\n", "= \\\n  ", "a\\\n"]
    ),
    st.text(max_size=4),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(PIECES, max_size=6).map("".join))
def test_what_is_masked_does_not_depend_on_the_set(text):
    with_set, loop = Masker(ALL), Masker(ALL)
    loop._finder._prefilter._set = None
    assert with_set.mask(text) == loop.mask(text)


def test_what_a_placeholder_makes_room_for_is_masked_in_the_same_pass():
    """The key's line breaks were all that kept the address from having a password."""
    masked = Masker(KINDS).mask(f"https://user:a1{SAMPLES['private-key']}@host")
    assert masked == "https://user:[redacted:url-password:1]@host"


def test_own_patterns_are_always_searched_because_their_classes_may_be_wider():
    masker = Masker(Settings(patterns={"badge": r"№\d{4}"}).kinds())
    assert masker.mask("№١٢٣٤") == "[redacted:badge:1]"


@pytest.mark.parametrize("memory", [1, 300_000, 1_000_000])
def test_too_little_memory_for_the_automaton_costs_speed_and_no_secret(memory, monkeypatch):
    monkeypatch.setattr(prefilter, "_MEMORY", memory)
    masker = Masker(KINDS)
    for kind in SAMPLES:
        assert f"[redacted:{kind}:" in masker.mask(CLEAN + in_text(kind))
