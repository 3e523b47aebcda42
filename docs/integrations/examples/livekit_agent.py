"""A LiveKit agent that knows its callers: recall when the caller joins, the card in the instructions, the report at shutdown."""

import os
import time

from caller_memory import OUTCOMES, CallerMemory, Recall, outcome, report, turn
from livekit import rtc
from livekit.agents import Agent, AgentServer, AgentSession, JobContext, RunContext, cli, function_tool

GREETING = os.environ.get("AGENT_GREETING", "Hello, how can I help?")
PROMPT = "You answer the telephone of a dental practice. Be brief. Before you say goodbye, call record_outcome."

# Why the participant left. The other reasons say how the line was closed and nothing of what was agreed.
REASONS = {"USER_UNAVAILABLE": "no_answer", "USER_REJECTED": "no_answer", "SIP_TRUNK_FAILURE": "no_answer"}

server = AgentServer()


class Receptionist(Agent):
    def __init__(self, recall: Recall) -> None:
        super().__init__(instructions=f"{PROMPT}\n\n{recall.card}")
        self.recall = recall
        self.agreed: str | None = None

    async def on_enter(self) -> None:
        await self.session.say(self.recall.greeting(GREETING))

    @function_tool
    async def record_outcome(self, context: RunContext, result: str) -> str:
        """Records what the call came to.

        Args:
            result: appointment_booked, quote_given, callback_requested, no_answer or other
        """
        if result not in OUTCOMES:
            return f"Not recorded: it must be one of {', '.join(OUTCOMES)}."
        self.agreed = result
        return "Recorded."


async def answer(context: JobContext, caller: rtc.RemoteParticipant, session: AgentSession) -> None:
    """One call, from the first ring to the report."""
    memory = CallerMemory()
    number, call_id = caller.attributes.get("sip.phoneNumber"), caller.attributes.get("sip.callID") or context.job.id
    agent = Receptionist(await memory.recall(number, session_id=call_id))
    started = time.time()

    async def write_back() -> None:
        if number:  # the dispatch rule hides it, or the caller is in a browser
            await memory.end_call(
                report(
                    session_id=call_id,
                    phone_number=number,
                    transcript=transcript(session),
                    duration_s=time.time() - started,
                    outcome=outcome(agent.agreed, left(caller), REASONS),
                    platform="livekit",
                    disconnect_reason=left(caller),
                )
            )
        # LiveKit ends the process ten seconds after the call; what is not stored by then is sent by a later call.
        await memory.flush(limit_s=6)
        await memory.client.aclose()

    context.add_shutdown_callback(write_back)
    await session.start(agent=agent, room=context.room)


def transcript(session: AgentSession) -> list:
    return [
        turn("user" if item.role == "user" else "agent", item.text_content, item.created_at * 1000)
        for item in session.history.items
        if item.type == "message" and item.role in ("user", "assistant")
    ]


def left(caller: rtc.RemoteParticipant) -> str | None:
    return rtc.DisconnectReason.Name(caller.disconnect_reason) if caller.disconnect_reason is not None else None


@server.rtc_session()
async def entrypoint(context: JobContext) -> None:
    await context.connect()
    caller = await context.wait_for_participant()
    # Yours: speech recognition, language model and voice. These names are LiveKit's hosted models.
    session = AgentSession(stt="deepgram/nova-3", llm="openai/gpt-4.1-mini", tts="cartesia/sonic-3")
    await answer(context, caller, session)


if __name__ == "__main__":
    cli.run_app(server)
