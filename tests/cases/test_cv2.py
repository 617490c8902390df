"""CV2: plugins.enabled written as a string disables every plugin without a word."""

import pytest

WANTED = "wanted a list of names"


@pytest.fixture
def home(plugin_home):
    for name in ("a", "b"):
        plugin_home.plugin(name)
    return plugin_home


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("""'["a","b"]'""", f"found text, {WANTED}"),
        ("a", f"found text, {WANTED}"),
        ("{a: true}", f"found a mapping, {WANTED}"),
        ("null", f"found nothing, {WANTED}"),
        ("[a, 3]", "found a number, wanted a name"),
    ],
)
def test_cv2_what_is_no_list_of_names_is_an_error_with_type_found_and_type_wanted(home, caplog, written, found):
    home.config(f"plugins:\n  enabled: {written}\n")
    manager = home.loaded()
    assert manager.plugins == {}, "never the same result as an absent key"
    (problem,) = manager.problems
    assert problem.key.startswith("plugins.enabled")
    assert found in str(problem)
    assert found in caplog.text
    assert all(found in row["why"] for row in manager.list_plugins())


def test_cv2_the_absent_key_loads_what_is_installed(home):
    home.config("plugins: {}\n")
    assert list(home.loaded().plugins) == ["a", "b"]


def test_cv2_disabled_wins_over_enabled(home):
    home.config("plugins: {enabled: [a, b], disabled: [a]}\n")
    assert list(home.loaded().plugins) == ["b"]


def test_cv2_an_enabled_name_that_is_not_found_is_reported(home, caplog):
    home.config("plugins: {enabled: [a, bb]}\n")
    assert list(home.loaded().plugins) == ["a"]
    assert "'bb'" in caplog.text
