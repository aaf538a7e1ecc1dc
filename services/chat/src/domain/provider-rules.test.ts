import { expect, test } from "vitest";
import { checkProvider, type ProviderDefinition } from "./provider-rules.ts";

const noProblem = () => undefined;
const azure = "https://house.openai.azure.com?api-version=2024-10-21";

test.each<[ProviderDefinition["kind"], string | null]>([
  ["mock", null],
  ["openai", "http://10.0.0.1/v1"],
  ["azure-openai", azure],
])("a provider of kind %s may be at %s", (kind, baseUrl) => {
  expect(() => checkProvider({ name: "p", kind, baseUrl }, noProblem)).not.toThrow();
});

test.each<[ProviderDefinition["kind"], string | null, string]>([
  ["openai-compatible", null, "Missing required argument: base_url"],
  ["azure-openai", null, "Missing required argument: base_url"],
  ["openai", azure, "base_url must not have a query; only that of azure-openai may have one"],
])("a provider of kind %s may not be at %s: %s", (kind, baseUrl, message) => {
  expect(() => checkProvider({ name: "p", kind, baseUrl }, noProblem)).toThrow(message);
});

test("a base URL at an address that is never allowed is refused with the reason", () => {
  const provider = { name: "p", kind: "openai", baseUrl: "http://169.254.169.254/v1" } as const;
  const problem = (hostname: string) => (hostname === "169.254.169.254" ? "The address is never allowed." : undefined);
  expect(() => checkProvider(provider, problem)).toThrow(
    "base_url must not be this address. The address is never allowed.",
  );
});
