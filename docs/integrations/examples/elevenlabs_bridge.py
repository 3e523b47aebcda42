"""ElevenLabs Agents on Twilio numbers: gives the caller's card when a call rings, and writes the call back after hangup.

    BRIDGE_SECRET              a secret of yours that ElevenLabs sends in the header X-Bridge-Secret of the personalisation webhook
    ELEVENLABS_WEBHOOK_SECRET  the secret of the post-call webhook; ElevenLabs signs with it
    AGENT_GREETING             the first words of the agent, whose first message is {{greeting}}
"""

import hashlib
import hmac
import json
import os
import time

from caller_memory import CallerMemory, number, outcome, report, turn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

BRIDGE_SECRET = os.environ["BRIDGE_SECRET"]
WEBHOOK_SECRET = os.environ["ELEVENLABS_WEBHOOK_SECRET"]
GREETING = os.environ.get("AGENT_GREETING", "Hello, how can I help?")

# `call_result` of a call, and `failure_reason` of one that was never connected. `termination_reason` is free text and is not read.
REASONS = {
    "voicemail": "no_answer",
    "busy": "no_answer",
    "no_answer": "no_answer",
    "no-answer": "no_answer",
    "failed": "no_answer",
}

memory = CallerMemory()


async def personalise(request: Request) -> Response:
    """ElevenLabs asks while Twilio connects the call."""
    if not hmac.compare_digest(request.headers.get("x-bridge-secret", "").encode(), BRIDGE_SECRET.encode()):
        return Response(status_code=401)
    call = await request.json()
    recall = await memory.recall(call.get("caller_id"), session_id=call.get("call_sid"))
    variables = {"caller_card": recall.card, "caller_state": recall.state, "greeting": recall.greeting(GREETING)}
    return JSONResponse({"type": "conversation_initiation_client_data", "dynamic_variables": variables})


async def signed(request: Request) -> dict | None:
    """The body, when the signature is right: t=SECONDS,v0=HMAC-SHA256 of seconds, a dot and the body, at most 30 minutes old."""
    body = await request.body()
    parts = dict(part.split("=", 1) for part in request.headers.get("elevenlabs-signature", "").split(",") if "=" in part)
    seconds = parts.get("t", "")
    if not seconds.isdecimal() or abs(time.time() - int(seconds)) > 30 * 60:
        return None
    digest = hmac.new(WEBHOOK_SECRET.encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
    return json.loads(body) if hmac.compare_digest(digest.encode(), parts.get("v0", "").encode()) else None


async def post_call(request: Request) -> Response:
    event = await signed(request)
    if event is None:
        return Response(status_code=401)
    if event["type"] == "post_call_transcription":
        body = conversation(event["data"])
    elif event["type"] == "call_initiation_failure":
        body = failure(event["data"])
    else:  # post_call_audio
        body = None
    if body:
        await memory.end_call(body)
    return Response(status_code=200)


def conversation(data: dict) -> dict | None:
    metadata = data.get("metadata") or {}
    call = metadata.get("phone_call") or {}
    variables = (data.get("conversation_initiation_client_data") or {}).get("dynamic_variables") or {}
    phone_number = call.get("external_number") or variables.get("system__caller_id")
    if not phone_number:  # a call in the browser: nobody to remember
        return None
    started_ms = 1000 * number(metadata.get("start_time_unix_secs"))
    collected = (data.get("analysis") or {}).get("data_collection_results") or {}
    result = call.get("call_result")
    return report(
        # The same id as at the recall; a SIP call has no Twilio id.
        session_id=call.get("call_sid") or variables.get("system__call_sid") or data["conversation_id"],
        phone_number=phone_number,
        transcript=[
            turn(entry.get("role"), entry.get("message"), started_ms + 1000 * number(entry.get("time_in_call_secs")))
            for entry in data.get("transcript") or []
        ],
        duration_s=metadata.get("call_duration_secs"),
        outcome=outcome((collected.get("outcome") or {}).get("value"), result, REASONS),
        platform="elevenlabs",
        conversation_id=data["conversation_id"],
        termination_reason=metadata.get("termination_reason") or None,
    )


def failure(data: dict) -> dict | None:
    """A call of ours that nobody answered."""
    body = (data.get("metadata") or {}).get("body") or {}
    phone_number = body.get("To") or body.get("to_number")
    if not phone_number:
        return None
    reason = data.get("failure_reason")
    session_id = body.get("CallSid") or body.get("call_sid") or data["conversation_id"]
    return report(session_id, phone_number, [], 0, outcome(None, reason, REASONS), platform="elevenlabs", failure_reason=reason)


app = Starlette(
    routes=[
        Route("/elevenlabs/personalise", personalise, methods=["POST"]),
        Route("/elevenlabs/post-call", post_call, methods=["POST"]),
    ],
    lifespan=memory.lifespan,
)
