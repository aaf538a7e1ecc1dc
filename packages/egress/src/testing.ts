import { connect } from "node:net";
import type { OpenSocket } from "./open-connection.ts";
import type { ResolveHost } from "./resolve-host.ts";

/** Answer of the fake DNS: addresses (none for an unknown name), a failure, or none ever. */
export type FakeAnswer = readonly string[] | "error" | "timeout";

export interface FakeResolver {
  readonly resolve: ResolveHost;
  readonly questions: readonly string[];
  /** Sets a name's answers, one per query; the last one repeats. */
  readonly set: (hostname: string, ...answers: readonly FakeAnswer[]) => void;
}

/** @param answers answers by name; other names have no address. */
export function createFakeResolver(answers: Readonly<Record<string, FakeAnswer>> = {}): FakeResolver {
  const queues = new Map<string, readonly FakeAnswer[]>(
    Object.entries(answers).map(([hostname, answer]) => [hostname, [answer]]),
  );
  const questions: string[] = [];
  return {
    questions,
    set: (hostname, ...sequence) => void queues.set(hostname, sequence),
    resolve: async ({ hostname }) => {
      questions.push(hostname);
      const [answer = [], ...rest] = queues.get(hostname) ?? [];
      if (rest.length > 0) queues.set(hostname, rest);
      if (answer === "timeout") return await new Promise<never>(() => {});
      if (answer === "error") throw new Error("The fake DNS fails.");
      return answer;
    },
  };
}

/** Fake network: every connection that the guard allows reaches a loopback port, and appears to have reached its address. */
export interface FakeNetwork {
  readonly openSocket: OpenSocket;
  /** Every address that a connection was opened to. */
  readonly dialled: readonly string[];
}

/** @param portOf maps a port of the network to a loopback port. */
export function createFakeNetwork(portOf: (port: number) => number): FakeNetwork {
  const dialled: string[] = [];
  return {
    dialled,
    openSocket: ({ addresses, port }) => {
      dialled.push(...addresses);
      const socket = connect(portOf(port), "127.0.0.1");
      return Object.defineProperty(socket, "remoteAddress", { value: addresses[0], configurable: true });
    },
  };
}
