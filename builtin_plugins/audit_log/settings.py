"""What a user may set under ``plugins.entries.audit_log`` in config.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

_SHORTEST_KEY: Final = 16


def _absolute(path: Path) -> Path:
    path = path.expanduser()
    if not path.is_absolute():
        raise PydanticCustomError("path_must_be_absolute", "must be an absolute path, or begin with ~")
    return path


_Place = Annotated[Path, AfterValidator(_absolute)]


class KeyProblemError(ValueError):
    """The key of the chain cannot be used; the text says why, without the key."""


class Settings(BaseModel):
    """Settings of the audit_log plugin."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    directory: _Place | None = Field(
        default=None, description="Where the files are; `plugin-data/audit_log` of the home by default."
    )
    max_bytes: int = Field(default=50_000_000, ge=4_096, description="Bytes from which a new file is begun.")
    keep: int = Field(default=0, ge=0, description="Full files that are kept beside the current one; 0 keeps all.")
    text: int = Field(
        default=1_000, ge=0, le=20_000, description="Characters of a text that are kept; a digest stands for the rest."
    )
    messages: Literal["text", "digest"] = Field(
        default="text", description="Whether what people and the model say is kept as text, or as a digest only."
    )
    api: bool = Field(default=True, description="Whether requests to the model are recorded, without their content.")
    fsync: Literal["always", "interval", "never"] = Field(
        default="interval", description="When the disk is asked to keep what was written, against a loss of power."
    )
    fsync_seconds: float = Field(
        default=5.0, ge=0.1, le=3_600, description="Seconds between two such requests with `interval`."
    )
    on_failure: Literal["warn", "block"] = Field(
        default="warn", description="What happens to tool calls while the log cannot be written."
    )
    key: SecretStr | None = Field(
        default=None, description="Secret for the chain; set it as HERMES_PLUGIN_AUDIT_LOG_KEY, not in a file."
    )
    key_file: _Place | None = Field(default=None, description="File whose content is that secret.")

    @model_validator(mode="after")
    def _one_key(self) -> Settings:
        if self.key is not None and self.key_file is not None:
            raise PydanticCustomError("key_and_key_file_are_both_set", "set key or key_file, not both")
        return self

    def secret(self) -> bytes | None:
        """Return the key of the chain; None where none is set.

        Raises:
            KeyProblemError: It is too short, or its file cannot be read.
        """
        if self.key is not None:
            return _checked(self.key.get_secret_value().encode(), "plugins.entries.audit_log.key")
        return None if self.key_file is None else read_key(self.key_file)


def read_key(path: Path) -> bytes:
    """Return the key that a file holds, without the blanks around it.

    Raises:
        KeyProblemError: It is too short, or the file cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise KeyProblemError(f"the key file {path} cannot be read: {error.strerror}") from None
    return _checked(content, str(path))


def _checked(content: bytes, where: str) -> bytes:
    key = content.strip()
    if len(key) < _SHORTEST_KEY:
        raise KeyProblemError(
            f"{where}: a key has at least {_SHORTEST_KEY} bytes, this one {len(key)}; "
            "`openssl rand -hex 32` prints a good one"
        )
    return key
