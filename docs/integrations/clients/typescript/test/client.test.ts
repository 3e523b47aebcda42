/** The client against a running service (CALLER_MEMORY_URL, CALLER_MEMORY_KEY) and against a stub that refuses. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { ApiError, CallerMemory, NoAnswer, type CallsEndRequest } from "caller-memory-client";

const baseUrl = process.env["CALLER_MEMORY_URL"] ?? assert.fail("CALLER_MEMORY_URL is not set");
const apiKey = process.env["CALLER_MEMORY_KEY"] ?? assert.fail("CALLER_MEMORY_KEY is not set");
const number = "+12025550162";
const call: CallsEndRequest = {
  session_id: "typescript-1",
  phone_number: number,
  duration_s: 94,
  outcome: "appointment_booked",
  transcript: [{ role: "user", text: "I would like a cleaning on Tuesday at three.", ts_ms: 0 }],
};

test("the whole loop", async () => {
  const memory = new CallerMemory({ baseUrl, apiKey, recallLimitMs: 10_000 });
  const first = await memory.recall({ phone_number: number, session_id: "typescript-1" }, { deadlineMs: 5_000 });
  assert.equal(first.known, false);
  assert.equal(first.memory.summary, "");
  assert.equal(await memory.endCall(call), undefined);
  await memory.endCall(call);
  const second = await memory.recall({ phone_number: "(202) 555-0162" }, { deadlineMs: 5_000 });
  assert.equal(second.known, true);
  assert.equal(second.caller.total_calls, 1);
  assert.match(second.memory.summary, /1 call/);
  assert.equal(second.memory.recent_calls[0]?.outcome, "appointment_booked");
  assert.equal((await memory.getCaller(number)).total_calls, 1);
});

test("refusals are typed", async () => {
  const memory = new CallerMemory({ baseUrl, apiKey });
  const unknown = await refused(memory.getCaller("+12025550169"));
  assert.deepEqual([unknown.status, unknown.code], [404, "not_found"]);
  assert.ok(unknown.message && unknown.requestId);
  const wrong = { ...call, outcome: "sold" } as unknown as CallsEndRequest;
  const invalid = await refused(memory.endCall(wrong));
  assert.deepEqual([invalid.status, invalid.code], [422, "validation_error"]);
  assert.match(invalid.message, /outcome/);
  const stranger = new CallerMemory({ baseUrl, apiKey: "sk_live_000000000000000000000000" });
  const unauthorized = await refused(stranger.recall({ phone_number: number }));
  assert.deepEqual([unauthorized.status, unauthorized.code], [401, "unauthorized"]);
});

test("the example of the README runs", async () => {
  const folder = new URL("../../", import.meta.url);
  const example = await readFile(new URL("test/example.ts", folder), "utf8");
  const readme = await readFile(new URL("README.md", folder), "utf8");
  assert.deepEqual([...readme.matchAll(/```ts\n(.*?)```/gs)].map((block) => block[1]), [example]);
  const run = () => promisify(execFile)(process.execPath, [fileURLToPath(new URL("./example.js", import.meta.url))]);
  assert.equal((await run()).stdout, 'the agent is told: ""\n');
  assert.match((await run()).stdout, /1 call so far/);
});

const busy = '{"error": {"code": "service_unavailable", "message": "busy", "request_id": "r1"}}';

test("a 429 is sent again after its time", async (t) => {
  const stub = await serve(t, (n, response) => {
    if (n === 1) response.writeHead(429, { "retry-after": "1" }).end(busy);
    else response.writeHead(204).end();
  });
  const began = performance.now();
  await new CallerMemory({ baseUrl: stub.url, apiKey }).endCall(call);
  assert.ok(performance.now() - began >= 990);
  assert.equal(stub.bodies.length, 2);
  assert.equal(stub.bodies[0], stub.bodies[1]);
  assert.match(stub.bodies[0] ?? "", /typescript-1/);
});

test("a 503 forever is given up after all tries", async (t) => {
  const stub = await serve(t, (_, response) => response.writeHead(503, { "retry-after": "0" }).end(busy));
  const error = await refused(new CallerMemory({ baseUrl: stub.url, apiKey, tries: 3 }).endCall(call));
  assert.deepEqual(
    [error.status, error.code, error.message, error.requestId],
    [503, "service_unavailable", "busy", "r1"],
  );
  assert.equal(stub.bodies.length, 3);
});

test("a recall does not wait past its limit", async (t) => {
  const stub = await serve(t, (_, response) => response.writeHead(503, { "retry-after": "20" }).end(busy));
  const began = performance.now();
  const memory = new CallerMemory({ baseUrl: stub.url, apiKey, recallLimitMs: 15_000 });
  await refused(memory.recall({ phone_number: number }));
  assert.ok(performance.now() - began < 15_000);
  assert.equal(stub.bodies.length, 1);
});

test("a recall without an answer ends with its limit", async (t) => {
  const stub = await serve(t, () => undefined);
  const began = performance.now();
  const memory = new CallerMemory({ baseUrl: stub.url, apiKey, recallLimitMs: 300 });
  await assert.rejects(memory.recall({ phone_number: number }), NoAnswer);
  assert.ok(performance.now() - began < 5_000);
});

test("a service that is not there is no answer", async (t) => {
  const stub = await serve(t, () => undefined);
  await stub.close();
  await assert.rejects(new CallerMemory({ baseUrl: stub.url, apiKey, tries: 2 }).endCall(call), NoAnswer);
});

test("other refusals are not sent again", async (t) => {
  const stub = await serve(t, (_, response) => response.writeHead(502, { "x-request-id": "r2" }).end("<html>"));
  const error = await refused(new CallerMemory({ baseUrl: stub.url, apiKey }).endCall(call));
  assert.deepEqual([error.status, error.code, error.requestId], [502, "unknown", "r2"]);
  assert.equal(stub.bodies.length, 1);
});

test("fields of later versions are kept", async (t) => {
  const body = '{"known": true, "later": [1], "memory": {"summary": "s", "gaps": 1}}';
  const stub = await serve(t, (_, response) => response.writeHead(200).end(body));
  const recall = await new CallerMemory({ baseUrl: stub.url, apiKey }).recall({ phone_number: number });
  assert.deepEqual(recall["later"], [1]);
});

test("a 200 that is not JSON, or empty, is no answer", async (t) => {
  for (const body of ["<html>", ""]) {
    const stub = await serve(t, (_, response) => response.writeHead(200).end(body));
    const memory = new CallerMemory({ baseUrl: stub.url, apiKey });
    await assert.rejects(memory.recall({ phone_number: number }), NoAnswer);
  }
});

async function refused(work: Promise<unknown>): Promise<ApiError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return assert.fail("it was not refused");
}

/** A stub that answers each request with what `answer` makes of its number, from 1. */
async function serve(t: TestContext, answer: (n: number, response: ServerResponse) => unknown) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(Buffer.concat(chunks).toString());
    answer(bodies.length, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.after(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, close };
}
