"""The specs and data/contract/hooks.yaml say the same, in both directions."""

import copy
import inspect
import re

import pytest

from hermes_hookspecs import HOOKS, REQUIRED, TELEMETRY_SCHEMA_VERSION

UNITS = {"ms": "millisecond", "s": "second"}


def _arguments_of_the_file(entry):
    """Return `[(name, type, default, alias_of)]` as a spec has to declare them."""
    rows = []
    for name, argument in entry["args"].items():
        alias_of = argument.get("alias_of")
        kind = f"{argument['type']} | None" if alias_of else argument["type"]
        default = None if alias_of else argument.get("default", REQUIRED)
        rows.append((name, kind, default, alias_of))
    # Python wants required parameters first; otherwise the order is the file's.
    rows.sort(key=lambda row: row[2] is not REQUIRED)
    return [*rows, ("telemetry_schema_version", "str", TELEMETRY_SCHEMA_VERSION, None)]


def _same_type(spec, file):
    spec = spec.replace("'", '"')
    if re.search(r"\blist\b(?!\[)", file):  # the file leaves the items open, a strictly typed spec may not
        spec = re.sub(r"\blist\[dict\[str, Any\]\]", "list", spec)
    return spec == re.sub(r"\bdict\b(?!\[)", "dict[str, Any]", file)


def _argument_differences(hook, entry):
    wanted = _arguments_of_the_file(entry)
    found = [(row.name, row.annotation, row.default, row.alias_of) for row in hook.arguments]
    wanted_names, found_names = [row[0] for row in wanted], [row[0] for row in found]
    for name in sorted(set(wanted_names) ^ set(found_names)):
        yield f"argument {name!r} is only in the {'file' if name in wanted_names else 'spec'}"
    if set(wanted_names) == set(found_names) and wanted_names != found_names:
        yield f"the order is {found_names}, the file has {wanted_names}"
    by_name = {row[0]: row for row in found}
    for name, kind, default, alias_of in wanted:
        if name not in by_name:
            continue
        _, spec_kind, spec_default, spec_alias = by_name[name]
        if not _same_type(spec_kind, kind):
            yield f"{name!r} is {spec_kind}, the file has {kind}"
        if spec_default != default or type(spec_default) is not type(default):
            yield f"{name!r} defaults to {spec_default!r}, the file has {default!r}"
        if spec_alias != alias_of:
            yield f"{name!r} is a second name of {spec_alias!r}, the file has {alias_of!r}"


def differences(hook, entry):
    """Return, in words, everything that a spec and its entry in the file do not agree on."""
    found = [
        f"{key} is {getattr(hook, key)!r}, the file has {entry.get(key)!r}"
        for key in ("family", "kind", "origin", "value")
        if getattr(hook, key) != entry.get(key)
    ]
    if hook.firstresult != (entry["kind"] == "decision"):
        found.append(f"firstresult is {hook.firstresult} on a hook of kind {entry['kind']}")
    if (hook.returns != "None") != ("returns" in entry):
        found.append(f"the spec may return {hook.returns}, the file has {entry.get('returns')}")
    return [f"{hook.name}: {text}" for text in (*found, *_argument_differences(hook, entry))]


def test_specs_and_file_name_the_same_hooks(contract_file):
    assert set(HOOKS) == set(contract_file["hooks"])
    assert len(HOOKS) == 23


@pytest.mark.parametrize("name", HOOKS)
def test_a_spec_says_what_the_file_says(contract_file, name):
    found = differences(HOOKS[name], contract_file["hooks"][name])
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda entry: entry.update(kind="observer"), "kind is 'transform', the file has 'observer'"),
        (lambda entry: entry.update(origin="hermes-0.19"), "origin is 'seed', the file has 'hermes-0.19'"),
        (lambda entry: entry.update(family="llm"), "family is 'tool', the file has 'llm'"),
        (lambda entry: entry.update(value="text"), "value is 'result', the file has 'text'"),
        (lambda entry: entry.pop("returns"), "the spec may return str | None, the file has None"),
        (lambda entry: entry["args"].pop("status"), "argument 'status' is only in the spec"),
        (
            lambda entry: entry["args"].update(language={"type": "str"}),
            "argument 'language' is only in the file",
        ),
        (lambda entry: entry["args"]["status"].update(type="int"), "'status' is str, the file has int"),
        (
            lambda entry: entry["args"]["duration_ms"].update(default=False),
            "'duration_ms' defaults to 0, the file has False",
        ),
        (lambda entry: entry["args"]["turn_id"].pop("default"), "'turn_id' defaults to '', the file has"),
        (
            lambda entry: entry["args"]["args"].update(alias_of="result"),
            "'args' is a second name of 'arguments', the file has 'result'",
        ),
        (
            lambda entry: entry.update(args=dict(reversed(entry["args"].items()))),
            "the order is ['tool_name', ",
        ),
    ],
)
def test_every_kind_of_difference_is_named(contract_file, change, message):
    entry = copy.deepcopy(contract_file["hooks"]["transform_tool_result"])
    change(entry)
    assert any(message in text for text in differences(HOOKS["transform_tool_result"], entry))


def test_one_verdict_comes_out_of_exactly_three_hooks():
    verdicts = {name for name, hook in HOOKS.items() if hook.firstresult}
    assert verdicts == {"pre_tool_call", "pre_gateway_dispatch", "pre_verify"}


@pytest.mark.parametrize("name", HOOKS)
def test_the_docstring_explains_every_argument_with_its_unit(contract_file, name):
    text = inspect.getdoc(HOOKS[name].function)
    explained = dict(re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", text, re.MULTILINE))
    assert list(explained) == [argument.name for argument in HOOKS[name].arguments]
    for argument, row in contract_file["hooks"][name]["args"].items():
        assert UNITS.get(row.get("unit"), "") in explained[argument]


@pytest.mark.parametrize("name", HOOKS)
def test_the_docstring_says_where_the_hook_comes_from(contract_file, name):
    text = inspect.getdoc(HOOKS[name].function)
    source = "Seed H" if HOOKS[name].origin == "seed" else "hermes-agent 0.19.0"
    assert f"\nSource:\n    {source}" in text
    assert f"\nSince:\n    {contract_file['version']}" in text


def test_the_seed_names_fourteen_hooks():
    """Seed P8."""
    assert len([hook for hook in HOOKS.values() if hook.origin == "seed"]) == 14


def test_nine_hooks_of_the_seed_only_observe():
    """Seed P7, P9 and P10."""
    seed = {name: hook for name, hook in HOOKS.items() if hook.origin == "seed"}
    assert {name for name, hook in seed.items() if hook.kind != "observer"} == {
        "pre_tool_call",
        "pre_llm_call",
        "pre_gateway_dispatch",
        "transform_tool_result",
        "transform_terminal_output",
    }
    assert all(hook.returns == "None" for hook in seed.values() if hook.kind == "observer")
