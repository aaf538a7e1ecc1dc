import type { CallOutcome, Peer, PeerSet } from "@gatehouse/peers";
import type { Tracing } from "@gatehouse/telemetry";
import type { CallOptions, CompatServiceDefinition } from "nice-grpc";
import type { CallerOptions, RpcClient } from "./client.ts";
import { deadlineExceeded, fromCallError, isUnsent, outcomeOf, remainingMs } from "./error-mapping.ts";
import type { PeerLink } from "./peer-link.ts";
import { inClientSpans, type OnPeer, withCurrentTrace } from "./rpc-tracing.ts";

type Options = CallOptions & CallerOptions;

interface Method {
  readonly responseStream: boolean;
  readonly options?: { readonly idempotencyLevel?: string };
}

/** Peers tried for one call. */
const attemptsMax = 2;

/**
 * A client that sends every call to an available peer. Waiting for one does not count as time for the answer. If the peer is
 * lost, a call is tried once more if it may be repeated (`idempotency_level` in its contract, or `isRepeatable`) or was never
 * sent.
 */
export function callPeers<Definition extends CompatServiceDefinition>(
  definition: Definition,
  peers: PeerSet<PeerLink>,
  { timeoutMs, tracing }: { readonly timeoutMs: number; readonly tracing: Tracing },
): RpcClient<Definition> {
  const { fullName: service } = definition as { readonly fullName: string };
  const methods = Object.entries(definition.methods ?? {}) as [string, Method][];
  const calls = methods.map(([name, method]) => {
    const send = (peer: Peer<PeerLink>, request: unknown, options: Options) =>
      peer.connection.client(definition)[name]?.(request, withCurrentTrace(options));
    if (method.responseStream) return [name, streaming(peers, send)];
    const isRepeatable = (method.options?.idempotencyLevel ?? "IDEMPOTENCY_UNKNOWN") !== "IDEMPOTENCY_UNKNOWN";
    const call = unary(peers, send, { timeoutMs, attemptsMax: isRepeatable ? attemptsMax : 1 });
    return [name, inClientSpans(call, tracing, { service, name })];
  });
  return Object.fromEntries(calls) as RpcClient<Definition>;
}

type Send = (peer: Peer<PeerLink>, request: unknown, options: Options) => unknown;

function unary(
  peers: PeerSet<PeerLink>,
  send: Send,
  bounds: { readonly timeoutMs: number; readonly attemptsMax: number },
) {
  return async (request: unknown, options: Options = {}, onPeer?: OnPeer): Promise<unknown> => {
    const { isRepeatable = false, ...sent } = options;
    const bound = options.deadline ?? bounds.timeoutMs;
    const lostMax = isRepeatable ? attemptsMax : bounds.attemptsMax;
    let waitedMs = 0;
    const beganMs = Date.now();
    for (let attempt = 1; ; attempt += 1) {
      const waitBeganMs = Date.now();
      const peer = await acquire(peers, options);
      waitedMs += Date.now() - waitBeganMs;
      // A second attempt uses the rest of the same time.
      const deadline = bound instanceof Date ? bound : new Date(beganMs + waitedMs + bound);
      let outcome: CallOutcome = "answered";
      peers.beginCall(peer);
      onPeer?.(peer.address);
      try {
        return await send(peer, request, { ...sent, deadline });
      } catch (err) {
        outcome = outcomeOf(err);
        const isSent = !isUnsent(err);
        if (outcome !== "unreachable" || attempt >= (isSent ? lostMax : attemptsMax)) throw err;
        if (isSent) peers.countResent();
      } finally {
        peers.endCall(peer, outcome);
      }
    }
  };
}

/** Streams have no time bound. */
function streaming(peers: PeerSet<PeerLink>, send: Send) {
  return async function* stream(request: unknown, options: Options = {}): AsyncGenerator {
    const peer = await acquire(peers, options);
    let outcome: CallOutcome = "answered";
    peers.beginCall(peer);
    try {
      yield* send(peer, request, options) as AsyncIterable<unknown>;
    } catch (err) {
      outcome = outcomeOf(err);
      throw err;
    } finally {
      peers.endCall(peer, outcome);
    }
  };
}

/** Tolerance between the clocks of a deadline, a wait and a timer. */
const lateMarginMs = 10;

/**
 * Waits for a peer, with a bound separate from the time for its answer, which is short so that a frozen peer costs little, and
 * would not cover a restart. A deadline that is a point in time bounds both.
 * @throws GatewayError `unavailable`, `deadline_exceeded` or `cancelled`.
 */
async function acquire(peers: PeerSet<PeerLink>, { deadline, signal }: Options): Promise<Peer<PeerLink>> {
  throwIfGivenUp(signal);
  const ready = peers.choose();
  // Nothing is sent on a connection known to be lost.
  if (ready?.connection.isConnected() === true) return ready;
  if (ready !== undefined) peers.lose(ready);
  const isBound = deadline instanceof Date;
  try {
    return await peers.acquire(isBound ? Math.min(peers.waitMs, remainingMs(deadline)) : undefined, signal);
  } catch (err) {
    // A call that is refused at once is not late.
    const isLate = isBound && remainingMs(deadline) <= lateMarginMs;
    if (signal?.aborted !== true && isLate) throw deadlineExceeded(err);
    throw fromCallError(err);
  }
}

/** Ends a call that was aborted by its caller, before peers are judged. @throws GatewayError */
function throwIfGivenUp(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw fromCallError(signal.reason);
}
