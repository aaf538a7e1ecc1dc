import { unlessAborted } from "@gatehouse/async";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import { allowNothing, type EgressAllow } from "./egress-allow.ts";
import { upstreamUnreachable } from "./egress-error.ts";
import { type EgressTarget, parseStrictUrl, targetOf } from "./egress-url.ts";
import { resolveHost, type ResolveHost } from "./resolve-host.ts";
import { createTargetJudge, type TargetJudge } from "./target-judge.ts";
import { withinDeadline } from "./within-deadline.ts";

/** Exceptions, bounds and resolver of a guard; strictest when absent. */
export interface EgressGuardOptions {
  /** Targets opened by `EGRESS_ALLOW`; none when absent. */
  readonly allow?: EgressAllow;
  /** Listening addresses of this gateway, such as `127.0.0.1:8080`, which nothing opens: calls to itself could loop forever. */
  readonly ownAddresses?: readonly string[];
  /** Bound of one resolution by {@link EgressGuard.check}. */
  readonly resolveTimeoutMs?: number;
  /** Resolves names; `resolveHost` when absent. */
  readonly resolve?: ResolveHost;
  /** Logs every refusal at debug level: host and reason, never a path, query or user info. */
  readonly logger?: Pick<Logger, "debug">;
}

/** Decides whether calls to addresses chosen by tenants are allowed. */
export interface EgressGuard {
  /**
   * Parses a URL in strict form without judging its target, for URLs that may always be saved because each call is checked.
   * @throws GatewayError `ssrf_blocked`
   */
  readonly readForm: (urlText: string) => URL;
  /**
   * Makes all checks that need no DNS: the URL's form, scheme, port and name, and a literal address.
   * @throws GatewayError `ssrf_blocked`
   */
  readonly parse: (urlText: string) => URL;
  /**
   * Checks a URL when it is saved, for early feedback. A name without an address, or whose DNS is slow, may be saved, since
   * addresses change and each connection is checked again.
   * @param argument path of the URL among the caller's arguments, such as `url`, which the error's details name
   * @throws GatewayError `ssrf_blocked`
   */
  readonly checkToSave: (urlText: string, argument?: string) => Promise<URL>;
  /**
   * Checks a URL and every current address of its name.
   * @throws GatewayError `ssrf_blocked`; `upstream_unreachable` when the name has no address or the DNS does not answer in time;
   * `cancelled` when the signal aborts.
   */
  readonly check: (urlText: string, signal?: AbortSignal) => Promise<URL>;
  /**
   * Checked addresses for a connection, at least one; one refused address refuses them all (except for `localhost`, which needs
   * one open address). Only `signal` bounds the time, and rejects with its reason.
   * @throws as {@link EgressGuard.check}
   */
  readonly resolve: (target: EgressTarget, signal: AbortSignal) => Promise<readonly string[]>;
}

const resolveTimeoutMsDefault = 5_000;
/** Short, since a person waits for a check that is not essential. */
const saveTimeoutMsMax = 1_500;

/**
 * Creates a guard. Without options it allows public addresses only (except on the ports of `denied-ports.ts`), and waits 5 s for
 * the DNS.
 */
export function createEgressGuard(options: EgressGuardOptions = {}): EgressGuard {
  const { logger, resolve: resolveName = resolveHost, resolveTimeoutMs = resolveTimeoutMsDefault } = options;
  const judge = createTargetJudge(options.allow ?? allowNothing, options.ownAddresses ?? []);

  function parse(urlText: string): URL {
    let host = "";
    try {
      const url = parseStrictUrl(urlText);
      host = url.hostname;
      judge.judgeTarget(targetOf(url));
      return url;
    } catch (err) {
      throw logged(host, err);
    }
  }

  async function resolve(target: EgressTarget, signal: AbortSignal): Promise<readonly string[]> {
    try {
      return await resolveTarget(target, judge, resolveName, signal);
    } catch (err) {
      throw logged(target.hostname, err);
    }
  }

  function logged(host: string, err: unknown): unknown {
    if (isGatewayError(err) && err.code === "ssrf_blocked") {
      logger?.debug({ host, reason: err.details["detail"] }, "An outgoing call was refused.");
    }
    return err;
  }

  async function check(urlText: string, signal: AbortSignal | undefined, timeoutMs = resolveTimeoutMs): Promise<URL> {
    const url = parse(urlText);
    await withinDeadline({ timeoutMs, signal }, (bound) => resolve(targetOf(url), bound));
    return url;
  }

  async function checkToSave(urlText: string, argument?: string): Promise<URL> {
    try {
      return await check(urlText, undefined, Math.min(resolveTimeoutMs, saveTimeoutMsMax));
    } catch (err) {
      if (!isGatewayError(err)) throw err;
      if (err.code === "upstream_unreachable") return parse(urlText);
      throw argument === undefined ? err : refusedArgument(err, argument);
    }
  }

  function readForm(urlText: string): URL {
    const url = parseStrictUrl(urlText);
    targetOf(url);
    return url;
  }

  return { readForm, parse, check: async (urlText, signal) => await check(urlText, signal), checkToSave, resolve };
}

function refusedArgument({ code, message, details, cause }: GatewayError, argument: string): GatewayError {
  return new GatewayError(code, message, { details: { ...details, argument }, cause });
}

async function resolveTarget(
  target: EgressTarget,
  judge: TargetJudge,
  resolveName: ResolveHost,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const kind = judge.judgeTarget(target);
  const { hostname } = target;
  if (kind === "address") return [hostname];
  const addresses = await unlessAborted(resolveName({ hostname, source: kind, signal }), signal).catch(
    (err: unknown) => {
      throw signal.aborted ? signal.reason : upstreamUnreachable("The host name could not be resolved.", err);
    },
  );
  if (addresses.length === 0) throw upstreamUnreachable("The host name could not be resolved.");
  return judge.judgeAnswers(target, addresses);
}
