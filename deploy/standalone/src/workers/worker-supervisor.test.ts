import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { basename } from "node:path";
import { createInProcessTransport } from "@gatehouse/events";
import type { ListeningSocket } from "@gatehouse/http";
import { nestedReportTimeoutMs } from "@gatehouse/service";
import { expect, test } from "vitest";
import { type Answer, LinkError, ProcessLink, type WorkerStart } from "./process-link.ts";
import type { Worker } from "./worker-process.ts";
import { WorkerSupervisor } from "./worker-supervisor.ts";

const start: Omit<WorkerStart, "spillFolder"> = {
  port: 8080,
  databaseUrl: "",
  rootSecret: "",
  serviceKey: "",
  trust: "",
  controlPlaneUrl: "",
  controlPlaneRpcAddress: "",
};

/** A process that starts when the test decides. */
class ScriptedWorker implements Worker {
  readonly pid = undefined;
  /** Questions to the process, and its end, in order. */
  readonly heard: string[] = [];
  readonly channel = Object.assign(new EventEmitter(), {
    connected: true,
    send: (message: { readonly id: number; readonly what?: string; readonly value?: unknown }) => {
      if (message.what === "siblingAsks") {
        this.onSiblingAsks(message.id, message.value);
        return;
      }
      if (message.what === "alive") {
        this.onAlive(message.id);
        return;
      }
      if (message.what === "readiness") {
        this.onReadiness(message.id);
        return;
      }
      if (message.what === undefined) this.answers.push(message.value);
      this.heard.push(message.what ?? "answer");
      this.answerPortIsYours = () => this.channel.emit("message", { kind: "answer", id: message.id, value: null });
      if (message.what === "portIsYours") this.onPortIsYours();
    },
  });
  answerPortIsYours: () => void = () => {};
  /** Answers that the process got. */
  readonly answers: unknown[] = [];
  onSiblingAsks: (id: number, question: unknown) => void = (id) => this.reply(id, { value: this.folder });
  onReadiness: (id: number) => void = () => {};
  onAlive: (id: number) => void = (id) => this.reply(id, null);
  reply = (id: number, value: unknown) => void this.channel.emit("message", { kind: "answer", id, value });
  onPortIsYours: () => void = () => this.answerPortIsYours();
  readonly link = new ProcessLink(this.channel as unknown as ChildProcess);
  readonly #started = Promise.withResolvers<Answer<"start">>();
  readonly #ended = Promise.withResolvers<string>();
  readonly ended = this.#ended.promise;
  /** The primary's copy. */
  readonly socket = { close: () => void this.heard.push("socket closed") } as unknown as ListeningSocket;
  folder = "";
  isStopped = false;

  async start({ spillFolder }: WorkerStart): Promise<Answer<"start">> {
    this.folder = basename(spillFolder);
    return await this.#started.promise;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.heard.push("stop");
    this.end();
    await this.ended;
  }

  kill = () => {
    this.heard.push("kill");
    this.end();
  };

  run = () => this.#started.resolve({ value: { port: start.port }, socket: this.socket });
  fail = () => this.#started.reject(new LinkError("No memory."));
  askSiblings = (value: unknown) =>
    this.channel.emit("message", { kind: "question", id: 7, what: "askSiblings", value });
  askForSuccessor = () => this.channel.emit("message", { kind: "question", id: 1, what: "replaceMe", value: null });
  end = () => this.#ended.resolve("SIGTERM");
}

function createSupervisor(count: number) {
  const made: ScriptedWorker[] = [];
  const supervisor = new WorkerSupervisor({
    count,
    start,
    spillFolder: "/nowhere",
    drainMs: 0,
    events: createInProcessTransport(),
    wake: () => {},
    ownMetrics: async () => await Promise.resolve([]),
    onNotice: () => {},
    openProcess() {
      const worker = new ScriptedWorker();
      made.push(worker);
      return worker;
    },
  });
  return { supervisor, made, until: async (length: number) => await expect.poll(() => made).toHaveLength(length) };
}

async function startSupervisor(count: number) {
  const { supervisor, made, until } = createSupervisor(count);
  const started = supervisor.start();
  await until(count);
  for (const worker of made) worker.run();
  await started;
  return { supervisor, made, until };
}

test("a stop during a rolling restart starts no further worker, and leaves none", async () => {
  const { supervisor, made, until } = await startSupervisor(2);
  const restarted = supervisor.restart();
  await until(3);
  const stopped = supervisor.stop();
  made[2]?.run();
  await Promise.all([restarted, stopped]);
  await supervisor.restart();
  expect(made.map(({ isStopped }) => isStopped)).toEqual([true, true, true]);
});

test("a worker whose own report waits for a frozen part is not taken for a silent one", async () => {
  const { supervisor, made } = await startSupervisor(1);
  const report = { ready: false, problems: ["database did not report within 900 ms"] };
  const answer = (id: number) => void setTimeout(() => made[0]?.reply(id, report), nestedReportTimeoutMs);
  if (made[0] !== undefined) made[0].onReadiness = answer;
  expect(await supervisor.readiness()).toEqual({ ready: false, problems: [`worker 1: ${report.problems[0]}`] });
  await supervisor.stop();
});

test("a stop during the start leaves no worker", async () => {
  const { supervisor, made, until } = createSupervisor(1);
  const started = supervisor.start();
  await until(1);
  const stopped = supervisor.stop();
  made[0]?.run();
  await Promise.all([started, stopped]);
  expect(made.map(({ isStopped }) => isStopped)).toEqual([true]);
});

test("a worker whose successor could not start keeps its folder for the process after it", async () => {
  const { supervisor, made, until } = await startSupervisor(1);
  const restarted = supervisor.restart();
  await until(2);
  made[1]?.fail();
  await restarted;
  made[0]?.end();
  await until(3);
  expect(made.map(({ folder }) => folder)).toEqual(["worker-1-1", "worker-1-2", "worker-1-1"]);
  made[2]?.run();
  await supervisor.stop();
});

test("a worker that asks for its successor is replaced while its calls in flight go on", async () => {
  const { supervisor, made, until } = await startSupervisor(1);
  made[0]?.askForSuccessor();
  await until(2);
  expect(made.map(({ folder }) => folder)).toEqual(["worker-1-1", "worker-1-2"]);
  expect(made[0]?.isStopped).toBe(false);
  made[1]?.run();
  made[0]?.end();
  await supervisor.stop();
  expect(made).toHaveLength(2);
});

test("no worker writes where one before it still drains, and a folder is used again when its worker has ended", async () => {
  const { supervisor, made } = await startSupervisor(1);
  const replaceLast = async () => {
    const last = made.at(-1);
    last?.run();
    // A request before it has its place is ignored.
    const ask = () => {
      if (made.at(-1) === last) last?.askForSuccessor();
      return made.at(-1) === last;
    };
    await expect.poll(ask, { timeout: 30_000 }).toBe(false);
  };
  await replaceLast();
  await replaceLast();
  made[0]?.end();
  await made[0]?.ended;
  await replaceLast();
  expect(made.map(({ folder }) => folder)).toEqual(["worker-1-1", "worker-1-2", "worker-1-3", "worker-1-1"]);
  made[3]?.run();
  await supervisor.stop();
});

test("a stop waits for workers that still drain", async () => {
  const { supervisor, made, until } = await startSupervisor(1);
  made[0]?.askForSuccessor();
  await until(2);
  made[1]?.run();
  await supervisor.stop();
  expect(made.map(({ isStopped }) => isStopped)).toEqual([true, true]);
});

test("the last stop tells draining workers, too, that the socket is theirs, all at once", async () => {
  const { supervisor, made, until } = await startSupervisor(1);
  made[0]?.askForSuccessor();
  await until(2);
  made[1]?.run();
  await expect.poll(() => made[1]?.heard).toContain("socket closed");
  const told: string[] = [];
  for (const [at, worker] of made.entries()) {
    worker.onPortIsYours = () => {
      told.push(`worker ${at}`);
      // Both are asked before either answers.
      if (told.length === 2) for (const each of made) each.answerPortIsYours();
    };
  }
  await supervisor.stop();
  expect(made[0]?.heard.slice(-3)).toEqual(["socket closed", "portIsYours", "stop"]);
  expect(made[1]?.heard.slice(-2)).toEqual(["portIsYours", "stop"]);
});

test("the last stop leaves each socket to its worker, which hears so before it ends; a replaced worker does not", async () => {
  const { supervisor, made, until } = await startSupervisor(2);
  const restarted = supervisor.restart();
  await until(3);
  made[2]?.run();
  await until(4);
  made[3]?.run();
  await restarted;
  expect(made.slice(0, 2).map(({ heard }) => heard)).toEqual([["stop"], ["stop"]]);
  await supervisor.stop();
  expect(made.slice(0, 2).map(({ heard }) => heard)).toEqual([
    ["stop", "socket closed"],
    ["stop", "socket closed"],
  ]);
  // Replacements closed their copies of the sockets at once: the primary keeps those of the first workers.
  for (const { heard } of made.slice(2)) expect(heard).toEqual(["socket closed", "portIsYours", "stop"]);
});

test("a question of one worker reaches all others, also those that drain, but not those that are silent", async () => {
  const { supervisor, made, until } = await startSupervisor(3);
  made[1]?.askForSuccessor();
  await until(4);
  made[3]?.run();
  const heard: unknown[] = [];
  const [asking, , silent] = made;
  if (silent !== undefined) silent.onSiblingAsks = (_id, question) => void heard.push(question);
  const question = { subject: "calls", question: ["a"] };
  // The successor has its place once three of four answer.
  await expect.poll(async () => await supervisor.askSiblings(question), { timeout: 30_000 }).toHaveLength(3);
  asking?.askSiblings(question);
  await expect.poll(() => asking?.answers.at(-1), { timeout: 30_000 }).toEqual(["worker-2-2", "worker-2-1"]);
  expect(heard.at(-1)).toEqual(question);
  await supervisor.stop();
});
