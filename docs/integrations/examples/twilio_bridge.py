"""Twilio: the voice webhook recalls and connects the call to ConversationRelay; the WebSocket carries the talk and writes it back.

    TWILIO_AUTH_TOKEN  Twilio signs with it
    PUBLIC_URL         https://bridge.example.com, as Twilio calls it
    AGENT_GREETING     the first words
"""

import base64
import hashlib
import hmac
import json
import os
import time
from collections import OrderedDict
from urllib.parse import parse_qsl
from xml.sax.saxutils import quoteattr

from caller_memory import CallerMemory, Recall, outcome, report, turn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

AUTH_TOKEN = os.environ["TWILIO_AUTH_TOKEN"]
PUBLIC_URL = os.environ["PUBLIC_URL"].rstrip("/")
RELAY_URL = PUBLIC_URL.replace("http", "ws", 1) + "/twilio/relay"
GREETING = os.environ.get("AGENT_GREETING", "Hello, how can I help?")
PROMPT = "You answer the telephone of a dental practice. Be brief."

REASONS = {"no-answer": "no_answer", "busy": "no_answer", "failed": "no_answer", "canceled": "no_answer"}  # CallStatus

memory = CallerMemory()
recalls: OrderedDict[str, Recall] = OrderedDict()  # by call, from the webhook to the WebSocket


async def answer(prompt: str, transcript: list[dict]) -> tuple[str, str | None]:
    """Your language model: what the agent says next, and the outcome of the call once there is one."""
    booked = "book" in transcript[-1]["text"].lower()
    return ("You are booked. Anything else?", "appointment_booked") if booked else ("I see. What else can I do for you?", None)


def signed(connection: HTTPConnection, url: str, parameters: list[tuple[str, str]]) -> bool:
    """HMAC-SHA1 of the URL and of the sorted parameters; a WebSocket's handshake has none."""
    text = url + "".join(name + value for name, value in sorted(set(parameters)))
    digest = base64.b64encode(hmac.new(AUTH_TOKEN.encode(), text.encode(), hashlib.sha1).digest())
    return hmac.compare_digest(connection.headers.get("x-twilio-signature", "").encode(), digest)


async def form(request: Request) -> dict | None:
    pairs = parse_qsl((await request.body()).decode(), keep_blank_values=True)
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return dict(pairs) if signed(request, PUBLIC_URL + path, pairs) else None


async def voice(request: Request) -> Response:
    """Twilio waits for this while the phone rings."""
    call = await form(request)
    if call is None:
        return Response(status_code=403)
    recall = await memory.recall(call.get("From"), session_id=call["CallSid"])
    recalls[call["CallSid"]] = recall
    while len(recalls) > 1000:
        recalls.popitem(last=False)
    relay = f"<ConversationRelay url={quoteattr(RELAY_URL)} welcomeGreeting={quoteattr(recall.greeting(GREETING))}/>"
    return Response(f"<Response><Connect>{relay}</Connect></Response>", media_type="text/xml")


async def status(request: Request) -> Response:
    """The status callback of calls that you make: nobody answered, so no WebSocket was opened. Others are written by the WebSocket."""
    call = await form(request)
    if call is None:
        return Response(status_code=403)
    if call.get("CallStatus") in REASONS:
        number = call.get("To" if call.get("Direction", "").startswith("outbound") else "From")
        result = outcome(None, call["CallStatus"], REASONS)
        await memory.end_call(report(call["CallSid"], number, [], 0, result, platform="twilio", call_status=call["CallStatus"]))
    return Response(status_code=204)


async def relay(socket: WebSocket) -> None:
    if not signed(socket, RELAY_URL, []):
        await socket.close()  # before it is accepted: the handshake is refused with 403
        return
    await socket.accept()
    call, transcript, agreed = None, [], None

    def said(role: str, text: str) -> None:
        transcript.extend(entry for entry in [turn(role, text, time.time() * 1000)] if entry)

    try:
        async for message in messages(socket):
            if message["type"] == "setup":
                call, started = message, time.time()
                recall = recalls.pop(call["callSid"], Recall("unavailable"))
                said("agent", recall.greeting(GREETING))
            elif message["type"] == "prompt" and call and message.get("last", True):
                said("user", message["voicePrompt"])
                words, decided = await answer(f"{PROMPT}\n\n{recall.card}", transcript)
                agreed = decided or agreed
                said("agent", words)
                await socket.send_json({"type": "text", "token": words, "last": True})
            elif message["type"] == "interrupt" and transcript and transcript[-1]["role"] == "agent":
                transcript.pop()  # the caller heard no more than this
                said("agent", message["utteranceUntilInterrupt"])
    except WebSocketDisconnect:
        pass  # hung up while the agent answered
    finally:
        if call:
            number = call["to"] if call["direction"].startswith("outbound") else call["from"]
            result = outcome(agreed, None, REASONS)
            await memory.end_call(report(call["callSid"], number, transcript, time.time() - started, result, platform="twilio"))


async def messages(socket: WebSocket):
    try:
        while True:
            yield json.loads(await socket.receive_text())
    except WebSocketDisconnect:
        return


app = Starlette(
    routes=[
        Route("/twilio/voice", voice, methods=["POST"]),
        Route("/twilio/status", status, methods=["POST"]),
        WebSocketRoute("/twilio/relay", relay),
    ],
    lifespan=memory.lifespan,
)
