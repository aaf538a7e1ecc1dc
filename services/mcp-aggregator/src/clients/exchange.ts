import type { Transform } from "node:stream";
import { guarded } from "@gatehouse/async";
import { timeoutCodes } from "@gatehouse/egress";
import { codeOf, isGatewayError } from "@gatehouse/errors";
import { nextTurn } from "@gatehouse/pace";
import { type ExchangeListener, HttpExchange, type HttpRequest, type ReplyHeaders } from "@gatehouse/upstream-http";
import type { Secret } from "@gatehouse/vault";
import type { Dispatcher } from "undici";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { ByteAccount } from "./byte-account.ts";
import type { CallScope } from "./call-scope.ts";
import { readContentEncoding } from "./content-encoding.ts";
import { currentTurn, isReadingTimeUsed, readInTurn } from "./loop-turn.ts";

/** One HTTP request to an upstream. */
export interface ExchangeRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Bearer token; revealed for each exchange, so that a rotation in the secret store takes effect at once. */
  readonly token: Secret | undefined;
  readonly body: string | null;
  /** Longest wait for the reply's head, and longest silence in the reply. */
  readonly idleTimeoutMs: number;
  /** Bytes of the reply, both as received and decoded. */
  readonly sizeBytesMax: number;
  /** Account for the bytes of the reply until its end; undefined where the consumer accounts for them. */
  readonly account: ByteAccount | undefined;
}

/** Largest ratio of decoded to encoded size, from `ratioBytesMin` on; protects against decompression bombs. */
const ratioMax = 1_000;
const ratioBytesMin = 1024 * 1024;
/** Bytes processed at once: as line ends alone they are that many lines. */
const pieceBytes = 8 * 1024;

/** Consumer of a reply. Nothing follows `onFailure` or `onEnd`. */
export interface ReplyConsumer {
  onHead(status: number, headers: ReplyHeaders): void;
  /** @returns where reading continues in later turns, a promise that never rejects; nothing more arrives before it resolves */
  onBytes(bytes: Buffer): Promise<void> | undefined;
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

/**
 * One HTTP request whose reply goes piece by piece to a consumer, while its scope lasts. Decodes the reply, with the bound of its
 * size before and after. Any error while foreign bytes are read, here or in the consumer, ends this exchange only.
 */
export class Exchange implements ExchangeListener {
  readonly #consumer: ReplyConsumer;
  readonly #bytesMax: number;
  readonly #account: ByteAccount | undefined;
  #off: (() => void) | undefined;
  readonly #http = new HttpExchange(this);
  #decoder: Transform | undefined;
  #wireBytes = 0;
  #bytes = 0;
  #heldBytes = 0;
  #isOver = false;
  /** Turn of the event loop in which bytes were last processed. */
  #turn = -1;
  /** Bytes left for a later turn. */
  #rest: Buffer[] | undefined;
  /** Whether the reply has ended, although bytes of it wait. */
  #hasEnded = false;
  /** Error handler for `guarded`, which wraps every listener of foreign bytes. */
  readonly #onUnreadable = (cause: unknown): void => {
    const unreadable = { detail: "a reply that cannot be read", wasSent: this.wasSent, cause };
    this.fail(cause instanceof UpstreamFailure ? cause : new UpstreamFailure("malformed", unreadable));
  };

  constructor(dispatcher: Dispatcher, request: ExchangeRequest, parts: { scope: CallScope; consumer: ReplyConsumer }) {
    this.#consumer = parts.consumer;
    this.#bytesMax = request.sizeBytesMax;
    this.#account = request.account;
    this.#off = parts.scope.onEnd(({ kind }) => this.fail(new UpstreamFailure(kind, { wasSent: this.wasSent })));
    if (this.#isOver) return;
    this.#guard(() => this.#http.start(dispatcher, toHttpRequest(request)));
  }

  /** Whether the request was written in part; before that it cannot have been executed. */
  get wasSent(): boolean {
    return this.#http.wasSent;
  }

  /** Ends the exchange; closes the connection unless the reply is complete. */
  fail(failure: UpstreamFailure): void {
    if (this.#isOver) return;
    this.#release();
    this.#giveUp();
    this.#consumer.onFailure(failure);
  }

  /** Ends the exchange without notifying the consumer. */
  abandon(): void {
    if (this.#isOver) return;
    this.#release();
    this.#giveUp();
  }

  onHead(status: number, headers: ReplyHeaders): void {
    this.#guard(() => {
      this.#decoder = readContentEncoding(headers["content-encoding"]);
      this.#decoder
        ?.on(
          "data",
          guarded((bytes: Buffer) => (this.#isOver ? undefined : this.#takeDecoded(bytes)), this.#onUnreadable),
        )
        .on(
          "end",
          guarded(() => (this.#isOver ? undefined : this.#end()), this.#onUnreadable),
        )
        .on(
          "drain",
          guarded(() => (this.#isOver ? undefined : this.#http.resume()), this.#onUnreadable),
        )
        .on("error", (cause) =>
          this.fail(new UpstreamFailure("malformed", { detail: "a body that is not encoded as it says", cause })),
        );
      this.#consumer.onHead(status, headers);
    });
  }

  onBytes(bytes: Buffer): void {
    this.#guard(() => {
      this.#wireBytes += bytes.length;
      if (this.#wireBytes > this.#bytesMax) throw tooLarge(this.#bytesMax);
      if (this.#decoder !== undefined) {
        if (!this.#decoder.write(bytes)) this.#http.pause();
        return;
      }
      // undici delivers the remaining bytes of a connection that its peer has closed, even while paused.
      if (this.#rest !== undefined) this.#rest.push(bytes);
      else this.#takePieces(bytes, this.#turn !== currentTurn());
    });
  }

  onEnd(): void {
    this.#guard(() => {
      if (this.#decoder !== undefined) this.#decoder.end();
      else if (this.#rest === undefined) this.#end();
      else this.#hasEnded = true;
    });
  }

  onFailure(cause: unknown): void {
    this.fail(toFailure(cause instanceof Error ? cause : new Error(String(cause)), this.wasSent));
  }

  #guard(listener: () => unknown): void {
    if (this.#isOver) return;
    try {
      listener();
    } catch (cause) {
      this.#onUnreadable(cause);
    }
  }

  /**
   * Processes bytes piece by piece. Pauses while the consumer reads on, or once the reading of replies has used its time of this
   * turn. @param isFirst whether one piece is processed in any case, since each reply gets one per turn
   */
  #takePieces(bytes: Buffer, isFirst: boolean): void {
    this.#turn = currentTurn();
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      const isWaiting = isReadingTimeUsed() && !(isFirst && start === 0);
      if (isWaiting) return this.#takeLater(bytes.subarray(start), nextTurn());
      const behind = readInTurn(() => this.#take(bytes.subarray(start, start + pieceBytes)));
      if (this.#isOver) return;
      if (behind !== undefined) return this.#takeLater(bytes.subarray(start + pieceBytes), behind);
    }
  }

  #takeLater(bytes: Buffer, others: Promise<void>): void {
    this.#rest = [bytes];
    this.#http.pause();
    void others.then(() => this.#guard(() => this.#takeRest()));
  }

  #takeRest(): void {
    const rest = this.#rest ?? [];
    this.#rest = undefined;
    this.#takePieces(rest.length === 1 && rest[0] !== undefined ? rest[0] : Buffer.concat(rest), true);
    if (this.#isOver || this.#rest !== undefined) return;
    if (this.#hasEnded) this.#end();
    else this.#http.resume();
  }

  #takeDecoded(bytes: Buffer): void {
    const behind = readInTurn(() => this.#take(bytes));
    if (this.#isOver || (behind === undefined && !isReadingTimeUsed())) return;
    this.#decoder?.pause();
    void (behind ?? nextTurn()).then(() => this.#guard(() => this.#decoder?.resume()));
  }

  #take(bytes: Buffer): Promise<void> | undefined {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#bytesMax) throw tooLarge(this.#bytesMax);
    if (this.#bytes > Math.max(ratioBytesMin, this.#wireBytes * ratioMax)) {
      throw new UpstreamFailure("too_large", { detail: `a body that is more than ${ratioMax} times its encoded size` });
    }
    if (this.#account !== undefined) {
      if (!this.#account.hold(bytes.length))
        throw new UpstreamFailure("busy", { detail: "its replies in progress fill the memory for them" });
      this.#heldBytes += bytes.length;
    }
    return this.#consumer.onBytes(bytes);
  }

  #end(): void {
    this.#release();
    this.#consumer.onEnd();
  }

  #release(): void {
    this.#isOver = true;
    this.#account?.hold(-this.#heldBytes);
    // A scope that had already ended calls back before `#off` is set.
    this.#off?.();
  }

  #giveUp(): void {
    this.#decoder?.destroy();
    this.#http.abandon();
  }
}

function toHttpRequest({ method, url, headers, token, body, idleTimeoutMs }: ExchangeRequest): HttpRequest {
  const authorized = token === undefined ? headers : { ...headers, authorization: `Bearer ${revealToken(token)}` };
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: authorized,
    body,
    idleTimeoutMs,
  };
}

/** @throws UpstreamFailure for a token that cannot be read from its store */
function revealToken(token: Secret): string {
  try {
    return token.reveal();
  } catch (err) {
    if (!isGatewayError(err)) throw err;
    throw new UpstreamFailure("tokenless", { detail: reasonOf(err), wasSent: false, cause: err });
  }
}

function tooLarge(bytesMax: number): UpstreamFailure {
  return new UpstreamFailure("too_large", { detail: `more than ${bytesMax} bytes` });
}

function toFailure(err: Error, wasSent: boolean): UpstreamFailure {
  if (isGatewayError(err) && err.code === "ssrf_blocked") {
    return new UpstreamFailure("blocked", { detail: reasonOf(err), wasSent: false, cause: err });
  }
  if (!wasSent) return new UpstreamFailure("unreachable", { detail: reasonOf(err), wasSent: false, cause: err });
  if (timeoutCodes.has(codeOf(err) ?? "")) return new UpstreamFailure("timeout", { cause: err });
  return new UpstreamFailure("broken", { detail: reasonOf(err), cause: err });
}

/** Describes an error by its code, without addresses; the guard's own messages contain none either. */
function reasonOf(err: Error): string {
  if (isGatewayError(err)) return String(err.details["detail"] ?? "no connection").replace(/\.$/, "");
  return codeOf(err) ?? "the connection failed";
}
