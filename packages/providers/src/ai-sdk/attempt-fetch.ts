import { Exchange } from "../exchange/exchange.ts";
import { asRecord } from "../exchange/json.ts";
import { isSuccess, readErrorReply } from "../exchange/read-error-reply.ts";
import { secretsOf } from "../exchange/redaction.ts";
import {
  type Attempt,
  type ProviderAddress,
  type ProviderConnection,
  ProviderError,
  type ProviderFailure,
} from "../provider.ts";
import type { BodyEdit } from "./body-edits.ts";
import type { ProviderModel } from "./provider-model.ts";
import { bodyInOnePiece, readWholeReply } from "./read-whole-reply.ts";
import { FrameEvents, type ReplyEvents, TextEvents } from "./reply-events.ts";
import { type ReplyView, withModelSeen } from "./reply-view.ts";

interface AttemptFetchOptions {
  readonly connection: ProviderConnection;
  readonly address: ProviderAddress;
  readonly attempt: Attempt;
  readonly streaming: boolean;
  readonly providerModel: Pick<ProviderModel, "sign" | "lastEvent" | "replyView">;
  /** Applied to each outgoing body that is JSON, in order. */
  readonly bodyEdits: readonly BodyEdit[];
}

/**
 * The `fetch` that a provider's AI SDK package uses for one attempt: it keeps the attempt's bounds and abort signal, and turns
 * error statuses into ProviderErrors. It remembers the failure, since packages wrap errors in their own.
 */
export class AttemptFetch {
  readonly #options: AttemptFetchOptions;
  readonly #exchanges: Exchange[] = [];
  #failure: ProviderError | undefined;
  #outputBegan = false;
  #outputFinished = false;
  #wholeBytes = 0;
  #reportedModel: string | undefined;
  readonly #view: ReplyView;

  constructor(options: AttemptFetchOptions) {
    this.#options = options;
    this.#view = withModelSeen(options.providerModel.replyView, (model) => void (this.#reportedModel ??= model));
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) =>
    await this.#keepFailure(async () => await this.#send(input, init));

  /**
   * First failure of the attempt's requests. A reply that the package abandoned because it could not use it does not count as
   * aborted by the caller.
   */
  get failure(): ProviderError | undefined {
    const failure = this.#failure ?? this.#exchanges.find((exchange) => exchange.failure !== undefined)?.failure;
    return failure?.failure === "aborted" && !this.#options.attempt.signal.aborted ? undefined : failure;
  }

  /**
   * `unsent` before the first request; `served` once a request before the last has succeeded, since that one is billed however
   * the last one ends.
   */
  get state(): "unsent" | "sent" | "served" {
    const served = this.#exchanges.slice(0, -1).some((exchange) => exchange.wasServed);
    if (served) return "served";
    return this.#exchanges.length === 0 ? "unsent" : "sent";
  }

  /** Total size of the whole replies that the package got. */
  get wholeBytes(): number {
    return this.#wholeBytes;
  }

  /** The model that the replies so far name, where the package does not report it. */
  get reportedModel(): string | undefined {
    return this.#reportedModel;
  }

  outputBegan(): void {
    if (this.#outputBegan) return;
    this.#outputBegan = true;
    if (this.#outputFinished) return;
    for (const exchange of this.#exchanges) exchange.clock.outputArrived();
  }

  /** Call when no more of the reply is needed. */
  finish(): void {
    for (const exchange of this.#exchanges) exchange.finish();
  }

  cancel(): void {
    for (const exchange of this.#exchanges) exchange.cancel();
  }

  async #send(input: string | URL | Request, init: RequestInit | undefined): Promise<Response> {
    const exchange = this.#open(input, init);
    this.#exchanges.push(exchange);
    const head = await exchange.head();
    if (!isSuccess(head)) throw await readErrorReply(exchange, head, this.#errorContext());
    if (this.#outputBegan) exchange.clock.outputArrived();
    const headers = new Headers();
    for (const [name, value] of Object.entries(head.headers)) if (value !== undefined) headers.set(name, value);
    const body = this.#options.streaming ? this.#streamBody(exchange) : await this.#wholeBody(exchange);
    return new Response(body, { status: head.status, headers });
  }

  async #wholeBody(exchange: Exchange): Promise<ReadableStream<Uint8Array>> {
    const { address } = this.#options;
    const { provider } = address;
    const bytes = await readWholeReply(exchange, { provider, secrets: secretsOf(address), view: this.#view });
    this.#wholeBytes += bytes.length;
    return bodyInOnePiece(bytes);
  }

  async #keepFailure<T>(part: () => Promise<T>): Promise<T> {
    try {
      return await part();
    } catch (err) {
      if (err instanceof ProviderError) this.#failure ??= err;
      throw err;
    }
  }

  #streamBody(exchange: Exchange): ReadableStream<Uint8Array> {
    exchange.limitStream();
    const events = this.#createEvents();
    const { lastEvent } = this.#options.providerModel;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const bytes = await this.#keepFailure(async () => await this.#nextEvents(exchange, events));
          if (bytes !== undefined) {
            controller.enqueue(bytes);
            return;
          }
          controller.enqueue(await events.readEnd());
          if (lastEvent !== undefined) controller.enqueue(Buffer.from(lastEvent));
          controller.close();
        },
        cancel: () => exchange.cancel(),
      },
      { highWaterMark: 0 },
    );
  }

  /** The next events, or undefined at the end. */
  async #nextEvents(exchange: Exchange, events: ReplyEvents): Promise<Buffer | undefined> {
    for (;;) {
      const bytes = events.ended ? undefined : await readOrEnd(exchange);
      if (bytes === undefined) return undefined;
      const whole = await events.read(bytes);
      this.#tellClock(exchange, events);
      if (whole.length > 0) return whole;
    }
  }

  #tellClock(exchange: Exchange, events: ReplyEvents): void {
    // Every event counts as output: Claude sends only pings while it writes a long argument of a tool call.
    const isProgress = events.takeProgress();
    if (this.#outputFinished) return;
    this.#outputFinished = events.finished;
    if (events.finished) exchange.clock.outputFinished();
    else if (isProgress && this.#outputBegan) exchange.clock.outputArrived();
  }

  /** Bedrock's package reads frames and the others read text, whatever content type the provider sends. */
  #createEvents(): ReplyEvents {
    const { address } = this.#options;
    const Events = address.kind === "bedrock" ? FrameEvents : TextEvents;
    return new Events(address.provider, this.#view);
  }

  #open(input: string | URL | Request, init: RequestInit | undefined): Exchange {
    const { connection, address, attempt, streaming, providerModel } = this.#options;
    if (input instanceof Request) throw new TypeError("a request object is not supported");
    const url = new URL(input);
    const method = init?.method ?? "GET";
    const body = this.#edited(textOf(init));
    const headers: Record<string, string> = Object.fromEntries(new Headers(init?.headers));
    headers["user-agent"] = connection.userAgent;
    if (attempt.traceparent !== undefined) headers.traceparent = attempt.traceparent;
    Object.assign(
      headers,
      providerModel.sign?.(address, { method, url, body: body ?? "", nowMs: connection.wallNow() }),
    );
    const target = { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers };
    const { dispatcher } = connection;
    return new Exchange({ ...target, dispatcher, provider: address.provider, body, streaming, attempt });
  }

  #edited(body: string | Uint8Array | null): string | Uint8Array | null {
    const { bodyEdits } = this.#options;
    if (bodyEdits.length === 0 || typeof body !== "string") return body;
    return JSON.stringify(bodyEdits.reduce((edited, edit) => edit(edited), asRecord(JSON.parse(body)) ?? {}));
  }

  #errorContext() {
    const { connection, address } = this.#options;
    return { provider: address.provider, secrets: secretsOf(address), nowMs: connection.wallNow() };
  }
}

/**
 * The next bytes, or undefined at the end. A broken or stalled connection is an end, too: the package then reports a finish reason
 * only if it has read one, and without one the attempt fails with the exchange's failure.
 */
async function readOrEnd(exchange: Exchange): Promise<Buffer | undefined> {
  try {
    return await exchange.read();
  } catch (err) {
    if (err instanceof ProviderError && endFailures.has(err.failure)) return undefined;
    throw err;
  }
}

const endFailures: ReadonlySet<ProviderFailure> = new Set(["cut", "timeout", "unreachable"]);

function textOf(init: RequestInit | undefined): string | Uint8Array | null {
  const body = init?.body ?? null;
  if (body === null || typeof body === "string" || body instanceof Uint8Array) return body;
  throw new TypeError("a body of this type is not supported");
}
