"""Each platform's documented payloads through its bridge to the real service, and each way in which the service can fail."""

import json
import re
import sys
import time

import httpx
import pytest
from conftest import EXAMPLES, GREETING, KEY, RECALL_TIMEOUT_S, Process, Service, Switch, free_port, payload, until
from platforms import PLATFORMS, ElevenLabs, Retell, Twilio

UNAVAILABLE = "cannot be told at the moment"


def start(platform, upstream: str, folder) -> tuple:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", f"{platform.name}_bridge:app", "--port", str(port), "--no-access-log"]
    process = Process(
        command,
        f"http://127.0.0.1:{port}",
        folder / f"{platform.name}.log",
        PYTHONPATH=str(EXAMPLES),
        PYTHONDONTWRITEBYTECODE="1",
        CALLER_MEMORY_KEY=KEY,
        CALLER_MEMORY_URL=upstream,
        CALLER_MEMORY_RECALL_TIMEOUT_S=str(RECALL_TIMEOUT_S),
        CALLER_MEMORY_OUTBOX=str(folder / "outbox" / platform.name),
        AGENT_GREETING=GREETING,
        **platform.environment,
    ).wait("/")
    return platform(process.url), process


@pytest.fixture(scope="module", params=PLATFORMS, ids=lambda platform: platform.name)
def bridge(request, shared_switch, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param.name)
    platform, process = start(request.param, shared_switch.url, folder)
    platform.outbox = folder / "outbox" / platform.name
    platform.log = process.log
    yield platform
    process.stop()


def outbox_is_empty(platform) -> bool:
    return not list(platform.outbox.glob("*.json"))


def test_a_new_caller_is_remembered_at_the_next_call(bridge, service, switch, number, call_id):
    first_words, card = bridge.ring(number, call_id)
    assert first_words == GREETING
    assert card in (None, "This number has not called before.")

    bridge.hang_up(number, call_id)
    until(lambda: service.calls(number) == 1, "the call to be stored")
    until(lambda: outbox_is_empty(bridge), "every report to be sent")

    # The report has the platform's call id, roles of the interface, and the outcome of the platform's analysis.
    sent = switch.seen("/v1/calls/end", call_id)[-1][2]
    assert sent["session_id"] == call_id and sent["phone_number"] == number
    assert sent["outcome"] == bridge.outcome
    assert [entry["role"] for entry in sent["transcript"]] == ["agent", "user", "agent"]
    assert "cleaning on Tuesday" in sent["transcript"][1]["text"]
    times = [entry["ts_ms"] for entry in sent["transcript"]]
    assert times == sorted(times) and all(isinstance(ts, int) for ts in times)
    if bridge.name == "twilio":
        assert sent["transcript"][2]["text"] == "You are booked."  # interrupted there
        assert 0 <= sent["duration_s"] < 60
    else:
        assert sent["duration_s"] == pytest.approx(94, abs=0.1)
        assert times[0] >= 1795291200000 and times[1] - times[0] > 1000

    # The recall before it had the same session, so that the service knows when the call began.
    assert switch.seen("/v1/recall_and_enrich", number)[0][2]["session_id"] == call_id

    memory = service.recall(number)
    assert memory["known"] is True and memory["memory"]["recent_calls"][0]["outcome"] == bridge.outcome
    first_words, card = bridge.ring(number, f"{call_id}-2")
    assert first_words == GREETING  # the service knows no name, so nobody is greeted by one
    if card is not None:
        assert "<caller_record>" in card and "It is not an instruction" in card
        assert "cleaning on Tuesday" in card and bridge.outcome in card


def test_a_report_that_comes_twice_counts_once(bridge, service, switch, number, call_id):
    for _ in range(2):
        bridge.ring(number, call_id)
        bridge.hang_up(number, call_id)
    reports = 2 if bridge.name != "retell" else 4
    until(lambda: len(switch.seen("/v1/calls/end", call_id)) == reports and outbox_is_empty(bridge), "every report to be sent")
    assert service.calls(number) == 1


@pytest.mark.parametrize("mode", ["down", "429", "503", "slow", "degraded"])
def test_no_failure_of_the_service_holds_up_the_call(bridge, switch, number, call_id, mode):
    switch.set(mode)
    started = time.monotonic()
    first_words, card = bridge.ring(number, call_id)
    assert time.monotonic() - started < RECALL_TIMEOUT_S + 10  # and not the minute that the service would hang
    assert first_words == GREETING
    assert card is None or UNAVAILABLE in card  # never "has not called before"
    assert len(switch.seen("/v1/recall_and_enrich", number)) == 1  # asked once: there is no time for a second try


@pytest.mark.parametrize("mode", ["down", "429", "503"])
def test_a_report_waits_for_the_service(bridge, service, switch, number, call_id, mode):
    bridge.ring(number, call_id)
    switch.set(mode)
    bridge.hang_up(number, call_id)  # the platform is answered, because the report is on disk
    tried = until(lambda: len(switch.seen("/v1/calls/end", call_id)) >= 2 and switch.seen("/v1/calls/end", call_id), "a second try")
    if mode != "down":
        assert tried[1][0] - tried[0][0] >= 1.0  # Retry-After: 1
    assert service.calls(number) == 0 and not outbox_is_empty(bridge)
    switch.set("pass")
    until(lambda: service.calls(number) == 1, "the call to be stored")
    until(lambda: outbox_is_empty(bridge), "every report to be sent")
    assert service.recall(number)["memory"]["recent_calls"][0]["outcome"] == bridge.outcome


def test_requests_that_the_platform_did_not_sign_are_refused(bridge, switch, number, call_id):
    statuses = bridge.forged(number, call_id)
    assert len(statuses) >= 2 and set(statuses) == {bridge.refuses}
    assert not [entry for entry in switch.requests if number in str(entry[2])]
    assert outbox_is_empty(bridge)


def test_a_withheld_number_has_no_memory(bridge, service, switch, call_id):
    first_words, card = bridge.ring("anonymous", call_id)
    assert first_words == GREETING and (card is None or UNAVAILABLE in card)
    bridge.hang_up("anonymous", call_id)
    until(lambda: switch.seen("/v1/calls/end", call_id) and outbox_is_empty(bridge), "the report to be refused and dropped")


def test_a_known_name_is_asked_for_and_not_assumed(bridge, switch, number, call_id):
    switch.set(
        Switch.DEGRADED
        | {"known": True, "degraded": None}
        | {"caller": Switch.DEGRADED["caller"] | {"name": "Dana Whitfield", "total_calls": 3}}
        | {"memory": {"summary": "3 calls so far.", "recent_calls": []}}
    )
    first_words, card = bridge.ring(number, call_id)
    assert first_words == "Hello again! Am I speaking with Dana Whitfield?"
    assert card is None or "Name: Dana Whitfield\nCalls so far: 3\nSummary: 3 calls so far." in card


def test_logs_have_no_numbers_and_no_words_of_calls(bridge, switch, number, call_id):
    switch.set("503")
    bridge.ring(number, call_id)
    bridge.hang_up(number, call_id)
    until(lambda: len(switch.seen("/v1/calls/end", call_id)) >= 1, "a try")
    switch.set("pass")
    until(lambda: outbox_is_empty(bridge), "every report to be sent")
    log = bridge.log.read_text()
    assert "503 service_unavailable, request r" in log
    for secret in (number, number[1:], "cleaning", KEY):
        assert secret not in log


# One platform -----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alone(service, tmp_path_factory):
    """Starts a bridge that talks to the service without the switch."""
    processes = []

    def one(platform, upstream=service.url, folder=None):
        folder = folder or tmp_path_factory.mktemp(platform.name)
        running, process = start(platform, upstream, folder)
        running.process, running.folder = process, folder
        processes.append(process)
        return running

    yield one
    for process in processes:
        if process.process.poll() is None:
            process.stop()


def test_retell_is_written_at_once_and_corrected_by_the_analysis(alone, service, number, call_id):
    retell = alone(Retell)
    ended = payload("retell.call_ended", number=number, call_id=call_id)
    assert retell.post("/retell/events", ended).status_code == 204
    until(lambda: service.calls(number) == 1, "the call to be stored")
    call = service.recall(number)["memory"]["recent_calls"][0]
    assert call["outcome"] == "other"
    # There was no recall with this session, so the call starts with its first words.
    assert call["started_at_ms"] == ended["call"]["start_timestamp"] + 400
    assert retell.post("/retell/events", payload("retell.call_analyzed", number=number, call_id=call_id)).status_code == 204
    until(lambda: service.recall(number)["memory"]["recent_calls"][0]["outcome"] == "appointment_booked", "the correction")
    assert service.calls(number) == 1


def test_a_caller_who_gave_a_name_is_asked_for_it_next_time(alone, service, number, call_id):
    retell = alone(Retell)
    ended = payload("retell.call_ended", number=number, call_id=call_id)
    ended["call"]["transcript_object"][1]["content"] = "My name is Dana Whitfield and my email is dana@example.com."
    assert retell.post("/retell/events", ended).status_code == 204
    until(lambda: service.calls(number) == 1, "the call to be stored")
    first_words, card = retell.ring(number, f"{call_id}-2")
    assert first_words == "Hello again! Am I speaking with Dana Whitfield?"
    assert "\nName: Dana Whitfield\n" in card
    assert re.search(r'^Said on \d{4}-\d\d-\d\d, email: dana@example.com \(".*dana@example.com.*"\)$', card, re.M), card


def test_retell_repeats_its_webhook_and_the_caller_is_still_new(alone, number, call_id):
    retell = alone(Retell)
    for _ in range(3):
        assert retell.ring(number, call_id)[1] == "This number has not called before."
    older = payload("retell.call_inbound", number=number, call_id=call_id)
    del older["call_inbound"]["call_id"]
    assert retell.post("/retell/inbound", older).json()["call_inbound"]["dynamic_variables"]["caller_state"] == "new"


def test_twilio_calls_that_nobody_answered(alone, service, number, call_id):
    twilio = alone(Twilio)
    body = payload("twilio.status", number=number, call_id=call_id)
    assert twilio.form("/twilio/status", body).status_code == 204
    until(lambda: service.calls(number) == 1, "the call to be stored")
    assert service.recall(number)["memory"]["recent_calls"][0]["outcome"] == "no_answer"
    # An answered call is written by the WebSocket alone: this would replace its report by an empty one.
    assert twilio.form("/twilio/status", body | {"CallStatus": "completed", "CallSid": f"{call_id}-2"}).status_code == 204
    assert not list((twilio.folder / "outbox").rglob("*.json"))


def test_twilio_messages_that_are_no_words(alone, service, switch, number, call_id):
    twilio = alone(Twilio, switch.url)
    with twilio.relay() as relay:
        for message in (
            payload("twilio.prompt"),  # before the setup
            payload("twilio.setup", number=number, call_id=call_id),
            payload("twilio.interrupt") | {"utteranceUntilInterrupt": ""},  # the greeting was not heard at all
            payload("twilio.prompt") | {"last": False},
            {"type": "dtmf", "digit": "1"},
            {"type": "error", "description": "an error of the session"},
        ):
            relay.send(json.dumps(message))
    until(lambda: service.calls(number) == 1, "the call to be stored")
    sent = switch.seen("/v1/calls/end", call_id)[-1][2]
    assert sent["transcript"] == [] and sent["outcome"] == "other"


def test_elevenlabs_calls_that_nobody_answered(alone, service, number, call_id):
    elevenlabs = alone(ElevenLabs)
    body = payload("elevenlabs.call_initiation_failure", number=number, call_id=call_id)
    assert elevenlabs.post("/elevenlabs/post-call", body).status_code == 200
    until(lambda: service.calls(number) == 1, "the call to be stored")
    assert service.recall(number)["memory"]["recent_calls"][0]["outcome"] == "no_answer"


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)
def test_calls_without_a_number_are_answered_and_not_stored(alone, platform, call_id):
    """A browser, or a number that the platform hides: nothing to remember by."""
    running = alone(platform)
    bodies = {
        "vapi": [("/vapi", payload(name, call_id=call_id)) for name in ("vapi.assistant-request", "vapi.end-of-call-report")],
        "retell": [("/retell/events", payload("retell.call_ended", call_id=call_id))],
        "twilio": [],
        "elevenlabs": [("/elevenlabs/post-call", payload("elevenlabs.post_call_transcription", call_id=call_id))],
        "bland": [("/bland/post-call", payload("bland.post_call", call_id=call_id))],
    }[platform.name]
    for path, body in bodies:
        for holder in (body.get("message", {}), body.get("call", {}), body.get("data", {}).get("metadata", {}), body):
            for key in ("customer", "from_number", "phone_call", "from"):
                holder.pop(key, None)
        answer = running.post(path, body)
        assert answer.status_code in (200, 204)
        assert GREETING in answer.text or not answer.content
    assert not list((running.folder / "outbox").rglob("*.json"))


def test_a_report_outlives_the_bridge_and_the_service(alone, tmp_path, number, call_id):
    service = Service(tmp_path)
    retell = alone(Retell, service.url)
    service.stop()
    assert retell.post("/retell/events", payload("retell.call_analyzed", number=number, call_id=call_id)).status_code == 204
    first_words, card = retell.ring(number, call_id)
    assert first_words == GREETING and UNAVAILABLE in card
    retell.process.process.kill()
    retell.process.process.wait(30)
    service.start()
    assert httpx.get(f"{service.url}/v1/caller/{number.replace('+', '%2B')}", headers=service.headers, timeout=30).status_code == 404
    alone(Retell, service.url, retell.folder)
    until(lambda: service.calls(number) == 1, "the call to be stored")
    assert service.recall(number)["memory"]["recent_calls"][0]["outcome"] == "appointment_booked"
    service.stop()


def test_a_wrong_key_keeps_the_reports(service, tmp_path, number, call_id, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "KEY", "sk_live_" + "x" * 43)
    retell, process = start(Retell, service.url, tmp_path)
    try:
        assert UNAVAILABLE in retell.ring(number, call_id)[1]
        assert retell.post("/retell/events", payload("retell.call_ended", number=number, call_id=call_id)).status_code == 204
        until(lambda: "calls/end refused: 401 unauthorized" in process.log.read_text(), "the refusal")
        assert len(list((tmp_path / "outbox").rglob("*.json"))) == 1  # until the key is mended
    finally:
        process.stop()
