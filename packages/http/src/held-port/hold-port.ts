import { fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** A port that this process keeps open without accepting: connections wait in it while no other process accepts. */
export interface HeldPort {
  readonly port: number;
  /** File descriptor of the listening socket; becomes number 3 of a process that accepts (`LISTEN_FDS=1`). */
  readonly fd: number;
  release(): void;
}

interface NativeSocket {
  readonly fd: number;
  close(): void;
  unref(): void;
}

interface Answer {
  readonly code?: string;
  readonly address?: AddressInfo;
}

const program = new URL(import.meta.url.endsWith(".ts") ? "./open-socket.ts" : "./open-socket.js", import.meta.url);

/**
 * Opens a port for processes that come and go, like a systemd socket unit. A child process listens and hands its socket over,
 * since a listening process of Node's also accepts.
 * @throws the platform's error (`EADDRINUSE`, `EACCES`).
 */
export async function holdPort({ host, port }: { readonly host: string; readonly port: number }): Promise<HeldPort> {
  const child = fork(program, [host, String(port)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = once(child, "exit").then(() => undefined);
  const message = await Promise.race([once(child, "message"), ended]);
  const [{ code, address }, socket] = (message ?? [{}]) as [Answer, NativeSocket | undefined];
  await ended;
  if (address === undefined || socket === undefined) {
    throw Object.assign(new Error(`The port ${port} cannot be opened (${code ?? "unknown"}).`), { code });
  }
  socket.unref();
  return { port: address.port, fd: socket.fd, release: () => socket.close() };
}
