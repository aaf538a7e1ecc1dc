import { timingSafeEqual } from "node:crypto";
import { bodyTooLarge, GatewayError, nothingAtPath } from "@gatehouse/errors";
import { mayCallFrom, type Principal } from "@gatehouse/principal";
import { invalidToken } from "./bearer.ts";
import { takesMethod } from "./route-matcher.ts";
import type { ControlRoute, DataRoute, GuardName, PublicRoute } from "./route-table.ts";

/** Facts about a call that the guards of a route judge. */
export interface GuardedCall {
  readonly route: DataRoute | ControlRoute | PublicRoute;
  readonly principal: Principal | undefined;
  readonly ipAddress: string;
  /** Project in the path, as sent; empty where the path names none. */
  readonly projectUuid: string;
  readonly method: string;
  /** `Content-Length`, bytes; 0 without one. */
  readonly bodySizeBytes: number;
  readonly bodySizeBytesMax: number;
  /** See `createOriginCheck`. */
  readonly checkOrigin: () => GatewayError | undefined;
  /** The `Origin` header; absent for requests that no page sends. */
  readonly origin: string | undefined;
  /** Token that the console's page sends with its cookie. */
  readonly csrfToken: string | undefined;
}

type Guard = (call: GuardedCall) => GatewayError | undefined;

const guards: Readonly<Record<GuardName, Guard>> = {
  token: ({ principal }) => (principal?.kind === "token" ? undefined : invalidToken()),
  admin_key: requireGatewayAdministrator,
  administrator: requireAdministrator,
  session: requireAdministrator,
  sign_in: requireAdministrator,
  network: checkNetwork,
  project: checkProject,
  scope: checkScope,
  project_type: checkProjectType,
  method: checkMethod,
  body_size: checkBodySize,
  origin: ({ checkOrigin }) => checkOrigin(),
  csrf: checkCsrf,
};

/** First refusal of a route's guards, in their order in the route table; undefined admits the call. */
export function firstRefusal(call: GuardedCall): GatewayError | undefined {
  for (const name of call.route.guards) {
    const refusal = guards[name](call);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** First guard of a token, before any answer that depends on its project: a stolen token reveals nothing to another network. */
function checkNetwork({ principal, ipAddress }: GuardedCall): GatewayError | undefined {
  if (principal?.kind !== "token" || mayCallFrom(principal, ipAddress)) return undefined;
  return new GatewayError("network_not_allowed", "Token may not be used from this network.", {
    details: {
      detail: `The request came from ${ipAddress || "an unknown address"}, which is not in the token's networks. Ask an administrator to add it.`,
    },
  });
}

/** One answer for another's project and for a missing one, so that callers cannot probe for projects. */
function checkProject({ principal, projectUuid }: GuardedCall): GatewayError | undefined {
  if (principal?.kind === "token") {
    const { uuid } = principal.project;
    if (uuid === projectUuid || uuid.toLowerCase() === projectUuid.toLowerCase()) return undefined;
  }
  return new GatewayError("wrong_project", "Token does not belong to this project.");
}

function checkScope({ route, principal }: GuardedCall): GatewayError | undefined {
  if (route.plane !== "data") return undefined;
  // Precedes the check of scopes: a further scope would not help the caller.
  if (route.isNothingToOthers === true && !isOfType(route, principal)) {
    return nothingAtPath();
  }
  const held = principal?.kind === "token" ? principal.scopes : [];
  if (held.includes(route.scope)) return undefined;
  const list = held.length === 0 ? "none" : held.join(", ");
  return new GatewayError("missing_scope", `Missing required scope: '${route.scope}'. Token has: ${list}.`, {
    details: isOfIssuer(principal) ? { detail: scopesOfIssuer } : {},
  });
}

const scopesOfIssuer =
  "A JWT has the scopes of its issuer that its claim names: look at the issuer's scopes and scope_claim, and at the claim in the token.";

function isOfIssuer(principal: Principal | undefined): boolean {
  return principal?.kind === "token" && principal.external !== undefined;
}

function checkProjectType({ route, principal }: GuardedCall): GatewayError | undefined {
  if (route.plane !== "data") return undefined;
  if (isOfType(route, principal)) return undefined;
  return new GatewayError("wrong_project_type", route.wrongTypeMessage);
}

function isOfType({ projectTypes }: DataRoute, principal: Principal | undefined): boolean {
  return principal?.kind === "token" && projectTypes.includes(principal.project.projectType);
}

function checkMethod({ route, method }: GuardedCall): GatewayError | undefined {
  if (takesMethod(route, method)) return undefined;
  return new GatewayError("method_not_allowed", `Method '${method}' is not allowed for this endpoint.`);
}

/** Early refusal by the announced size; the service bounds bodies without one. */
function checkBodySize({ bodySizeBytes, bodySizeBytesMax }: GuardedCall): GatewayError | undefined {
  if (bodySizeBytes <= bodySizeBytesMax) return undefined;
  return bodyTooLarge(bodySizeBytesMax, "BODY_SIZE_BYTES_MAX");
}

/** For routes about the whole gateway that only read. */
function requireGatewayAdministrator(call: GuardedCall): GatewayError | undefined {
  const { principal } = call;
  if (principal?.kind !== "admin" || principal.projects === null) return requireAdministrator(call);
  return new GatewayError("not_allowed", "Not allowed: this needs the role viewer for the whole gateway.");
}

function requireAdministrator({ principal }: GuardedCall): GatewayError | undefined {
  return principal?.kind === "admin" ? undefined : invalidToken();
}

/**
 * Browsers send cookies with requests of any page, so a request with a session cookie must have an `Origin`, which the origin
 * guard has judged, and a token that only the console's own page can read. Requests with a key need neither: browsers do not add
 * keys.
 */
function checkCsrf({ principal, origin, csrfToken }: GuardedCall): GatewayError | undefined {
  if (principal?.kind !== "admin" || principal.session === undefined) return undefined;
  if (origin === undefined) return notTheConsole("Requests with the session's cookie need an Origin header.");
  if (csrfToken === undefined || !isSame(csrfToken, principal.session.csrfToken)) {
    return notTheConsole("The header X-Gatehouse-CSRF is missing or wrong.");
  }
  return undefined;
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function notTheConsole(message: string): GatewayError {
  return new GatewayError("origin_not_allowed", message, {
    details: { detail: "Send the csrf_token of GET /control/session from the console's page, or an admin key." },
  });
}
