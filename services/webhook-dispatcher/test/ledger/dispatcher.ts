import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { StreamMessage } from "@gatehouse/events";
import type { StoreReply, StoreRequest } from "./program.ts";

export interface DispatcherOptions {
  readonly databaseUrl: string;
  readonly keyring: string;
  /** `<step>:<count>`; see program.ts. */
  readonly failpoint?: string;
  readonly natsUrl?: string;
  readonly timeoutMs?: number;
  readonly leaseMs?: number;
}

/** A dispatcher as a separate process. */
export interface Dispatcher {
  readonly process: ChildProcess;
  /** False where the process ended or could not store them; the caller repeats. */
  store(messages: readonly StreamMessage[]): Promise<boolean>;
  isAlive(): boolean;
  kill(): Promise<void>;
}

const storeTimeoutMs = 5_000;
const program = fileURLToPath(new URL("program.ts", import.meta.url));
/** Shortens starts by a third, since most processes are killed soon after. */
const compileCache = fileURLToPath(new URL("../../node_modules/.cache/node-compile", import.meta.url));

/** Starts a dispatcher; resolves when it works, or has ended. */
export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const child = fork(program, {
    execArgv: ["--conditions=@gatehouse/source"],
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...toEnvironment(options) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const waiting = new Map<number, (stored: boolean) => void>();
  const exited = once(child, "exit");
  const ready = new Promise<boolean>((resolve) => waiting.set(0, resolve));
  child.on("message", ({ requestId, stored }: StoreReply) => waiting.get(requestId)?.(stored));
  child.on("error", () => {});
  void exited.then(() => waiting.forEach((answer) => answer(false)));
  await ready;

  let lastId = 0;
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return {
    process: child,
    isAlive,
    async store(messages) {
      if (!isAlive()) return false;
      const requestId = ++lastId;
      const answer = new Promise<boolean>((resolve) => {
        waiting.set(requestId, resolve);
        setTimeout(() => resolve(false), storeTimeoutMs).unref();
      });
      child.send({ requestId, messages } satisfies StoreRequest, (err) => {
        if (err !== null) waiting.get(requestId)?.(false);
      });
      const stored = await answer;
      waiting.delete(requestId);
      return stored;
    },
    async kill() {
      if (isAlive()) child.kill("SIGKILL");
      await exited;
    },
  };
}

function toEnvironment({
  databaseUrl,
  keyring,
  failpoint,
  natsUrl,
  timeoutMs = 500,
  leaseMs = 1_000,
}: DispatcherOptions) {
  return {
    LEDGER_DATABASE_URL: databaseUrl,
    LEDGER_KEYRING: keyring,
    LEDGER_TIMEOUT_MS: String(timeoutMs),
    LEDGER_LEASE_MS: String(leaseMs),
    ...(failpoint === undefined ? {} : { LEDGER_FAILPOINT: failpoint }),
    ...(natsUrl === undefined ? {} : { LEDGER_NATS_URL: natsUrl }),
    ...(process.env["LEDGER_LOG"] === undefined ? {} : { LEDGER_LOG: process.env["LEDGER_LOG"] }),
  };
}
