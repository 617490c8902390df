"""A collector for tests: a real HTTP server that takes OTLP, and answers as it is told to."""

import gzip
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

FORMS = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}


def plain(attributes):
    """Return attributes of a message as a dict."""
    return {one.key: value_of(one.value) for one in attributes}


def value_of(value):
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(item) for item in value.array_value.values]
    return getattr(value, kind)


class Collector:
    """Listens on a port of its own; `status` and `delay` say how it answers."""

    def __init__(self):
        self.status, self.delay, self.asked = 200, 0.0, 0
        self.headers, self.messages = [], []
        self.came = threading.Condition()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                message = FORMS[self.path].FromString(body)
                outer.asked += 1
                time.sleep(outer.delay)
                with outer.came:
                    if outer.status == 200:
                        outer.messages.append(message)
                    outer.headers.append(dict(self.headers))
                    outer.came.notify_all()
                try:
                    self.send_response(outer.status)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                except OSError:
                    pass  # the client went away

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def wait(self, reached):
        """Wait until what came is as `reached` says."""
        with self.came:
            assert self.came.wait_for(lambda: reached(self), 60)

    @property
    def spans(self):
        return [
            span
            for message in list(self.messages)
            for resource in getattr(message, "resource_spans", ())
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def metrics(self):
        return {
            metric.name: metric
            for message in list(self.messages)
            for resource in getattr(message, "resource_metrics", ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    @property
    def resources(self):
        kinds = ("resource_spans", "resource_metrics")
        found = [one for message in self.messages for kind in kinds for one in getattr(message, kind, ())]
        return [plain(one.resource.attributes) for one in found]
