"""livekit_agent.py with LiveKit's own JobContext, AgentSession, Agent and history. No server, no audio; the language model is a script."""

import asyncio
import json
import types

import pytest
from conftest import GREETING, KEY, RECALL_TIMEOUT_S

pytest.importorskip("livekit.agents", reason="livekit-agents is not installed; .ci/test-integrations installs it")

from livekit import rtc
from livekit.agents import AgentSession, llm
from livekit.agents.testing import fake_job_context
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS


class Script(llm.LLM):
    """Says each line in turn; a dict is a call of a tool. Keeps what it was asked with."""

    def __init__(self, *lines) -> None:
        super().__init__()
        self.lines, self.asked = list(lines), []

    def chat(self, *, chat_ctx, tools=None, conn_options=DEFAULT_API_CONNECT_OPTIONS, **_):
        self.asked.append(chat_ctx.copy())
        return ScriptStream(self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class ScriptStream(llm.LLMStream):
    async def _run(self) -> None:
        line = self._llm.lines.pop(0)
        delta = llm.ChoiceDelta(role="assistant", content=line if isinstance(line, str) else None)
        if isinstance(line, dict):
            name, arguments = next(iter(line.items()))
            delta.tool_calls = [llm.FunctionToolCall(name=name, arguments=json.dumps(arguments), call_id="t1")]
        self._event_ch.send_nowait(llm.ChatChunk(id="c", delta=delta))


class TextSession(AgentSession):
    """Runs without a room, as LiveKit's own tests of agents do: words in, words out."""

    async def start(self, agent, *, room):
        assert isinstance(room, rtc.Room)
        return await super().start(agent)


def caller(number: str | None, call_id: str, reason=None):
    """What a SIP participant is to the agent: attributes as LiveKit's telephony sets them, and why it left."""
    attributes = {"sip.callID": call_id, "sip.trunkPhoneNumber": "+12137771235"} | ({"sip.phoneNumber": number} if number else {})
    return types.SimpleNamespace(attributes=attributes, disconnect_reason=reason)


@pytest.fixture
def agent(monkeypatch, tmp_path, switch):
    monkeypatch.setenv("CALLER_MEMORY_KEY", KEY)
    monkeypatch.setenv("CALLER_MEMORY_URL", switch.url)
    monkeypatch.setenv("CALLER_MEMORY_OUTBOX", str(tmp_path / "outbox"))
    monkeypatch.setenv("CALLER_MEMORY_RECALL_TIMEOUT_S", str(RECALL_TIMEOUT_S))
    monkeypatch.setenv("AGENT_GREETING", GREETING)
    import livekit_agent

    monkeypatch.setattr(livekit_agent, "GREETING", GREETING)
    return livekit_agent


def talk(agent, participant, script: Script, *said: str) -> AgentSession:
    """One call as a worker would run it: the entry point after the caller has joined, the talk, the shutdown callbacks."""

    async def run() -> AgentSession:
        with fake_job_context() as context:
            session = TextSession(llm=script)
            await agent.answer(context, participant, session)
            await until_spoken(session)
            for words in said:
                await session.run(user_input=words)
            participant.disconnect_reason = participant.disconnect_reason or rtc.DisconnectReason.Value("CLIENT_INITIATED")
            await session.aclose()
            for callback in context._shutdown_callbacks:
                await callback("the caller left")
            return session

    async def until_spoken(session):
        async with asyncio.timeout(30):
            while not agent.transcript(session):
                await asyncio.sleep(0.02)

    return asyncio.run(run())


def test_a_call_is_recalled_and_written_back(agent, service, switch, number, call_id):
    script = Script("Tuesday at three it is.", {"record_outcome": {"result": "appointment_booked"}}, "Goodbye.")
    said = ("Hi, I would like to book a cleaning on Tuesday at three.", "Thank you, bye.")
    talk(agent, caller(number, call_id), script, *said)

    instructions = script.asked[0].items[0]
    assert instructions.role == "system" and "This number has not called before." in instructions.text_content
    sent = switch.seen("/v1/calls/end", call_id)[-1][2]
    assert sent["outcome"] == "appointment_booked" and sent["agent_metadata"]["disconnect_reason"] == "CLIENT_INITIATED"
    assert [(entry["role"], entry["text"]) for entry in sent["transcript"]] == [
        ("agent", GREETING),
        ("user", said[0]),
        ("agent", "Tuesday at three it is."),
        ("user", said[1]),
        ("agent", "Goodbye."),
    ]
    times = [entry["ts_ms"] for entry in sent["transcript"]]
    assert times == sorted(times) and times[0] > 1_700_000_000_000 and sent["duration_s"] > 0
    assert switch.seen("/v1/recall_and_enrich", number)[0][2]["session_id"] == call_id
    assert service.calls(number) == 1

    script = Script("Hello.")
    talk(agent, caller(number, f"{call_id}-2"), script, "Hi again.")
    assert "cleaning on Tuesday" in script.asked[0].items[0].text_content
    assert service.calls(number) == 2


@pytest.mark.parametrize("mode", ["down", "429", "503", "slow", "degraded"])
def test_no_failure_of_the_service_holds_up_the_call(agent, service, switch, number, call_id, mode, monkeypatch):
    switch.set(mode)
    script = Script("I see.")
    real = agent.CallerMemory.flush

    async def flush(self, limit_s):
        switch.set("pass")  # the service comes back when the call is over
        return await real(self, limit_s)

    monkeypatch.setattr(agent.CallerMemory, "flush", flush)
    session = talk(agent, caller(number, call_id), script, "I would like a cleaning.")
    assert agent.transcript(session)[0]["text"] == GREETING
    assert "cannot be told at the moment" in script.asked[0].items[0].text_content
    assert service.calls(number) == 1


def test_what_is_not_stored_in_time_is_sent_by_the_next_call(agent, service, switch, number, call_id, monkeypatch):
    real = agent.CallerMemory.flush
    monkeypatch.setattr(agent.CallerMemory, "flush", lambda self, limit_s: real(self, 0.2))
    switch.set("503")
    talk(agent, caller(number, call_id), Script("I see."), "I would like a cleaning.")
    assert service.calls(number) == 0
    switch.set("pass")
    monkeypatch.setattr(agent.CallerMemory, "flush", real)
    talk(agent, caller(number, f"{call_id}-2"), Script("I see."), "I would like a cleaning.")
    assert service.calls(number) == 2


def test_calls_without_a_number_are_answered_and_not_stored(agent, switch, call_id):
    script = Script("I see.")
    session = talk(agent, caller(None, call_id), script, "Hello?")
    assert agent.transcript(session)[0]["text"] == GREETING
    assert not switch.seen("/v1/recall_and_enrich", call_id) and not switch.seen("/v1/calls/end", call_id)


def test_an_outcome_that_is_not_one_of_the_five_is_not_recorded(agent, service, number, call_id):
    script = Script({"record_outcome": {"result": "sold"}}, "Goodbye.")
    talk(agent, caller(number, call_id), script, "Bye.")
    outputs = [item.output for item in script.asked[-1].items if item.type == "function_call_output"]
    assert outputs and "must be one of appointment_booked" in outputs[0]
    assert service.recall(number)["memory"]["recent_calls"][0]["outcome"] == "other"


def test_every_reason_of_the_package_has_an_outcome(agent):
    from caller_memory import outcome

    names = rtc.DisconnectReason.keys()
    assert set(agent.REASONS) <= set(names) and len(names) > 10
    assert {outcome(None, name, agent.REASONS) for name in names} == {"no_answer", "other"}
    assert agent.left(caller("+1", "c", rtc.DisconnectReason.Value("USER_REJECTED"))) == "USER_REJECTED"
    assert agent.left(caller("+1", "c")) is None


def test_the_entry_point_is_registered_with_the_worker(agent):
    assert agent.server._entrypoint_fnc is agent.entrypoint
