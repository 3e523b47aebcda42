"""What each platform sends and expects, so that one set of tests holds for all of them. Signatures are made by the vendors' packages."""

import hashlib
import hmac
import html
import json
import re
import time

import httpx
from conftest import payload
from websockets.sync.client import connect

SECRET = "a secret of the platform and the bridge"


class Platform:
    name: str
    environment: dict[str, str] = {}
    outcome = "appointment_booked"
    refuses = 401  # a wrong signature

    def __init__(self, url: str) -> None:
        self.url = url

    def post(self, path: str, body, headers=None) -> httpx.Response:
        content = json.dumps(body)
        return httpx.post(
            self.url + path, content=content, headers={"Content-Type": "application/json"} | self.sign(content, headers), timeout=60
        )

    def sign(self, content: str, headers) -> dict:
        return headers or {}

    def ring(self, number: str, call_id: str) -> tuple[str, str]:
        """The first words and the card that the agent of the platform gets."""
        raise NotImplementedError

    def hang_up(self, number: str, call_id: str) -> None:
        raise NotImplementedError

    def forged(self, number: str, call_id: str) -> list[int]:
        """The statuses of answers to requests that the platform did not sign."""
        raise NotImplementedError


class Vapi(Platform):
    name = "vapi"
    environment = {"VAPI_SECRET": SECRET, "VAPI_ASSISTANT_ID": "2ccabf54-ccd8-4dff-ae93-e830159c8004"}

    def sign(self, content, headers):
        return headers or {"X-Vapi-Secret": SECRET}

    def ring(self, number, call_id):
        answer = self.post("/vapi", payload("vapi.assistant-request", number=number, call_id=call_id))
        assert answer.status_code == 200
        body = answer.json()
        assert body["assistantId"] == self.environment["VAPI_ASSISTANT_ID"]
        return body["assistantOverrides"]["firstMessage"], body["assistantOverrides"]["variableValues"]["caller_card"]

    def hang_up(self, number, call_id):
        answer = self.post("/vapi", payload("vapi.end-of-call-report", number=number, call_id=call_id))
        assert answer.status_code == 200

    def forged(self, number, call_id):
        body = payload("vapi.end-of-call-report", number=number, call_id=call_id)
        return [self.post("/vapi", body, {"X-Vapi-Secret": wrong}).status_code for wrong in ("", "wrong")]


class Retell(Platform):
    name = "retell"
    environment = {"RETELL_API_KEY": SECRET}

    def sign(self, content, headers):
        from retell.lib.webhook_auth import symmetric

        return headers or {"x-retell-signature": symmetric["sign"](content, SECRET)}

    def ring(self, number, call_id):
        answer = self.post("/retell/inbound", payload("retell.call_inbound", number=number, call_id=call_id))
        assert answer.status_code == 200
        variables = answer.json()["call_inbound"]["dynamic_variables"]
        assert all(isinstance(value, str) for value in variables.values())  # Retell takes nothing else
        return variables["greeting"], variables["caller_card"]

    def hang_up(self, number, call_id):
        for event in ("call_ended", "call_analyzed"):
            answer = self.post("/retell/events", payload(f"retell.{event}", number=number, call_id=call_id))
            assert answer.status_code == 204

    def forged(self, number, call_id):
        from retell.lib.webhook_auth import symmetric

        body = payload("retell.call_ended", number=number, call_id=call_id)
        old = symmetric["sign"](json.dumps(body), SECRET, int(time.time() * 1000) - 6 * 60 * 1000)
        wrong = symmetric["sign"](json.dumps(body), "another key")
        return [self.post("/retell/events", body, {"x-retell-signature": value}).status_code for value in ("", "v=1,d=2", wrong, old)]


class Twilio(Platform):
    name = "twilio"
    environment = {"TWILIO_AUTH_TOKEN": SECRET, "PUBLIC_URL": "https://bridge.example.com"}
    refuses = 403

    def form(self, path: str, body: dict, token: str = SECRET) -> httpx.Response:
        from twilio.request_validator import RequestValidator

        signature = RequestValidator(token).compute_signature("https://bridge.example.com" + path, body)
        return httpx.post(self.url + path, data=body, headers={"X-Twilio-Signature": signature}, timeout=60)

    def relay(self, token: str = SECRET):
        from twilio.request_validator import RequestValidator

        signature = RequestValidator(token).compute_signature("wss://bridge.example.com/twilio/relay", {})
        return connect(self.url.replace("http", "ws") + "/twilio/relay", additional_headers={"X-Twilio-Signature": signature})

    def ring(self, number, call_id):
        answer = self.form("/twilio/voice?line=1", payload("twilio.voice", number=number, call_id=call_id))
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/xml")
        twiml = re.fullmatch(
            r'<Response><Connect><ConversationRelay url="wss://bridge\.example\.com/twilio/relay" welcomeGreeting="([^"]*)"/></Connect></Response>',
            answer.text,
        )
        assert twiml, answer.text
        return html.unescape(twiml[1]), None  # the card stays in the bridge, where the language model is asked

    def hang_up(self, number, call_id):
        with self.relay() as socket:
            socket.send(json.dumps(payload("twilio.setup", number=number, call_id=call_id)))
            socket.send(json.dumps(payload("twilio.prompt")))
            assert json.loads(socket.recv(60)) == {"type": "text", "token": "You are booked. Anything else?", "last": True}
            socket.send(json.dumps(payload("twilio.interrupt")))

    def forged(self, number, call_id):
        from websockets.exceptions import InvalidStatus

        statuses = [self.form("/twilio/voice", payload("twilio.voice", number=number, call_id=call_id), "wrong").status_code]
        statuses.append(self.form("/twilio/status", payload("twilio.status", number=number, call_id=call_id), "wrong").status_code)
        try:
            self.relay("wrong").close()
        except InvalidStatus as refused:
            statuses.append(refused.response.status_code)
        return statuses


class ElevenLabs(Platform):
    name = "elevenlabs"
    environment = {"BRIDGE_SECRET": SECRET, "ELEVENLABS_WEBHOOK_SECRET": SECRET}

    @staticmethod
    def signature(content: str, secret: str = SECRET, seconds: int | None = None) -> dict:
        """The vendor's package only verifies; test_vendors.py holds this against it."""
        seconds = int(time.time()) if seconds is None else seconds
        digest = hmac.new(secret.encode(), f"{seconds}.{content}".encode(), hashlib.sha256).hexdigest()
        return {"ElevenLabs-Signature": f"t={seconds},v0={digest}"}

    def sign(self, content, headers):
        return headers or self.signature(content)

    def ring(self, number, call_id):
        body = payload("elevenlabs.personalise", number=number, call_id=call_id)
        answer = self.post("/elevenlabs/personalise", body, {"X-Bridge-Secret": SECRET})
        assert answer.status_code == 200
        assert answer.json()["type"] == "conversation_initiation_client_data"
        variables = answer.json()["dynamic_variables"]
        return variables["greeting"], variables["caller_card"]

    def hang_up(self, number, call_id):
        answer = self.post("/elevenlabs/post-call", payload("elevenlabs.post_call_transcription", number=number, call_id=call_id))
        assert answer.status_code == 200

    def forged(self, number, call_id):
        body = payload("elevenlabs.post_call_transcription", number=number, call_id=call_id)
        content = json.dumps(body)
        wrong = [
            {"ElevenLabs-Signature": ""},
            self.signature(content, "wrong"),
            self.signature(content, seconds=int(time.time()) - 31 * 60),
        ]
        statuses = [self.post("/elevenlabs/post-call", body, headers).status_code for headers in wrong]
        body = payload("elevenlabs.personalise", number=number, call_id=call_id)
        return statuses + [self.post("/elevenlabs/personalise", body, {"X-Bridge-Secret": "wrong"}).status_code]


class Bland(Platform):
    name = "bland"
    environment = {"BRIDGE_SECRET": SECRET, "BLAND_WEBHOOK_SECRET": SECRET}

    def sign(self, content, headers):
        return headers or {"X-Webhook-Signature": hmac.new(SECRET.encode(), content.encode(), hashlib.sha256).hexdigest()}

    def ring(self, number, call_id):
        body = payload("bland.dynamic_data", number=number, call_id=call_id)
        answer = self.post("/bland/recall", body, {"Authorization": f"Bearer {SECRET}"})
        assert answer.status_code == 200
        return answer.json()["greeting"], answer.json()["caller_card"]

    def hang_up(self, number, call_id):
        assert self.post("/bland/post-call", payload("bland.post_call", number=number, call_id=call_id)).status_code == 200

    def forged(self, number, call_id):
        body = payload("bland.post_call", number=number, call_id=call_id)
        statuses = [self.post("/bland/post-call", body, {"X-Webhook-Signature": wrong}).status_code for wrong in ("", "wrong")]
        body = payload("bland.dynamic_data", number=number, call_id=call_id)
        return statuses + [self.post("/bland/recall", body, {"Authorization": "Bearer wrong"}).status_code]


PLATFORMS = [Vapi, Retell, Twilio, ElevenLabs, Bland]
