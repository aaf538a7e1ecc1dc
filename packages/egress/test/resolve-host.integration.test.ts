import { expect, test } from "vitest";
import { queryDns, resolveHost } from "../src/resolve-host.ts";
import { startDnsServer, type DnsReply } from "./dns-server.ts";

const never = new AbortController().signal;

function zone(records: Readonly<Record<string, { readonly v4?: DnsReply; readonly v6?: DnsReply }>>) {
  return startDnsServer((name, family) => {
    const record = records[name];
    return record === undefined ? undefined : ((family === 4 ? record.v4 : record.v6) ?? []);
  });
}

test("the addresses of both families are answered; an unknown name has none", async () => {
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

test("a server that never answers is given up when the signal aborts", async () => {
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
