"""`ctx.settings(Model)`: precedence, places in errors, and no secret in any text."""

import json
import logging
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from hermes_sdk.errors import ConfigError


class Settings(BaseModel):
    level: int = 1
    mode: Literal["soft", "hard"] = "soft"
    names: list[str] = []
    nested: dict[str, int] = {}
    key: SecretStr = SecretStr("")
    text: str = ""
    timeout: float = 5.0

    @field_validator("text")
    @classmethod
    def not_this(cls, value):
        if value.startswith("sk-"):
            raise ValueError(f"{value} looks like a key")
        return value


@pytest.fixture
def read(plugin_home, monkeypatch):
    """Return a function that gives the settings of ``my-guard`` with this config.yaml and environment."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"HERMES_PLUGIN_MY_GUARD_{name.upper()}", raising=False)

    def read(config="", env="", model=Settings, **variables):
        plugin_home.plugin("my-guard")
        plugin_home.config(config)
        (plugin_home.path / ".env").write_text(env)
        for name, value in variables.items():
            monkeypatch.setenv(f"HERMES_PLUGIN_MY_GUARD_{name}", value)
        return plugin_home.loaded().plugins["my-guard"].context.settings(model)

    return read


def test_defaults_then_config_then_dotenv_then_environment(read):
    assert read().level == 1
    config = "plugins: {entries: {my_guard: {level: 2}}}\n"
    assert read(config).level == 2
    assert read(config, "HERMES_PLUGIN_MY_GUARD_LEVEL=3\n").level == 3
    assert read(config, "HERMES_PLUGIN_MY_GUARD_LEVEL=3\n", LEVEL="4").level == 4


def test_lists_and_mappings_come_from_variables_as_json(read):
    settings = read(NAMES='["a", "b"]', NESTED='{"x": 1}', TEXT='["stays text"]')
    assert (settings.names, settings.nested, settings.text) == (["a", "b"], {"x": 1}, '["stays text"]')


def test_an_error_names_key_and_place(read, plugin_home):
    config = "plugins:\n  entries:\n    my-guard:\n      level: much\n      mode: medium\n      nested: {x: y}\n"
    with pytest.raises(ConfigError) as caught:
        read(config)
    text, path = str(caught.value), plugin_home.path / "config.yaml"
    assert caught.value.code == "HS110"
    assert f"plugins.entries.my-guard.level ({path}:4:7)" in text
    assert f"plugins.entries.my-guard.mode ({path}:5:7): input should be 'soft' or 'hard'" in text
    assert f"plugins.entries.my-guard.nested.x ({path}:6:16)" in text
    assert "much" not in text
    assert "medium" not in text


def test_an_error_from_the_environment_names_the_variable(read):
    with pytest.raises(ConfigError, match="HERMES_PLUGIN_MY_GUARD_LEVEL"):
        read(LEVEL="much")


def test_no_value_is_ever_in_a_message(read, caplog):
    with caplog.at_level(logging.DEBUG):
        with pytest.raises(ConfigError) as caught:
            read("plugins: {entries: {my-guard: {text: sk-very-secret, key: [sk-other]}}}\n")
        settings = read("plugins: {entries: {my-guard: {key: sk-third}}}\n")
    assert settings.key.get_secret_value() == "sk-third"
    for text in (str(caught.value), repr(caught.value), caplog.text, repr(settings)):
        assert "sk-" not in text


def test_the_framework_s_keys_are_not_settings_unless_the_model_has_them(read):
    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")
        level: int = 1

    config = "plugins: {entries: {my-guard: {fail_closed: true, timeout: 9, hooks: {}, level: 2}}}\n"
    assert read(config, model=Strict).level == 2
    assert read(config).timeout == 9


def test_an_unknown_setting_is_pointed_out_with_the_nearest(read, caplog):
    assert read("plugins: {entries: {my-guard: {levle: 2}}}\n").level == 1
    assert "did you mean 'level'?" in caplog.text


def test_aliases_of_fields_work(read):
    class Aliased(BaseModel):
        model_config = ConfigDict(populate_by_name=True)
        level: int = Field(default=1, alias="Level")

    assert read("plugins: {entries: {my-guard: {Level: 2}}}\n", model=Aliased).level == 2
    assert read("plugins: {entries: {my-guard: {Level: 2}}}\n", LEVEL="3", model=Aliased).level == 3


def test_reading_a_plugin_s_settings_is_what_imports_pydantic(plugin_home):
    import subprocess
    import sys

    plugin_home.plugin("p")
    code = (
        "import json, sys, pathlib\n"
        "from hermes_sdk.plugins.manager import PluginManager\n"
        f"manager = PluginManager(pathlib.Path({str(plugin_home.path)!r}))\n"
        "manager.discover_and_load()\n"
        "print(json.dumps([name in sys.modules for name in ('pydantic', 'asyncio', 'rich', 'typer')]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [False, False, False, False]
