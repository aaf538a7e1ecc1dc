import { callCancelled } from "@gatehouse/errors";
import { collectReply, cookieSeparator, ReplyTooLarge, type WholeReply } from "@gatehouse/upstream-http";
import type { Dispatcher } from "undici";
import { toEgressError, upstreamUnreachable } from "./egress-error.ts";
import { parseStrictUrl } from "./egress-url.ts";

/** Bounds of one call; 1 MiB and 10 s when absent. */
export interface GuardedFetchOptions {
  /** Largest reply body; a larger one fails the call. */
  readonly bodySizeBytesMax?: number;
  /** Bound of the whole call: connection, request, reply and its body. */
  readonly timeoutMs?: number;
}

/** Type of `fetch` that libraries accept. */
export type GuardedFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const bodySizeBytesMaxDefault = 1_048_576;
const timeoutMsDefault = 10_000;

/**
 * A `fetch` for libraries that call addresses chosen by tenants (OAuth token URLs). It follows no redirects: with `redirect:
 * "manual"` a redirect is returned, else it fails the call. The reply is read whole, within bounds, and never decompressed, so
 * that a small reply stays small; `accept-encoding: identity` requests it uncompressed.
 * @throws GatewayError `ssrf_blocked`, `upstream_unreachable` or `cancelled`
 */
export function createGuardedFetch(dispatcher: Dispatcher, options: GuardedFetchOptions = {}): GuardedFetch {
  const { bodySizeBytesMax = bodySizeBytesMaxDefault, timeoutMs = timeoutMsDefault } = options;
  return async (input, init) => {
    const url = parseStrictUrl(input instanceof Request ? input.url : String(input));
    const request = new Request(input, init);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([request.signal, timeout]);
    try {
      const sent = {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: { "accept-encoding": "identity", ...withoutHost(request.headers) },
        body: request.body === null ? null : Buffer.from(await request.arrayBuffer()),
      };
      const reply = await collectReply(dispatcher, sent, bodySizeBytesMax, signal);
      return toResponse(reply, init?.redirect ?? request.redirect);
    } catch (err) {
      if (err instanceof ReplyTooLarge)
        throw upstreamUnreachable(`The reply is larger than ${bodySizeBytesMax} bytes.`);
      throw request.signal.aborted ? callCancelled(request.signal.reason) : toEgressError(err, timeoutMs);
    }
  };
}

/** Removes `Host`, so that it always follows from the URL. */
function withoutHost(headers: Headers): Record<string, string> {
  const kept = new Headers(headers);
  kept.delete("host");
  return Object.fromEntries(kept);
}

function toResponse({ status, headers, body }: WholeReply, redirect: Request["redirect"]): Response {
  const isRedirect = status >= 300 && status < 400 && headers["location"] !== undefined;
  if (isRedirect && redirect !== "manual") throw upstreamUnreachable("The host answered with a redirect.");
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    (value?.split(cookieSeparator) ?? []).map((each) => [name, each]),
  );
  // A Response with one of these statuses may not have a body (Fetch, "null body status").
  const isBodyless = [204, 205, 304].includes(status);
  return new Response(isBodyless ? null : body, { status, headers: pairs });
}
