import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { ProcessLink, type WorkerStart } from "./process-link.ts";

test("a socket that comes after its asker has given up is closed", async () => {
  const questions: { readonly id: number }[] = [];
  const channel = Object.assign(new EventEmitter(), {
    connected: true,
    send: (message: { readonly id: number }) => void questions.push(message),
  });
  const link = new ProcessLink(channel as unknown as ChildProcess);
  await expect(link.ask("start", {} as WorkerStart, 1)).rejects.toThrow("within 1 ms");
  let isClosed = false;
  const socket = { close: () => (isClosed = true) };
  channel.emit("message", { kind: "answer", id: questions[0]?.id, value: { port: 1 } }, socket);
  expect(isClosed).toBe(true);
});
