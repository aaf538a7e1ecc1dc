import { isUtf8 } from "node:buffer";
import { lazySignalOf } from "@gatehouse/async";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { maskingOf } from "@gatehouse/guardrail-client";
import { runSized } from "@gatehouse/pace";
import type { PlaceholderValues } from "@gatehouse/placeholders";
import type { GuardedRequest } from "../domain/guarded-request.ts";
import { type InspectionQuota, type Held, judgedBodyBytesMax } from "../domain/inspection-quota.ts";
import {
  isEventStreamType,
  isReadableType,
  readBodyTextsInSteps,
  type ReadableBody,
  UnreadableBody,
} from "../domain/readable-body.ts";
import { askGuardrails, type AskGuardrailsOptions } from "./ask-guardrails.ts";
import { type Coverage, rewriteBody, textsOf } from "./guard-bodies.ts";
import { restoreInPassing } from "./restore-in-passing.ts";

/** A reply of an upstream, as received. */
export interface UpstreamReply {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Undefined for HEAD and for statuses without a body. */
  readonly body: AsyncIterable<Buffer> | undefined;
}

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

/** A reply to send: streamed, or complete, decompressed and judged. */
export type JudgedReply =
  | { readonly kind: "as_it_comes"; readonly body: Chunks | undefined; readonly isChanged?: boolean }
  | { readonly kind: "judged"; readonly body: Buffer; readonly isChanged: boolean };

/** Decompresses a body by its `Content-Encoding`. @throws GatewayError */
type Decode = (bytes: Buffer, encoding: string | undefined, sizeBytesMax: number) => Promise<Buffer>;

/** A reply's request, with its policy's requirements. */
interface GuardedReply {
  readonly request: GuardedRequest;
  readonly coverage: Coverage;
  readonly signal: AbortSignal;
  readonly held: Held;
  /** Values of the placeholders in the request, to restore in the reply. */
  readonly values?: PlaceholderValues;
}

/** Part of a representation: a range may split the text that a policy searches for. */
const partialContent = 206;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Judges replies of upstreams by the policy of their endpoint, if it covers answers. A text reply is read whole, and exactly the
 * judged text is sent. Other types pass unread. Text that cannot be judged passes where the policy permits, with the request's
 * values restored.
 */
export class ReplyGuard {
  readonly #asking: AskGuardrailsOptions;
  readonly #quota: InspectionQuota;
  readonly #decode: Decode;

  constructor(asking: AskGuardrailsOptions, quota: InspectionQuota, decode: Decode) {
    this.#asking = asking;
    this.#quota = quota;
    this.#decode = decode;
  }

  /** @returns the memory that the reply holds, to be released when it has been sent */
  open({ principal }: GuardedRequest): Held {
    return this.#quota.open(principal.project.uuid);
  }

  /**
   * @throws GatewayError `guardrail_blocked`, also for text that cannot be judged unless the policy says `on_unavailable: open`;
   * `unavailable` where the guardrails are unreachable; `too_many_requests` and `unavailable` where memory is exhausted. Rethrows
   * errors of the reply's body.
   */
  async judge(reply: UpstreamReply, guarded: GuardedReply): Promise<JudgedReply> {
    const { body } = reply;
    if (body === undefined || !isReadableType(reply.contentType)) return { kind: "as_it_comes", body };
    if (isEventStreamType(reply.contentType)) {
      return this.#passUnjudged({ ...reply, body }, "a stream of events cannot be judged", guarded);
    }
    if (reply.status === partialContent) {
      return this.#passUnjudged({ ...reply, body }, "a part of a text cannot be judged", guarded);
    }
    const taken = await takeWhole(body, guarded.held);
    if (taken.whole !== undefined) {
      const problem = `a reply must not have more than ${judgedBodyBytesMax} bytes`;
      return this.#passUnjudged({ ...reply, body: taken.whole }, problem, guarded);
    }
    return await this.#judgeWhole(taken.bytes, reply, guarded);
  }

  async #judgeWhole(bytes: Buffer, reply: UpstreamReply, guarded: GuardedReply): Promise<JudgedReply> {
    let read: ReadReply | undefined;
    try {
      read = await readReply(bytes, reply, this.#decode);
    } catch (err) {
      if (!(err instanceof UnreadableBody)) throw err;
      return this.#passUnjudged({ ...reply, body: [bytes] }, `a reply ${err.message}`, guarded);
    }
    if (read === undefined) return { kind: "as_it_comes", body: [bytes] };
    const { decoded, readable } = read;
    if (decoded !== bytes) guarded.held.hold(decoded.length);
    const { request, signal } = guarded;
    const asked = { side: "output", ...textsOf(readable, decoded.length), abort: lazySignalOf(signal) } as const;
    const judgement = await askGuardrails(request, asked, this.#asking);
    const changes = { masking: maskingOf(judgement), values: guarded.values };
    if (changes.masking === undefined && changes.values === undefined) {
      return { kind: "judged", body: decoded, isChanged: false };
    }
    const body = await runSized(rewriteBody(readable, changes), decoded.length);
    return { kind: "judged", body, isChanged: !body.equals(decoded) };
  }

  /** Not refused under a policy that only records. */
  #passUnjudged(reply: UnjudgedReply, problem: string, { request, coverage, values }: GuardedReply): JudgedReply {
    const { outputCheck, failsOpen } = coverage;
    const { requestId, principal } = request;
    const fields = { request_id: requestId, project: principal.project.uuid, problem };
    if (outputCheck !== "after_reply" && !failsOpen) {
      throw new GatewayError("guardrail_blocked", `Reply blocked: under this endpoint's guardrails ${problem}.`);
    }
    this.#asking.log.warn(fields, "A reply that the guardrails cannot judge was passed on unjudged.");
    const { body } = reply;
    if (values === undefined || !isRestorable(reply)) return { kind: "as_it_comes", body };
    return { kind: "as_it_comes", body: restoreInPassing(body, values), isChanged: true };
  }
}

/** A text reply that is streamed unjudged. */
interface UnjudgedReply extends Omit<UpstreamReply, "body"> {
  readonly body: Chunks;
}

/** Whether values can be restored in a streamed reply: not in a partial one, whose length is fixed, nor in an encoded one. */
function isRestorable({ status, contentEncoding = "identity" }: UnjudgedReply): boolean {
  return status !== partialContent && contentEncoding.trim().toLowerCase() === "identity";
}

interface Taken {
  readonly bytes: Buffer;
  /** The whole reply as a stream, if it is too long to be judged; else undefined. */
  readonly whole: AsyncIterable<Buffer> | undefined;
}

/** Reads a reply up to the bound. @throws GatewayError where memory is exhausted */
async function takeWhole(body: AsyncIterable<Buffer>, held: Held): Promise<Taken> {
  const chunks: Buffer[] = [];
  let size = 0;
  const rest = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await rest.next();
    if (next.done === true) return { bytes: Buffer.concat(chunks, size), whole: undefined };
    held.hold(next.value.length);
    chunks.push(next.value);
    size += next.value.length;
    if (size > judgedBodyBytesMax) return { bytes: Buffer.alloc(0), whole: join(chunks, rest) };
  }
}

async function* join(chunks: Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  yield* chunks.splice(0);
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

interface ReadReply {
  readonly decoded: Buffer;
  readonly readable: ReadableBody;
}

/** @returns undefined for an empty reply, and for binary data without a content type @throws UnreadableBody */
async function readReply(bytes: Buffer, reply: UpstreamReply, decode: Decode): Promise<ReadReply | undefined> {
  if (bytes.length === 0) return undefined;
  const decoded = await decode(bytes, reply.contentEncoding, judgedBodyBytesMax).catch(refuseCoding);
  if (reply.contentType === undefined && !isUtf8(decoded)) return undefined;
  // Some servers prepend a byte order mark to JSON (RFC 8259, section 8.1).
  const mark = decoded.subarray(0, decoded.subarray(0, 3).equals(byteOrderMark) ? 3 : 0);
  const typed = { bytes: decoded.subarray(mark.length), contentType: reply.contentType, side: "output" } as const;
  const readable = await runSized(readBodyTextsInSteps(typed), decoded.length);
  return { decoded, readable: mark.length === 0 ? readable : behind(mark, readable) };
}

function behind(mark: Buffer, { replace, ...readable }: ReadableBody): ReadableBody {
  return {
    ...readable,
    *replace(texts) {
      return Buffer.concat([mark, yield* replace(texts)]);
    },
  };
}

function refuseCoding(cause: unknown): never {
  if (!isGatewayError(cause)) throw cause;
  const forms = "must be uncompressed, or valid gzip, deflate or br";
  throw new UnreadableBody(`${forms}, and have at most ${judgedBodyBytesMax} bytes when decompressed`, { cause });
}
