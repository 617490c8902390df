"""plugin.yaml is checked key by key, with places, and a bad one hides nothing else."""

import pytest

from hermes_sdk.plugins.manifest import FIELDS, Manifest, read_manifest


def manifest_of(tmp_path, text):
    path = tmp_path / "plugin.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    manifest, problems = read_manifest(str(path), "directory")
    return manifest, [
        (problem.code, problem.where.rpartition("plugin.yaml")[2], problem.severity) for problem in problems
    ]


def test_every_key_is_optional(tmp_path):
    assert manifest_of(tmp_path, "") == (Manifest("directory"), [])
    assert read_manifest(str(tmp_path / "absent.yaml"), "directory") is None


def test_the_documented_keys_are_the_fields_of_a_manifest():
    fields = set(Manifest.__dataclass_fields__) - {"source", "path", "key"}
    assert {field.name for field in FIELDS} == fields
    assert all(field.description for field in FIELDS)


def test_a_full_manifest_is_read(tmp_path):
    text = """
        name: my-guard
        version: 1.10
        description: guards
        author: someone
        kind: Standalone
        hooks: [pre_tool_call]
        provides_tools: [t]
        requires_env: [A, {name: B, description: b, secret: true}]
        requires_sdk: ">=0.1"
        manifest_version: 1
        settings: {level: {type: int}}
        fail_closed: [pre_tool_call]
    """
    manifest, problems = manifest_of(tmp_path, text)
    assert problems == []
    assert (manifest.name, manifest.version, manifest.kind) == ("my-guard", "1.10", "standalone")
    assert (manifest.provides_hooks, manifest.fail_closed) == (["pre_tool_call"], ("pre_tool_call",))
    assert manifest.required_variables == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "version"),
    [("version: 1.10", "1.10"), ("version: '2'", "2"), ("version: 3", "3"), ("version: 2026-01-31", "2026-01-31")],
)
def test_a_version_is_taken_as_it_is_written(tmp_path, text, version):
    assert manifest_of(tmp_path, text)[0].version == version


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: [a]\n", ("HS103", ":1:1", "error")),
        ("a: 1\nname: 12\n", ("HS103", ":2:1", "error")),
        ("name: a/b\n", ("HS106", ":1:1", "error")),
        ("name: 'builtin:x'\n", ("HS106", ":1:1", "error")),
        ('name: "*"\n', ("HS106", ":1:1", "error")),
        ('name: "a\\nb"\n', ("HS106", ":1:1", "error")),
        ("name: ' '\n", ("HS106", ":1:1", "error")),
        ("provides_hooks: pre_tool_call\n", ("HS103", ":1:1", "error")),
        ("provides_tools: [1]\n", ("HS103", ":1:1", "error")),
        ("requires_env: [{description: x}]\n", ("HS103", ":1:1", "error")),
        ("requires_sdk: newest\n", ("HS106", ":1:1", "error")),
        ("manifest_version: 2\n", ("HS106", ":1:1", "error")),
        ("manifest_version: true\n", ("HS103", ":1:1", "error")),
        ("version: true\n", ("HS103", ":1:1", "error")),
        ("fail_closed:\n", ("HS103", ":1:1", "error")),
        ("fail_closed: maybe\n", ("HS103", ":1:1", "error")),
        ("fail_closed: [post_tool_call]\n", ("HS208", ":1:15", "error")),
        ("kind: standlone\n", ("HS106", ":1:1", "warning")),
        ("descripton: x\n", ("HS104", ":1:1", "warning")),
        ("name: a\nname: b\n", ("HS105", ":2:1", "error")),
        ("- a\n", ("HS103", ":1:1", "error")),
        ("a: [\n", ("HS102", ":2:1", "error")),
        (b"name: \xff\n", ("HS102", ":1", "error")),
    ],
)
def test_a_mistake_is_reported_with_its_place(tmp_path, text, problem):
    assert problem in manifest_of(tmp_path, text)[1]


def test_an_empty_value_is_an_absent_one(tmp_path):
    manifest, problems = manifest_of(tmp_path, "name:\nversion:\ndescription:\nrequires_env:\n")
    assert (manifest, problems) == (Manifest("directory"), [])


def test_the_nearest_key_and_kind_are_named(tmp_path):
    path = tmp_path / "plugin.yaml"
    path.write_text("descripton: x\nkind: standlone\nfail_closed: [pre_tool_cal]\n")
    _, problems = read_manifest(str(path), "directory")
    text = "\n".join(map(str, problems))
    for hint in ("did you mean 'description'?", "did you mean 'standalone'?", "did you mean 'pre_tool_call'?"):
        assert hint in text


def test_a_gate_on_a_hook_that_cannot_gate_is_void_and_a_misspelt_one_is_not(tmp_path):
    assert manifest_of(tmp_path, "fail_closed: [pre_tool_call, post_tool_call]\n")[0].fail_closed is False
    assert manifest_of(tmp_path, "fail_closed: [pre_tool_cal]\n")[0].fail_closed == ("pre_tool_call",)
    assert manifest_of(tmp_path, "fail_closed: [zzz]\n")[0].fail_closed == ("pre_tool_call",)


def test_what_could_be_read_of_a_broken_manifest_is_kept_for_its_gate(tmp_path):
    text = "name: guard\nversion: true\nfail_closed: true\nprovides_hooks: [transform_tool_result]\n"
    manifest, problems = manifest_of(tmp_path, text)
    assert problems == [("HS103", ":2:1", "error")]
    assert (manifest.name, manifest.fail_closed) == ("guard", True)
