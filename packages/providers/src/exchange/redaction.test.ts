import { Secret } from "@gatehouse/vault";
import { describe, expect, it } from "vitest";
import { redactMessage, secretsOf } from "./redaction.ts";

describe("redactMessage", () => {
  it.each([
    "sk-proj-AbCd1234efgh",
    "sk-ab***yz",
    "Bearer abc.def-ghi",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "svc_live_0123456789abcdefghij",
    "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
  ])("blanks %s", (credential) => {
    expect(redactMessage(`Incorrect API key provided: ${credential}, see the docs`)).toBe(
      "Incorrect API key provided: [redacted], see the docs",
    );
  });

  it("leaves ordinary words alone", () => {
    const text = "This model's maximum context length is 128000 tokens (gpt-4o-2024-08-06); reduce `max_tokens`.";
    expect(redactMessage(text)).toBe(text);
  });

  it("blanks a known secret anywhere, even across the cut", () => {
    const text = `${"sk-12345678 ".repeat(99)}${"x".repeat(5)} plain-secret`;
    expect(redactMessage(text, ["plain-secret"])).not.toContain("plain");
  });

  it("gives one line of at most 300 characters", () => {
    const message = redactMessage(`a\r\n\t b\u0000c ${"long ".repeat(200)}`);
    expect(message).toMatch(/^a b c long/);
    expect(message).toHaveLength(300);
  });

  it("takes little time for a hostile text", () => {
    const started = performance.now();
    redactMessage("sk-".repeat(20_000), ["x"]);
    redactMessage("a1".repeat(30_000));
    expect(performance.now() - started).toBeLessThan(200);
  });
});

describe("secretsOf", () => {
  const address = { provider: "p", kind: "bedrock", baseUrl: undefined, model: "m" } as const;

  it("names the whole credential and its longer parts", () => {
    const apiKey = new Secret("AKIA12345678:long-secret:short");
    expect(secretsOf({ ...address, apiKey })).toEqual([
      "AKIA12345678:long-secret:short",
      "AKIA12345678",
      "long-secret",
    ]);
    expect(secretsOf({ ...address, apiKey: undefined })).toEqual([]);
  });
});
