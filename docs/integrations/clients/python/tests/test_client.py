"""The client against a running service (CALLER_MEMORY_URL, CALLER_MEMORY_KEY) and against a stub that refuses."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import threading
import time
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from caller_memory_client import ApiError, CallerMemory, CallsEndRequest, NoAnswer

URL, KEY = os.environ["CALLER_MEMORY_URL"], os.environ["CALLER_MEMORY_KEY"]
# A test case runs asyncio in debug mode, which tells of every task that a busy machine makes slow.
logging.getLogger("asyncio").setLevel(logging.ERROR)
HERE = Path(__file__).parent
NUMBER = "+12025550161"
CALL: CallsEndRequest = {
    "session_id": "python-1",
    "phone_number": NUMBER,
    "duration_s": 94,
    "outcome": "appointment_booked",
    "transcript": [{"role": "user", "text": "I would like a cleaning on Tuesday at three.", "ts_ms": 0}],
}


class AgainstTheService(unittest.IsolatedAsyncioTestCase):
    async def test_the_whole_loop(self) -> None:
        async with CallerMemory(URL, KEY, recall_limit_s=10) as memory:
            first = await memory.recall({"phone_number": NUMBER, "session_id": "python-1"}, deadline_ms=5000)
            self.assertEqual((first["known"], first["memory"]["summary"]), (False, ""))
            self.assertIsNone(await memory.end_call(CALL))  # type: ignore[func-returns-value]
            await memory.end_call(CALL)
            second = await memory.recall({"phone_number": "(202) 555-0161"}, deadline_ms=5000)
            self.assertTrue(second["known"])
            self.assertEqual(second["caller"]["total_calls"], 1)
            self.assertIn("1 call", second["memory"]["summary"])
            self.assertEqual(second["memory"]["recent_calls"][0]["outcome"], "appointment_booked")
            caller = await memory.get_caller(NUMBER)
            self.assertEqual(caller["total_calls"], 1)

    async def test_refusals_are_typed(self) -> None:
        async with CallerMemory(URL, KEY) as memory:
            with self.assertRaises(ApiError) as unknown:
                await memory.get_caller("+12025550169")
            self.assertEqual((unknown.exception.status, unknown.exception.code), (404, "not_found"))
            self.assertTrue(unknown.exception.message and unknown.exception.request_id)
            wrong = dict(CALL, outcome="sold")
            with self.assertRaises(ApiError) as invalid:
                await memory.end_call(wrong)  # type: ignore[arg-type]
            self.assertEqual((invalid.exception.status, invalid.exception.code), (422, "validation_error"))
            self.assertIn("outcome", invalid.exception.message)
        key = "sk_live_000000000000000000000000"
        async with CallerMemory(URL, key) as stranger:
            with self.assertRaises(ApiError) as unauthorized:
                await stranger.recall({"phone_number": NUMBER})
            self.assertEqual((unauthorized.exception.status, unauthorized.exception.code), (401, "unauthorized"))
            self.assertNotIn(key, str(unauthorized.exception))

    async def test_the_example_of_the_readme_runs(self) -> None:
        example = (HERE / "example.py").read_text()
        readme = (HERE.parent / "README.md").read_text()
        self.assertEqual(re.findall(r"```python\n(.*?)```", readme, re.DOTALL), [example])
        said = [subprocess.run([sys.executable, "-c", example], check=True, capture_output=True, text=True).stdout]
        said += [subprocess.run([sys.executable, "-c", example], check=True, capture_output=True, text=True).stdout]
        self.assertEqual(said[0], "the agent is told: ''\n")
        self.assertIn("1 call so far", said[1])


Answer = tuple[int, dict[str, str], bytes]
BUSY = b'{"error": {"code": "service_unavailable", "message": "busy", "request_id": "r1"}}'


class Stub:
    """Answers each request with what `answer` makes of its number, from 1; `None` is no answer at all."""

    def __init__(self, answer: Callable[[int], Answer | None]) -> None:
        self.bodies: list[bytes] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                stub.bodies.append(self.rfile.read(int(self.headers["content-length"])))
                answered = answer(len(stub.bodies))
                if answered is None:
                    stub.closing.wait(30)
                    return
                status, headers, body = answered
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if body:
                    self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.closing = threading.Event()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()


class AgainstAStub(unittest.IsolatedAsyncioTestCase):
    def stub(self, answer: Callable[[int], Answer | None]) -> Stub:
        stub = Stub(answer)
        self.addCleanup(stub.close)
        return stub

    async def test_a_429_is_sent_again_after_its_time(self) -> None:
        stub = self.stub(lambda n: (429, {"retry-after": "1"}, BUSY) if n == 1 else (204, {}, b""))
        began = time.monotonic()
        async with CallerMemory(stub.url, KEY) as memory:
            await memory.end_call(CALL)
        self.assertGreaterEqual(time.monotonic() - began, 1.0)
        self.assertEqual(len(stub.bodies), 2)
        self.assertEqual(stub.bodies[0], stub.bodies[1])
        self.assertIn(b"python-1", stub.bodies[0])

    async def test_a_503_forever_is_given_up_after_all_tries(self) -> None:
        stub = self.stub(lambda _: (503, {"retry-after": "0"}, BUSY))
        async with CallerMemory(stub.url, KEY, tries=3) as memory:
            with self.assertRaises(ApiError) as busy:
                await memory.end_call(CALL)
        error = busy.exception
        self.assertEqual(
            (error.status, error.code, error.message, error.request_id), (503, "service_unavailable", "busy", "r1")
        )
        self.assertEqual(len(stub.bodies), 3)

    async def test_a_recall_does_not_wait_past_its_limit(self) -> None:
        stub = self.stub(lambda _: (503, {"retry-after": "20"}, BUSY))
        began = time.monotonic()
        async with CallerMemory(stub.url, KEY, recall_limit_s=15) as memory:
            with self.assertRaises(ApiError):
                await memory.recall({"phone_number": NUMBER})
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual(len(stub.bodies), 1)

    async def test_a_recall_without_an_answer_ends_with_its_limit(self) -> None:
        stub = self.stub(lambda _: None)
        began = time.monotonic()
        async with CallerMemory(stub.url, KEY, recall_limit_s=0.3) as memory:
            with self.assertRaises(NoAnswer):
                await memory.recall({"phone_number": NUMBER})
        self.assertLess(time.monotonic() - began, 5)

    async def test_a_service_that_is_not_there_is_no_answer(self) -> None:
        stub = Stub(lambda _: None)
        stub.close()
        async with CallerMemory(stub.url, KEY, tries=2) as memory:
            with self.assertRaises(NoAnswer):
                await memory.end_call(CALL)

    async def test_other_refusals_are_not_sent_again(self) -> None:
        stub = self.stub(lambda _: (502, {"x-request-id": "r2"}, b"<html>"))
        async with CallerMemory(stub.url, KEY) as memory:
            with self.assertRaises(ApiError) as refused:
                await memory.end_call(CALL)
        self.assertEqual(
            (refused.exception.status, refused.exception.code, refused.exception.request_id), (502, "unknown", "r2")
        )
        self.assertEqual(len(stub.bodies), 1)

    async def test_fields_of_later_versions_are_kept(self) -> None:
        stub = self.stub(lambda _: (200, {}, b'{"known": true, "later": [1], "memory": {"summary": "s", "gaps": 1}}'))
        async with CallerMemory(stub.url, KEY) as memory:
            recall = await memory.recall({"phone_number": NUMBER})
        self.assertEqual(dict(recall)["later"], [1])

    async def test_a_200_that_is_not_json_is_no_answer(self) -> None:
        stub = self.stub(lambda _: (200, {}, b"<html>"))
        async with CallerMemory(stub.url, KEY) as memory:
            with self.assertRaises(NoAnswer):
                await memory.recall({"phone_number": NUMBER})


if __name__ == "__main__":
    unittest.main()
