"""pipecat_bot.py with Pipecat's own pipeline, worker, frames, context, aggregators and services. No audio, no network to a vendor:
the transport's two ends pass frames on, speech recognition is the frames it would give, the language model and the voice are scripts."""

import asyncio
import json

import pytest
from conftest import GREETING, KEY, RECALL_TIMEOUT_S

pytest.importorskip("pipecat", reason="pipecat-ai is not installed; .ci/test-integrations installs it")

from pipecat.frames.frames import (
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    StartFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.runner.utils import parse_telephony_websocket
from pipecat.services.llm_service import FunctionCallFromLLM, LLMService
from pipecat.services.settings import LLMSettings
from pipecat.services.tts_service import TTSService
from pipecat.transports.base_transport import BaseTransport
from pipecat.turns.user_stop.speech_timeout_user_turn_stop_strategy import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.utils.time import time_now_iso8601


class Pass(FrameProcessor):
    started = False

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        self.started = self.started or isinstance(frame, StartFrame)


class Script(LLMService):
    """Says each line in turn; a dict is a call of a tool. Keeps what it was asked with."""

    def __init__(self, *lines) -> None:
        super().__init__(settings=LLMSettings(model="script"))
        self.lines, self.asked = list(lines), []

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        self.asked.append([dict(message) for message in frame.context.messages])
        line = self.lines.pop(0)
        await self.push_frame(LLMFullResponseStartFrame())
        if isinstance(line, str):
            await self.push_frame(LLMTextFrame(line))
        await self.push_frame(LLMFullResponseEndFrame())
        if isinstance(line, dict):
            name, arguments = next(iter(line.items()))
            call = FunctionCallFromLLM(function_name=name, tool_call_id="t1", arguments=arguments, context=frame.context)
            await self.run_function_calls([call])


class Voice(TTSService):
    """A tenth of a second of silence for each sentence."""

    def __init__(self) -> None:
        super().__init__(sample_rate=8000, push_start_frame=True, push_stop_frames=True)

    async def run_tts(self, text, context_id):
        yield TTSAudioRawFrame(audio=b"\0\0" * 800, sample_rate=8000, num_channels=1, context_id=context_id)


class Line(BaseTransport):
    """The telephone line: the caller comes, says each line after the agent has spoken, and hangs up."""

    def __init__(self, *said: str) -> None:
        super().__init__()
        self.said = said
        self.ends = Pass(name="in"), Pass(name="out")
        self._register_event_handler("on_client_connected")
        self._register_event_handler("on_client_disconnected")

    def input(self):
        return self.ends[0]

    def output(self):
        return self.ends[1]

    async def talk(self, call, script) -> None:
        async with asyncio.timeout(60):
            while not self.ends[1].started:
                await asyncio.sleep(0.02)
            await self._call_event_handler("on_client_connected", None)
            await self.heard(call, 1)
            for number, words in enumerate(self.said, 1):
                for frame in (
                    VADUserStartedSpeakingFrame(),
                    TranscriptionFrame(words, "caller", time_now_iso8601(), finalized=True),
                    VADUserStoppedSpeakingFrame(),
                ):
                    await self.ends[0].push_frame(frame)
                await self.heard(call, 1 + number)
            while script.lines:
                await asyncio.sleep(0.02)
            await self._call_event_handler("on_client_disconnected", None)

    @staticmethod
    async def heard(call, count: int) -> None:
        """Waits until the agent has spoken so many times."""
        while sum(1 for entry in call.transcript if entry and entry["role"] == "agent") < count:
            await asyncio.sleep(0.02)


class Socket:
    """Twilio's two first messages, as its documentation of Media Streams has them."""

    def __init__(self, number: str | None, call_id: str) -> None:
        parameters = {"from": number} if number else {}
        start = {"accountSid": "AC0", "streamSid": "MZ0", "callSid": call_id, "tracks": ["inbound"], "customParameters": parameters}
        start["mediaFormat"] = {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}
        self.messages = [
            {"event": "connected", "protocol": "Call", "version": "1.0.0"},
            {"event": "start", "sequenceNumber": "1", "start": start, "streamSid": "MZ0"},
        ]
        self.state = type("State", (), {})()

    async def iter_text(self):
        for message in self.messages:
            yield json.dumps(message)


@pytest.fixture
def bot(monkeypatch, tmp_path, switch):
    monkeypatch.setenv("CALLER_MEMORY_KEY", KEY)
    monkeypatch.setenv("CALLER_MEMORY_URL", switch.url)
    monkeypatch.setenv("CALLER_MEMORY_OUTBOX", str(tmp_path / "outbox"))
    monkeypatch.setenv("CALLER_MEMORY_RECALL_TIMEOUT_S", str(RECALL_TIMEOUT_S))
    import pipecat_bot

    monkeypatch.setattr(pipecat_bot, "GREETING", GREETING)
    return pipecat_bot


def talk(bot, monkeypatch, number, call_id: str, script: Script, *said: str, after=None):
    """One call as Pipecat's runner would run it. `after` runs when the call is over and before the outbox is waited for."""
    calls = []

    class Call(bot.Call):
        def __init__(self, *arguments) -> None:
            super().__init__(*arguments)
            calls.append(self)

    monkeypatch.setattr(bot, "Call", Call)

    async def run():
        async with bot.CallerMemory() as memory:
            transport_type, call_data = await parse_telephony_websocket(Socket(number, call_id))
            assert transport_type == "twilio"
            line = Line(*said)
            stop = SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=0.1)
            turns = LLMUserAggregatorParams(user_turn_strategies=UserTurnStrategies(stop=[stop]))
            running = asyncio.create_task(bot.run_bot(memory, line, Pass(name="stt"), script, Voice(), call_data, turns))
            while not calls:
                await asyncio.sleep(0.01)
            await line.talk(calls[0], script)
            await running
            if after:
                after()
            async with asyncio.timeout(60):
                while list(memory.outbox.glob("*.json")):
                    await asyncio.sleep(0.05)
        return calls[0]

    return asyncio.run(run())


def test_a_call_is_recalled_and_written_back(bot, monkeypatch, service, switch, number, call_id):
    script = Script("Tuesday at three it is.", {"record_outcome": {"result": "appointment_booked"}}, "Goodbye.")
    said = ("Hi, I would like to book a cleaning on Tuesday at three.", "Thank you, bye.")
    talk(bot, monkeypatch, number, call_id, script, *said)

    assert script.asked[0][0]["role"] == "system" and "This number has not called before." in script.asked[0][0]["content"]
    sent = switch.seen("/v1/calls/end", call_id)[-1][2]
    assert sent["outcome"] == "appointment_booked"
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
    talk(bot, monkeypatch, number, f"{call_id}-2", script, "Hi again.")
    assert "cleaning on Tuesday" in script.asked[0][0]["content"]
    assert service.calls(number) == 2


@pytest.mark.parametrize("mode", ["down", "429", "503", "slow", "degraded"])
def test_no_failure_of_the_service_holds_up_the_call(bot, monkeypatch, service, switch, number, call_id, mode):
    switch.set(mode)
    script = Script("I see.")
    call = talk(bot, monkeypatch, number, call_id, script, "I would like a cleaning.", after=lambda: switch.set("pass"))
    assert call.transcript[0]["text"] == GREETING
    assert "cannot be told at the moment" in script.asked[0][0]["content"]
    assert service.calls(number) == 1


def test_calls_without_a_number_are_answered_and_not_stored(bot, monkeypatch, switch, call_id):
    call = talk(bot, monkeypatch, None, call_id, Script("I see."), "Hello?")
    assert call.transcript[0]["text"] == GREETING
    assert not switch.seen("/v1/recall_and_enrich", call_id) and not switch.seen("/v1/calls/end", call_id)


def test_an_outcome_that_is_not_one_of_the_five_is_not_recorded(bot, monkeypatch, service, number, call_id):
    script = Script({"record_outcome": {"result": "sold"}}, "Goodbye.")
    talk(bot, monkeypatch, number, call_id, script, "Bye.")
    assert "must be one of appointment_booked" in str(script.asked[-1])
    assert service.recall(number)["memory"]["recent_calls"][0]["outcome"] == "other"
