"""Where spans and metrics go: the application's own providers, or ours over OTLP/HTTP.

Exporting happens in threads of the SDK. A collector that is down, slow or refuses costs spans, never time of a turn:
its failures are said once, until it answers again, and the end of the process waits a bounded time.
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExportResult, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBased, Sampler, TraceIdRatioBased
from opentelemetry.trace import NoOpTracerProvider, ProxyTracerProvider

from hermes_sdk.masking import redact

from .console import ConsoleTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from opentelemetry.sdk.metrics.export import MetricsData
    from opentelemetry.sdk.trace import ReadableSpan

    from .settings import Settings

logger = logging.getLogger(__name__)

SCOPE: Final = "hermes_sdk.telemetry"
_LOGGERS: Final = (
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "opentelemetry.sdk._shared_internal",
    "opentelemetry.sdk.trace.export",
)
_GIVEN_UP: Final = 0.5
"""Seconds that a thread gets to notice that its exporter is shut down."""

_heard_by: Final[ContextVar[Callable[[str], None] | None]] = ContextVar("telemetry_heard_by", default=None)
"""Who is told what the SDK logs while it works for us."""


@contextmanager
def _heard(by: Callable[[str], None]) -> Iterator[None]:
    token = _heard_by.set(by)
    try:
        yield
    finally:
        _heard_by.reset(token)


def _ignored(_message: str) -> None:
    """Take what is of no interest."""


class _Quiet(logging.Filter):
    """Keeps the SDK's own lines about our exports out of the log, one for each attempt; others pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        heard = _heard_by.get()
        if heard is not None:
            heard(record.getMessage())
        return heard is None


for _name in _LOGGERS:
    logging.getLogger(_name).addFilter(_Quiet())


class Health:
    """Says once that a collector does not answer, and once that it does again.

    Args:
        what: What is sent.
        where: The address.
    """

    def __init__(self, what: str, where: str) -> None:
        self.why = ""
        """Why attempts fail since one did; "" once one worked."""
        self.quiet = False
        """Whether nothing is logged."""
        self.then: Callable[[], object] | None = None
        """Called at a failed attempt, if there is one: the SDK would make five."""
        self._what = what
        self._where = where

    def heard(self, message: str) -> None:
        """Take note of a failed attempt."""
        if not self.why:
            said = redact(message).removeprefix("Transient error ").partition(" encountered while exporting")[0]
            self.why = " ".join(said.split())[:300]
            if not self.quiet:
                logger.warning(
                    "telemetry: %s do not reach %s, what cannot be sent is dropped: %s",
                    self._what,
                    self._where,
                    self.why,
                )
        if self.then is not None:
            self.then()

    def worked(self) -> None:
        """Take note that the collector took what it was sent."""
        if self.why and not self.quiet:
            logger.info("telemetry: %s reach %s again", self._what, self._where)
        self.why = ""


class SpanExporter(OTLPSpanExporter):
    """The SDK's exporter, with its failures said once."""

    def __init__(self, endpoint: str | None, headers: dict[str, str] | None) -> None:
        super().__init__(endpoint=endpoint and f"{endpoint}/v1/traces", headers=headers)
        self.address = redact(str(getattr(self, "_endpoint", endpoint)))
        """Where spans go."""
        self.health = Health("spans", self.address)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans; nothing is raised."""
        with _heard(self.health.heard):
            try:
                result = super().export(spans)
            except Exception as error:
                self.health.heard(f"{type(error).__name__}: {error}")
                return SpanExportResult.FAILURE
        if result is SpanExportResult.SUCCESS:
            self.health.worked()
        return result

    def shutdown(self) -> None:
        """End sending, also what waits for another attempt; more than once is no mistake."""
        with _heard(_ignored):
            super().shutdown()  # type: ignore[no-untyped-call]


class MetricExporter(OTLPMetricExporter):
    """The SDK's exporter, with its failures said once."""

    def __init__(self, endpoint: str | None, headers: dict[str, str] | None) -> None:
        super().__init__(endpoint=endpoint and f"{endpoint}/v1/metrics", headers=headers)
        self.address = redact(str(getattr(self, "_endpoint", endpoint)))
        """Where metrics go."""
        self.health = Health("metrics", self.address)

    def export(
        self, metrics_data: MetricsData, timeout_millis: float | None = 10_000, **kwargs: Any
    ) -> MetricExportResult:
        """Send metrics; nothing is raised (`kwargs` are the SDK's, of any type)."""
        with _heard(self.health.heard):
            try:
                result = super().export(metrics_data, timeout_millis, **kwargs)
            except Exception as error:
                self.health.heard(f"{type(error).__name__}: {error}")
                return MetricExportResult.FAILURE
        if result is MetricExportResult.SUCCESS:
            self.health.worked()
        return result

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
        """End sending, also what waits for another attempt; more than once is no mistake (`kwargs` as above)."""
        with _heard(_ignored):
            super().shutdown(timeout_millis, **kwargs)


class Batches(BatchSpanProcessor):
    """The SDK's batches, where it is said once that spans come faster than they are taken."""

    def __init__(self, exporter: SpanExporter) -> None:
        super().__init__(exporter)
        self._said = False

    def on_end(self, span: ReadableSpan) -> None:
        """Queue a span."""
        with _heard(self._full):
            super().on_end(span)

    def _full(self, _message: str) -> None:
        if not self._said:
            self._said = True
            logger.warning("telemetry: spans end faster than the collector takes them, some are dropped")


class Providers:
    """The providers in use.

    Args:
        settings: What the user wants.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._flushing = threading.Lock()
        self._exporters: list[SpanExporter | MetricExporter] = []
        theirs = trace.get_tracer_provider()
        wanted = settings.provider == "global" or (
            settings.provider == "auto" and not isinstance(theirs, ProxyTracerProvider | NoOpTracerProvider)
        )
        self.own = not wanted
        """Whether the providers are ours, which are flushed and ended with the plugin."""
        self.traces: trace.TracerProvider = theirs
        self.metrics: metrics.MeterProvider = metrics.get_meter_provider()
        if self.own:
            self.traces, self.metrics = self._new()

    def _new(self) -> tuple[trace.TracerProvider, metrics.MeterProvider]:
        settings = self._settings
        if settings.export == "off":
            return NoOpTracerProvider(), NoOpMeterProvider()
        _warn_about_variables()
        resource = self._resource()
        traces = TracerProvider(sampler=self._sampler(), resource=resource, shutdown_on_exit=False)
        if settings.export == "console":
            traces.add_span_processor(ConsoleTree())
            return traces, NoOpMeterProvider()
        spans, figures = exporters(settings)
        if _exports("OTEL_TRACES_EXPORTER"):
            self._exporters.append(spans)
            traces.add_span_processor(Batches(spans))
        if not _exports("OTEL_METRICS_EXPORTER"):
            return traces, NoOpMeterProvider()
        self._exporters.append(figures)
        reader = PeriodicExportingMetricReader(figures)
        return traces, MeterProvider([reader], resource=resource, shutdown_on_exit=False)

    def _resource(self) -> Resource:
        settings, given = self._settings, dict(self._settings.resource)
        named = os.environ.get("OTEL_SERVICE_NAME") or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
        if settings.service_name is not None:
            given[SERVICE_NAME] = settings.service_name
        elif not named:
            given.setdefault(SERVICE_NAME, settings.agent_name)
        return Resource.create(dict(given))

    def _sampler(self) -> Sampler | None:
        share = self._settings.sample
        return None if share is None else ParentBased(TraceIdRatioBased(share))

    def flush(self) -> None:
        """Send what is there, in a thread of its own; nobody waits."""
        if not self._exporters or not self._flushing.acquire(blocking=False):
            return

        def work() -> None:
            try:
                self._each("force_flush")
            finally:
                self._flushing.release()

        threading.Thread(target=work, name="hermes-telemetry-flush", daemon=True).start()

    def close(self) -> None:
        """Send what is there, in one attempt, and end own providers; waits as long as the settings say at most."""
        if not self.own:
            return

        def work() -> None:
            self._flushing.acquire()  # for good: a flush that is under way ends first, and no other one begins
            self._each("shutdown")

        for exporter in self._exporters:
            exporter.health.then = exporter.shutdown
        ending = threading.Thread(target=work, name="hermes-telemetry-end", daemon=True)
        ending.start()
        ending.join(self._settings.flush_seconds)
        if ending.is_alive():
            if not any(exporter.health.why for exporter in self._exporters):  # else it was said
                logger.warning("telemetry: what could not be sent by the end is dropped")
            for exporter in self._exporters:
                exporter.health.quiet = True
                exporter.shutdown()
            ending.join(_GIVEN_UP)

    def _each(self, what: str) -> None:
        with _heard(_ignored):  # what matters is heard by the exporters
            for provider in (self.traces, self.metrics):
                method = getattr(provider, what, None)
                if method is not None:
                    method()


def exporters(settings: Settings) -> tuple[SpanExporter, MetricExporter]:
    """Return (of spans, of metrics); what the settings leave open is up to the ``OTEL_EXPORTER_OTLP_*`` variables."""
    headers = {name: value.get_secret_value() for name, value in settings.headers.items()} or None
    return SpanExporter(settings.endpoint, headers), MetricExporter(settings.endpoint, headers)


def _exports(variable: str) -> bool:
    return _said_by(variable) != "none"


def _said_by(variable: str) -> str:
    return os.environ.get(variable, "").strip().lower()


def _warn_about_variables() -> None:
    for variable in ("OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"):
        if _said_by(variable) not in ("", "otlp", "none"):
            why = "otlp and none are known here; for traces on standard error set plugins.entries.telemetry.export"
            logger.warning("telemetry: %s=%s is taken for otlp: %s", variable, os.environ[variable], why)
    for variable in ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"):
        if _said_by(variable) not in ("", "http/protobuf"):
            logger.warning("telemetry: %s=%s: only http/protobuf is spoken here", variable, os.environ[variable])
