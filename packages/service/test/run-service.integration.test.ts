import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { lapse } from "@gatehouse/async/testing";
import { createPrincipalSigner, internalHeaders } from "@gatehouse/principal";
import { afterEach, expect, test } from "vitest";
import { killPrograms, runProgram, trust } from "./program.ts";

const signed = {
  [internalHeaders.principal]: createPrincipalSigner(trust.of("router"), "chat")(
    { kind: "admin", adminKeyId: 1, name: "t", role: "owner", projects: null },
    "GET",
  ),
};

afterEach(killPrograms);

function run(env: Record<string, string> = {}) {
  const program = runProgram("./scripted-program.ts", env);
  return {
    ...program,
    said: () => program.lines().flatMap(({ said }) => (said === undefined ? [] : [said])),
    ready: async () => await program.url("chat is ready."),
    async until(text: string): Promise<void> {
      await expect.poll(() => program.output.stdout, { timeout: 20_000 }).toContain(JSON.stringify({ said: text }));
    },
  };
}

test.each(["SIGTERM", "SIGINT"] as const)("%s stops the service and exits with 0", async (signal) => {
  const { child, ready, exit, said } = run();
  const url = await ready();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill(signal);
  expect(await exit()).toBe(0);
  expect(said()).toEqual(["start", "end streams", "stop"]);
});

test("a request in flight finishes before the service stops", async () => {
  const { child, ready, exit, said, until } = run();
  const url = await ready();
  const reply = fetch(`${url}/slow`, { headers: signed });
  await until("request");
  child.kill("SIGTERM");
  expect(await (await reply).json()).toEqual({ done: true });
  expect(await exit()).toBe(0);
  expect(said()).toEqual(["start", "request", "end streams", "stop"]);
});

test("a request that does not end is cut at the bound, and the service stops", async () => {
  const { child, ready, exit, said, until } = run({ DRAIN_TIMEOUT_MS: "200" });
  const url = await ready();
  const failed = expect(fetch(`${url}/endless`, { headers: signed })).rejects.toThrow();
  await until("request");
  child.kill("SIGTERM");
  await failed;
  expect(await exit()).toBe(0);
  expect(said()).toContain("stop");
});

test.each(["throw", "reject"])("an uncaught %s stops the service and exits with 1", async (way) => {
  const { ready, exit, said, until, lines, output } = run({ DRAIN_TIMEOUT_MS: "3000" });
  const url = await ready();
  const slow = fetch(`${url}/slow`, { headers: signed });
  await until("request");
  const failed = expect(fetch(`${url}/${way}`, { headers: signed })).rejects.toThrow();
  expect(await (await slow).json()).toEqual({ done: true });
  await failed;
  expect(await exit()).toBe(1);
  expect(said()).toEqual(["start", "request", "request", "end streams", "stop"]);
  expect(lines().find(({ level }) => level === "fatal")).toMatchObject({
    service: "chat",
    err: { message: "The floor gave way." },
    msg: expect.stringContaining("Uncaught exception"),
  });
  expect(output.stdout + output.stderr).not.toContain("hunter2");
});

test("an invalid configuration exits with 2, names every problem, and shows no value", async () => {
  const { exit, output, said } = run({ GATEHOUSE_SERVICE_KEY: "", PORT: "hunter2", LOG_LEVEL: "loud" });
  expect(await exit()).toBe(2);
  for (const name of ["GATEHOUSE_SERVICE_KEY", "PORT", "LOG_LEVEL"]) expect(output.stderr).toContain(`  - ${name} `);
  expect(output.stderr).not.toContain("hunter2");
  expect(said()).toEqual([]);
});

test("a service that cannot start exits with 1 and logs the reason", async () => {
  const { exit, lines } = run({ BEHAVIOUR: "cannot start" });
  expect(await exit()).toBe(1);
  // The fatal line is written at once, possibly before a buffered line.
  expect(lines().filter(({ level }) => level === "fatal")).toMatchObject([
    { service: "chat", msg: "The service could not start.", err: { message: "The cellar is locked." } },
  ]);
});

test.each([
  ["PORT", "HTTP"],
  ["RPC_PORT", "gRPC"],
])("a service whose %s is in use exits with 1 and names the setting", async (setting, purpose) => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const { exit, output } = run({ [setting]: String(port) });
  expect(await exit()).toBe(1);
  holder.close();
  expect(output.stderr).toContain(
    `The ${purpose} port ${port} cannot be opened (EADDRINUSE). Set ${setting} to a free port, or to 0 for any.\n`,
  );
});

test("a service whose address is not of this machine exits with 1 and names the setting", async () => {
  // An address for documentation (RFC 5737).
  const { exit, output } = run({ HOST: "192.0.2.77", GATEHOUSE_PLAINTEXT: "allow" });
  expect(await exit()).toBe(1);
  expect(output.stderr).toMatch(/^HOST must be an address of this machine \(EADDRNOTAVAIL\)/);
});

test("a service that cannot stop exits with 1 and logs the reason", async () => {
  const { child, ready, exit, output } = run({ BEHAVIOUR: "cannot stop" });
  await ready();
  child.kill("SIGTERM");
  expect(await exit()).toBe(1);
  expect(output.stderr).toContain("Stopping failed: The door is stuck.");
});

test("another signal after a second ends a process that does not stop, and one within a second does not", async () => {
  const { child, ready, exit, until, said } = run({ BEHAVIOUR: "never stops" });
  await ready();
  child.kill("SIGINT");
  child.kill("SIGTERM");
  await until("stop");
  await lapse(1_100, "a signal within a second of the first is taken for the same");
  expect(child.exitCode).toBeNull();
  child.kill("SIGTERM");
  expect(await exit()).toBe(1);
  expect(said()).toEqual(["start", "end streams", "stop"]);
});
