/** A client of caller-memory: its three requests, each with a time limit and retries within it. */
import createClient, { type Client } from "openapi-fetch";

import type {
  Caller,
  CallsEndRequest,
  ErrorEnvelope,
  RecallAndEnrichRequest,
  RecallAndEnrichResponse,
  paths,
} from "./schema.js";

export type * from "./schema.js";

export interface Options {
  /** The service's address, for example `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** A key of the tenant. For servers: it must not reach a browser. */
  apiKey: string;
  /** How long a recall may take with its retries: a call is waiting. In milliseconds. */
  recallLimitMs?: number;
  /** The same for the other requests. */
  limitMs?: number;
  /** How often any request is sent at most. */
  tries?: number;
}

/** The service refused. `code` is for programs, the message for people, `requestId` for the service's log. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

/** No whole answer came within the time limit. A call that was written back may be on disk: write it back again. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** The longest time for one try, so that a try that hangs leaves time for another. */
const ONE_TRY_MS = 10_000;

/** The pause after the first try; it doubles from try to try up to the second figure. */
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

export class CallerMemory {
  readonly #client: Client<paths>;
  readonly #recallLimitMs: number;
  readonly #limitMs: number;
  readonly #tries: number;

  constructor({ baseUrl, apiKey, recallLimitMs = 1_000, limitMs = 60_000, tries = 8 }: Options) {
    this.#client = createClient<paths>({
      baseUrl,
      headers: { Authorization: `Bearer ${apiKey}` },
      // The key goes to the service and to nobody else.
      redirect: "manual",
    });
    this.#recallLimitMs = recallLimitMs;
    this.#limitMs = limitMs;
    this.#tries = tries;
  }

  /**
   * Says who is calling; send it before the agent's first turn.
   *
   * `deadlineMs` asks the service to answer within that time, with what it knows by then. When the answer has `degraded`, the
   * memory could not be read: that caller must not be greeted as a new one.
   */
  async recall(body: RecallAndEnrichRequest, options: { deadlineMs?: number } = {}): Promise<RecallAndEnrichResponse> {
    const header = options.deadlineMs === undefined ? {} : { "X-Deadline-Ms": options.deadlineMs };
    return whole(
      await this.#send(this.#recallLimitMs, (signal) =>
        this.#client.POST("/v1/recall_and_enrich", { body, params: { header }, signal }),
      ),
    );
  }

  /** Writes a call back, after hangup. When it resolves, the call is on disk; sent again, it counts once. */
  async endCall(body: CallsEndRequest): Promise<void> {
    await this.#send(this.#limitMs, (signal) => this.#client.POST("/v1/calls/end", { body, signal }));
  }

  /** Reads a profile without a trace. The number is in E.164; an unknown one is an `ApiError` 404. */
  async getCaller(phoneNumber: string): Promise<Caller> {
    const path = { phone_number: phoneNumber };
    return whole(
      await this.#send(this.#limitMs, (signal) =>
        this.#client.GET("/v1/caller/{phone_number}", { params: { path }, signal }),
      ),
    );
  }

  async #send<T>(limitMs: number, request: (signal: AbortSignal) => Promise<Answer<T>>): Promise<T | undefined> {
    const end = performance.now() + limitMs;
    for (let attempt = 1; ; attempt += 1) {
      let pause = Math.min(PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
      let failure: Error;
      try {
        const left = Math.min(end - performance.now(), ONE_TRY_MS);
        const { data, error, response } = await request(AbortSignal.timeout(Math.max(1, Math.ceil(left))));
        if (response.ok) return data;
        failure = refusal(response, error);
        if (response.status !== 429 && response.status !== 503) throw failure;
        pause = Math.max(pause, retryAfterMs(response));
      } catch (cause) {
        if (cause instanceof ApiError) throw cause;
        if (cause instanceof SyntaxError) throw new NoAnswer("the answer is not JSON; check baseUrl", { cause });
        failure = new NoAnswer(`no answer: ${cause instanceof Error ? cause.name : "unknown"}`, { cause });
      }
      // A pause that ends after the limit is not begun.
      if (attempt >= this.#tries || performance.now() + pause >= end) throw failure;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

function whole<T>(data: T | undefined): T {
  if (data === undefined) throw new NoAnswer("the answer is empty; check baseUrl");
  return data;
}

/** What the error envelope says; a proxy's page has none. */
function refusal(response: Response, body: unknown): ApiError {
  const said = (body as Partial<ErrorEnvelope> | null | undefined)?.error;
  if (typeof said?.code === "string" && typeof said.message === "string") {
    return new ApiError(response.status, said.code, said.message, said.request_id);
  }
  const message = `HTTP ${response.status}, not in the words of a caller-memory service; check baseUrl`;
  return new ApiError(response.status, "unknown", message, response.headers.get("x-request-id") ?? undefined);
}

/** What the service asks to wait; 0 when it does not say, or not in seconds. */
function retryAfterMs(response: Response): number {
  const seconds = response.headers.get("retry-after") ?? "";
  return /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : 0;
}
