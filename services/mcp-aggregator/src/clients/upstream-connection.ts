import type { JsonPart } from "@gatehouse/json";
import type { JsonObject } from "@gatehouse/json-rpc";
import { CircuitBreaker } from "@gatehouse/upstream-http";
import type { Answer } from "../domain/json-rpc-answer.ts";
import type { ProtocolMode, ReachableUpstream } from "../domain/upstream.ts";
import type { CallScope } from "./call-scope.ts";

/** The members of a request's params, as they are sent on. */
export type RequestParams = ReadonlyMap<string, JsonPart>;

/** One request to an upstream. */
export interface UpstreamRequest {
  readonly method: "tools/list" | "tools/call" | "ping";
  /** The caller's own id as JSON text, for connections that no other caller shares; one is made where it is absent. */
  readonly callerId?: string | undefined;
  readonly params: RequestParams | undefined;
  /** Key of the session that it belongs to; undefined for a separate session. */
  readonly sessionKey: string | undefined;
  readonly scope: CallScope;
  /** The projects that it has come through, ours last, for the loop guard. */
  readonly hops: string;
  /** W3C trace context to send on; empty for none. */
  readonly traceparent: string;
  /** Input schema of the tool that is called, where it is known: revision 2026-07-28 can ask for arguments as headers. */
  readonly inputSchema?: JsonObject | undefined;
}

/** Speaks to one upstream, whatever its revision; keeps its sessions. */
export interface UpstreamConnection {
  readonly protocolMode: ProtocolMode;
  readonly sessionCount: number;
  /**
   * Never makes the upstream execute a request twice. @throws UpstreamFailure
   */
  request(request: UpstreamRequest): Promise<Answer>;
  /** Ends sessions that were not used for long. */
  sweep(): void;
  /** Ends every session, telling the upstream; bounded in time. */
  close(): Promise<void>;
}

/** Makes the way to an upstream; nothing is sent before the first request. */
export type ConnectUpstream = (upstream: ReachableUpstream, protocolMode: ProtocolMode) => UpstreamConnection;

/** Transport failures in a row that open the circuit. */
const failuresMax = 3;
const openMs = 5_000;
const openMsMax = 60_000;
const jitterShare = 0.2;

/** Keeps calls from an upstream that cannot be reached. `random` gives numbers from 0 up to 1. */
export function createUpstreamBreaker(now: () => number, random: () => number): CircuitBreaker {
  return new CircuitBreaker({ failuresMax, openMs, openMsMax, now, jitter: { share: jitterShare, random } });
}
