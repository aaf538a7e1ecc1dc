import { GatewayError } from "@gatehouse/errors";
import type { Principal, ProjectType, Scope, TokenPrincipal } from "@gatehouse/principal";
import { describe, expect, it, test } from "vitest";
import { firstRefusal, type GuardedCall } from "./guards.ts";
import { type ControlRoute, type DataRoute, routes } from "./route-table.ts";

const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
const [chatDirect] = routes as readonly [DataRoute];
const notAnAiGateway =
  "This project is not an AI Gateway. Use /api/{uuid}/v1/chat/completions for AI Wrapper projects.";

function caller(scopes: readonly Scope[], projectType: ProjectType = "ai_gateway"): TokenPrincipal {
  const rateLimits = { perMinute: null, perHour: null };
  const project = { id: 1, uuid, name: "p", projectType, rateLimits };
  return { kind: "token", tokenId: 1, tokenName: "t", environment: "live", scopes, rateLimits, project };
}

function from(networks: readonly string[]): TokenPrincipal {
  return { ...caller(["chat"]), reach: { endpoints: null, tools: null, networks } };
}

function refuse(call: Partial<GuardedCall>): GatewayError | undefined {
  return firstRefusal({
    route: chatDirect,
    principal: caller(["chat"]),
    ipAddress: "192.0.2.7",
    projectUuid: uuid,
    method: "POST",
    bodySizeBytes: 10,
    bodySizeBytesMax: 100,
    checkOrigin: () => undefined,
    origin: undefined,
    csrfToken: undefined,
    ...call,
  });
}

function judge(call: Partial<GuardedCall>): string {
  const refusal = refuse(call);
  return refusal === undefined ? "proceed" : `${refusal.profile.http} ${refusal.message}`;
}

const admin: Principal = { kind: "admin", adminKeyId: 1, name: "a", role: "owner", projects: null };
const otherUuid = uuid.replace("0", "1");
const tooMuch = { bodySizeBytes: 101 };

describe("the guards of a chat route", () => {
  it.each<[string, Partial<GuardedCall>, string]>([
    ["all is well", {}, "proceed"],
    ["the uuid is in capitals", { projectUuid: uuid.toUpperCase() }, "proceed"],
    ["the body is just small enough", { bodySizeBytes: 100 }, "proceed"],
    ["no principal", { principal: undefined }, "401 Invalid or revoked token."],
    ["an admin key", { principal: admin }, "401 Invalid or revoked token."],
    ["another project", { projectUuid: otherUuid }, "403 Token does not belong to this project."],
    [
      "one scope, not the right one",
      { principal: caller(["mcp"]) },
      "403 Missing required scope: 'chat'. Token has: mcp.",
    ],
    [
      "several scopes",
      { principal: caller(["mcp", "models"]) },
      "403 Missing required scope: 'chat'. Token has: mcp, models.",
    ],
    ["no scope", { principal: caller([]) }, "403 Missing required scope: 'chat'. Token has: none."],
    ["another type", { principal: caller(["chat"], "mcp_gateway") }, `400 ${notAnAiGateway}`],
    ["another method", { method: "GET" }, "405 Method 'GET' is not allowed for this endpoint."],
    ["a network that the token's list holds", { principal: from(["198.51.100.1", "192.0.2.0/24"]) }, "proceed"],
    [
      "another network, before the project is looked at",
      { principal: from(["198.51.100.0/24", "2001:db8::/32"]), projectUuid: otherUuid },
      "403 Token may not be used from this network.",
    ],
    [
      "an address that is not known",
      { principal: from(["0.0.0.0/0"]), ipAddress: "" },
      "403 Token may not be used from this network.",
    ],
    ["a large body", tooMuch, "413 Request body is larger than 100 bytes."],
    [
      "project before scope, type, method and size",
      { principal: caller([], "mcp_gateway"), projectUuid: otherUuid, method: "GET", ...tooMuch },
      "403 Token does not belong to this project.",
    ],
    [
      "scope before type, method and size",
      { principal: caller([], "mcp_gateway"), method: "GET", ...tooMuch },
      "403 Missing required scope: 'chat'. Token has: none.",
    ],
    [
      "type before method and size",
      { principal: caller(["chat"], "api_gateway"), method: "GET", ...tooMuch },
      `400 ${notAnAiGateway}`,
    ],
    ["method before size", { method: "PUT", ...tooMuch }, "405 Method 'PUT' is not allowed for this endpoint."],
  ])("%s", (_name, call, expected) => {
    expect(judge(call)).toBe(expected);
  });
});

test("a JWT without the scope is pointed at its issuer's claim", () => {
  const refusalOf = (principal: TokenPrincipal) => refuse({ principal })?.details["detail"];
  expect(refusalOf({ ...caller([]), external: { issuerId: 1, subject: "ann" } })).toContain("scope_claim");
  expect(refusalOf(caller([]))).toBeUndefined();
});

describe("a path that only projects of one type have", () => {
  const route = routes.find(({ id }) => id === "proxy_rest") as DataRoute;

  it.each<[string, TokenPrincipal, string]>([
    ["to a token of another type with any scopes", caller(["chat"]), "404 There is nothing at this path."],
    [
      "to a token of its type without the scope",
      caller(["chat"], "api_gateway"),
      "403 Missing required scope: 'proxy'. Token has: chat.",
    ],
    ["to a token of its type", caller(["proxy"], "api_gateway"), "proceed"],
  ])("answers %s", (_to, principal, answer) => {
    expect(judge({ route, principal })).toBe(answer);
  });
});

describe("the guards of the Control Plane", () => {
  const control = routes.find(({ id }) => id === "control_mcp");
  const session = { id: 3, csrfToken: "right" };
  const signedIn: Principal = { kind: "admin", adminKeyId: 1, name: "a", role: "owner", projects: null, session };
  const origin = "https://gateway.example";
  const wrongToken = "403 The header X-Gatehouse-CSRF is missing or wrong.";

  it.each<[string, Partial<GuardedCall>, string]>([
    ["a key, from no page", { principal: admin }, "proceed"],
    ["a session with its token", { principal: signedIn, origin, csrfToken: "right" }, "proceed"],
    ["a session without a token", { principal: signedIn, origin }, wrongToken],
    ["a session with an empty token", { principal: signedIn, origin, csrfToken: "" }, wrongToken],
    ["a session with another session's token", { principal: signedIn, origin, csrfToken: "wrong" }, wrongToken],
    [
      "a session without an origin",
      { principal: signedIn, csrfToken: "right" },
      "403 Requests with the session's cookie need an Origin header.",
    ],
    [
      "a session from another site",
      {
        principal: signedIn,
        origin,
        csrfToken: "right",
        checkOrigin: () => new GatewayError("origin_not_allowed", "Origin 'x' is not allowed."),
      },
      "403 Origin 'x' is not allowed.",
    ],
  ])("%s", (_name, call, expected) => {
    expect(control).toBeDefined();
    expect(judge({ route: control as ControlRoute, ...call })).toBe(expected);
  });
});
