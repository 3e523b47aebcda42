import { CallerMemory } from "caller-memory-client";

const memory = new CallerMemory({
  baseUrl: process.env["CALLER_MEMORY_URL"] ?? "http://127.0.0.1:8080",
  apiKey: process.env["CALLER_MEMORY_KEY"] ?? "",
});
const number = "+12025550144";
const session = "typescript-example-1";

// The phone rings. Whatever happens here, the call goes on.
let context = "";
try {
  const recall = await memory.recall({ phone_number: number, session_id: session });
  if (recall.known) context = recall.memory.summary;
} catch (error) {
  console.log(`without memory: ${error}`);
}
console.log(`the agent is told: "${context}"`);

// The caller has hung up. When this resolves, the call is on disk.
await memory.endCall({
  session_id: session,
  phone_number: number,
  duration_s: 94,
  outcome: "appointment_booked",
  transcript: [
    { role: "agent", text: "Harbor Dental, how can I help?", ts_ms: 0 },
    { role: "user", text: "I would like a cleaning on Tuesday at three.", ts_ms: 2100 },
  ],
});
