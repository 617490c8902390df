"""`hermes-sdk telemetry check`: sends one span and one figure, and says what the collector answered."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, MetricExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from .exporting import SCOPE, exporters

if TYPE_CHECKING:
    import argparse

    from .settings import Settings


def set_up(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    commands = parser.add_subparsers(dest="what", required=True)
    commands.add_parser("check", help="send one span and one figure, and say what the collector answered")


def run(_options: argparse.Namespace, settings: Settings) -> int:
    """Run the command; returns its exit code, 1 where the collector did not take what was sent."""
    if settings.export != "otlp":
        sys.stdout.write(f"nothing is sent: plugins.entries.telemetry.export is {settings.export}\n")
        return 1
    spans, figures = exporters(settings)
    resource = Resource.create({"service.name": settings.service_name or settings.agent_name})
    kept = InMemorySpanExporter()
    traces = TracerProvider(resource=resource, shutdown_on_exit=False)
    traces.add_span_processor(SimpleSpanProcessor(kept))
    traces.get_tracer(SCOPE).start_span("telemetry check").end()
    reader = InMemoryMetricReader()
    meters = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    meters.get_meter(SCOPE).create_counter("hermes.telemetry.checks").add(1)
    data = reader.get_metrics_data()
    for exporter in (spans, figures):
        exporter.health.quiet = True  # what went wrong is printed
        exporter.health.then = exporter.shutdown
    took_spans = spans.export(kept.get_finished_spans()) is SpanExportResult.SUCCESS
    took_figures = data is not None and figures.export(data) is MetricExportResult.SUCCESS
    _say("traces", spans.address, spans.health.why, took_spans)
    _say("metrics", figures.address, figures.health.why, took_figures)
    meters.shutdown()
    return 0 if took_spans and took_figures else 1


def _say(what: str, address: str, why: str, took: bool) -> None:
    sys.stdout.write(f"{what}: {address}: {'taken' if took else f'not taken: {why}'}\n")
