import type { ResolveHost } from "./resolve-host.ts";

/** What the fake DNS says to one question: addresses (none for an unknown name), a failure, or nothing ever. */
export type FakeAnswer = readonly string[] | "error" | "timeout";

/** A DNS without a network. */
export interface FakeResolver {
  readonly resolve: ResolveHost;
  /** Every name that was asked for, in order. */
  readonly questions: readonly string[];
  /** Sets a name's answers, one for each question; the last one stays. */
  readonly set: (hostname: string, ...answers: readonly FakeAnswer[]) => void;
}

/** @param answers The answer for each name; any other name has no address. */
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
