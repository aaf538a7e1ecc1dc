import { expect, test } from "vitest";
import { checkProvider } from "./provider-rules.ts";

test.each(["openai", "a", "Mock provider no. 1", "my-azure_eu.2", "x".repeat(63)])(
  "a provider may be named %j",
  (name) => {
    expect(checkProvider({ name, kind: "mock" })).toEqual({ name, kind: "mock", baseUrl: null });
  },
);

test.each(["", " a", "a ", "a  b", "-a", "a/b", "a\tb", "ä", "x".repeat(64)])(
  "a provider may not be named %j",
  (name) => {
    expect(() => checkProvider({ name, kind: "mock" })).toThrow("name must be 1 to 63 characters");
  },
);
