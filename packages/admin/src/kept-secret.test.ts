import { expect, test } from "vitest";
import { refuseKeptSecrets } from "./kept-secret.ts";

const change =
  (to: string | undefined, kept: readonly string[] = ["bearer_token"]) =>
  () =>
    refuseKeptSecrets({ argument: "url", from: "https://a.example/mcp", to, kept });

test.each(["https://b.example/mcp", "http://a.example/mcp", "https://a.example:8443/mcp", "https://a.example.evil/"])(
  "a stored secret is not sent to %s",
  (to) => {
    expect(change(to)).toThrow(/^url: the stored bearer_token would be sent to another host\. Give bearer_token again/);
  },
);

test.each([undefined, "https://a.example/mcp", "https://a.example/other", "https://A.example:443/mcp"])(
  "the address %s is the same host",
  (to) => expect(change(to)).not.toThrow(),
);

test("without a stored secret that is kept, an address may be any", () => {
  expect(change("https://b.example/mcp", [])).not.toThrow();
});
