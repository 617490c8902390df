"""Marks in tests and pages become the table of seed rules."""

import pytest

# Taken apart, because a mark written out here would count for this file.
SEED = "se" + "ed"


@pytest.mark.parametrize(
    ("mark", "names"),
    [
        ("{} H1.3.", ["H1.3"]),
        ("({}: P6)", ["P6"]),
        ("{} P4, P5 and H2.1", ["P4", "P5", "H2.1"]),
        ("{} P4, P5, and X17", ["P4", "P5", "X17"]),
        ("{} H9.1 to H9.3, X28", ["H9.1", "H9.2", "H9.3", "X28"]),
        ("{} X17 to X19", ["X17", "X18", "X19"]),
        ("{} H1.1,\n    # H1.2", ["H1.1", "H1.2"]),
        ("{} H1.1\n    and H1.2", ["H1.1", "H1.2"]),
    ],
)
@pytest.mark.parametrize("word", [SEED, SEED.title()])
def test_a_mark_names_rules(seed_rules, word, mark, names):
    assert [found for _, found in seed_rules.read_marks(mark.format(word))] == [names]


@pytest.mark.parametrize("text", ["{} data H1.3", "re{} H1.3", "{}s P6", "H1.3", "{} page"])
def test_other_words_are_no_mark(seed_rules, text):
    assert list(seed_rules.read_marks(text.format(SEED))) == []


def test_every_rule_of_the_list_is_read(checkout, seed_rules):
    text = (checkout / "tests" / "data" / "contract" / "seed-rules.md").read_text("utf-8")
    rules = seed_rules.read_rules(text)
    assert len(rules) == sum(line.startswith("- **") for line in text.splitlines())
    assert rules["P4"].text == "Callbacks receive keyword arguments."


def test_the_table_says_who_names_a_rule(checkout, run):
    tests = checkout / "tests" / "test_things.py"
    tests.write_text(
        f'"""{SEED.title()} P1."""\n\n\ndef test_one():\n    """{SEED.title()} H3.1 and H8.1."""\n\n\n'
        f"def test_two():\n    # {SEED} H3.1, H99.9\n    assert True\n",
        "utf-8",
    )
    (checkout / "docs" / "guide.md").write_text(f"As the rules say ({SEED} P2).\n", "utf-8")
    assert run("seed-rules").returncode == 0
    text = (checkout / "docs" / "reference" / "seed-rules.md").read_text("utf-8")
    rows = {line.split(" | ")[0][2:]: line for line in text.splitlines() if line.startswith("| ")}
    assert rows["P1"].endswith("| `test_things.py` |  |  |")
    assert rows["P2"].endswith("|  | [guide](../guide.md) |  |")
    assert rows["P3"].endswith("|  |  | **nobody yet** |")
    assert rows["H3.1"].endswith("| `test_things.py::test_one`, `test_things.py::test_two` |  |  |")
    assert rows["H8.1"].endswith("| `test_things.py::test_one` |  |  |")  # named, so it waits no longer
    assert rows["H8.2"].endswith("|  |  | gateway |")
    assert rows["S1"].endswith("|  |  | shell hooks |")
    assert "- H99.9: test_things.py::test_two\n" in text


def test_a_test_that_is_being_written_does_not_stop_the_table(checkout, run):
    (checkout / "tests" / "test_broken.py").write_text(f"def test_x(:\n    # {SEED} P3\n", "utf-8")
    assert run("seed-rules").returncode == 0
    assert "| `test_broken.py` |" in (checkout / "docs" / "reference" / "seed-rules.md").read_text("utf-8")


def test_check_notices_a_new_mark(checkout, run):
    run("seed-rules")
    assert run("--check", "seed-rules").returncode == 0
    (checkout / "tests" / "test_new.py").write_text(f"# {SEED} P3\n", "utf-8")
    done = run("--check", "seed-rules")
    assert (done.returncode, done.stderr) == (
        1,
        "docs/reference/seed-rules.md: out of date, run: python docs/generate\n",
    )


def test_later_parts_name_existing_rules(checkout, seed_rules):
    text = (checkout / "tests" / "data" / "contract" / "seed-rules.md").read_text("utf-8")
    rules = seed_rules.read_rules(text)
    names = [name for part in seed_rules.LATER_PARTS.values() for name in seed_rules.read_ids(part)]
    assert set(names) <= set(rules)
    assert len(set(names)) == len(names)
