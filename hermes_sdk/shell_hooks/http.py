"""Posting a payload to a URL: ``type: http`` entries and outbound deliveries (extra ``[http]``).

Redirects are not followed: consent was given to this URL and no other.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from hermes_sdk.shell_hooks.process import INTERRUPTED, STDOUT_LIMIT, Run
from hermes_sdk.shell_hooks.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermes_sdk.shell_hooks.stop import Stop

_POLL: Final = 0.05
"""Seconds between looks at whether the answer is still wanted."""


def post(url: str, payload: bytes, headers: Mapping[str, str], timeout: float, stop: Stop) -> Run:
    """Post a payload and return the response as a run: status 2xx is exit status 0, anything else a failure.

    Args:
        url: Where to.
        payload: The body, JSON.
        headers: Further request headers.
        timeout: Seconds for the whole exchange.
        stop: Ends the waiting early.
    """
    began = time.monotonic()
    exchange = in_thread(lambda: _exchange(url, payload, headers, timeout), "hermes-hook-http")
    while True:
        left = began + timeout - time.monotonic()
        try:
            run = exchange.result(max(min(left, _POLL), 0.0))
        except TimeoutError:
            # a request cannot be ended from outside; it is left to its own timeout
            if stop.asked:
                return Run(None, "", "", time.monotonic() - began, INTERRUPTED)
            if left <= 0:
                return Run(None, "", "", time.monotonic() - began, _late(timeout))
        else:
            return run


def _late(timeout: float) -> str:
    return f"it did not answer within {timeout:g} s"


def _exchange(url: str, payload: bytes, headers: Mapping[str, str], timeout: float) -> Run:
    began = time.monotonic()

    def failed(why: str, text: str = "") -> Run:
        return Run(None, text, "", time.monotonic() - began, why)

    try:
        import httpx
    except ImportError:
        return failed("it needs httpx; install it with: pip install 'hermes-sdk[http]'")
    sent = {"content-type": "application/json", **headers}
    try:
        with (
            httpx.Client(timeout=timeout, follow_redirects=False) as client,
            client.stream("POST", url, content=payload, headers=sent) as response,
        ):
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > STDOUT_LIMIT:
                    return failed(f"it answered with more than {STDOUT_LIMIT} bytes")
                if time.monotonic() - began > timeout:
                    return failed(_late(timeout))
    except httpx.TimeoutException:
        return failed(_late(timeout))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return failed(f"it cannot be reached: {error}")
    text = body.decode("utf-8", "replace")
    if not response.is_success:
        return failed(f"it answered with status {response.status_code}", text)
    return Run(0, text, "", time.monotonic() - began)
