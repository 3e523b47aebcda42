"""Bland: answers the agent's dynamic data request when a call comes in, and writes the call back from the post-call webhook.

    BRIDGE_SECRET         a secret of yours that the dynamic data request carries as a bearer token
    BLAND_WEBHOOK_SECRET  the webhook signing secret; Bland signs with it
    AGENT_GREETING        the first words of the agent, whose first sentence is {{greeting}}
"""

import hashlib
import hmac
import json
import os
from datetime import datetime

from caller_memory import CallerMemory, number, outcome, report, turn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

BRIDGE_SECRET = os.environ["BRIDGE_SECRET"]
WEBHOOK_SECRET = os.environ["BLAND_WEBHOOK_SECRET"]
GREETING = os.environ.get("AGENT_GREETING", "Hello, how can I help?")

# Values of `answered_by` and `status`. The others say that somebody talked and nothing of what was agreed.
REASONS = {
    "voicemail": "no_answer",
    "no-answer": "no_answer",
    "busy": "no_answer",
    "canceled": "no_answer",
    "failed": "no_answer",
}

memory = CallerMemory()


async def recall(request: Request) -> Response:
    """Bland waits for this before the agent speaks."""
    token = f"Bearer {BRIDGE_SECRET}"
    if not hmac.compare_digest(request.headers.get("authorization", "").encode(), token.encode()):
        return Response(status_code=401)
    call = await request.json()
    recall = await memory.recall(call.get("phone_number"), session_id=call.get("call_id"))
    return JSONResponse({"caller_card": recall.card, "caller_state": recall.state, "greeting": recall.greeting(GREETING)})


async def post_call(request: Request) -> Response:
    body = await request.body()
    digest = hmac.new(WEBHOOK_SECRET.encode(), body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(request.headers.get("x-webhook-signature", "").encode(), digest.encode()):
        return Response(status_code=401)
    call = json.loads(body)
    phone_number = call.get("from" if call.get("inbound") else "to")
    if phone_number:
        await memory.end_call(call_report(call, phone_number))
    return Response(status_code=200)


def call_report(call: dict, phone_number: str) -> dict:
    answered_by = call.get("answered_by")
    reason = answered_by if answered_by in REASONS else call.get("status")
    # A variable that a custom tool or the pathway sets, or a disposition of that name.
    said = (call.get("variables") or {}).get("outcome") or call.get("disposition_tag")
    return report(
        session_id=call["call_id"],
        phone_number=phone_number,
        transcript=[
            turn(entry.get("user"), entry.get("text"), epoch_ms(entry.get("created_at")))
            for entry in call.get("transcripts") or []
            if entry.get("user") != "agent-action"
        ],
        # corrected_duration is seconds in a string; call_length is minutes.
        duration_s=number(call.get("corrected_duration")) or 60 * number(call.get("call_length")),
        outcome=outcome(said, reason, REASONS),
        platform="bland",
        status=call.get("status"),
        answered_by=answered_by,
        call_ended_by=call.get("call_ended_by"),
    )


def epoch_ms(timestamp) -> float:
    try:
        return 1000 * datetime.fromisoformat(str(timestamp).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0


app = Starlette(
    routes=[Route("/bland/recall", recall, methods=["POST"]), Route("/bland/post-call", post_call, methods=["POST"])],
    lifespan=memory.lifespan,
)
