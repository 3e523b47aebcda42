"""The fixtures and the mappings against the vendors' own packages: payloads have their shapes, and every end reason of theirs has an outcome."""

import importlib
import json
import re
import typing

import pytest
from caller_memory import OUTCOMES, Recall, outcome
from conftest import GREETING, KEY, payload
from platforms import SECRET, ElevenLabs

ENVIRONMENT = {
    "CALLER_MEMORY_KEY": KEY,
    "VAPI_SECRET": SECRET,
    "VAPI_ASSISTANT_ID": "a",
    "RETELL_API_KEY": SECRET,
    "TWILIO_AUTH_TOKEN": SECRET,
    "PUBLIC_URL": "https://bridge.example.com",
    "BRIDGE_SECRET": SECRET,
    "ELEVENLABS_WEBHOOK_SECRET": SECRET,
    "BLAND_WEBHOOK_SECRET": SECRET,
    "AGENT_GREETING": GREETING,
}


@pytest.fixture
def module(monkeypatch):
    def load(name):
        for key, value in ENVIRONMENT.items():
            monkeypatch.setenv(key, value)
        return importlib.import_module(f"{name}_bridge")

    return load


def literals(kind) -> set[str]:
    """Every string that a type of the vendor's admits."""
    if typing.get_origin(kind) is typing.Literal:
        return set(typing.get_args(kind))
    return set().union(*(literals(part) for part in typing.get_args(kind)))


def test_vapi_types(module):
    from vapi.types import (
        ServerMessageAssistantRequest,
        ServerMessageEndOfCallReport,
        ServerMessageEndOfCallReportEndedReason,
        ServerMessageResponseAssistantRequest,
    )

    message = payload("vapi.assistant-request", number="+12025550142", call_id="c")["message"]
    assert ServerMessageAssistantRequest.model_validate(message).customer.number == "+12025550142"
    message = payload("vapi.end-of-call-report", number="+12025550142", call_id="c")["message"]
    parsed = ServerMessageEndOfCallReport.model_validate(message)
    assert parsed.analysis.structured_data == {"outcome": "appointment_booked"}
    assert [entry.seconds_from_start for entry in parsed.artifact.messages][1:] == [0.4, 3.1, 7.9]

    vapi = module("vapi")
    reasons = literals(ServerMessageEndOfCallReportEndedReason) if typing.get_args(ServerMessageEndOfCallReportEndedReason) else set()
    assert len(reasons) > 100, "the package no longer lists the reasons"
    assert set(vapi.REASONS) <= reasons
    assert {outcome(None, reason, vapi.REASONS) for reason in reasons} == {"no_answer", "other"}
    # The newer structured outputs win over the older structured data.
    message["artifact"]["structuredOutputs"] = {"id": {"name": "outcome", "result": "quote_given"}}
    assert vapi.agreed(message) == "quote_given"
    answer = ServerMessageResponseAssistantRequest.model_validate(
        {"assistantId": "a", "assistantOverrides": {"firstMessage": GREETING, "variableValues": {"caller_card": "c"}}}
    )
    assert answer.assistant_overrides.first_message == GREETING
    assert answer.assistant_overrides.variable_values == {"caller_card": "c"}


def test_retell_types(module):
    from retell.types import PhoneCallResponse

    retell = module("retell")
    for event in ("call_ended", "call_analyzed"):
        call = PhoneCallResponse.model_validate(payload(f"retell.{event}", number="+12025550142", call_id="c")["call"])
        assert [entry.words[0].start for entry in call.transcript_object] == [0.4, 3.1, 7.9]
    assert call.call_analysis.custom_analysis_data == {"outcome": "appointment_booked"}
    reasons = literals(PhoneCallResponse.model_fields["disconnection_reason"].annotation)
    assert len(reasons) > 30 and set(retell.REASONS) <= reasons
    assert {outcome(None, reason, retell.REASONS) for reason in reasons} == {"no_answer", "callback_requested", "other"}


def test_elevenlabs_types(module):
    from elevenlabs import ElevenLabs as Client
    from elevenlabs.types import CallResult, GetConversationResponseModel

    elevenlabs = module("elevenlabs")
    event = payload("elevenlabs.post_call_transcription", number="+12025550142", call_id="c")
    conversation = GetConversationResponseModel.model_validate(event["data"])
    assert conversation.metadata.phone_call.call_sid == "c"
    assert conversation.metadata.phone_call.external_number == "+12025550142"
    assert conversation.analysis.data_collection_results["outcome"].value == "appointment_booked"
    results = literals(CallResult)
    assert {result: outcome(None, result, elevenlabs.REASONS) for result in results} == {
        "answered": "other", "voicemail": "no_answer", "busy": "no_answer", "no_answer": "no_answer", "failed": "no_answer"
    }  # fmt: skip
    # What the tests sign with is what the vendor's package verifies.
    body = json.dumps(event)
    header = ElevenLabs.signature(body)["ElevenLabs-Signature"]
    assert Client(api_key="none").webhooks.construct_event(body, header, SECRET) == event


def test_twilio_types(module):
    from twilio.rest.api.v2010.account.call import CallInstance
    from twilio.twiml.voice_response import Connect, VoiceResponse

    twilio = module("twilio")
    statuses = {value for name, value in vars(CallInstance.Status).items() if name.isupper()}
    assert set(twilio.REASONS) <= statuses
    unmapped = statuses - set(twilio.REASONS)
    assert unmapped == {"queued", "ringing", "in-progress", "completed"}  # not ended, or talked
    # The TwiML is what the vendor's package writes, up to the XML declaration.
    response, connect = VoiceResponse(), Connect()
    connect.conversation_relay(url=twilio.RELAY_URL, welcome_greeting=GREETING)
    response.append(connect)
    ours = f'<Response><Connect><ConversationRelay url="{twilio.RELAY_URL}" welcomeGreeting="{GREETING}"/></Connect></Response>'
    assert re.sub(r"<\?xml[^>]*\?>| ?/>", "/>", str(response)).removeprefix("/>") == ours


@pytest.mark.parametrize("name", ["vapi", "retell", "twilio", "elevenlabs", "bland"])
@pytest.mark.parametrize("reason", ["a reason of next year", "", None, 7, ["voicemail"], {"a": 1}])
def test_an_unknown_reason_is_other(module, name, reason):
    assert outcome(None, reason, module(name).REASONS) == "other"


@pytest.mark.parametrize("name", ["vapi", "retell", "twilio", "elevenlabs", "bland"])
def test_every_mapped_outcome_is_one_of_the_five(module, name):
    assert set(module(name).REASONS.values()) <= set(OUTCOMES)


def test_bland_answered_by_and_status(module):
    bland = module("bland")
    call = payload("bland.post_call", number="+12025550142", call_id="c") | {"variables": {}}
    for answered_by, status, expected in [
        ("human", "completed", "other"),
        ("unknown", "completed", "other"),
        ("voicemail", "completed", "no_answer"),
        ("no-answer", "no-answer", "no_answer"),
        (None, "busy", "no_answer"),
        (None, "failed", "no_answer"),
    ]:
        assert bland.call_report(call | {"answered_by": answered_by, "status": status}, "+1")["outcome"] == expected
    assert bland.call_report(call | {"disposition_tag": "QUOTE"}, "+1")["outcome"] == "other"
    assert bland.call_report(call | {"disposition_tag": "quote_given"}, "+1")["outcome"] == "quote_given"
    assert bland.call_report(call | {"corrected_duration": None}, "+1")["duration_s"] == pytest.approx(94, abs=0.1)


def test_a_greeting_is_one_attribute(module):
    """A name with quotes or markup must not leave the attribute of the TwiML."""
    from xml.sax.saxutils import quoteattr

    recall = Recall("known", {"caller": {"name": 'Ann "O\'Neil" <b/>'}})
    assert recall.greeting(GREETING) == 'Hello again! Am I speaking with Ann "O\'Neil" (b/)?'
    assert "<b/>" not in quoteattr(recall.greeting(GREETING))


def test_a_known_caller_hears_whom_they_have_called(monkeypatch):
    monkeypatch.setenv("AGENT_GREETING_KNOWN", "Harbor Dental, hello again! Am I speaking with {name}?")
    known = Recall("known", {"caller": {"name": "Dana {name}"}})
    assert known.greeting(GREETING) == "Harbor Dental, hello again! Am I speaking with Dana (name)?"
    for other in [Recall("known", {"caller": {"name": None}}), Recall("new"), Recall("unavailable")]:
        assert other.greeting(GREETING) == GREETING
