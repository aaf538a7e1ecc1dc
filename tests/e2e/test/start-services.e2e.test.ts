import { execFileSync } from "node:child_process";
import { findNatsServer } from "@gatehouse/events/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  descendantsOf,
  isAlive,
  isServiceProcess,
  prepareServicesCommand,
  type ServicesCommand,
} from "../src/services-command.ts";

/** Every service as a process, as started by `npm run start:services`: with this machine's Postgres and NATS, one log, one stop. */

const program = await findNatsServer();
let command: ServicesCommand;
beforeEach(async () => {
  command = await prepareServicesCommand();
});
afterEach(async () => await command.remove());

test.skipIf(program === undefined)(
  "one command starts all services, a killed one is restarted, and none is left after the end",
  { timeout: 120_000 },
  async () => {
    const { child, exited, output, untilReady } = await command.start();
    await untilReady();
    expect(output()).toMatch(/^ {2}svc_admin_\w+$/m);

    const curl = /curl .*$/m.exec(output())?.[0].replace("localhost", "127.0.0.1") ?? "";
    const ask = () => execFileSync("sh", ["-c", curl], { encoding: "utf8" });
    expect(JSON.parse(ask())).toMatchObject({ ok: true, content: "Echo: Hello!" });

    const started = descendantsOf(child.pid);
    const services = started.filter(isServiceProcess);
    expect(services).toHaveLength(9);
    expect(started.some(({ args }) => args.includes("nats.conf"))).toBe(true);
    // No secret is visible to every user of the machine.
    expect(started.map(({ args }) => args).join("\n")).not.toMatch(/svc_|SU[A-Z2-7]{20}|postgresql:/);

    const chat = services.find(({ args }) => args.includes("services/chat/"));
    process.kill(chat?.pid ?? 0, "SIGKILL");
    await expect
      .poll(() => output(), { timeout: 10_000 })
      .toContain("chat has ended with SIGKILL; it is started again");
    await expect.poll(() => ask(), { timeout: 30_000, interval: 200 }).toContain("Echo: Hello!");
    // All logs in one output, each line with its service's name.
    for (const name of ["chat", "router", "logbook"]) expect(output()).toMatch(new RegExp(`\\d ${name} +info `));

    const last = descendantsOf(child.pid);
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    expect(last.filter(({ pid }) => isAlive(pid))).toEqual([]);
  },
);

test.skipIf(program === undefined)(
  "services of a set share a process, which is restarted when it is killed",
  { timeout: 120_000 },
  async () => {
    const { child, exited, output, untilReady } = await command.start({ SERVICES_SETS: "chat,guardrail" });
    await untilReady();
    const curl = /curl .*$/m.exec(output())?.[0].replace("localhost", "127.0.0.1") ?? "";
    const ask = () => execFileSync("sh", ["-c", curl], { encoding: "utf8" });
    expect(ask()).toContain("Echo: Hello!");

    const started = descendantsOf(child.pid);
    expect(started.filter(isServiceProcess)).toHaveLength(7);
    const sets = started.filter(({ args }) => args.includes("deploy/serve/"));
    expect(sets).toHaveLength(1);
    process.kill(sets[0]?.pid ?? 0, "SIGKILL");
    await expect
      .poll(() => output(), { timeout: 10_000 })
      .toMatch(/chat.* has ended with SIGKILL; it is started again/);
    await expect.poll(() => ask(), { timeout: 30_000, interval: 200 }).toContain("Echo: Hello!");
    child.kill("SIGINT");
    expect(await exited).toBe(0);
  },
);

test.skipIf(program === undefined)(
  "a killed parent leaves no service behind, and the next start has the data",
  { timeout: 150_000 },
  async () => {
    const first = await command.start();
    await first.untilReady();
    const services = descendantsOf(first.child.pid).filter(isServiceProcess);
    first.child.kill("SIGKILL");
    await first.exited;
    await expect.poll(() => services.filter(({ pid }) => isAlive(pid)), { timeout: 20_000 }).toEqual([]);

    const second = await command.start();
    await second.untilReady();
    expect(second.output()).not.toMatch(/svc_admin_/);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  },
);
