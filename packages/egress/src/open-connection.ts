import { connect as connectTcp, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { codeOf } from "@gatehouse/errors";
import { isSameAddress, parseAddress } from "./address.ts";
import { answeredTooLate, ssrfBlocked, upstreamUnreachable } from "./egress-error.ts";
import type { EgressGuard } from "./egress-guard.ts";
import type { EgressTarget } from "./egress-url.ts";
import { withinDeadline } from "./within-deadline.ts";

/** Opens a TCP connection to one of `addresses`, which have been judged, and to nothing else. */
export type OpenSocket = (options: {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly attemptTimeoutMs: number;
}) => Socket;

/** Guard, bounds and TLS settings of one connection. */
export interface ConnectionOptions {
  readonly guard: EgressGuard;
  /** Resolution, TCP and TLS together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Certificate authorities to trust instead of Node's, as PEM. */
  readonly ca?: string | undefined;
  readonly openSocket?: OpenSocket | undefined;
}

/** No more than these are tried, so that a name with a thousand addresses is no way to hold a connection attempt. */
const addressesTriedMax = 6;
const attemptTimeoutMsMin = 250;

/**
 * Resolves the target once, judges every address, and connects to one of those. Over TLS the certificate must fit the target's
 * name. No byte is sent before the address at the other end has been compared.
 * @throws GatewayError `ssrf_blocked`, `upstream_unreachable` or `cancelled`
 */
export function openConnection(target: EgressTarget, options: ConnectionOptions): Promise<Socket | TLSSocket> {
  const { guard, timeoutMs, openSocket = openTcpSocket } = options;
  return withinDeadline(options, async (signal) => {
    const addresses = pickAddresses(await guard.resolve(target, signal));
    signal.throwIfAborted();
    const attemptTimeoutMs = Math.max(attemptTimeoutMsMin, Math.floor(timeoutMs / 2 / addresses.length));
    const socket = openSocket({ addresses, port: target.port, attemptTimeoutMs });
    // A socket that fails without a listener would end the process; its user learns of the failure by its close.
    socket.on("error", ignore);
    await untilEvent(socket, "connect", signal);
    if (!isOneOf(addresses, socket.remoteAddress)) {
      socket.destroy();
      throw ssrfBlocked("The connection went to an address that was not checked.");
    }
    socket.setNoDelay(true).setKeepAlive(true, 60_000);
    if (target.protocol === "http:") return socket;
    const secure = wrapInTls(socket, target.hostname, options.ca);
    secure.on("error", ignore);
    await untilEvent(secure, "secureConnect", signal);
    return secure;
  });
}

/** A server's name is asked for and compared whatever `Host` a request carries; an address is only compared (RFC 6066, section 3). */
function wrapInTls(socket: Socket, hostname: string, ca: string | undefined): TLSSocket {
  const servername = parseAddress(hostname) === undefined ? hostname : "";
  const trust = ca === undefined ? {} : { ca };
  return connectTls({
    socket,
    host: hostname,
    servername,
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true,
    ...trust,
  });
}

/** Tries the addresses one after the other, the next one when an attempt takes long (RFC 8305). */
const openTcpSocket: OpenSocket = ({ addresses, port, attemptTimeoutMs }) => {
  const answers = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const lookup: LookupFunction = (_hostname, options, callback) => {
    if (options.all === true) callback(null, answers);
    else callback(null, answers[0]?.address ?? "", answers[0]?.family);
  };
  return connectTcp({
    // Never asked of anyone: `lookup` has the answers. The name is reserved (RFC 6761), should that ever change.
    host: "checked.invalid",
    port,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
  });
};

/** The first of each family in turn, so that neither crowds out the other. */
function pickAddresses(addresses: readonly string[]): readonly string[] {
  if (addresses.length <= addressesTriedMax) return addresses;
  const perFamily = addressesTriedMax / 2;
  const v6 = addresses.filter((address) => address.includes(":"));
  const v4 = addresses.filter((address) => !address.includes(":"));
  return [...v6.slice(0, perFamily), ...v4.slice(0, addressesTriedMax - Math.min(v6.length, perFamily))];
}

function isOneOf(addresses: readonly string[], remoteAddress: string | undefined): boolean {
  const remote = parseAddress(remoteAddress ?? "");
  if (remote === undefined) return false;
  return addresses.some((address) => {
    const bytes = parseAddress(address);
    return bytes !== undefined && isSameAddress(bytes, remote);
  });
}

function ignore(): void {}

/** Waits for the event; ends the socket when that fails or the signal aborts. */
function untilEvent(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (action: () => void) => () => {
      signal.removeEventListener("abort", onAbort);
      socket.off(event, onEvent).off("error", onError).off("close", onClose);
      action();
    };
    const fail = (err: unknown) =>
      settle(() => {
        socket.destroy();
        reject(err);
      })();
    const onEvent = settle(resolve);
    const onError = (err: Error) => fail(upstreamUnreachable(describeFailure(err), err));
    const onClose = () => fail(upstreamUnreachable("The connection was closed."));
    const onAbort = () => fail(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once(event, onEvent).once("error", onError).once("close", onClose);
  });
}

/** Only what kind of failure it was: Node's messages name addresses. */
function describeFailure(err: Error): string {
  const code = codeOf(err) ?? "";
  if (code === "ECONNREFUSED") return "The connection was refused.";
  if (code === "ECONNRESET") return "The connection was reset.";
  if (code === "ETIMEDOUT") return answeredTooLate;
  const isTls = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/.test(code);
  return isTls ? "The TLS certificate or handshake was not accepted." : "The connection failed.";
}
