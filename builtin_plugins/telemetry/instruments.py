"""The metrics: two of the GenAI conventions, with their bucket boundaries, and three of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter

SECONDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""Of `gen_ai.client.operation.duration`."""
TOKENS: Final = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
"""Of `gen_ai.client.token.usage`."""
LONG: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800)
"""Of turns and tools, which may take half an hour."""
SHORT: Final = (0.00001, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60)
"""Of hooks, most of which take microseconds and some start a process."""


class Instruments:
    """The histograms of one meter."""

    def __init__(self, meter: Meter) -> None:
        self.requests = meter.create_histogram(
            "gen_ai.client.operation.duration",
            "s",
            "GenAI operation duration.",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self.tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=TOKENS,
        )
        self.turns = meter.create_histogram(
            "hermes.turn.duration",
            "s",
            "How long turns take, from the user's message to their end.",
            explicit_bucket_boundaries_advisory=LONG,
        )
        self.tools = meter.create_histogram(
            "hermes.tool.duration",
            "s",
            "How long tools run; 0 for those that were blocked.",
            explicit_bucket_boundaries_advisory=LONG,
        )
        self.hooks = meter.create_histogram(
            "hermes.hook.duration",
            "s",
            "How long one plugin's part in one hook call takes.",
            explicit_bucket_boundaries_advisory=SHORT,
        )
