import { untraced } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { CredentialNames } from "../domain/credential-names.ts";
import { toCallerHeaders, toUpstreamHeaders } from "./upstream-headers.ts";

const context = {
  requestId: "req-1",
  principal: { kind: "admin", adminKeyId: 1, name: "a", role: "owner", projects: null },
  ipAddress: "203.0.113.9",
  host: "gateway.example",
  span: untraced.start("router", { kind: "server" }),
} as const;

const plain = { context, traceparent: undefined, auth: undefined, credentialNames: new CredentialNames(undefined) };

test("headers between the caller and the gateway do not reach the upstream", () => {
  const headers = toUpstreamHeaders(
    {
      authorization: "Bearer svc_live_x",
      "proxy-authorization": "Basic x",
      host: "gateway.example",
      connection: "keep-alive, X-Mine",
      "x-mine": "1",
      "keep-alive": "1",
      te: "trailers",
      "transfer-encoding": "chunked",
      upgrade: "h2c",
      expect: "100-continue",
      forwarded: "for=evil",
      "x-forwarded-for": "evil",
      "x-real-ip": "evil",
      "x-request-id": "evil",
      "x-gatehouse-principal": "evil",
      "x-gatehouse-user": "ann",
      "x-gatehouse_user": "ann",
      "x-gatehouse-host": "evil",
      traceparent: "evil",
      accept: "text/plain",
    },
    plain,
  );
  expect(headers).toEqual({
    accept: "text/plain",
    "cdn-loop": "gatehouse",
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-host": "gateway.example",
    "x-forwarded-proto": "http",
    "x-request-id": "req-1",
  });
});

test.each([
  "X-HTTP-Method-Override",
  "X-HTTP-Method",
  "X-Method-Override",
  "X-Original-URL",
  "X-Original-Method",
  "X-Rewrite-URL",
  "X-Forwarded-Prefix",
  "X-Forwarded-Path",
  "X-Forwarded-Proto",
  "X-Forwarded-Anything",
  "X-Override-URL",
  "X-Method",
  "X-Original-Path",
  "X-Original_URI",
  "X-Rewrite-Path",
  "X-Request-URI",
  "Request-Uri",
  "X-Accel-Redirect",
  "X-Accel-Anything",
  "X-Sendfile",
  "Proxy",
  "Proxy-Host",
  "Destination",
  "X-Proxy-URL",
  "X-Forward-For",
  "X-Forwarded",
  "X-Remote-Addr",
  "X-Originating-IP",
  "X-Middleware-Subrequest",
  "X_Real_IP",
  "X_HTTP_Method_Override",
  "X_Forwarded-For",
  "Authorization_",
])("a caller's %s cannot make the upstream take another method, path or client", (name) => {
  const headers = toUpstreamHeaders({ [name.toLowerCase()]: "evil" }, plain);
  const isKept = name === "Authorization_";
  expect(Object.values(headers).includes("evil")).toBe(isKept);
});

test.each([
  "X-Client-Id",
  "X-Request-Timeout",
  "X-Original-Filename",
  "X-Http-Version",
  "X-Api-Version",
  "X-Amz-Copy-Source",
  "X-Path-Style",
  "Access-Control-Request-Method",
  "Mcp-Protocol-Version",
  "Idempotency-Key",
  "Api_Key",
])("an ordinary header such as %s passes", (name) => {
  expect(toUpstreamHeaders({ [name.toLowerCase()]: "mine" }, plain)[name.toLowerCase()]).toBe("mine");
});

test.each(["x-api-key", "x_api_key", "api-key", "api_key", "apikey", "x-apikey"])(
  "a caller's %s is removed beside the endpoint's own key",
  (name) => {
    const auth = { name: "X-Api-Key", value: "own" };
    const headers = toUpstreamHeaders(
      { [name]: "callers" },
      { ...plain, auth, credentialNames: new CredentialNames(auth.name) },
    );
    expect(Object.values(headers)).not.toContain("callers");
    expect(headers["X-Api-Key"]).toBe("own");
  },
);

test("the protocol is the one that the router has found", () => {
  const secure = { ...plain, context: { ...context, protocol: "https" } } as const;
  expect(toUpstreamHeaders({}, secure)["x-forwarded-proto"]).toBe("https");
  expect(toUpstreamHeaders({ "x-forwarded-proto": "https" }, plain)["x-forwarded-proto"]).toBe("http");
});

test("the endpoint's own auth takes the place of the caller's header of that name", () => {
  const auth = { name: "x-api-key", value: "own" };
  expect(
    toUpstreamHeaders({ "x-api-key": "callers" }, { ...plain, auth, credentialNames: new CredentialNames(auth.name) })[
      "x-api-key"
    ],
  ).toBe("own");
});

test.each([
  ["a=1; b=2", "a=1; b=2"],
  ["a=1; gatehouse_session=x; b=2", "a=1; b=2"],
  ["__Host-gatehouse=x", undefined],
  ["GateHouse=x; a=1", "a=1"],
  ["mine=gatehouse", "mine=gatehouse"],
])("from the cookies %o the upstream gets %o", (cookie, expected) => {
  expect(toUpstreamHeaders({ cookie }, plain)["cookie"]).toBe(expected);
});

test("an upstream cannot set the gateway's own cookies", () => {
  const cookies = { "set-cookie": ["a=1; Path=/", "gatehouse_session=x", "__Secure-Gatehouse=y"] };
  expect(toCallerHeaders(cookies, { requestId: "r", window: undefined })["set-cookie"]).toEqual(["a=1; Path=/"]);
});

const window = { limit: 10, remaining: 9, resetAtSeconds: 60 };

test("the gateway's rate limit headers are sent, except where the upstream sends its own", () => {
  expect(toCallerHeaders({}, { requestId: "r", window })).toEqual({
    "x-request-id": "r",
    "x-ratelimit-limit": "10",
    "x-ratelimit-remaining": "9",
    "x-ratelimit-reset": "60",
  });
  const own = { "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "1" };
  for (const sent of [own, { "x-ratelimit-limit": "5000" }, { "x-ratelimit-remaining": "1" }]) {
    expect(toCallerHeaders({ ...sent }, { requestId: "r", window })).toEqual({ ...sent, "x-request-id": "r" });
  }
});

test("the gateway's request id replaces an upstream's", () => {
  expect(toCallerHeaders({ "x-request-id": "theirs" }, { requestId: "ours", window: undefined })).toEqual({
    "x-request-id": "ours",
  });
});
