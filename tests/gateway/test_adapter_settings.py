"""Every setting of the adapters that come with the gateway is on its page, with its default."""

import re
from pathlib import Path

import pytest

from hermes_sdk.host.gateway.adapters.console import ConsoleSettings
from hermes_sdk.host.gateway.adapters.webchat import WebChatSettings
from hermes_sdk.host.gateway.adapters.webhook import Route, WebhookSettings

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
PAGES = {
    "web-chat.md": [("", WebChatSettings)],
    "webhooks.md": [("", WebhookSettings), ("routes.<name>.", Route)],
    "run-a-gateway.md": [("console.", ConsoleSettings)],
}


@pytest.mark.parametrize("page", PAGES)
def test_every_setting_is_documented(page):
    text = (HOW_TO / page).read_text("utf-8")
    rows = dict(re.findall(r"^\| `([\w.<>]+)` \| (.*?) \|", text, re.MULTILINE))
    for prefix, model in PAGES[page]:
        for name, field in model.model_fields.items():
            if name == "routes":
                continue
            assert f"{prefix}{name}" in rows, f"{prefix}{name} is not on {page}"
            if isinstance(field.default, str | int | float):
                shown = str(field.default).lower() if isinstance(field.default, bool) else f"{field.default}"
                assert rows[f"{prefix}{name}"] == f"`{shown.removesuffix('.0')}`"
