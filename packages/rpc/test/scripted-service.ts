import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { createLogger, createSilentTelemetry, type Logger } from "@gatehouse/telemetry";
import type { ServiceTls, ServiceTrust } from "@gatehouse/trust";
import { createTestTrust } from "@gatehouse/trust/testing";
import {
  bindRpc,
  openRpcChannel,
  type RpcBinding,
  type RpcChannelOptions,
  type RpcClient,
  type RpcServer,
  startRpcServer,
} from "../src/index.ts";

export type Definition = PrincipalServiceDefinition;
export type Handlers = RpcBinding<Definition>["implementation"];
export type PrincipalClient = RpcClient<Definition>;

export const trust = createTestTrust();

/** A service with scripted handlers; other methods fail. */
export function scripted(handlers: Partial<Handlers>): RpcBinding<Definition> {
  const unexpected = () => {
    throw new Error("This method is not part of the test.");
  };
  return bindRpc(PrincipalServiceDefinition, {
    resolveToken: unexpected,
    resolveJwt: unexpected,
    listTrustedIssuers: unexpected,
    resolveAdminKey: unexpected,
    openSession: unexpected,
    listSignInProviders: unexpected,
    startSignIn: unexpected,
    finishSignIn: unexpected,
    resolveSession: unexpected,
    endSession: unexpected,
    watchPrincipals: unexpected,
    ...handlers,
  });
}

interface ServeOptions {
  readonly port?: number;
  readonly log?: Logger;
  readonly trust?: ServiceTrust;
  readonly tls?: ServiceTls;
}

export async function serve(
  binding: RpcBinding<Definition>,
  { port = 0, log = createSilentTelemetry().log, trust: own = trust.of("control-plane"), tls }: ServeOptions = {},
): Promise<RpcServer> {
  return await startRpcServer({
    bindings: [binding],
    trust: own,
    tls,
    log,
    address: `127.0.0.1:${port}`,
  });
}

export function open(port: number, options: Partial<RpcChannelOptions> = {}) {
  const channel = openRpcChannel({
    address: `127.0.0.1:${port}`,
    target: "control-plane",
    trust: trust.of("router"),
    timeoutMs: 5_000,
    waitMs: 2_000,
    ...options,
  });
  return { channel, client: channel.client(PrincipalServiceDefinition) };
}

export function recordingLog(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    log: createLogger({ service: "test", level: "trace", destination: { write: (line) => void lines.push(line) } }),
  };
}

/** Never settles, except by the signal, with an `AbortError`. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(new DOMException("aborted", "AbortError"));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}
