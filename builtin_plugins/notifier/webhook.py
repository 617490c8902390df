"""A webhook: each notice, and the end of each, as one signed delivery."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from hermes_sdk.config.dotenv import environment
from hermes_sdk.home import hermes_home
from hermes_sdk.shell_hooks.http import post
from hermes_sdk.shell_hooks.outbound import SIGNATURE_HEADER, delivery, signature
from hermes_sdk.shell_hooks.stop import Stop

from .errors import OutletError

if TYPE_CHECKING:
    from .notice import Notice
    from .settings import Webhook

_ATTEMPTS: Final = 2


class WebhookOutlet:
    """Posts notices to one address, in the form of `hooks.outbound`; twice, if the first attempt fails.

    Args:
        webhook: Its settings.
    """

    def __init__(self, webhook: Webhook) -> None:
        self._url = webhook.url.get_secret_value()
        self.name = f"webhook of {urlsplit(self._url).hostname}"  # its path may be all that keeps strangers out
        self._webhook = webhook

    def show(self, notice: Notice) -> None:
        """Post a notice.

        Raises:
            OutletError: Nobody took it, or the key of the signature is not set.
        """
        values = {
            "event": notice.event,
            "id": notice.id,
            "title": notice.title,
            "text": notice.text,
            "session": notice.session,
        }
        if self._webhook.body:
            self._post(json.dumps(self._webhook.filled(values), ensure_ascii=False).encode())
        else:
            self._post(delivery(values))

    def close(self, notice: Notice, outcome: str) -> None:
        """Post that a notice is over, so that the other side can take it back.

        Raises:
            OutletError: Nobody took it, or the key of the signature is not set.
        """
        if not self._webhook.body:
            self._post(delivery({"event": "closed", "id": notice.id, "outcome": outcome, "session": notice.session}))

    def _post(self, body: bytes) -> None:
        headers = self._signed(body)
        for attempt in range(1, _ATTEMPTS + 1):
            failure = post(self._url, body, headers, self._webhook.timeout, Stop()).failure
            if not failure:
                return
            if attempt == _ATTEMPTS:
                raise OutletError(failure)

    def _signed(self, body: bytes) -> dict[str, str]:
        name = self._webhook.secret_env
        if not name:
            return {}
        key = environment(hermes_home()).get(name, "")
        if not key:
            raise OutletError(f"the variable {name} with the key of the signature is not set")
        return {SIGNATURE_HEADER: signature(key.encode(), body)}
