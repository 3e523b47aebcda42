import asyncio
import os

from caller_memory_client import CallerMemory, CallerMemoryError


async def main() -> None:
    url = os.environ.get("CALLER_MEMORY_URL", "http://127.0.0.1:8080")
    async with CallerMemory(url, os.environ["CALLER_MEMORY_KEY"]) as memory:
        number, session = "+12025550143", "python-example-1"

        # The phone rings. Whatever happens here, the call goes on.
        context = ""
        try:
            recall = await memory.recall({"phone_number": number, "session_id": session})
            if recall["known"]:
                context = recall["memory"]["summary"]
        except CallerMemoryError as error:
            print(f"without memory: {error}")
        print(f"the agent is told: {context!r}")

        # The caller has hung up. When this returns, the call is on disk.
        await memory.end_call(
            {
                "session_id": session,
                "phone_number": number,
                "duration_s": 94,
                "outcome": "appointment_booked",
                "transcript": [
                    {"role": "agent", "text": "Harbor Dental, how can I help?", "ts_ms": 0},
                    {"role": "user", "text": "I would like a cleaning on Tuesday at three.", "ts_ms": 2100},
                ],
            }
        )


asyncio.run(main())
