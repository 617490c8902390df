"""Reference pages say what the code says: settings, errors, outcomes, the plugin context, the list of packages."""

import ast
import inspect
import re
from itertools import pairwise
from pathlib import Path

import pytest

import hermes_sdk
from hermes_sdk.dispatch import outcomes
from hermes_sdk.host.gateway.settings import GatewaySettings, PlatformSettings
from hermes_sdk.host.settings import HostSettings
from hermes_sdk.plugins.manifest import FIELDS
from hermes_sdk.plugins.section import ENTRY_FIELDS, SECTION_FIELDS
from hermes_sdk.shell_hooks.entry_keys import ENTRY_FIELDS as SHELL_ENTRY_FIELDS
from hermes_sdk.shell_hooks.outbound_targets import OUTBOUND_FIELDS

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
PACKAGES = (ROOT / "hermes_sdk", ROOT / "hookspecs", ROOT / "builtin_plugins")


def rooms():
    """Return package of hermes_sdk -> what the architecture page says of it."""
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
    return dict(re.findall(r"^\| `hermes_sdk\.(\w+)` \|(.*)$", page, re.MULTILINE))


def sources():
    """Yield the text of every module that is shipped; what is still to come is documented when it is there."""
    to_come = {ROOT / "hermes_sdk" / room for room, text in rooms().items() if "still to come" in text}
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            if to_come.isdisjoint(path.parents):
                yield path.read_text("utf-8")


def attribute_docstrings(cls):
    """Return attribute -> docstring of the annotated attributes of a class."""
    body = ast.parse(inspect.getsource(cls)).body[0].body
    documented = {}
    for statement, following in pairwise(body):
        is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if isinstance(statement, ast.AnnAssign) and is_text:
            documented[statement.target.id] = inspect.cleandoc(following.value.value)
    return documented


# -- settings ----------------------------------------------------------------------------------------------------


def field_rows(fields):
    yield ("key", "type", "default", "meaning")
    for field in fields:
        names = " or ".join(f"`{name}`" for name in (field.name, *field.aliases))
        yield (names, field.wanted, f"`{field.default}`" if field.default else "", field.description)


CHECKED = {
    "plugin.yaml": ("settings.md", FIELDS),
    "plugins": ("settings.md", SECTION_FIELDS),
    "entries": ("settings.md", ENTRY_FIELDS),
    "shell entry": ("shell-hooks.md", SHELL_ENTRY_FIELDS),
    "outbound": ("shell-hooks.md", OUTBOUND_FIELDS),
}


def table(rows):
    """Return rows as a Markdown table, the first one as its head."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"


@pytest.mark.parametrize("name", CHECKED)
def test_a_table_of_settings_is_what_the_code_says(name):
    page, fields = CHECKED[name]
    text = (REFERENCE / page).read_text("utf-8")
    found = re.search(rf"<!-- checked: {re.escape(name)} -->\n\n?((?:\|.*\n)*)", text)
    assert found[1] == table(list(field_rows(fields)))


@pytest.mark.parametrize(("name", "model"), [("gateway", GatewaySettings), ("platform", PlatformSettings)])
def test_the_tables_of_the_gateway_are_what_its_models_say(name, model):
    text = (REFERENCE / "settings.md").read_text("utf-8")
    found = re.search(rf"<!-- checked: {name} -->\n\n((?:\|.*\n)*)", text)
    rows = [("key", "default", "meaning")]
    for key, field in model.model_fields.items():
        value = field.get_default(call_default_factory=True)
        shown = "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
        shown = str(value).lower() if isinstance(value, bool) else shown
        rows.append(
            (f"`{key}`", f"`{shown}`" if isinstance(value, str | int | float | None) else "", field.description)
        )
    assert found[1] == table(rows)


class WhatIsRead:
    """Stands in for a configuration that is empty, and keeps what it was asked for."""

    def __init__(self):
        self.defaults = {}

    def get(self, key, default=None):
        if default is None:  # a whole section, looked at for its type
            return None
        self.defaults[key] = str(default).lower() if isinstance(default, bool) else f"{default:g}"
        return default


def test_the_table_of_the_host_has_every_key_that_it_reads_and_its_default():
    config = WhatIsRead()
    HostSettings.from_config(config)
    page = (REFERENCE / "settings.md").read_text("utf-8")
    documented = re.findall(r"^\| `(\w+(?:\.\w+)+)` \| `(\w+)` \|", page, re.MULTILINE)
    assert documented == list(config.defaults.items())


def test_every_environment_variable_is_documented():
    used = {name for text in sources() for name in re.findall(r"\bHERMES_[A-Z_]*[A-Z]\b", text)}
    page = (REFERENCE / "settings.md").read_text("utf-8")
    used = {"HERMES_PLUGIN_" if name.startswith("HERMES_PLUGIN_") else name for name in used}  # one for each setting
    assert {name for name in used if name not in page} == set()


# -- errors ------------------------------------------------------------------------------------------------------


def test_every_error_code_is_documented_and_no_other():
    used = {code for text in sources() for code in re.findall(r"\"(HS\d{3})\"", text)}
    documented = re.findall(r"^\| `(HS\d{3})` \|", (REFERENCE / "errors.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(used) == documented


def test_every_error_class_is_documented_with_its_code():
    page = (REFERENCE / "errors.md").read_text("utf-8")
    classes = [value for value in vars(hermes_sdk.errors).values() if inspect.isclass(value)]
    for error in classes:
        if issubclass(error, hermes_sdk.HermesSdkError):
            assert f"| `{error.__name__}` | `{error.default_code}` |" in page


# -- outcomes ----------------------------------------------------------------------------------------------------


def section(page, heading):
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]


@pytest.mark.parametrize("name", [kind.__name__ for kind in outcomes.Outcome.__args__])
def test_every_field_of_an_outcome_is_documented(name):
    page = (REFERENCE / "outcomes.md").read_text("utf-8")
    documented = re.findall(r"^\| `(\w+)` \|", section(page, name), re.MULTILINE)
    assert documented == list(getattr(outcomes, name)._fields)


def test_every_field_and_every_word_of_a_step_is_documented():
    text = section((REFERENCE / "outcomes.md").read_text("utf-8"), "Step")
    fields, words = text.split("| `what` | the implementation |")
    assert re.findall(r"^\| `(\w+)` \|", fields, re.MULTILINE) == list(outcomes.Step.__slots__)
    listed = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?`) \|", words, re.MULTILINE)))
    assert listed == re.findall(r"``(\w+)``", attribute_docstrings(outcomes.Step)["what"])


def test_the_code_uses_no_other_word_for_what_a_step_is():
    documented = set(re.findall(r"``(\w+)``", attribute_docstrings(outcomes.Step)["what"]))
    used = set()
    for path in (ROOT / "hermes_sdk" / "dispatch").glob("*.py"):
        text = path.read_text("utf-8")
        used |= set(re.findall(r'self\.step\(index, "(\w+)"', text))
        used |= set(re.findall(r'_with_step\(\w+, impl, "(\w+)"', text))
    assert used
    assert used <= documented


# -- the plugin context --------------------------------------------------------------------------------------------


def test_every_public_member_of_the_context_is_documented(tmp_path):
    plugin = tmp_path / "plugins" / "probe"
    plugin.mkdir(parents=True)
    (plugin / "plugin.yaml").write_text("name: probe\n", "utf-8")
    (plugin / "__init__.py").write_text("def register(ctx): pass\n", "utf-8")
    manager = hermes_sdk.PluginManager(tmp_path, entry_points=False)
    manager.discover_and_load()
    members = {name for name in dir(manager.plugins["probe"].context) if not name.startswith("_")}
    manager.shutdown()
    page = (REFERENCE / "context.md").read_text("utf-8")
    assert members == set(re.findall(r"^\| `ctx\.(\w+)", page, re.MULTILINE))


# -- the architecture ----------------------------------------------------------------------------------------------


def test_every_package_is_a_room_of_the_architecture():
    parts = [path for path in (ROOT / "hermes_sdk").iterdir() if not path.name.startswith((".", "_"))]
    there = {path.stem for path in parts if path.is_dir() or path.suffix == ".py"}
    described = rooms()
    assert there <= described.keys()
    assert {name for name in described.keys() - there if "still to come" not in described[name]} == set()
