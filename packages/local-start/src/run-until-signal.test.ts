import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { runUntilSignal } from "./run-until-signal.ts";
import type { StartedResources } from "./started-resources.ts";

function openProcess() {
  const exited = Promise.withResolvers<number>();
  const fake = Object.assign(new EventEmitter(), {
    exit: (code: number) => exited.resolve(code),
    stderr: { write: () => true },
  });
  return { fake, process: fake as unknown as NodeJS.Process, exited: exited.promise };
}

/** A start that opens two resources, and a third when it may. */
function openStart(mayGoOn: Promise<void>) {
  const ended: string[] = [];
  const start = async (opened: StartedResources) => {
    for (const name of ["database", "services"]) {
      opened.add(async () => await Promise.resolve(void ended.push(name)));
    }
    await mayGoOn;
    opened.add(async () => await Promise.resolve(void ended.push("demo")));
  };
  return { ended, start };
}

const explain = (err: unknown) => new Error("In words.", { cause: err });

test("a signal closes everything that was opened, the last first", async () => {
  const { fake, process, exited } = openProcess();
  const { ended, start } = openStart(Promise.resolve());
  await runUntilSignal(process, { start, explain });
  fake.emit("SIGTERM");
  expect([await exited, ended]).toEqual([0, ["demo", "services", "database"]]);
});

test("a signal during the start stops it at its next step, and closes what is open, without an error", async () => {
  const { fake, process, exited } = openProcess();
  const { promise, resolve } = Promise.withResolvers<void>();
  const { ended, start } = openStart(promise);
  const running = runUntilSignal(process, { start, explain });
  fake.emit("SIGINT");
  expect(ended).toEqual([]);
  resolve();
  await running;
  expect([await exited, ended]).toEqual([0, ["demo", "services", "database"]]);
});

test("a failed start closes what is open, and throws an error with advice", async () => {
  const { process } = openProcess();
  const failure = new Error("EADDRINUSE");
  const { ended, start } = openStart(Promise.reject(failure));
  await expect(runUntilSignal(process, { start, explain })).rejects.toMatchObject({
    message: "In words.",
    cause: failure,
  });
  expect(ended).toEqual(["services", "database"]);
});
