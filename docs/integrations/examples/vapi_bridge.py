"""Vapi's server URL: names the assistant with the caller's card when a call rings, and writes the call back after hangup.

    VAPI_SECRET        what Vapi sends in the header X-Vapi-Secret
    VAPI_ASSISTANT_ID  the saved assistant; its system prompt contains {{caller_card}}
    AGENT_GREETING     its first words
"""

import hmac
import os
from datetime import datetime

from caller_memory import CallerMemory, outcome, report, turn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SECRET = os.environ["VAPI_SECRET"]
ASSISTANT_ID = os.environ["VAPI_ASSISTANT_ID"]
GREETING = os.environ.get("AGENT_GREETING", "Hello, how can I help?")

# Only what says that nobody was reached. All other end reasons say how the line was closed and nothing of what was agreed.
REASONS = {
    "customer-did-not-answer": "no_answer",
    "customer-busy": "no_answer",
    "voicemail": "no_answer",
    "vonage-rejected": "no_answer",
    "twilio-failed-to-connect-call": "no_answer",
    "vonage-failed-to-connect-call": "no_answer",
    "call.ringing.sip-inbound-caller-hungup-before-call-connect": "no_answer",
    "call.in-progress.error-sip-outbound-call-failed-to-connect": "no_answer",
    "call.in-progress.error-providerfault-outbound-sip-408-request-timeout": "no_answer",
    "call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable": "no_answer",
}

memory = CallerMemory()


async def server_message(request: Request) -> Response:
    if not hmac.compare_digest(request.headers.get("x-vapi-secret", "").encode(), SECRET.encode()):
        return Response(status_code=401)
    message = (await request.json())["message"]
    if message["type"] == "assistant-request":
        return JSONResponse(await assistant(message))
    if message["type"] == "end-of-call-report":
        await end_of_call(message)
    return Response(status_code=200)


async def assistant(message: dict) -> dict:
    """Vapi waits for this while the phone rings."""
    recall = await memory.recall(phone_number(message), session_id=(message.get("call") or {}).get("id"))
    return {
        "assistantId": ASSISTANT_ID,
        "assistantOverrides": {
            "firstMessage": recall.greeting(GREETING),
            "variableValues": {"caller_card": recall.card, "caller_state": recall.state},
        },
    }


async def end_of_call(message: dict) -> None:
    number = phone_number(message)
    if not number:  # a call in the browser: nobody to remember
        return
    artifact = message.get("artifact") or {}
    spoken = [entry for entry in artifact.get("messages") or [] if entry.get("role") in ("user", "bot", "assistant")]
    ended = message.get("endedReason")
    await memory.end_call(
        report(
            session_id=message["call"]["id"],
            phone_number=number,
            transcript=[turn(entry["role"], entry.get("message"), entry.get("time")) for entry in spoken],
            duration_s=duration_s(message),
            outcome=outcome(agreed(message), ended, REASONS),
            platform="vapi",
            ended_reason=ended,
        )
    )


def phone_number(message: dict) -> str | None:
    customer = message.get("customer") or (message.get("call") or {}).get("customer") or {}
    return customer.get("number")


def duration_s(message: dict) -> float:
    if message.get("durationSeconds"):
        return message["durationSeconds"]
    try:
        started, ended = (datetime.fromisoformat(message[key].replace("Z", "+00:00")) for key in ("startedAt", "endedAt"))
    except (KeyError, AttributeError, ValueError):
        return 0
    return (ended - started).total_seconds()


def agreed(message: dict):
    """The structured output named `outcome`, or the field `outcome` of the older structured data; both are set up in the assistant."""
    outputs = (message.get("artifact") or {}).get("structuredOutputs") or {}
    for output in outputs.values():
        if isinstance(output, dict) and output.get("name") == "outcome":
            return output.get("result")
    return ((message.get("analysis") or {}).get("structuredData") or {}).get("outcome")


app = Starlette(routes=[Route("/vapi", server_message, methods=["POST"])], lifespan=memory.lifespan)
