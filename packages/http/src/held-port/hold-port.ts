import { fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** A port that this process keeps open and never accepts on: connections wait in it while no other process does. */
export interface HeldPort {
  readonly port: number;
  /** File descriptor of the listening socket, to be number 3 of a process that takes the connections (`LISTEN_FDS=1`). */
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
 * Opens a port for processes that come and go, as systemd does for services with a socket unit. A process of Node's that listens
 * itself also accepts, so another one listens and hands its socket over. @throws the platform's error (`EADDRINUSE`, `EACCES`).
 */
export async function holdPort({ host, port }: { readonly host: string; readonly port: number }): Promise<HeldPort> {
  const child = fork(program, [host, String(port)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = once(child, "exit").then(() => undefined);
  const message = await Promise.race([once(child, "message"), ended]);
  const [{ code, address }, socket] = (message ?? [{}]) as [Answer, NativeSocket | undefined];
  await ended;
  if (address === undefined || socket === undefined) {
    throw Object.assign(new Error(`The port ${port} cannot be listened on (${code ?? "unknown"}).`), { code });
  }
  socket.unref();
  return { port: address.port, fd: socket.fd, release: () => socket.close() };
}
