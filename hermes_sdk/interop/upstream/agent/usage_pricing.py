"""What calls of a model cost. There are no prices here, so every answer says that it does not know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

__all__ = ["BillingRoute", "CanonicalUsage", "CostResult", "estimate_usage_cost", "resolve_billing_route"]


@dataclass(frozen=True)
class CanonicalUsage:
    """Tokens of one or several calls."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    request_count: int = 1
    raw_usage: dict[str, Any] | None = None
    """What the provider said, values of any JSON type."""

    @property
    def prompt_tokens(self) -> int:
        """Everything that was sent, cached or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total_tokens(self) -> int:
        """Everything that was sent and answered."""
        return self.prompt_tokens + self.output_tokens


@dataclass(frozen=True)
class BillingRoute:
    """Who is paid for a call."""

    provider: str
    model: str
    base_url: str = ""
    billing_mode: str = "unknown"


@dataclass(frozen=True)
class CostResult:
    """What a call cost, as far as anybody knows."""

    amount_usd: Decimal | None
    status: str
    """``unknown`` here; hermes-agent also has ``actual``, ``estimated`` and ``included``."""
    source: str
    label: str
    fetched_at: datetime | None = None
    pricing_version: str | None = None
    notes: tuple[str, ...] = ()


def resolve_billing_route(model_name: str, provider: str | None = None, base_url: str | None = None) -> BillingRoute:
    """Return who is paid for a call of a model: the provider that is named, else the one in ``provider/model``."""
    named, separator, _ = (model_name or "").partition("/")
    return BillingRoute(provider or (named if separator else "unknown"), model_name or "", base_url or "")


def estimate_usage_cost(model_name: str, usage: CanonicalUsage, **options: Any) -> CostResult:
    """Return that the price of a call is not known.

    Args:
        model_name: The model.
        usage: Its tokens.
        options: What hermes-agent's function takes besides: provider, base_url, api_key.
    """
    del model_name, usage, options
    return CostResult(None, "unknown", "none", "n/a", notes=("hermes-sdk has no prices",))
