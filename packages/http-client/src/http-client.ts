import type { Dispatcher } from "undici";
import { ClientClosed, TooManyOrigins } from "./client-error.ts";
import { type CallHandler, type CallRequest, HttpCall } from "./http-call.ts";
import { OriginConnections, type OriginOptions } from "./origin-connections.ts";
import { bodyOf, methodsWithBody, writeRequestHead } from "./request-head.ts";

export interface HttpClientOptions extends OriginOptions {
  /** Origins with connections or waiting calls at once; a call to one more is refused. */
  readonly originsMax: number;
}

/** Longest time-out: a timer of the platform cannot be longer. */
const timeoutMsMax = 2 ** 31 - 1;

interface Origin {
  /** Name and port for the header `Host`. */
  readonly host: string;
  readonly connections: OriginConnections;
}

/**
 * A client of HTTP/1.1 with keep-alive connections, in the form of undici's dispatchers. It sends requests once, follows no
 * redirects, decodes no bodies, and neither upgrades nor pipelines. A reply that could be understood in two ways fails its call
 * with {@link MalformedReply}.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #origins = new Map<string, Origin>();
  #isClosed = false;
  /** Resolved when a closed client has no origin left. */
  readonly #emptied = Promise.withResolvers<void>();

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a request to `origin`; each spelling of an origin has connections apart. The outcome goes to the handler, one of whose
   * `onResponseEnd` and `onResponseError` is called last: an exception of the first goes to the second. Time-outs that are absent
   * or 0 are none.
   * @returns true
   * @throws TypeError for a request that cannot be sent as it is, ClientClosed, TooManyOrigins
   */
  dispatch(options: Dispatcher.DispatchOptions, handler: CallHandler): boolean {
    if (this.#isClosed) throw new ClientClosed("The HTTP client is closed.");
    refuseUnsupported(options);
    const origin = String(options.origin);
    const known = this.#origins.get(origin) ?? this.#open(origin);
    const call = new HttpCall(toRequest(options, known.host), handler);
    this.#origins.set(origin, known);
    known.connections.send(call);
    return true;
  }

  /** Accepts no further call; resolves when all have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { connections } of this.#origins.values()) connections.close();
    await this.#untilEmpty();
  }

  /** Ends all calls with this error. */
  async destroy(cause: Error = new ClientClosed("The HTTP client is closed.")): Promise<void> {
    this.#isClosed = true;
    for (const { connections } of this.#origins.values()) connections.destroy(cause);
    await this.#untilEmpty();
  }

  #open(origin: string): Origin {
    const { originsMax } = this.#options;
    if (this.#origins.size >= originsMax) throw new TooManyOrigins(`The client has ${originsMax} origins already.`);
    const url = new URL(origin);
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError("The origin is not of HTTP.");
    const opened: Origin = {
      host: url.host,
      connections: new OriginConnections(url, this.#options, () => this.#forget(origin, opened)),
    };
    return opened;
  }

  #forget(origin: string, emptied: Origin): void {
    // One that was forgotten before may have a successor.
    if (this.#origins.get(origin) === emptied) this.#origins.delete(origin);
    if (this.#isClosed && this.#origins.size === 0) this.#emptied.resolve();
  }

  async #untilEmpty(): Promise<void> {
    if (this.#origins.size > 0) await this.#emptied.promise;
  }
}

/** Ignored options would change the request that is sent. */
function refuseUnsupported(options: Dispatcher.DispatchOptions): void {
  const { method, upgrade, query, expectContinue, typeOfService } = options;
  if (method === "CONNECT" || (upgrade ?? false) !== false) throw new TypeError("The client does not upgrade.");
  if ((query ?? null) !== null) throw new TypeError("A query is a part of the path.");
  if ((typeOfService ?? null) !== null) throw new TypeError("The client does not set a type of service.");
  if (expectContinue === true) throw new TypeError("The client does not wait for 100 Continue.");
}

function toRequest(options: Dispatcher.DispatchOptions, host: string): CallRequest {
  const { text, contentLength } = writeRequestHead(options, host);
  const body = bodyOf(options);
  return {
    method: options.method,
    text,
    contentLength,
    body,
    // A server that does not expect a body may read it as the next request.
    isLast: options.reset === true || (body !== null && !methodsWithBody.has(options.method)),
    headersTimeoutMs: toTimeoutMs(options.headersTimeout),
    bodyTimeoutMs: toTimeoutMs(options.bodyTimeout),
  };
}

function toTimeoutMs(ms: number | null | undefined): number {
  if (ms === null || ms === undefined) return 0;
  if (!(ms >= 0 && ms <= timeoutMsMax)) throw new TypeError(`A time-out is 0 to ${timeoutMsMax} ms.`);
  return ms;
}
