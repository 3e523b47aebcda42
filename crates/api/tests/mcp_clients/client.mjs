// A whole loop through /mcp with the official TypeScript SDK: URL, key, a key with the scope `callers:read` alone, and which of the
// SDK's packages to use.

import assert from "node:assert/strict";

const [url, key, narrowKey, sdk, mode, number] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } =
  sdk === "v1"
    ? {
        ...(await import("@modelcontextprotocol/sdk/client/index.js")),
        ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
      }
    : await import("@modelcontextprotocol/client");

async function connect(key) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  await client.connect(transport);
  assert.equal(transport.sessionId, undefined, "there are no sessions");
  return { client, transport, call: (name, args) => client.callTool({ name, arguments: args }) };
}

function answer(result) {
  assert(!result.isError, JSON.stringify(result));
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

function failure(result) {
  assert(result.isError === true && result.structuredContent === undefined, JSON.stringify(result));
  const { error } = JSON.parse(result.content[0].text);
  assert(error.message && error.request_id, JSON.stringify(error));
  return error.code;
}

const report = {
  session_id: `typescript-${sdk}-${mode}`,
  phone_number: number,
  duration_s: 61.5,
  outcome: "callback_requested",
  transcript: [{ role: "user", text: "Please call me back about my water heater.", ts_ms: 0 }],
};
const { client, transport, call } = await connect(key);
assert.equal(client.getServerVersion().name, "caller-memory");
const { tools } = await client.listTools();
assert.deepEqual(
  tools.map((tool) => tool.name),
  ["recall_and_enrich", "calls_end", "caller_lookup"],
);
// The client checks each answer against these.
assert(tools.every((tool) => tool.outputSchema && tool.annotations));

assert.equal(failure(await call("caller_lookup", { phone_number: number })), "not_found");
const first = answer(await call("recall_and_enrich", { phone_number: number, session_id: report.session_id }));
assert(first.known === false && first.caller.total_calls === 0, JSON.stringify(first));
for (let n = 0; n < 2; n++) assert.deepEqual(answer(await call("calls_end", report)), { committed: true });
const profile = answer(await call("caller_lookup", { phone_number: number }));
const rest = await fetch(`${url}/v1/caller/${encodeURIComponent(number)}`, { headers: { Authorization: `Bearer ${key}` } });
assert.equal(profile.total_calls, 1);
assert.deepEqual(profile, await rest.json());
const again = answer(await call("recall_and_enrich", { phone_number: number }));
assert.equal(again.known, true);
assert.equal(again.memory.recent_calls[0].outcome, "callback_requested");

assert.equal(failure(await call("recall_and_enrich", { phone_number: "anonymous" })), "bad_request");
assert.equal(failure(await call("calls_end", { ...report, outcome: "sold" })), "validation_error");
assert.equal(failure(await call("calls_end", {})), "validation_error");
await assert.rejects(call("forget_everything", {}), (error) => error.code === -32602);
const version = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
await client.close();

const narrow = await connect(narrowKey);
assert.equal((await narrow.client.listTools()).tools.length, 3);
assert.equal(answer(await narrow.call("caller_lookup", { phone_number: number })).total_calls, 1);
assert.equal(failure(await narrow.call("recall_and_enrich", { phone_number: number })), "insufficient_scope");
assert.equal(failure(await narrow.call("calls_end", report)), "insufficient_scope");
await narrow.client.close();
await assert.rejects(connect("sk_live_wrongwrongwrongwrongwrong"), (error) => !(error instanceof assert.AssertionError));
console.log(`  typescript ${sdk}, mode ${mode}: protocol ${version}`);
