import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findNatsServer as find } from "@gatehouse/nats-server";
import { findFreePort, isListening } from "@gatehouse/ports";

export { fillStreams } from "./fill-streams.ts";
export { swallowMessage } from "./swallowed-message.ts";

const startTimeoutMs = 10_000;

/** A real broker with JetStream on loopback, with an empty store. */
export interface TestNatsServer {
  readonly url: string;
  /** Starts it, also after a kill, with the same port and store. Resolves when it listens. */
  start(): Promise<void>;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Keeps its connections open without answering, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Deletes its store while it is stopped. */
  wipe(): Promise<void>;
  /** Stops it and removes its store. */
  remove(): Promise<void>;
}

/** Finds a `nats-server`; undefined where there is none, in which case the test is skipped with a message. */
export async function findNatsServer(): Promise<string | undefined> {
  const { program, problem } = await find();
  if (program === undefined) {
    process.stderr.write(
      `\n!!! No nats-server: install it, or put it on the PATH. Tests of the broker are SKIPPED. (${problem})\n\n`,
    );
  }
  return program;
}

/** Starts a broker; the caller removes it. */
export async function startNatsServer(program: string): Promise<TestNatsServer> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-nats-"));
  const port = await findFreePort();
  let child: ChildProcess | undefined;
  const server: TestNatsServer = {
    url: `nats://127.0.0.1:${port}`,
    async start() {
      child = spawn(program, ["-js", "-sd", folder, "-a", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
      await untilListening(port, child);
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    wipe: async () => await rm(folder, { recursive: true, force: true }),
    async remove() {
      await server.kill();
      await server.wipe();
    },
  };
  await server.start();
  return server;
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}.`);
    if (performance.now() > deadline) throw new Error("nats-server does not listen.");
    await setTimeout(10);
  }
}
