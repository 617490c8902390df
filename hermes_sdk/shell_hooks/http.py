"""``type: http`` entries: the payload posted to a URL, the answer read from the response (extra ``[http]``)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hermes_sdk.shell_hooks.process import STDOUT_LIMIT, Run

if TYPE_CHECKING:
    from collections.abc import Mapping


def post(url: str, payload: bytes, headers: Mapping[str, str], timeout: float) -> Run:
    """Post a payload and return the response as a run: status 2xx is exit status 0, anything else a failure.

    Redirects are not followed: consent was given to this URL.

    Args:
        url: Where to.
        payload: The JSON of the firing.
        headers: Further request headers.
        timeout: Seconds for the whole exchange.
    """
    began = time.monotonic()

    def failed(why: str) -> Run:
        return Run(None, "", "", time.monotonic() - began, why)

    try:
        import httpx
    except ImportError:
        return failed("type: http needs httpx; install it with: pip install 'hermes-sdk[http]'")
    deadline = began + timeout
    try:
        with (
            httpx.Client(timeout=timeout, follow_redirects=False) as client,
            client.stream(
                "POST", url, content=payload, headers={"content-type": "application/json", **headers}
            ) as response,
        ):
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > STDOUT_LIMIT:
                    return failed(f"it answered with more than {STDOUT_LIMIT} bytes")
                if time.monotonic() > deadline:
                    return failed(f"it did not answer within {timeout:g} s")
            text = body.decode("utf-8", "replace")
            if not response.is_success:
                return Run(None, text, "", time.monotonic() - began, f"it answered with status {response.status_code}")
            return Run(0, text, "", time.monotonic() - began)
    except httpx.TimeoutException:
        return failed(f"it did not answer within {timeout:g} s")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return failed(f"it cannot be reached: {error}")
