import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type HeldPort, holdPort } from "../src/index.ts";

const host = "127.0.0.1";
const held: HeldPort[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  }
  for (const port of held.splice(0)) port.release();
});

async function hold(): Promise<HeldPort> {
  const port = await holdPort({ host, port: 0 });
  held.push(port);
  return port;
}

/** A separate process with the socket: in this one, server and port would both close its descriptor. */
function serve({ fd }: HeldPort, text: string): void {
  const program = `${import.meta.dirname}/serve-held-port.ts`;
  children.push(
    spawn(process.execPath, [...process.execArgv, program, host, text], {
      stdio: ["ignore", "inherit", "inherit", fd],
    }),
  );
}

async function ask({ port }: HeldPort): Promise<string> {
  return await (await fetch(`http://${host}:${port}`, { headers: { connection: "close" } })).text();
}

test("a call that comes before any process listens waits for the first one", async () => {
  const port = await hold();
  const answer = ask(port);
  serve(port, "first");
  expect(await answer).toBe("first");
});

test("a port that is taken is refused, by its code", async () => {
  const taken = createServer().listen(0, host);
  await once(taken, "listening");
  const { port } = taken.address() as { readonly port: number };
  await expect(holdPort({ host, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  taken.close();
});
