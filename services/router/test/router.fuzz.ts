import assert from "node:assert/strict";
import { isIP } from "node:net";
import { isGatewayError } from "@gatehouse/errors";
import { readBearerToken } from "../src/domain/bearer.ts";
import { createClientOf, parseTrustedProxies } from "../src/domain/client.ts";
import { createOriginCheck, parseOrigin } from "../src/domain/origin-check.ts";
import { createRequestIds } from "../src/domain/request-id.ts";
import { createDataMatcher } from "../src/domain/route-matcher.ts";
import { routes } from "../src/domain/route-table.ts";

const match = createDataMatcher(routes);
const requestIdFor = createRequestIds("p-");
const checkOrigin = createOriginCheck("127.0.0.1", ["https://chat.example.com"]);

/** Paths are unambiguous: a slug contains no slash, and the service gets the path that the router matched. */
function matchPath(bytes: Buffer): void {
  const target = bytes.toString("latin1");
  if (!target.startsWith("/api/")) return;
  const found = match(target);
  if (found === undefined) return;
  assert.ok(!/[/?]/.test(found.projectUuid), "a project's uuid has a slash or a query");
  assert.ok(target.startsWith(`/api/${found.projectUuid}/`));
}

/** Lines are header names and values in turn. */
function readAuthorization(bytes: Buffer): void {
  const token = readBearerToken(bytes.toString("latin1").split("\n"));
  if (!isGatewayError(token)) assert.equal(token, token.trim());
}

function judgeOrigin(bytes: Buffer): void {
  const [origin = "", host = ""] = bytes.toString("latin1").split("\n");
  const parsed = parseOrigin(origin);
  if (parsed !== undefined) assert.equal(parseOrigin(parsed), parsed);
  const refusal = checkOrigin({ origin, host });
  if (refusal !== undefined) return;
  // An accepted origin is the gateway's or an allowed one.
  const name = URL.parse(origin)?.hostname ?? "";
  assert.ok(
    name === "chat.example.com" || /^(?:.*\.localhost|localhost|127\.[\d.]+|\[::1\])$/.test(name),
    `${origin} to ${host}`,
  );
}

const clientOf = createClientOf(parseTrustedProxies("10.0.0.0/8, 2001:db8::/32").proxies);

/** Lines are `X-Forwarded-For`, `X-Forwarded-Proto` and the peer; the result is an address, by default the peer's. */
function findClient(bytes: Buffer): void {
  const [forwardedFor, forwardedProto, peer = "10.0.0.1"] = bytes.toString("latin1").split("\n");
  const peerAddress = isIP(peer) === 0 ? "10.0.0.1" : peer;
  const { ipAddress, protocol } = clientOf({ peerAddress, forwardedFor, forwardedProto });
  assert.ok(isIP(ipAddress) !== 0, `${ipAddress} is no address`);
  assert.ok(protocol === "http" || protocol === "https");
}

export const fuzzTargets = [
  {
    name: "forwarded-addresses",
    seeds: [
      "203.0.113.7, 10.0.0.2\nhttps\n10.0.0.1",
      '"[2001:db8::1]:80"\nhttp\n2001:db8::2',
      "::ffff:10.0.0.1\n\n10.1.1.1",
    ],
    words: ["10.0.0.1", ", ", "::ffff:", "%eth0", "[::1]:80", "https"],
    run: findClient,
    isDeclared: () => false,
  },
  {
    name: "route",
    seeds: routes.map(({ path }) =>
      path
        .replace("{uuid}", "3f2a6c1e-0f5b-4d3e-9a51-2f6f0c9b7d10")
        .replace("{slug}", "support")
        .replace("{rest}", "a/b?c=d"),
    ),
    words: ["/api/", "//", "/../", "%2f", "?", "#", "/v1/", "/mcp"],
    run: matchPath,
    isDeclared: () => false,
  },
  {
    name: "authorization-header",
    seeds: [
      "Host\nexample.com\nAuthorization\nBearer svc_live_abc",
      "authorization\nbearer  x\nAUTHORIZATION\nBasic y",
    ],
    words: ["Authorization\n", "Bearer ", "\t"],
    run: readAuthorization,
    isDeclared: () => false,
  },
  {
    name: "origin-header",
    seeds: ["https://chat.example.com\nlocalhost:8080", "http://localhost:8080\nlocalhost:8080", "null\n127.0.0.1"],
    words: ["https://", "http://", "[::1]", ".localhost", "@", "chat.example.com", ":80", "127.1"],
    run: judgeOrigin,
    isDeclared: isGatewayError,
  },
  {
    name: "request-id",
    seeds: ["abc-1.2_3"],
    run: (bytes: Buffer) => assert.match(requestIdFor(bytes.toString("latin1")), /^[A-Za-z0-9._-]{1,64}$/),
    isDeclared: () => false,
  },
];
