"""Own patterns and switches of the redaction plugin: what is accepted, what is refused, in which words."""

import pytest
from pydantic import ValidationError
from redaction import own_patterns
from redaction.masker import Masker
from redaction.own_patterns import UnsafePatternError, needs_re2
from redaction.settings import Settings


def test_an_own_pattern_masks_its_whole_match():
    settings = Settings(patterns={"employee": r"EMP-[0-9]{6}"})
    assert Masker(settings.kinds()).mask("badge EMP-123456") == "badge [redacted:employee:1]"


def test_a_group_called_secret_is_all_that_is_masked():
    settings = Settings(patterns={"ticket": r"ticket=(?P<secret>\w+)"})
    assert Masker(settings.kinds()).mask("?ticket=abc&x=1") == "?ticket=[redacted:ticket:1]&x=1"


def test_a_kind_can_be_skipped():
    text = "postgres://u:" + "pa55@host"
    assert Masker(Settings(skip=["url-password"]).kinds()).mask(text) is text
    assert Masker(Settings().kinds()).mask(text) != text


def test_an_unknown_kind_is_refused_with_the_nearest_name():
    with pytest.raises(ValueError, match=r"skip: there is no kind 'url-pasword'; did you mean 'url-password'\?"):
        Settings(skip=["url-pasword"]).kinds()


def test_an_invalid_pattern_is_refused_and_says_which_and_where():
    with pytest.raises(ValueError, match=r"^plugins\.entries\.redaction\.patterns\.broken: .* at position 3$"):
        Settings(patterns={"broken": "abc(def"}).kinds()


@pytest.fixture
def without_re2(monkeypatch):
    """Run as where the extra is not installed."""
    monkeypatch.setattr(own_patterns, "re2", None)


@pytest.mark.usefixtures("without_re2")
def test_a_slow_pattern_is_refused_and_says_which_and_where_and_what_would_run_it():
    with pytest.raises(ValueError, match=r"patterns\.slow: a repeat without a limit at position 2.*hermes-sdk\[re2\]"):
        Settings(patterns={"slow": r"\w+@corp"}).kinds()


def test_what_google_re2_runs_in_linear_time_is_accepted_where_it_is_installed():
    pytest.importorskip("re2")
    masker = Masker(Settings(patterns={"mail": r"(?P<secret>\w+)@corp", "nested": r"(?:(?:ab)+)+!"}).kinds())
    assert masker.mask("é \ud800 jo@corp №7 ababab!") == "é \ud800 [redacted:mail:1]@corp №7 [redacted:nested:1]"
    masker.mask("ab" * 200_000)  # `re` would need longer than the suite's timeout


@pytest.mark.parametrize("pattern", [r"(?<=x)\w+@corp", r"(a+)\1+b", r"(\w+a){2000}b"])
def test_what_neither_can_run_is_refused_where_google_re2_is_installed(pattern):
    pytest.importorskip("re2")
    with pytest.raises(ValueError, match=r"patterns\.slow: it refers|patterns\.slow: a repeat|patterns\.slow: it can"):
        Settings(patterns={"slow": pattern}).kinds()


@pytest.mark.parametrize(
    "pattern", ["[a-z]{1,9}-token", "[0-9]{1,20}", "redacted", r"token:1\]", r"\S+", r"\[redacted:\S+"]
)
def test_an_own_pattern_tears_no_placeholder(pattern):
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
    kinds = Settings(patterns={"own": pattern}).kinds()
    masker = Masker([*(kind for kind in kinds if kind.name != "own"), *(kind for kind in kinds if kind.name == "own")])
    for text in (token, f"a {token} b", f"{token[:9]}\x1b[m{token[9:]} %41 {token}"):
        once = masker.mask(text)
        assert "[redacted:github-token:1]" in once
        assert masker.mask(once) == once


@pytest.mark.parametrize("name", ["Employee", "1st", "a b", "", "x" * 41])
def test_a_pattern_needs_a_plain_name(name):
    with pytest.raises(ValueError, match="the name must be lower-case letters"):
        Settings(patterns={name: "abc"}).kinds()


def test_an_own_pattern_cannot_take_the_name_of_a_built_in_kind():
    with pytest.raises(ValueError, match=r"patterns\.jwt: that is a built-in kind"):
        Settings(patterns={"jwt": "abc"}).kinds()


def test_an_own_pattern_may_stand_for_personal_data_that_is_not_switched_on():
    own = {"email": r"[a-z]{1,20}@acme\.example"}
    assert Masker(Settings(patterns=own).kinds()).mask("to jo@acme.example, an@b.example") == (
        "to [redacted:email:1], an@b.example"
    )
    with pytest.raises(ValueError, match=r"patterns\.email: that is a built-in kind"):
        Settings(patterns=own, personal=["email"]).kinds()


def test_unknown_personal_data_is_refused_with_the_nearest_name():
    with pytest.raises(ValueError, match=r"personal: there is no kind 'emails'; did you mean 'email'\?"):
        Settings(personal=["emails"]).kinds()


def test_an_unknown_setting_is_refused():
    with pytest.raises(ValidationError, match="pattern"):
        Settings.model_validate({"pattern": {}})


@pytest.mark.parametrize(
    "pattern",
    [
        r"ACME-[A-Z0-9]{20,40}",
        r"acme_(?:live|test)_[a-z0-9]{24,}",
        r"(?i)x-acme-key: (?P<secret>\S+)",
        r"\bAC[0-9a-f]{32}\b",
        r"(?<![0-9])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![0-9])",
        r"key\[[^]]{1,60}\]",
        r"[]a-z]{4}\(\)",
        r"colou?r: #[0-9a-f]{6}",
    ],
)
def test_patterns_as_people_write_them_are_accepted(pattern):
    assert needs_re2(pattern) is False


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(a+)+$", "repeat without a limit at position 2"),
        (r"(?:a|aa){1,}$", "repeat without a limit"),
        (r"(?:a|aa)+", "repeat without a limit"),
        (r"\w+@corp\.example", "repeat without a limit at position 2"),
        (r"(?:\w{1,20}-){1,5}x", "about 16,000,000 ways"),
        (r"(a?){30}a{30}", "countless ways"),
        (r"\w{1,100}\w{1,100}x", "about 10,000 ways"),
        (r"(x)\1", "refers back"),
        (r"(?P<q>x)(?P=q)", "back reference"),
        (r"(?x) abc # comment", "verbose"),
        (r"a*", "empty text"),
        (r"", "empty text"),
    ],
)
@pytest.mark.usefixtures("without_re2")
def test_patterns_that_hostile_text_makes_slow_are_refused(pattern, words):
    with pytest.raises(UnsafePatternError, match=words):
        needs_re2(pattern)
