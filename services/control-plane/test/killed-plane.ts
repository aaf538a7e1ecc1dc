import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { PlaneMessage } from "./killed-plane-program.ts";

const program = fileURLToPath(new URL("killed-plane-program.ts", import.meta.url));

/** A control plane as a separate process, called by the initial administrator. */
export interface KilledPlane {
  /** @throws where the process ends before it answers */
  post(body: string): Promise<string>;
  /** Makes SIGKILL end the process between the next commit of a change and its answer. */
  armAfterCommit(): Promise<void>;
  kill(): Promise<void>;
  readonly exited: Promise<unknown>;
}

export async function startKilledPlane(databaseUrl: string): Promise<KilledPlane> {
  const child = fork(program, {
    execArgv: ["--conditions=@gatehouse/source"],
    env: { PATH: process.env["PATH"], PLANE_DATABASE_URL: databaseUrl },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const [{ port }] = (await Promise.race([once(child, "message"), exited.then(refuse)])) as [PlaneMessage];
  return {
    exited,
    async post(body) {
      return await (await fetch(`http://127.0.0.1:${port}/control/mcp`, { method: "POST", body })).text();
    },
    async armAfterCommit() {
      child.send("arm");
      await once(child, "message");
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function refuse(): never {
  throw new Error("The control plane has ended before it was ready.");
}
