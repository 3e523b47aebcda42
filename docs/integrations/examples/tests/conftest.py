"""The real service on a scratch database, a switch before it that can fail in each way, and one bridge of each platform behind both.

CALLER_MEMORY_BINARY names the program. Nothing here waits for a time: each wait is for a condition, with a deadline.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

EXAMPLES = Path(__file__).parent.parent
KEY = "sk_live_onlyForThisScratchDatabase0"
GREETING = "Harbor Dental, how can I help?"
RECALL_TIMEOUT_S = 5.0

sys.path.insert(0, str(EXAMPLES))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(condition, what: str, deadline_s: float = 60):
    """The first true answer of `condition`."""
    deadline = time.monotonic() + deadline_s
    while True:
        if answer := condition():
            return answer
        assert time.monotonic() < deadline, f"waited {deadline_s:.0f} s for {what}"
        time.sleep(0.05)


def payload(name: str, **values: str):
    text = (Path(__file__).parent / "payloads" / f"{name}.json").read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"${key.upper()}", value)
    return json.loads(text)["body"]


class Process:
    """A program that serves, with its output in a file."""

    def __init__(self, command: list, url: str, log: Path, **environment: str) -> None:
        self.url, self.log = url, log
        # The service refuses variables that look like settings and are none.
        inherited = {name: value for name, value in os.environ.items() if name != "CALLER_MEMORY_BINARY"}
        with open(log, "ab") as output:
            self.process = subprocess.Popen(command, cwd=log.parent, stdout=output, stderr=output, env=inherited | environment)

    def wait(self, path: str) -> "Process":
        def ready():
            assert self.process.poll() is None, f"it ended: {self.log.read_text()}"
            try:
                return httpx.get(self.url + path, timeout=5).status_code < 500
            except httpx.TransportError:
                return False

        until(ready, f"{self.url} to be ready")
        return self

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


class Service:
    """caller-memory itself, which can be stopped and started again on the same database."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.admin = folder, free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        self.process = Process(
            [os.environ["CALLER_MEMORY_BINARY"], "serve"],
            f"http://127.0.0.1:{self.admin}",
            self.folder / "service.log",
            CALLER_MEMORY_LISTEN=f"127.0.0.1:{self.port}",
            CALLER_MEMORY_ADMIN_LISTEN=f"127.0.0.1:{self.admin}",
            CALLER_MEMORY_DATABASE_URL=f"sqlite://{self.folder}/memory.db",
            CALLER_MEMORY_BOOTSTRAP_KEY=KEY,
            CALLER_MEMORY_RECALL_DEADLINE_MS="5000",  # a busy machine shall not degrade what is not meant to
            CALLER_MEMORY_WRITE_DEADLINE_MS="10000",
            CALLER_MEMORY_LOG="warn",
        ).wait("/readyz")

    def stop(self) -> None:
        self.process.stop()

    def caller(self, number: str) -> dict | None:
        answer = httpx.get(f"{self.url}/v1/caller/{number.replace('+', '%2B')}", headers=self.headers, timeout=30)
        return answer.json() if answer.status_code == 200 else None

    def recall(self, number: str) -> dict:
        body = {"phone_number": number}
        answer = httpx.post(f"{self.url}/v1/recall_and_enrich", json=body, headers=self.headers, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def calls(self, number: str) -> int:
        return (self.caller(number) or {"total_calls": 0})["total_calls"]

    headers = {"Authorization": f"Bearer {KEY}"}


class Switch:
    """Stands before the service: passes requests on, or fails in the way that `mode` says."""

    DEGRADED = {
        "trace_id": "0" * 32,
        "known": False,
        "degraded": True,
        "caller": {"name": None, "first_seen_ms": None, "last_seen_ms": None, "total_calls": None, "tags": [], "custom_attributes": {}},
        "memory": {"summary": "", "recent_calls": []},
        "enrichment": {"person": None, "company": None, "phone": None},
        "timing_ms": {"total": 300, "memory_ms": 300, "enrichment_ms": 0, "cache_hit": False},
        "freshness": {"memory_age_ms": None, "enrichment_age_ms": None},
    }

    def __init__(self, upstream: str) -> None:
        self.mode, self.requests, self.released = "pass", [], threading.Event()
        switch = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                mode = switch.mode
                switch.requests.append((time.monotonic(), self.path, json.loads(body), mode))
                if mode == "down":
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                elif mode == "slow":
                    switch.released.wait(60)
                    self.close_connection = True
                elif mode in ("429", "503"):
                    code = {"429": "rate_limited", "503": "service_unavailable"}[mode]
                    self.answer(int(mode), {"error": {"code": code, "message": "later", "request_id": "r"}}, **{"Retry-After": "1"})
                elif mode == "degraded" and self.path.endswith("recall_and_enrich"):
                    self.answer(200, Switch.DEGRADED)
                elif isinstance(mode, dict):
                    self.answer(200, mode)
                else:
                    headers = {name: self.headers[name] for name in ("Authorization", "Content-Type")}
                    passed = httpx.post(upstream + self.path, content=body, headers=headers, timeout=30)
                    self.answer(passed.status_code, passed.json() if passed.content else None)

            def handle(self):
                with contextlib.suppress(ConnectionError):  # the bridge did not wait
                    super().handle()

            def answer(self, status, body, **headers):
                content = b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                for name, value in (headers | {"Content-Type": "application/json"}).items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def set(self, mode) -> None:
        self.mode = mode
        if mode == "slow":
            self.released.clear()
        else:
            self.released.set()

    def seen(self, path: str, text: str) -> list:
        """The requests to a path that mention something, a number or a session."""
        return [entry for entry in self.requests if entry[1] == path and text in json.dumps(entry[2])]


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("service"))
    yield service
    service.stop()


@pytest.fixture(scope="session")
def shared_switch(service):
    switch = Switch(service.url)
    yield switch
    switch.server.shutdown()


@pytest.fixture
def switch(shared_switch):
    yield shared_switch
    shared_switch.set("pass")


@pytest.fixture
def number() -> str:
    """A number that nobody has called from: +1 202 555 and four digits are too few, so the area varies."""
    return f"+1{uuid.uuid4().int % 600 + 201:03d}555{uuid.uuid4().int % 10000:04d}"


@pytest.fixture
def call_id() -> str:
    return f"call-{uuid.uuid4()}"
