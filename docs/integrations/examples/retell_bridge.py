"""Retell's webhooks: gives the caller's card as dynamic variables when a call rings, and writes the call back after hangup.

    RETELL_API_KEY  the API key with the webhook badge; Retell signs with it
    AGENT_GREETING  the first words of the agent, whose begin message is {{greeting}}
"""

import hashlib
import hmac
import json
import os
import re
import time

from caller_memory import CallerMemory, number, outcome, report, turn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

API_KEY = os.environ["RETELL_API_KEY"]
GREETING = os.environ.get("AGENT_GREETING", "Hello, how can I help?")

# The other disconnection reasons say how the line was closed and nothing of what was agreed.
REASONS = {
    "user_requested_callback": "callback_requested",
    "dial_busy": "no_answer",
    "dial_failed": "no_answer",
    "dial_no_answer": "no_answer",
    "user_declined": "no_answer",
    "marked_as_spam": "no_answer",
    "voicemail_reached": "no_answer",
    "ivr_reached": "no_answer",
    "error_user_not_joined": "no_answer",
    "registered_call_timeout": "no_answer",
}

memory = CallerMemory()


async def signed(request: Request) -> dict | None:
    """The body, when the signature is Retell's: v=MILLISECONDS,d=HMAC-SHA256 of body and milliseconds, at most five minutes old."""
    body = await request.body()
    parts = re.fullmatch(r"v=(\d+),d=([0-9a-f]{64})", request.headers.get("x-retell-signature", ""))
    if not parts or abs(time.time() * 1000 - int(parts[1])) > 5 * 60 * 1000:
        return None
    digest = hmac.new(API_KEY.encode(), body + parts[1].encode(), hashlib.sha256).hexdigest()
    return json.loads(body) if hmac.compare_digest(digest, parts[2]) else None


async def inbound(request: Request) -> Response:
    """Retell waits for this while the phone rings, and repeats it."""
    event = await signed(request)
    if event is None:
        return Response(status_code=401)
    call = event["call_inbound"]
    recall = await memory.recall(call.get("from_number"), session_id=call.get("call_id"))
    variables = {"caller_card": recall.card, "caller_state": recall.state, "greeting": recall.greeting(GREETING)}
    return JSONResponse({"call_inbound": {"dynamic_variables": variables}})


async def events(request: Request) -> Response:
    """call_ended writes the call; call_analyzed, which knows the outcome, comes later under the same call id and corrects it."""
    event = await signed(request)
    if event is None:
        return Response(status_code=401)
    if event["event"] in ("call_ended", "call_analyzed"):
        call = event["call"]
        phone_number = call.get("to_number" if call.get("direction") == "outbound" else "from_number")
        if phone_number:  # a web call has none
            await memory.end_call(call_report(call, phone_number))
    return Response(status_code=204)


def call_report(call: dict, phone_number: str) -> dict:
    started, ended = number(call.get("start_timestamp")), number(call.get("end_timestamp"))
    analysis = call.get("call_analysis") or {}
    said = (analysis.get("custom_analysis_data") or {}).get("outcome")  # a field of the agent's post-call analysis
    if analysis.get("in_voicemail"):
        said = said or "no_answer"
    return report(
        session_id=call["call_id"],
        phone_number=phone_number,
        transcript=[
            turn(entry.get("role"), entry.get("content"), started + 1000 * first_word_s(entry))
            for entry in call.get("transcript_object") or []
        ],
        duration_s=number(call.get("duration_ms")) / 1000 or (ended - started) / 1000,
        outcome=outcome(said, call.get("disconnection_reason"), REASONS),
        platform="retell",
        disconnection_reason=call.get("disconnection_reason"),
    )


def first_word_s(entry: dict) -> float:
    return number((entry.get("words") or [{}])[0].get("start"))


app = Starlette(
    routes=[Route("/retell/inbound", inbound, methods=["POST"]), Route("/retell/events", events, methods=["POST"])],
    lifespan=memory.lifespan,
)
