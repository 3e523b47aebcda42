"""A Pipecat bot on Twilio Media Streams that knows its callers: recall before the pipeline, the card in the context, report at the end.

The TwiML that connects the call hands the caller's number over, because Twilio's stream does not carry it:

    <Connect><Stream url="wss://bot.example.com/ws"><Parameter name="from" value="{{From}}"/></Stream></Connect>
"""

import os
import time
from datetime import datetime

from caller_memory import OUTCOMES, CallerMemory, outcome, report, turn
from pipecat.frames.frames import TTSSpeakFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair, LLMUserAggregatorParams
from pipecat.services.llm_service import FunctionCallParams
from pipecat.workers.runner import WorkerRunner

GREETING = os.environ.get("AGENT_GREETING", "Hello, how can I help?")
PROMPT = "You answer the telephone of a dental practice. Be brief. Before you say goodbye, call record_outcome."


class Call:
    """One call: what was known at its start, and what was said in it."""

    def __init__(self, memory: CallerMemory, call_data) -> None:
        self.memory = memory
        self.call_id = call_data["call_id"]
        self.number = call_data.get("from") or (call_data.get("body") or {}).get("from")
        self.started = time.time()
        self.transcript: list = []
        self.agreed: str | None = None

    async def begin(self) -> LLMContext:
        """Before the pipeline runs: the recall has its own limit."""
        self.recall = await self.memory.recall(self.number, session_id=self.call_id)
        system = {"role": "system", "content": f"{PROMPT}\n\n{self.recall.card}"}
        return LLMContext([system], tools=[self.record_outcome])

    def listen(self, aggregators: LLMContextAggregatorPair) -> None:
        @aggregators.user().event_handler("on_user_turn_message_added")
        async def said(_, message):
            self.transcript.append(turn("user", message.content, epoch_ms(message.timestamp)))

        @aggregators.assistant().event_handler("on_assistant_turn_stopped")
        async def answered(_, message):
            self.transcript.append(turn("agent", message.content, epoch_ms(message.timestamp)))

    async def record_outcome(self, params: FunctionCallParams, result: str) -> None:
        """Records what the call came to.

        Args:
            result: appointment_booked, quote_given, callback_requested, no_answer or other
        """
        if result in OUTCOMES:
            self.agreed = result
        await params.result_callback("recorded" if result in OUTCOMES else f"it must be one of {', '.join(OUTCOMES)}")

    async def end(self) -> None:
        """After the pipeline has ended, for whatever reason."""
        if self.number:
            duration_s = time.time() - self.started
            said = outcome(self.agreed, None, {})  # a stream that closed says nothing of what was agreed
            await self.memory.end_call(report(self.call_id, self.number, self.transcript, duration_s, said, platform="pipecat"))


def epoch_ms(timestamp: str) -> float:
    try:
        return 1000 * datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return 1000 * time.time()


async def run_bot(memory: CallerMemory, transport, stt, llm, tts, call_data, turns: LLMUserAggregatorParams | None = None) -> None:
    """`call_data` is what pipecat.runner.utils.parse_telephony_websocket gives. `memory` is open as long as the server runs."""
    call = Call(memory, call_data)
    context = await call.begin()
    aggregators = LLMContextAggregatorPair(context, user_params=turns)
    call.listen(aggregators)
    pipeline = Pipeline([transport.input(), stt, aggregators.user(), llm, tts, transport.output(), aggregators.assistant()])
    worker = PipelineWorker(pipeline)

    @transport.event_handler("on_client_connected")
    async def greet(*_):
        await worker.queue_frame(TTSSpeakFrame(call.recall.greeting(GREETING)))

    @transport.event_handler("on_client_disconnected")
    async def hang_up(*_):
        await worker.cancel()

    try:
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(worker)
        await runner.run()
    finally:
        await call.end()
