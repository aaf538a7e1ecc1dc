import { type Answer, type AnswerError, isServerDefined } from "./json-rpc-answer.ts";
import { UpstreamFailure } from "./upstream-failure.ts";
import type { ProtocolMode } from "./upstream.ts";

/** Upstream's reply to one request, before it is judged. `answer` carries the request's id, `stray` is an error that does not. */
export interface Reply {
  readonly status: number;
  readonly answer: Answer | undefined;
  readonly stray: AnswerError | undefined;
}

/** Protocol mode in which the request was sent. */
export interface Sent {
  readonly protocolMode: ProtocolMode;
  /** Whether it belonged to a session, or followed a handshake. */
  readonly hadHandshake: boolean;
}

/** Meaning of a reply for the upstream's protocol mode. */
export type Verdict =
  | { readonly kind: "answer"; readonly answer: Answer }
  /** Not executed: a handshake is required, or the session is lost. `refusal` is the answer where a handshake changes nothing. */
  | { readonly kind: "handshake"; readonly refusal: Answer | undefined }
  /** Not executed: the upstream speaks only revision 2026-07-28. */
  | { readonly kind: "modern" }
  /** No endpoint for requests; possibly a server of revision 2024-11-05. */
  | { readonly kind: "sse" }
  | { readonly kind: "failure"; readonly failure: UpstreamFailure };

/** Errors of revision 2026-07-28 for requests of earlier ones: header mismatch, capability, version. */
const modernCodes: ReadonlySet<number> = new Set([-32020, -32021, -32022]);
/** Statuses of servers of earlier revisions for a missing or unknown session. */
const handshakeStatuses: ReadonlySet<number> = new Set([400, 404, 409, 422]);
const handshakeCodes: ReadonlySet<number> = new Set([-32000, -32001, -32002, -32600, -32602]);
const handshakeWords = /session|initiali[sz]/i;
const methodNotFound = -32601;

/** Judges a reply to a request of a revision before 2026-07-28. */
export function judgeProtocolMode(reply: Reply, sent: Sent): Verdict {
  const { status, answer, stray } = reply;
  if (status === 401 || status === 403) return judgeDenial(reply);
  if (status >= 300 && status < 400) return fail("redirected", `HTTP ${status}; register the address that it names`);
  if (answer?.kind === "result") return { kind: "answer", answer };
  if (answer !== undefined) return judgeError(reply, answer, sent);
  return stray === undefined ? judgeStatus(status, sent) : judgeStray(reply, stray, sent);
}

/** An error without the request's id is still its reply: JSON-RPC demands the id null of a server that has not read one. */
function judgeStray({ status }: Reply, stray: AnswerError, sent: Sent): Verdict {
  if (isModernRefusal(stray, status, sent)) return { kind: "modern" };
  const refusal = toRefusal(stray);
  if (handshakeStatuses.has(status) || asksForHandshake(stray, sent)) return { kind: "handshake", refusal };
  return refusal === undefined ? judgeStatus(status, sent) : { kind: "answer", answer: refusal };
}

/** An error that belongs to the caller, whatever its id. */
function toRefusal(error: AnswerError): Answer | undefined {
  return isServerDefined(error) ? { kind: "error", error } : undefined;
}

/** A server's own error belongs to the caller, whatever its status. Everything else with this status is about the credentials. */
function judgeDenial({ status, answer }: Reply): Verdict {
  if (answer?.kind === "error" && isServerDefined(answer.error)) return { kind: "answer", answer };
  return fail("unauthorized", `HTTP ${status}`);
}

function judgeError({ status }: Reply, answer: Answer & { readonly kind: "error" }, sent: Sent): Verdict {
  const { error } = answer;
  if (isModernRefusal(error, status, sent)) return { kind: "modern" };
  if (sent.protocolMode === "unknown" && status === 404 && error.code === methodNotFound) return { kind: "modern" };
  const namesHandshake = handshakeStatuses.has(status) && handshakeWords.test(error.message);
  if (namesHandshake || asksForHandshake(error, sent)) return { kind: "handshake", refusal: toRefusal(error) };
  return { kind: "answer", answer };
}

/** With status 200, the same codes may be a tool's own, which belong to the caller. */
function isModernRefusal({ code }: AnswerError, status: number, { hadHandshake }: Sent): boolean {
  return status >= 400 && !hadHandshake && modernCodes.has(code);
}

/**
 * An error with status 200 counts as a demand for a handshake only before the upstream's first answer: later it may come from a
 * tool that has been executed.
 */
function asksForHandshake({ code, message }: AnswerError, { protocolMode, hadHandshake }: Sent): boolean {
  return protocolMode === "unknown" && !hadHandshake && handshakeCodes.has(code) && handshakeWords.test(message);
}

function judgeStatus(status: number, { protocolMode, hadHandshake }: Sent): Verdict {
  const nothingHere = status === 404 || status === 405;
  if (nothingHere && protocolMode === "unknown" && !hadHandshake) return { kind: "sse" };
  if (handshakeStatuses.has(status)) return { kind: "handshake", refusal: undefined };
  if (status >= 200 && status < 300) return fail("malformed", "no JSON-RPC answer to the request");
  return fail("status", `HTTP ${status}`);
}

function fail(kind: "unauthorized" | "malformed" | "status" | "redirected", detail: string): Verdict {
  return { kind: "failure", failure: new UpstreamFailure(kind, { detail }) };
}
