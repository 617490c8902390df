"""`ctx.settings(Model)`: one pydantic model from defaults, config.yaml and the environment.

Defaults < ``plugins.entries.<name>`` < ``HERMES_PLUGIN_<NAME>_<FIELD>``, where ``<home>/.env`` counts as
environment below the real one (semantics 4.7). pydantic is imported here and nowhere else, on first use.
"""

from __future__ import annotations

import json
import logging
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin

from hermes_sdk.config.dotenv import environment
from hermes_sdk.config.schema import dotted, unknown_key
from hermes_sdk.errors import ConfigError
from hermes_sdk.plugins.names import as_variable
from hermes_sdk.plugins.section import ENTRY_FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel, ValidationError

    from hermes_sdk.config import Config
    from hermes_sdk.plugins.section import Entry

logger = logging.getLogger(__name__)

ModelT = TypeVar("ModelT", bound="BaseModel")

_RESERVED = frozenset(field.name for field in ENTRY_FIELDS)


def read_settings(model: type[ModelT], plugin: str, entry: Entry, config: Config) -> ModelT:
    """Return a validated model of a plugin's settings.

    Args:
        model: The plugin's pydantic model.
        plugin: Name of the plugin, as it stands in environment variables.
        entry: ``plugins.entries.<name>``.
        config: The home's configuration, for positions.

    Raises:
        ConfigError: A value does not fit; the message names the key or variable and its place, never the value.
    """
    from pydantic import ValidationError

    names = {field.alias or name: name for name, field in model.model_fields.items()}
    names |= {name: name for name in model.model_fields}
    values = {key: value for key, value in entry.values.items() if key in names or key not in _RESERVED}
    for key in values:
        if key not in names:
            problem = unknown_key(config, (*entry.path, str(key)), sorted({*names, *_RESERVED}), "setting")
            logger.warning("plugin %r: %s", plugin, problem)
    variables = _from_environment(model, plugin, environment(config.home))
    for name, (_, value) in variables.items():
        alias = model.model_fields[name].alias
        values.pop(name, None)
        values[alias or name] = value
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _explained(error, plugin, entry, config, names, variables) from None


def _from_environment(model: type[BaseModel], plugin: str, variables: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """Return field -> (variable, value); values for lists, dicts and models are written as JSON."""
    prefix = f"HERMES_PLUGIN_{as_variable(plugin)}_"
    found: dict[str, tuple[str, Any]] = {}
    for name, field in model.model_fields.items():
        variable = prefix + as_variable(name)
        if variable in variables:
            found[name] = variable, _decoded(variables[variable], field.annotation)
    return found


def _decoded(text: str, annotation: Any) -> Any:
    if text.lstrip()[:1] not in {"[", "{"} or _takes_text(annotation):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _takes_text(annotation: Any) -> bool:
    if get_origin(annotation) in {Union, UnionType}:
        return any(_takes_text(choice) for choice in get_args(annotation))
    return annotation is str


def _explained(
    error: ValidationError,
    plugin: str,
    entry: Entry,
    config: Config,
    names: Mapping[str, str],
    variables: Mapping[str, tuple[str, Any]],
) -> ConfigError:
    """Turn pydantic's error into ours. A validator's own text may hold the value, so its type must do."""
    from pydantic_core.core_schema import ErrorType

    harmless = {*get_args(ErrorType)} - {"value_error", "assertion_error"}
    lines = []
    first = ""
    for detail in error.errors(include_url=False, include_context=False, include_input=False):
        location = detail["loc"]
        field = names.get(str(location[0]), "") if location else ""
        if field in variables:
            key, place = variables[field][0], f"environment or {config.home / '.env'}"
        else:
            path = (*entry.path, *location)
            key, place = dotted(path), config.where(path)
        reason = detail["msg"] if detail["type"] in harmless else detail["type"].replace("_", " ")
        lines.append(f"{key} ({place}): {reason.lower()}")
        first = first or place
    return ConfigError(f"settings of plugin {plugin!r} cannot be used", where=first, why="; ".join(lines), code="HS110")
