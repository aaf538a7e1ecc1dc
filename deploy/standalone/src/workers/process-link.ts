import type { ChildProcess, SendHandle } from "node:child_process";
import { codeOf } from "@gatehouse/errors";
import type { StreamMessage, StreamName } from "@gatehouse/events";
import type { ListeningSocket } from "@gatehouse/http";
import type { Readiness } from "@gatehouse/service";

/** Settings that the primary sends to a worker. Texts are secret. */
export interface WorkerStart {
  /** Spill folder of the worker alone. */
  readonly spillFolder: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly rootSecret: string;
  /** Keys of the router and the Control Plane, for this run. */
  readonly serviceKey: string;
  readonly trust: string;
  readonly controlPlaneUrl: string;
  readonly controlPlaneRpcAddress: string;
}

/** A question of one service's subject to the other workers; see `Siblings`. */
interface SiblingQuestion {
  readonly subject: string;
  readonly question: unknown;
}

interface Publication {
  readonly stream: StreamName;
  readonly messages: readonly StreamMessage[];
}

/** Messages between primary and worker: subjects with the types of question and answer, in JSON (without undefined). */
export interface Questions {
  /** Asks a worker to start. The port's socket is passed with the question or the answer. */
  readonly start: { readonly question: WorkerStart; readonly answer: { readonly port: number } };
  readonly readiness: { readonly question: null; readonly answer: Readiness };
  /** Asks a worker for an answer alone, which a frozen one does not give. */
  readonly alive: { readonly question: null; readonly answer: null };
  /**
   * Tells a worker that it alone holds the port: the primary has closed its socket, so the worker must answer the waiting
   * connections before it closes its own.
   */
  readonly portIsYours: { readonly question: null; readonly answer: null };
  /** Metrics of the worker alone, in prom-client's JSON form. */
  readonly metrics: { readonly question: null; readonly answer: readonly object[] };
  /** Asks the primary to publish messages. Answered when they are stored, or a broker has them. */
  readonly publish: { readonly question: Publication; readonly answer: null };
  /** An event was recorded in a service's outbox. */
  readonly wake: { readonly question: string; readonly answer: null };
  /** Asks the primary for a successor, after an exception. The worker takes no more calls and ends by itself. */
  readonly replaceMe: { readonly question: null; readonly answer: null };
  /** Asks the primary to ask all other workers. The answers of those that answer in time. */
  readonly askSiblings: { readonly question: SiblingQuestion; readonly answer: readonly unknown[] };
  /** Asks one worker for another process. */
  readonly siblingAsks: { readonly question: SiblingQuestion; readonly answer: { readonly value: unknown } };
  /** Metrics of all processes, as Prometheus text. */
  readonly allMetrics: { readonly question: null; readonly answer: string };
}

type Subject = keyof Questions;

/** Answer to a question between primary and worker; `socket` is a listening socket, passed over the channel beside the value. */
export interface Answer<What extends Subject> {
  readonly value: Questions[What]["answer"];
  readonly socket?: ListeningSocket | undefined;
}

type Answering<What extends Subject> = (
  question: Questions[What]["question"],
  socket: ListeningSocket | undefined,
) => Promise<Answer<What>>;

type Message =
  | { readonly kind: "question"; readonly id: number; readonly what: Subject; readonly value: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failure"; readonly id: number; readonly message: string; readonly code: string | null };

/** Either end of the channel between a process and its child. */
export type Channel = ChildProcess | NodeJS.Process;

/** Failure of a question to the other process: the message of its exception, its end, or a time-out. */
export class LinkError extends Error {
  override readonly name = "LinkError";
  /** Code of the platform, such as `EADDRINUSE`. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

interface Asked {
  readonly settle: (answer: Answer<Subject> | LinkError) => void;
}

/** Questions and answers between the primary process and a worker, over Node's channel to a child. */
export class ProcessLink {
  readonly #channel: Channel;
  readonly #asked = new Map<number, Asked>();
  readonly #answering = new Map<Subject, Answering<Subject>>();
  #lastId = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    const child = channel as ChildProcess;
    child.on("message", (message, socket) => this.#receive(message as Message, socket));
    child.once("disconnect", () => {
      for (const { settle } of this.#asked.values()) settle(new LinkError("The other process has ended."));
    });
  }

  /** Registers the handler of a question; others are refused. */
  answer<What extends Subject>(what: What, answering: Answering<What>): void {
    this.#answering.set(what, answering as unknown as Answering<Subject>);
  }

  /** @throws LinkError where the other process fails, ends, or is late. */
  async ask<What extends Subject>(
    what: What,
    value: Questions[What]["question"],
    timeoutMs: number,
    socket?: ListeningSocket,
  ): Promise<Answer<What>> {
    this.#lastId += 1;
    const id = this.#lastId;
    return await new Promise((resolve, reject) => {
      const late = setTimeout(() => settle(new LinkError(`No answer to '${what}' within ${timeoutMs} ms.`)), timeoutMs);
      const settle = (outcome: Answer<Subject> | LinkError): void => {
        clearTimeout(late);
        this.#asked.delete(id);
        if (outcome instanceof LinkError) reject(outcome);
        else resolve(outcome as Answer<What>);
      };
      this.#asked.set(id, { settle });
      this.#send({ kind: "question", id, what, value }, socket);
    });
  }

  #receive(message: Message, socket: ListeningSocket | undefined): void {
    switch (message.kind) {
      case "question":
        void this.#reply(message, socket);
        return;
      case "answer":
        this.#receiveAnswer(message, socket);
        return;
      case "failure":
        this.#asked.get(message.id)?.settle(new LinkError(message.message, message.code ?? undefined));
    }
  }

  #receiveAnswer({ id, value }: Message & { kind: "answer" }, socket: ListeningSocket | undefined): void {
    const asked = this.#asked.get(id);
    // The asker has given up: connections must not wait in a socket without an acceptor.
    if (asked === undefined) closeSocket(socket);
    else asked.settle({ value: value as Answer<Subject>["value"], socket });
  }

  async #reply({ id, what, value }: Message & { kind: "question" }, taken: ListeningSocket | undefined): Promise<void> {
    try {
      const answering = this.#answering.get(what);
      if (answering === undefined) throw new LinkError(`'${what}' is not answered here.`);
      const { socket, ...answer } = await answering(value as never, taken);
      this.#send({ kind: "answer", id, value: answer.value }, socket);
    } catch (err) {
      const code = codeOf(err) ?? null;
      this.#send({ kind: "failure", id, message: err instanceof Error ? err.message : "unknown", code });
    }
  }

  #send(message: Message, socket?: ListeningSocket): void {
    if (!this.#channel.connected) {
      if (message.kind === "question")
        this.#asked.get(message.id)?.settle(new LinkError("The other process has ended."));
      return;
    }
    // Sending fails only when the channel has ended, which settles all questions.
    (this.#channel as ChildProcess).send(message, socket as SendHandle | undefined, () => {});
  }
}

/** Closes this process's copy of a socket. */
export function closeSocket(socket: ListeningSocket | undefined): void {
  (socket as { close?(): void } | undefined)?.close?.();
}
