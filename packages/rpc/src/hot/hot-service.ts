import { HotStreamServiceDefinition } from "@gatehouse/proto/hot-stream";
import type { Logger } from "@gatehouse/telemetry";
import type { ServiceName } from "@gatehouse/trust";
import type { CallContext } from "nice-grpc";
import { bindRpc, type RpcBinding } from "../binding.ts";
import { peerServiceOf } from "../rpc-tls.ts";
import { identityMetadataKey } from "../service-identity.ts";
import { listHotMethods } from "./hot-methods.ts";
import { type CallCheck, HotSession, type ServedMethod } from "./hot-session.ts";

interface HotService {
  readonly binding: RpcBinding;
  /** Asks callers to send no further call, and to end their side once all are answered. */
  drain(): void;
}

type Handlers = Readonly<Record<string, (request: unknown, context: CallContext) => unknown>>;

/** `service` is undefined where connections are not encrypted. */
export type PeerCallCheck = (
  ...call: [...Parameters<CallCheck>, service: ServiceName | undefined]
) => ReturnType<CallCheck>;

/** Serves the hot methods of this process's services to permitted callers. */
export function createHotService(
  bindings: readonly RpcBinding[],
  log: Logger,
  /** Check of a session; receives the service of the stream's connection. */
  check: PeerCallCheck,
): HotService {
  const methods = new Map<string, ServedMethod>();
  for (const { definition, implementation } of bindings) {
    const handlers = implementation as unknown as Handlers;
    for (const method of listHotMethods(definition)) {
      methods.set(method.path, {
        method,
        handle: async (request, context) => await handlers[method.name]?.(request, context),
      });
    }
  }
  const sessions = new Set<HotSession>();
  let isDraining = false;
  const binding = bindRpc(HotStreamServiceDefinition, {
    async *carry(requests, context) {
      const identity = context.metadata.get(identityMetadataKey);
      const service = peerServiceOf(context);
      const checkHere: CallCheck = (signed, path) => check(signed, path, service);
      const session = new HotSession({ methods, check: checkHere, identity, log, peer: context.peer });
      sessions.add(session);
      if (isDraining) session.drain();
      try {
        yield* session.carry(requests, context.signal);
      } finally {
        sessions.delete(session);
        session.abort();
      }
    },
  });
  return {
    binding,
    drain() {
      isDraining = true;
      for (const session of sessions) session.drain();
    },
  };
}
