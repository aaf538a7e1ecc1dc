import { type ChildProcess, spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isListening } from "@gatehouse/ports";

/** Options of one `nats-server` process; `port` is that of the configuration file, `onLine` gets each line of output. */
export interface NatsServerOptions {
  readonly program: string;
  /** Written by {@link formatBrokerConfig}. */
  readonly configFile: string;
  /** Records the process id, so that the next start ends a leftover process. */
  readonly pidFile: string;
  readonly port: number;
  readonly onLine: (line: string) => void;
}

/** Running broker on this machine. `stop` ends it within 5 s; it also ends with this process. */
export interface NatsServer {
  /** Resolves when it has ended, by itself or by {@link NatsServer.stop}. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const startTimeoutMs = 10_000;
const stopTimeoutMs = 5_000;
const pollMs = 20;

/** Starts a broker and waits until it listens. @throws Error when it ends before. */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const { program, configFile, pidFile, port, onLine } = options;
  await endLeftover(pidFile, configFile);
  // A separate session: a Ctrl-C on the terminal must not end it before the services that use it.
  const child = spawn(program, ["-c", configFile, "-P", pidFile], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      for (const line of chunk.toString().split("\n")) if (line !== "") onLine(line);
    });
  }
  const ended = endOf(child);
  const endWithUs = (): void => void child.kill("SIGKILL");
  process.once("exit", endWithUs);
  void ended.then(() => process.off("exit", endWithUs));
  await untilListening(port, child);
  return {
    ended,
    async stop() {
      child.kill("SIGTERM");
      const force = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await ended;
      clearTimeout(force);
      await rm(pidFile, { force: true });
    },
  };
}

/** Resolves on exit, and where no process could be started. */
async function endOf(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.on("error", () => {
      if (child.pid === undefined) resolve();
    });
  });
}

/** Ends a leftover process. Its id may belong to another program by now, so the command line must name the configuration. */
async function endLeftover(pidFile: string, configFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, "utf8").catch(() => ""));
  if (!Number.isInteger(pid) || pid <= 1) return;
  const isOurs = async () =>
    (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0").includes(configFile);
  const until = performance.now() + stopTimeoutMs;
  while ((await isOurs()) && performance.now() < until) {
    process.kill(pid, "SIGTERM");
    await delay(pollMs);
  }
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const until = performance.now() + startTimeoutMs;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("nats-server has ended while starting.");
    if (performance.now() > until) throw new Error("nats-server does not listen.");
    await delay(pollMs);
  }
}
