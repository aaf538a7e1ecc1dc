import type { JsonPart } from "@gatehouse/json";
import type { JsonObject } from "@gatehouse/json-rpc";
import { CircuitBreaker } from "@gatehouse/upstream-http";
import type { Answer } from "../domain/json-rpc-answer.ts";
import type { ProtocolMode, ReachableUpstream } from "../domain/upstream.ts";
import type { CallScope } from "./call-scope.ts";

/** Members of a request's params, as forwarded. */
export type RequestParams = ReadonlyMap<string, JsonPart>;

/** One request to an upstream. */
export interface UpstreamRequest {
  readonly method: "tools/list" | "tools/call" | "ping";
  /** The caller's id as JSON text, for connections without other callers; absent: one is generated. */
  readonly callerId?: string | undefined;
  readonly params: RequestParams | undefined;
  /** Key of its session; undefined: a separate session. */
  readonly sessionKey: string | undefined;
  readonly scope: CallScope;
  /** Projects that the request has passed, this one last, for the loop guard. */
  readonly hops: string;
  /** W3C trace context to forward; empty: none. */
  readonly traceparent: string;
  /** Input schema of the called tool, if known: by revision 2026-07-28 it may demand arguments as headers. */
  readonly inputSchema?: JsonObject | undefined;
}

/** Connection to one upstream of any revision, with its sessions. */
export interface UpstreamConnection {
  readonly protocolMode: ProtocolMode;
  readonly sessionCount: number;
  /** Never executes a request twice. @throws UpstreamFailure */
  request(request: UpstreamRequest): Promise<Answer>;
  /** Ends idle sessions. */
  sweep(): void;
  /** Ends every session, those in use after their calls. The connection stays usable. */
  endSessions(): void;
  /**
   * Ends every session, notifying the upstream; bounded in time. Requests that fail from then on are `withdrawn`; those without a
   * session may still be answered.
   */
  close(): Promise<void>;
}

/** Creates a connection to an upstream; sends nothing before the first request. */
export type ConnectUpstream = (upstream: ReachableUpstream, protocolMode: ProtocolMode) => UpstreamConnection;

/** Consecutive transport failures that open the circuit. */
const failuresMax = 3;
const openMs = 5_000;
const openMsMax = 60_000;
const jitterShare = 0.2;

/** Circuit breaker of an upstream. `random` returns numbers from 0 up to 1. */
export function createUpstreamBreaker(now: () => number, random: () => number): CircuitBreaker {
  return new CircuitBreaker({ failuresMax, openMs, openMsMax, now, jitter: { share: jitterShare, random } });
}
