import { connect as connectTcp, type LookupFunction, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { codeOf } from "@gatehouse/errors";
import { isSameAddress, parseAddress } from "./address.ts";
import { answeredTooLate, ssrfBlocked, upstreamUnreachable } from "./egress-error.ts";
import type { EgressGuard } from "./egress-guard.ts";
import type { EgressTarget } from "./egress-url.ts";
import { withinDeadline } from "./within-deadline.ts";

/** Opens a TCP connection to one of the checked `addresses`, and to no other. */
export type OpenSocket = (options: {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly attemptTimeoutMs: number;
  readonly onread?: OnReadOpts | undefined;
}) => Socket;

/** Options of one connection; `openSocket` replaces the TCP connection in tests, and `signal` ends the attempt as `cancelled`. */
export interface ConnectionOptions {
  readonly guard: EgressGuard;
  /** Bound of resolution, TCP and TLS together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Certificate authorities that replace Node's, PEM. */
  readonly ca?: string | undefined;
  readonly openSocket?: OpenSocket | undefined;
  /** Way in which a connection without TLS is read; absent: as a stream. */
  readonly onread?: OnReadOpts | undefined;
}

/** Most addresses tried, so that a name with a thousand of them cannot prolong a connection attempt. */
const addressesTriedMax = 6;
const attemptTimeoutMsMin = 250;

/**
 * Resolves the target once, checks every address, and connects to one of them. With TLS, the certificate must match the target's
 * name. The peer's address is verified before any byte is sent.
 * @throws GatewayError `ssrf_blocked`, `upstream_unreachable` or `cancelled`
 */
export function openConnection(target: EgressTarget, options: ConnectionOptions): Promise<Socket | TLSSocket> {
  const { guard, timeoutMs, openSocket = openTcpSocket } = options;
  return withinDeadline(options, async (signal) => {
    const addresses = pickAddresses(await guard.resolve(target, signal));
    signal.throwIfAborted();
    const attemptTimeoutMs = Math.max(attemptTimeoutMsMin, Math.floor(timeoutMs / 2 / addresses.length));
    // With TLS the socket is TLS's to read.
    const onread = target.protocol === "http:" ? options.onread : undefined;
    const socket = openSocket({ addresses, port: target.port, attemptTimeoutMs, onread });
    // Without a listener, an error of the socket would end the process; its user learns of it by the close.
    socket.on("error", ignore);
    await untilEvent(socket, "connect", signal);
    // The address is unknown where the peer has ended the connection meanwhile.
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) {
      socket.destroy();
      throw upstreamUnreachable("The connection was closed.");
    }
    if (!isOneOf(addresses, remoteAddress)) {
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

/** Requests and verifies the server's name, whatever `Host` a request has; an address is only verified (RFC 6066, section 3). */
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

/** Tries the addresses in turn, and starts the next attempt when one is slow (RFC 8305). */
const openTcpSocket: OpenSocket = ({ addresses, port, attemptTimeoutMs, onread }) => {
  const answers = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const lookup: LookupFunction = (_hostname, options, callback) => {
    if (options.all === true) callback(null, answers);
    else callback(null, answers[0]?.address ?? "", answers[0]?.family);
  };
  return connectTcp({
    // Never queried, since `lookup` has the answers; a reserved name (RFC 6761) in case that changes.
    host: "checked.invalid",
    port,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    ...(onread && { onread }),
  });
};

/** The first addresses of each family in turn, so that neither displaces the other. */
function pickAddresses(addresses: readonly string[]): readonly string[] {
  if (addresses.length <= addressesTriedMax) return addresses;
  const perFamily = addressesTriedMax / 2;
  const v6 = addresses.filter((address) => address.includes(":"));
  const v4 = addresses.filter((address) => !address.includes(":"));
  return [...v6.slice(0, perFamily), ...v4.slice(0, addressesTriedMax - Math.min(v6.length, perFamily))];
}

function isOneOf(addresses: readonly string[], remoteAddress: string): boolean {
  const remote = parseAddress(remoteAddress);
  if (remote === undefined) return false;
  return addresses.some((address) => {
    const bytes = parseAddress(address);
    return bytes !== undefined && isSameAddress(bytes, remote);
  });
}

function ignore(): void {}

/** Waits for the event; on failure or abort, destroys the socket. */
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

/** Describes the kind of failure only, since Node's messages name addresses. */
function describeFailure(err: Error): string {
  const code = codeOf(err) ?? "";
  if (code === "ECONNREFUSED") return "The connection was refused.";
  if (code === "ECONNRESET") return "The connection was reset.";
  if (code === "ETIMEDOUT") return answeredTooLate();
  const isTls = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/.test(code);
  return isTls ? "The TLS handshake failed: check the host's certificate." : "The connection failed.";
}
