"""Words by which memories are found."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_recall.words import parts_of, plain_text, tokens_in, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What about the Zeppelin? the zeppelin!", ["zeppelin"]),
        ("what is the and of it?", []),
        ("", []),
        ("Café in Köln, STRASSE und Straße", ["cafe", "koln", "strasse", "und"]),
        ("see src/my_parser.py:12", ["see", "src", "parser", "py", "12"]),
        ("I use x and y", []),
        ("日本語の本", ["日本", "本語", "語の", "の本"]),
        ("茶", ["茶"]),
        ("Tokyo東京2", ["tokyo", "東京"]),
        ("हिन्दी किताब", ["हिन्दी", "किताब"]),
        ("база данных называется", ["база", "данных", "называется"]),
        ("서버는 헤론", ["서버", "버는", "헤론"]),
        ("a" * 50, ["a" * 40]),
        ("boats\x00tail", ["boats", "tail"]),
    ],
)
def test_words_are_folded_and_common_ones_are_left_out(text, words):
    assert words_of(text, 24) == words


def test_a_long_text_gives_so_many_words_as_are_wanted():
    assert words_of(" ".join(f"word{number}" for number in range(500)), 24) == [f"word{number}" for number in range(24)]


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=200))
def test_no_word_holds_what_an_index_could_take_for_syntax(text):
    for word in words_of(text, 50):
        assert word
        assert not set(word) & set(" _\"'*()^:-+{}\\\x00\n")


def test_trigrams_are_counted_as_postgresql_counts_them():
    assert parts_of("heron") == {"__h", "_he", "her", "ero", "ron", "on_"}
    assert parts_of("tea") == parts_of("2026") == parts_of("日本") == frozenset()


def test_the_text_parts_of_a_multimodal_message_are_read():
    parts = [{"type": "text", "text": "look at"}, {"type": "image_url", "image_url": {}}, {"text": "this"}, "x"]
    assert plain_text(parts) == "look at\nthis"
    assert plain_text("plain") == "plain"
    assert plain_text(None) == ""


def test_a_token_is_taken_for_four_bytes():
    assert tokens_in("") == 0
    assert tokens_in("12345") == 2
    assert tokens_in("日本語") == 3
