import { expect, test } from "vitest";
import { checkProvider } from "./provider-rules.ts";

const noProblem = () => undefined;

test.each(["openai", "a", "Mock provider no. 1", "my-azure_eu.2", "x".repeat(63)])(
  "a provider may be named %j",
  (name) => {
    expect(checkProvider({ name, kind: "mock" }, noProblem)).toEqual({ name, kind: "mock", baseUrl: null });
  },
);

test.each(["", " a", "a ", "a  b", "-a", "a/b", "a\tb", "ä", "x".repeat(64)])(
  "a provider may not be named %j",
  (name) => {
    expect(() => checkProvider({ name, kind: "mock" }, noProblem)).toThrow("name must be 1 to 63 characters");
  },
);

test("a base URL at an address that is never allowed is refused with the reason", () => {
  const provider = { name: "p", kind: "openai", baseUrl: "http://169.254.169.254/v1" };
  const problem = (hostname: string) => (hostname === "169.254.169.254" ? "It is never allowed." : undefined);
  expect(() => checkProvider(provider, problem)).toThrow("base_url must not be this address. It is never allowed.");
  expect(checkProvider({ ...provider, baseUrl: "http://10.0.0.1/v1" }, problem)).toMatchObject({ kind: "openai" });
});
