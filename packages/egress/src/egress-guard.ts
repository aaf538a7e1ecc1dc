import { unlessAborted } from "@gatehouse/async";
import { isGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import { allowNothing, type EgressAllow } from "./egress-allow.ts";
import { upstreamUnreachable } from "./egress-error.ts";
import { type EgressTarget, parseStrictUrl, targetOf } from "./egress-url.ts";
import { resolveHost, type ResolveHost } from "./resolve-host.ts";
import { createTargetJudge, type TargetJudge } from "./target-judge.ts";
import { withinDeadline } from "./within-deadline.ts";

/** Exceptions, bounds and resolver of a guard; the safest ones when absent. */
export interface EgressGuardOptions {
  /** Targets that `EGRESS_ALLOW` opens; none when absent. */
  readonly allow?: EgressAllow;
  /** Addresses that this gateway listens on, such as `127.0.0.1:8080`: a call to itself could go round without end. Nothing opens them. */
  readonly ownAddresses?: readonly string[];
  /** Bound of one resolution by {@link EgressGuard.check}. */
  readonly resolveTimeoutMs?: number;
  /** Resolves names; `resolveHost` when absent. */
  readonly resolve?: ResolveHost;
  /** Logs every refusal at debug level: the host and the reason, never a path, a query or user info. */
  readonly logger?: Pick<Logger, "debug">;
}

/** Decides where calls to addresses that tenants choose may go. */
export interface EgressGuard {
  /**
   * Reads a URL in strict form and judges nothing else: for a URL that may be saved whatever it leads to, because calls are
   * refused one by one. @throws GatewayError `ssrf_blocked`
   */
  readonly readForm: (urlText: string) => URL;
  /**
   * Judges all that can be judged without the DNS: the URL's form, scheme, port and name, and an address that stands in it.
   * @throws GatewayError `ssrf_blocked`
   */
  readonly parse: (urlText: string) => URL;
  /**
   * Judges a URL at the moment when it is saved: an early answer for a person. A name that has no address yet, or that the DNS
   * does not tell in time, may be saved; what counts is the check at each connection, since a name's addresses change.
   * @throws GatewayError `ssrf_blocked`; `cancelled` when the signal aborts.
   */
  readonly checkToSave: (urlText: string) => Promise<URL>;
  /**
   * Judges a URL and every address that its name has now.
   * @throws GatewayError `ssrf_blocked`; `upstream_unreachable` when the name has no address or the DNS does not answer in time;
   * `cancelled` when the signal aborts.
   */
  readonly check: (urlText: string, signal?: AbortSignal) => Promise<URL>;
  /**
   * The addresses that a connection may go to, at least one, all of them judged; one that is refused refuses them all (but of
   * `localhost`, whose open ones are enough). Bounded in time by `signal` alone, whose reason it rejects with.
   * @throws as {@link EgressGuard.check}
   */
  readonly resolve: (target: EgressTarget, signal: AbortSignal) => Promise<readonly string[]>;
}

const resolveTimeoutMsDefault = 5_000;
/** A person waits for the answer, which is no more than a courtesy. */
const saveTimeoutMsMax = 1_500;

/** Makes a guard; without options it lets through public addresses alone (but for the ports of `denied-ports.ts`), and waits 5 s for the DNS. */
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

  async function checkToSave(urlText: string): Promise<URL> {
    try {
      return await check(urlText, undefined, Math.min(resolveTimeoutMs, saveTimeoutMsMax));
    } catch (err) {
      if (isGatewayError(err) && err.code === "upstream_unreachable") return parse(urlText);
      throw err;
    }
  }

  function readForm(urlText: string): URL {
    const url = parseStrictUrl(urlText);
    targetOf(url);
    return url;
  }

  return { readForm, parse, check: async (urlText, signal) => await check(urlText, signal), checkToSave, resolve };
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
