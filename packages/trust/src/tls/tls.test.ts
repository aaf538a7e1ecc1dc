import { EnvReader } from "@gatehouse/config";
import { expect, test } from "vitest";
import { serviceOfAltNames } from "./peer-certificate.ts";
import { isLoopbackHost, refusePlaintext } from "./plaintext.ts";
import { readServiceTls } from "./tls-config.ts";

test.each([
  ["URI:spiffe://gatehouse/chat", "chat"],
  ["URI:spiffe://gatehouse/chat, DNS:chat, IP Address:10.0.0.1", "chat"],
  ["DNS:chat, URI:spiffe://gatehouse/mcp-bridge", "mcp-bridge"],
  ["DNS:chat", undefined],
  ["URI:spiffe://gatehouse/stranger", undefined],
  ["URI:spiffe://elsewhere/chat", undefined],
  ["URI:spiffe://gatehouse/chat/more", undefined],
  ["URI:spiffe://gatehouse/chat, URI:spiffe://gatehouse/router", undefined],
  ["URI:https://example.com, URI:spiffe://gatehouse/router", undefined],
  ['DNS:"a, URI:spiffe://gatehouse/router, b"', undefined],
  ["", undefined],
  [undefined, undefined],
])("a certificate for %s identifies %s", (altNames, service) => {
  expect(serviceOfAltNames(altNames)).toBe(service);
});

test.each([
  "localhost",
  "LOCALHOST",
  "chat.localhost",
  "127.0.0.1",
  "127.9.9.9",
  "::1",
  "[::1]",
  "::ffff:127.0.0.1",
  "/run/postgresql",
])("%s is a loopback host", (host) => expect(isLoopbackHost(host)).toBe(true));

test.each(["0.0.0.0", "::", "chat", "10.0.0.1", "127.example.com", "localhost.example.com", "::ffff:10.0.0.1", ""])(
  "%s is not a loopback host",
  (host) => expect(isLoopbackHost(host)).toBe(false),
);

function problemsOf(variables: Readonly<Record<string, string>>, hosts: readonly string[]): string {
  const env = new EnvReader(variables);
  refusePlaintext(env, "CHAT_RPC_ADDRESS", hosts);
  try {
    env.finish();
    return "";
  } catch (err) {
    return String(err);
  }
}

test("plaintext leaves the machine only if the operator allows it", () => {
  expect(problemsOf({}, ["127.0.0.1", "localhost"])).toBe("");
  const refusal = problemsOf({}, ["127.0.0.1", "chat"]);
  expect(refusal).toContain("CHAT_RPC_ADDRESS is unencrypted and not limited to this machine");
  expect(refusal).toContain("GATEHOUSE_PLAINTEXT=allow");
  expect(problemsOf({ GATEHOUSE_PLAINTEXT: "refuse" }, ["chat"])).toBe(refusal);
  expect(problemsOf({ GATEHOUSE_PLAINTEXT: "allow" }, ["chat", "0.0.0.0"])).toBe("");
  expect(problemsOf({ GATEHOUSE_PLAINTEXT: "yes" }, [])).toContain("must be one of refuse, allow");
});

test("TLS is off without its settings; incomplete and invalid ones are problems that do not show the key", () => {
  const none = new EnvReader({});
  expect(readServiceTls(none)).toBeUndefined();
  none.finish();
  const alone = new EnvReader({ GATEHOUSE_TLS_CERTIFICATE: "x" });
  expect(readServiceTls(alone)).toBeUndefined();
  expect(() => alone.finish()).toThrow(/GATEHOUSE_TLS_KEY is required.*\n.*GATEHOUSE_TLS_CA is required/);
  const broken = new EnvReader({ GATEHOUSE_TLS_CERTIFICATE: "x", GATEHOUSE_TLS_KEY: "hunter2", GATEHOUSE_TLS_CA: "z" });
  expect(readServiceTls(broken)).toBeUndefined();
  expect(() => broken.finish()).toThrow(
    "GATEHOUSE_TLS_CERTIFICATE cannot be used: the certificate is not a PEM certificate.",
  );
});
