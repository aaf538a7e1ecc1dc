import type { Answer, AnswerError } from "./json-rpc-answer.ts";
import { UpstreamFailure } from "./upstream-failure.ts";
import type { ProtocolMode } from "./upstream.ts";

/** Reply to one request. */
export interface Reply {
  readonly status: number;
  readonly answer: Answer | undefined;
  readonly stray: AnswerError | undefined;
  /** The `Location` header, where there is one. */
  readonly location: string | undefined;
}

/** Protocol mode in which the request was sent. */
export interface Sent {
  readonly protocolMode: ProtocolMode;
  /** Whether it belonged to a session, or came after a handshake. */
  readonly hadHandshake: boolean;
}

/** Meaning of a reply for the upstream's protocol mode. */
export type Verdict =
  | { readonly kind: "answer"; readonly answer: Answer }
  /** It was not executed: it takes a handshake first, or the session is gone. */
  | { readonly kind: "handshake" }
  /** It was not executed: the upstream speaks revision 2026-07-28 only. */
  | { readonly kind: "modern" }
  /** Nothing takes requests here; it may be a server of revision 2024-11-05. */
  | { readonly kind: "sse" }
  /** It was not executed: it is to be sent to another address of the same server. */
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "failure"; readonly failure: UpstreamFailure };

/** Errors that revision 2026-07-28 gives to requests of the earlier ones: header mismatch, capability, version. */
const modernCodes: ReadonlySet<number> = new Set([-32020, -32021, -32022]);
/** Statuses of servers of earlier revisions where a session is missing or unknown. */
const handshakeStatuses: ReadonlySet<number> = new Set([400, 404, 409, 422]);
const handshakeCodes: ReadonlySet<number> = new Set([-32000, -32001, -32002, -32600, -32602]);
const handshakeWords = /session|initiali[sz]/i;
const methodNotFound = -32601;

/** Judges a reply to a request of the revisions before 2026-07-28. */
export function judgeProtocolMode(reply: Reply, sent: Sent): Verdict {
  const { status, answer, stray } = reply;
  if (status === 401 || status === 403) return fail("unauthorized", `HTTP ${status}`);
  if (status >= 300 && status < 400) return judgeRedirect(reply);
  if (answer?.kind === "result") return { kind: "answer", answer };
  if (answer !== undefined) return judgeError(reply, answer, sent);
  if (stray !== undefined && isModernRefusal(stray, status, sent)) return { kind: "modern" };
  if (stray !== undefined && handshakeStatuses.has(status)) return { kind: "handshake" };
  if (stray !== undefined && asksForHandshake(stray, sent)) return { kind: "handshake" };
  return judgeStatus(status, sent);
}

function judgeError({ status }: Reply, answer: Answer & { readonly kind: "error" }, sent: Sent): Verdict {
  const { error } = answer;
  if (isModernRefusal(error, status, sent)) return { kind: "modern" };
  if (sent.protocolMode === "unknown" && status === 404 && error.code === methodNotFound) return { kind: "modern" };
  if (handshakeStatuses.has(status) && handshakeWords.test(error.message)) return { kind: "handshake" };
  if (asksForHandshake(error, sent)) return { kind: "handshake" };
  return { kind: "answer", answer };
}

/** With status 200 the same codes may be a tool's own, which are the caller's to see. */
function isModernRefusal({ code }: AnswerError, status: number, { hadHandshake }: Sent): boolean {
  return status >= 400 && !hadHandshake && modernCodes.has(code);
}

/**
 * An error with status 200 is taken for the demand of a handshake only while the upstream has answered nothing yet: later it may
 * come from a tool, after it has done its work.
 */
function asksForHandshake({ code, message }: AnswerError, { protocolMode, hadHandshake }: Sent): boolean {
  return protocolMode === "unknown" && !hadHandshake && handshakeCodes.has(code) && handshakeWords.test(message);
}

function judgeStatus(status: number, { protocolMode, hadHandshake }: Sent): Verdict {
  const nothingHere = status === 404 || status === 405;
  if (nothingHere && protocolMode === "unknown" && !hadHandshake) return { kind: "sse" };
  if (handshakeStatuses.has(status)) return { kind: "handshake" };
  if (status >= 200 && status < 300) return fail("malformed", "no JSON-RPC answer to the request");
  return fail("status", `HTTP ${status}`);
}

/** Statuses that keep method and body; the others would turn the call into a question. */
function judgeRedirect({ status, location }: Reply): Verdict {
  if (location === undefined || (status !== 307 && status !== 308)) return fail("redirected", `HTTP ${status}`);
  return { kind: "redirect", location };
}

function fail(kind: "unauthorized" | "malformed" | "status" | "redirected", detail: string): Verdict {
  return { kind: "failure", failure: new UpstreamFailure(kind, { detail }) };
}
