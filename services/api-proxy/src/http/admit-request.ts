import type { IncomingMessage } from "node:http";
import { andThen } from "@gatehouse/async";
import { ssrfBlocked } from "@gatehouse/egress";
import { GatewayError, invalidArgument } from "@gatehouse/errors";
import { rateLimited, type RateLimits, type TightestWindow, windowHeaders } from "@gatehouse/limits";
import { mayReachEndpoint, type RequestContext, tokenPrincipal } from "@gatehouse/principal";
import { endpointNotFound } from "@gatehouse/slugs";
import type { CompiledEndpoint } from "../domain/endpoint.ts";
import { joinUpstreamPath, parseProxyPath, type ProxyPath } from "../domain/proxy-path.ts";
import { isInCircle } from "./upstream-headers.ts";

/** Finds an active endpoint of a project by slug; synchronous where it is cached. */
export type FindEndpoint = (
  projectUuid: string,
  slug: string,
) => CompiledEndpoint | undefined | Promise<CompiledEndpoint | undefined>;

/** Result of `admitRequest`, already counted in the rate limits; `window` is undefined where no limit applies. */
export interface AdmittedRequest {
  readonly endpoint: CompiledEndpoint;
  /** Path and query at the upstream. */
  readonly path: string;
  readonly window: TightestWindow | undefined;
}

/** A refusal with headers for its reply. */
export class Refusal extends Error {
  readonly error: GatewayError;
  readonly endpoint: CompiledEndpoint | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    error: GatewayError,
    endpoint: CompiledEndpoint | undefined,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(error.message);
    this.error = error;
    this.endpoint = endpoint;
    this.headers = headers;
  }
}

/**
 * Checks the endpoint, its method, its path, then the rate limits, so that what these refuse does not count. Synchronous where
 * everything is cached.
 * @throws Refusal
 */
export function admitRequest(
  req: IncomingMessage,
  context: RequestContext,
  findEndpoint: FindEndpoint,
  rateLimits: Pick<RateLimits, "admit">,
): AdmittedRequest | Promise<AdmittedRequest> {
  const principal = tokenPrincipal(context);
  const target = parseProxyPath(req.url ?? "");
  const { slug } = target;
  if (!mayReachEndpoint(principal, slug)) throw new Refusal(endpointNotFound(slug), undefined);
  return andThen(findEndpoint(principal.project.uuid, slug), (endpoint) => {
    if (endpoint === undefined) throw new Refusal(endpointNotFound(slug), undefined);
    const path = pathAtUpstream(req, target, endpoint);
    return andThen(rateLimits.admit(principal, context.user), (admission) => {
      if (admission?.admitted === false) {
        throw new Refusal(rateLimited(admission), endpoint, windowHeaders(admission.tightest));
      }
      return { endpoint, path, window: admission?.tightest };
    });
  });
}

/** Path and query at the upstream. @throws Refusal */
function pathAtUpstream(req: IncomingMessage, { rest, query }: ProxyPath, endpoint: CompiledEndpoint): string {
  const method = req.method ?? "";
  if (isInCircle(req.headers)) throw new Refusal(goingRound(), endpoint);
  if (!endpoint.methods.has(method)) {
    throw new Refusal(methodNotAllowed(method), endpoint, { allow: endpoint.allow });
  }
  const path = joinUpstreamPath(endpoint.basePath, rest);
  if (path === undefined) throw new Refusal(pathRefused(), endpoint);
  return path + endpoint.credentialNames.withoutThem(query);
}

function methodNotAllowed(method: string): GatewayError {
  return new GatewayError("method_not_allowed", `Method '${method}' is not allowed for this endpoint.`);
}

function goingRound(): GatewayError {
  const detail = "The request has come through this gateway several times: an endpoint leads to itself.";
  return ssrfBlocked(detail);
}

function pathRefused(): GatewayError {
  const detail =
    "Send a path without dot segments, backslashes, empty first segments and characters that a URL cannot have, encoded or not.";
  return invalidArgument("Request path cannot be passed on.", { details: { detail } });
}
