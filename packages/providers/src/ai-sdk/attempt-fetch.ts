import { contentTypeOf, Exchange, type ReplyHead } from "../exchange/exchange.ts";
import { asRecord } from "../exchange/json.ts";
import { isSuccess, readErrorReply } from "../exchange/read-error-reply.ts";
import { secretsOf } from "../exchange/redaction.ts";
import { type Attempt, type ProviderAddress, type ProviderConnection, ProviderError } from "../provider.ts";
import { EventBound } from "./event-bound.ts";
import type { ProviderModel } from "./provider-model.ts";
import { bodyInOnePiece, readWholeReply } from "./read-whole-reply.ts";

/** Amazon's binary frames: they have no blank lines, and each states its length. */
const frameStreamType = "application/vnd.amazon.eventstream";

interface AttemptFetchOptions {
  readonly connection: ProviderConnection;
  readonly address: ProviderAddress;
  readonly attempt: Attempt;
  readonly streaming: boolean;
  readonly providerModel: Pick<ProviderModel, "limitAnswer" | "sign">;
  /** Most tokens of the answer, reasoning included; undefined without a limit. */
  readonly tokensMax: number | undefined;
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
  #wholeBytes = 0;

  constructor(options: AttemptFetchOptions) {
    this.#options = options;
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

  outputBegan(): void {
    if (this.#outputBegan) return;
    this.#outputBegan = true;
    for (const exchange of this.#exchanges) exchange.clock.outputBegan();
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
    if (this.#outputBegan) exchange.clock.outputBegan();
    const headers = new Headers();
    for (const [name, value] of Object.entries(head.headers)) if (value !== undefined) headers.set(name, value);
    const body = this.#options.streaming ? this.#streamBody(exchange, head) : await this.#wholeBody(exchange);
    return new Response(body, { status: head.status, headers });
  }

  async #wholeBody(exchange: Exchange): Promise<ReadableStream<Uint8Array>> {
    const bytes = await readWholeReply(exchange, this.#options.address.provider);
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

  #streamBody(exchange: Exchange, head: ReplyHead): ReadableStream<Uint8Array> {
    exchange.limitStream();
    const events = this.#isInFrames(head) ? undefined : new EventBound(this.#options.address.provider);
    const read = async () => {
      const bytes = await exchange.read();
      if (bytes !== undefined) events?.see(bytes);
      return bytes;
    };
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const bytes = await this.#keepFailure(read);
          if (bytes === undefined) controller.close();
          else controller.enqueue(bytes);
        },
        cancel: () => exchange.cancel(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Packages other than Bedrock's parse text, whatever content type the provider sends. */
  #isInFrames(head: ReplyHead): boolean {
    return this.#options.address.kind === "bedrock" && contentTypeOf(head).startsWith(frameStreamType);
  }

  #open(input: string | URL | Request, init: RequestInit | undefined): Exchange {
    const { connection, address, attempt, streaming, providerModel } = this.#options;
    if (input instanceof Request) throw new TypeError("a request object is not supported");
    const url = new URL(input);
    const method = init?.method ?? "GET";
    const body = this.#limited(textOf(init));
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

  /** Writes the limit into the outgoing body, because packages add room for reasoning to the limit they are given, or drop it. */
  #limited(body: string | Uint8Array | null): string | Uint8Array | null {
    const { tokensMax, providerModel } = this.#options;
    if (tokensMax === undefined || typeof body !== "string") return body;
    return JSON.stringify(providerModel.limitAnswer(asRecord(JSON.parse(body)) ?? {}, tokensMax));
  }

  #errorContext() {
    const { connection, address } = this.#options;
    return { provider: address.provider, secrets: secretsOf(address), nowMs: connection.wallNow() };
  }
}

function textOf(init: RequestInit | undefined): string | Uint8Array | null {
  const body = init?.body ?? null;
  if (body === null || typeof body === "string" || body instanceof Uint8Array) return body;
  throw new TypeError("a body of this type is not supported");
}
