import { codeOf, type GatewayError, isGatewayError } from "@gatehouse/errors";
import type { Dispatcher } from "undici";
import { judgeStatus, storedBodyBytesMax } from "../domain/delivery.ts";
import type { KeptHeaders } from "../domain/kept-headers.ts";
import { ReceiverReply } from "./receiver-reply.ts";

/** One delivery as HTTP: signed headers and the exact body. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Bound of resolution, connection, TLS, request and reply together, milliseconds. */
  readonly timeoutMs: number;
  /** Called right before the first byte; false where it is too late to send. */
  readonly maySend: () => boolean;
}

/** Result of one POST. Times are milliseconds since its start. */
export interface PostResult {
  readonly httpStatus: number | undefined;
  readonly responseHeaders: KeptHeaders | undefined;
  readonly responseBody: string | undefined;
  readonly responseTruncated: boolean;
  /** Message for people; absent where the receiver answered 2xx. */
  readonly error: string | undefined;
  /** False only where certainly no byte was sent. */
  readonly sent: boolean;
  readonly connectMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly totalMs: number;
}

/** Sends one POST to an address that a tenant chose. Never throws: every error is a result. */
export type PostToReceiver = (post: Post) => Promise<PostResult>;

/** Judges a tenant's address at each use. @throws GatewayError `ssrf_blocked` */
type JudgeUrl = (url: string) => URL;

/**
 * @param dispatcher guards each connection, follows no redirect and decompresses nothing
 * @param judge guards each use, since an open connection is not judged again
 */
export function createPostToReceiver(dispatcher: Dispatcher, judge: JudgeUrl): PostToReceiver {
  return async (post) => {
    const reply = new ReceiverReply(storedBodyBytesMax, post.maySend);
    // A single monotonic deadline: undici's own time-outs restart with every byte.
    const timer = setTimeout(
      () => reply.end(new Error(`The receiver timed out: no whole answer within ${post.timeoutMs} ms.`)),
      post.timeoutMs,
    );
    try {
      const { origin, pathname, search } = judge(post.url);
      const { headers, body } = post;
      reply.start(dispatcher, { origin, path: pathname + search, method: "POST", headers: { ...headers }, body });
    } catch (err) {
      reply.end(err);
    }
    const ended = await reply.ended;
    clearTimeout(timer);
    return { ...reply.figures(), error: describe(ended, reply.status) };
  };
}

/** Message for the record. Omits foreign messages, which contain addresses. */
function describe(err: unknown, status: number | undefined): string | undefined {
  if (err === undefined) return judgeStatus(status ?? 0);
  if (err instanceof Error && err.message.startsWith("The receiver ")) return err.message;
  if (isGatewayError(err)) return describeGuard(err);
  const code = codeOf(err) ?? "";
  return failures[code] ?? "The connection to the receiver broke before its reply was complete.";
}

function describeGuard({ message, details: { detail } }: GatewayError): string {
  return typeof detail === "string" ? `${message} ${detail}` : message;
}

const failures: Readonly<Record<string, string>> = {
  ECONNRESET: "The receiver closed the connection before its reply was complete.",
  CONNECTION_LOST: "The receiver closed the connection before its reply was complete.",
  EPIPE: "The receiver closed the connection before its reply was complete.",
  MALFORMED_REPLY: "The receiver's reply is not valid HTTP/1.1.",
  REPLY_HEAD_TOO_LARGE: "The receiver's reply headers are too large.",
};
