import type { AbortState } from "@gatehouse/async";
import {
  type Attempt,
  type CompletionChunk,
  type CompletionRequest,
  type CompletionUsage,
  type ProviderAdapter,
  type ProviderAddress,
  ProviderError,
} from "@gatehouse/providers";
import type { Random } from "./spending-random.ts";

/** Dollars per million tokens, which is micro-dollars per token. */
export const prices: Readonly<Record<string, { readonly input: number; readonly output: number }>> = {
  cheap: { input: 1, output: 4 },
  dear: { input: 3, output: 15 },
};

/** Four characters per token, for the provider and for the gateway's counter. */
export const charactersPerToken = 4;
const tokensPerMessage = 4;
const tokensPerAnswer = 3;

/** Charges of a provider by endpoint: the true costs. */
export class ProviderCharges {
  readonly #micros = new Map<string, number>();
  /** Calls with a charged request. */
  readonly charged = new Set<string>();

  charge(endpoint: string, call: string, micros: number): void {
    this.#micros.set(endpoint, (this.#micros.get(endpoint) ?? 0) + micros);
    this.charged.add(call);
  }

  spentMicros(endpoint: string): number {
    return this.#micros.get(endpoint) ?? 0;
  }
}

export interface Job {
  readonly endpoint: string;
  readonly call: string;
  readonly random: Random;
  readonly books: ProviderCharges;
  /** Resolves when the schedule has reached a phase. */
  readonly reach: (phase: number) => Promise<void>;
  readonly phases: number;
  /** Whether the calling process was killed, and so sends nothing. */
  readonly isDead: () => boolean;
  /** Requests in flight, which a provider completes even if their caller is killed, with the highest cost of each. */
  readonly inFlight: Set<{ readonly limitMicros: number }>;
}

/** A provider that generates up to the limit of tokens, hangs, breaks off, charges for failures, and misreports usage. */
export function createHostileProvider(job: Job): ProviderAdapter {
  return {
    complete: async (address, request, attempt) => {
      const work = await take(job, { address, request, attempt });
      if (job.random.chance(0.15)) throw work.end(broken(job.random));
      const { usage } = work.finish();
      return {
        id: "i",
        model: address.model,
        created: 1,
        choices: work.texts.map((content, index) => ({
          index,
          message: { role: "assistant", content },
          finish_reason: "stop",
        })),
        ...(usage === undefined ? {} : { usage }),
      };
    },
    stream: async (address, request, attempt) => {
      const work = await take(job, { address, request, attempt });
      if (job.random.chance(0.05)) throw work.end(broken(job.random));
      return await Promise.resolve({ batches: stream(job, work, attempt) });
    },
  };
}

interface Asked {
  readonly address: ProviderAddress;
  readonly request: CompletionRequest;
  readonly attempt: Attempt;
}

/** Refuses, or starts work, which may be charged up to the limit that was sent. */
async function take(job: Job, { address, request, attempt }: Asked): Promise<Work> {
  const { random } = job;
  if (job.isDead() || random.chance(0.05)) throw new ProviderError("unreachable", "refused").asFree();
  if (random.chance(0.05)) throw new ProviderError("status", "bad", { status: 400 }).asFree();
  const limit = request["max_tokens"] ?? request["max_completion_tokens"];
  if (typeof limit !== "number") throw new Error("A call of an endpoint with a budget was sent without a limit.");
  const work = new Work(job, address.model, { request, limit });
  try {
    await Promise.race([job.reach(random.below(job.phases)), aborted(attempt.signal)]);
  } catch (err) {
    throw work.end(err);
  }
  return work;
}

function aborted(signal: AbortState): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => reject(new ProviderError("aborted", "given up"));
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

function broken(random: Random): ProviderError {
  const failure = random.pick(["timeout", "cut", "malformed"] as const);
  return new ProviderError(failure, failure);
}

class Work {
  readonly texts: readonly string[];
  readonly #job: Job;
  readonly #promptTokens: number;
  readonly #answerTokens: number;
  readonly #price: { readonly input: number; readonly output: number };
  readonly #entry: { readonly limitMicros: number };

  constructor(job: Job, model: string, { request, limit }: { request: CompletionRequest; limit: number }) {
    const { random } = job;
    const choices = Math.max(Number(request["n"] ?? 1), Number(request["best_of"] ?? 1));
    this.#job = job;
    this.#price = prices[model] ?? { input: 0, output: 0 };
    this.#promptTokens = tokensOf(request);
    const lengths = Array.from({ length: choices }, () => (random.chance(0.6) ? limit : random.below(limit + 1)));
    this.#answerTokens = lengths.reduce((sum, length) => sum + length, 0);
    this.texts = lengths.map((length) => "word".repeat(length));
    this.#entry = { limitMicros: this.#cost(choices * limit) };
    job.inFlight.add(this.#entry);
  }

  /** Charges for all generated tokens, up to the limit. */
  end<T>(err: T): T {
    this.#charge(this.#job.random.chance(0.5) ? this.#entry.limitMicros : this.#cost(this.#answerTokens));
    return err;
  }

  /** Charges for the answer, and reports any usage. */
  finish(): { readonly usage: CompletionUsage | undefined } {
    this.#charge(this.#cost(this.#answerTokens));
    const [prompt, answer] = [this.#promptTokens, this.#answerTokens];
    const usage = (prompt_tokens: number, completion_tokens: number) => {
      return { usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } };
    };
    switch (this.#job.random.below(8)) {
      case 0:
        return { usage: undefined };
      case 1:
        return usage(0, 0);
      case 2:
        return usage(-5, Number.NaN);
      case 3:
        return usage(Math.floor(prompt / 10), Math.floor(answer / 10));
      default:
        return usage(prompt, answer);
    }
  }

  #cost(answerTokens: number): number {
    return this.#promptTokens * this.#price.input + answerTokens * this.#price.output;
  }

  #charge(micros: number): void {
    const { inFlight, books, endpoint, call } = this.#job;
    // All requests in flight of a killed process have been charged.
    if (!inFlight.delete(this.#entry)) return;
    books.charge(endpoint, call, micros);
  }
}

function tokensOf({ messages }: CompletionRequest): number {
  const texts = messages.map(({ content }) => String(content).length);
  const characters = texts.reduce((sum, length) => sum + Math.ceil(length / charactersPerToken), 0);
  return tokensPerAnswer + messages.length * tokensPerMessage + characters;
}

/** May be left or broken off at any chunk; usage comes last, late, or not at all. */
async function* stream(job: Job, work: Work, { signal }: Attempt): AsyncGenerator<readonly CompletionChunk[]> {
  const { random } = job;
  const frame = { id: "i", model: "m", created: 1 };
  let isOver = false;
  try {
    for (const [index, content] of work.texts.entries()) {
      yield [{ ...frame, choices: [{ index, delta: { content }, finish_reason: "stop" }] }];
      await job.reach(random.below(job.phases));
      if (signal.aborted) throw new ProviderError("aborted", "given up");
      if (random.chance(0.1)) throw broken(random);
    }
    const { usage } = work.finish();
    isOver = true;
    if (usage !== undefined) yield [{ ...frame, choices: [], usage }];
    if (random.chance(0.1)) throw broken(random);
  } finally {
    if (!isOver) work.end(undefined);
  }
}
