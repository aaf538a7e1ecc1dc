import { expect, test } from "vitest";
import { createResolveHost, type NameSource } from "./resolve-host.ts";

test.each<[NameSource, string, readonly string[]]>([
  ["dns", "known.example.com", ["dns"]],
  ["dns", "unknown.example.com", ["dns"]],
  ["dns-then-system", "known.example.com", ["dns"]],
  ["dns-then-system", "unknown.example.com", ["dns", "system"]],
  ["system", "known.example.com", ["system"]],
])("with the source %s, %s is asked of the right resolvers", async (source, hostname, expected) => {
  const asked: string[] = [];
  const resolve = createResolveHost(
    async (name) => {
      asked.push("dns");
      return name === "known.example.com" ? ["93.184.216.34"] : [];
    },
    async () => {
      asked.push("system");
      return ["10.0.0.1"];
    },
  );
  const answer = await resolve({ hostname, source, signal: new AbortController().signal });
  expect(asked).toEqual(expected);
  expect(answer).toEqual(
    expected.includes("system") ? ["10.0.0.1"] : hostname.startsWith("known") ? ["93.184.216.34"] : [],
  );
});
