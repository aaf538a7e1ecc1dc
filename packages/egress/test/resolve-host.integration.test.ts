import { lapse } from "@gatehouse/async/testing";
import { describe, expect, test } from "vitest";
import { queryDns, resolveHost, type ResolveHost } from "../src/resolve-host.ts";
import { createFakeResolver } from "../src/testing.ts";
import { startDnsServer, type DnsReply } from "./dns-server.ts";

const never = new AbortController().signal;

function zone(records: Readonly<Record<string, { readonly v4?: DnsReply; readonly v6?: DnsReply }>>) {
  return startDnsServer((name, family) => {
    const record = records[name];
    return record === undefined ? undefined : ((family === 4 ? record.v4 : record.v6) ?? []);
  });
}

test("the addresses of both families are returned, and an unknown name has no address", async () => {
  await using server = await zone({
    "dual.example.com": { v4: ["93.184.216.34", "10.0.0.1"], v6: ["2606:4700:4700::1111"] },
  });
  expect(await queryDns("dual.example.com", never, [server.address])).toEqual([
    "2606:4700:4700::1111",
    "93.184.216.34",
    "10.0.0.1",
  ]);
  expect(await queryDns("unknown.example.com", never, [server.address])).toEqual([]);
});

test("one family that fails leaves the other's answer; a failure without an answer is thrown", async () => {
  await using server = await zone({
    "half.example.com": { v4: ["93.184.216.34"], v6: "servfail" },
    "broken.example.com": { v4: "servfail", v6: [] },
  });
  expect(await queryDns("half.example.com", never, [server.address])).toEqual(["93.184.216.34"]);
  await expect(queryDns("broken.example.com", never, [server.address])).rejects.toMatchObject({ code: "ESERVFAIL" });
});

test("a query without an answer ends when the signal aborts", async () => {
  await using server = await zone({ "silent.example.com": { v4: "silence", v6: "silence" } });
  const controller = new AbortController();
  const pending = queryDns("silent.example.com", controller.signal, [server.address]);
  controller.abort();
  await expect(pending).rejects.toMatchObject({ code: "ECANCELLED" });
});

test("the system's own names are read from its hosts file", async () => {
  const answers = await resolveHost({ hostname: "localhost", source: "system", signal: never });
  expect(answers.some((address) => address === "127.0.0.1" || address === "::1")).toBe(true);
});

/** Answers that the guard may get, from a DNS server and from its fake. */
describe.each<{
  readonly name: string;
  readonly open: () => Promise<AsyncDisposable & { readonly resolve: ResolveHost }>;
}>([
  {
    name: "a DNS server",
    async open() {
      const server = await zone({
        "known.example.com": { v4: ["93.184.216.34"], v6: ["2606:4700:4700::1111"] },
        "broken.example.com": { v4: "servfail", v6: "servfail" },
        "silent.example.com": { v4: "silence", v6: "silence" },
      });
      const resolve: ResolveHost = async ({ hostname, signal }) => await queryDns(hostname, signal, [server.address]);
      return { resolve, [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose]() };
    },
  },
  {
    name: "the resolver of tests",
    async open() {
      const { resolve } = createFakeResolver({
        "known.example.com": ["2606:4700:4700::1111", "93.184.216.34"],
        "broken.example.com": "error",
        "silent.example.com": "timeout",
      });
      return await Promise.resolve({ resolve, [Symbol.asyncDispose]: async () => await Promise.resolve() });
    },
  },
])("$name", ({ open }) => {
  const ask = (hostname: string) => ({ hostname, source: "dns" as const, signal: never });

  test("returns all addresses of a known name, no address of an unknown one, and fails with an Error", async () => {
    await using dns = await open();
    expect(await dns.resolve(ask("known.example.com"))).toEqual(["2606:4700:4700::1111", "93.184.216.34"]);
    expect(await dns.resolve(ask("unknown.example.com"))).toEqual([]);
    await expect(dns.resolve(ask("broken.example.com"))).rejects.toBeInstanceOf(Error);
  });

  test("does not resolve while no answer comes", async () => {
    await using dns = await open();
    const ending = new AbortController();
    const answer = dns.resolve({ ...ask("silent.example.com"), signal: ending.signal }).then(
      () => "an answer",
      () => "given up",
    );
    const silence = lapse(100, "a name that is answered takes a few milliseconds").then(() => "nothing");
    expect(await Promise.race([answer, silence])).toBe("nothing");
    ending.abort();
  });
});
