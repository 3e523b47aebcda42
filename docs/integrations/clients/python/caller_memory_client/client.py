"""The three requests of caller-memory, each with a time limit and retries within it."""

from __future__ import annotations

from itertools import count
from time import monotonic
from types import TracebackType
from typing import Any, cast
from urllib.parse import quote

import anyio
import httpx

from .models import Caller, CallsEndRequest, RecallAndEnrichRequest, RecallAndEnrichResponse

# The longest time for one try, so that a try that hangs leaves time for another, in seconds.
_ONE_TRY_S = 10.0

# The pause after the first try; it doubles from try to try up to the second figure. In seconds.
_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0


class CallerMemoryError(Exception):
    """A request that did not do what it was for."""


class ApiError(CallerMemoryError):
    """The service refused. `code` is for programs, the message for people, `request_id` for the service's log."""

    def __init__(self, status: int, code: str, message: str, request_id: str | None) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.request_id = request_id


class NoAnswer(CallerMemoryError):
    """No whole answer came within the time limit. A call that was written back may be on disk: write it back again."""


class CallerMemory:
    """A client with its connections. Close it, or use it in `async with`.

    `recall_limit_s` is how long a recall may take with its retries: a call is waiting. `limit_s` is the same for the other
    requests. `tries` is how often any request is sent at most.
    """

    def __init__(
        self, base_url: str, api_key: str, *, recall_limit_s: float = 1.0, limit_s: float = 60.0, tries: int = 8
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=base_url, headers={"Authorization": f"Bearer {api_key}"}, timeout=None
        )
        self._recall_limit_s = recall_limit_s
        self._limit_s = limit_s
        self._tries = tries

    async def recall(
        self, request: RecallAndEnrichRequest, *, deadline_ms: int | None = None
    ) -> RecallAndEnrichResponse:
        """Says who is calling; send it before the agent's first turn.

        `deadline_ms` asks the service to answer within that time, with what it knows by then. When the answer has
        `degraded`, the memory could not be read: that caller must not be greeted as a new one.
        """
        headers = {} if deadline_ms is None else {"X-Deadline-Ms": str(deadline_ms)}
        response = await self._send(
            self._recall_limit_s, "POST", "/v1/recall_and_enrich", json=request, headers=headers
        )
        return cast(RecallAndEnrichResponse, _json(response))

    async def end_call(self, call: CallsEndRequest) -> None:
        """Writes a call back, after hangup. When it returns, the call is on disk; sent again, it counts once."""
        await self._send(self._limit_s, "POST", "/v1/calls/end", json=call)

    async def get_caller(self, phone_number: str) -> Caller:
        """Reads a profile without a trace. `phone_number` is in E.164; an unknown one is an `ApiError` 404."""
        path = f"/v1/caller/{quote(phone_number, safe='')}"
        return cast(Caller, _json(await self._send(self._limit_s, "GET", path)))

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> CallerMemory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _send(
        self, limit_s: float, method: str, path: str, *, json: object = None, headers: dict[str, str] | None = None
    ) -> httpx.Response:
        end = monotonic() + limit_s
        for attempt in count(1):
            pause = min(_PAUSE_S * 2 ** (attempt - 1), _LONGEST_PAUSE_S)
            try:
                with anyio.fail_after(min(end - monotonic(), _ONE_TRY_S)):
                    response = await self._http.request(method, path, json=json, headers=headers)
            except (TimeoutError, httpx.TransportError) as cause:
                failure: CallerMemoryError = NoAnswer(f"no answer: {type(cause).__name__}")
                failure.__cause__ = cause
            else:
                if response.is_success:
                    return response
                failure = _refusal(response)
                if response.status_code not in (429, 503):
                    raise failure
                pause = max(pause, _retry_after_s(response))
            # A pause that ends after the limit is not begun.
            if attempt >= self._tries or monotonic() + pause >= end:
                raise failure
            await anyio.sleep(pause)
        raise AssertionError("unreachable")


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError as cause:
        raise NoAnswer("the answer is not JSON; check base_url") from cause


def _refusal(response: httpx.Response) -> ApiError:
    """What the error envelope says; a proxy's page has none."""
    try:
        error = response.json()["error"]
        return ApiError(response.status_code, error["code"], error["message"], error.get("request_id"))
    except (ValueError, KeyError, TypeError, AttributeError):
        message = "not in the words of a caller-memory service; check base_url"
        return ApiError(response.status_code, "unknown", message, response.headers.get("x-request-id"))


def _retry_after_s(response: httpx.Response) -> float:
    """What the service asks to wait; 0 when it does not say, or not in seconds."""
    seconds = response.headers.get("retry-after", "")
    return float(seconds) if seconds.isdecimal() else 0.0
