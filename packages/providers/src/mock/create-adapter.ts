import { randomUUID } from "node:crypto";
import { type CountTexts, TokenCounter } from "@gatehouse/tokens";
import type { ChunkSource } from "../completion-stream/chunk-source.ts";
import { peekStream } from "../completion-stream/peek-stream.ts";
import { fromErrorReply } from "../exchange/error-reply.ts";
import type {
  Completion,
  CompletionChunk,
  CompletionDelta,
  CompletionRequest,
  CompletionUsage,
} from "../forms/completion.ts";
import { type Attempt, type ProviderAdapter, type ProviderAddress, ProviderError } from "../provider.ts";
import { answerTooLong, composeAnswer, lastUserText } from "./compose-answer.ts";
import { embedTexts, findEmbeddingProblem } from "./embed.ts";
import { MockRun } from "./mock-run.ts";
import { type MockDirectives, parseDirectives } from "./parse-directives.ts";

/** Tenant that token counts of the mock provider are charged to, for all projects. */
const tenant = "mock provider";

/**
 * A provider without a network, for demonstrations and tests of clients: it echoes the last user message, counts tokens with a
 * real tokenizer, and fails, waits or breaks off as `[[mock …]]` in that message says (docs/mock-provider.md).
 * @param wallNow milliseconds since the epoch
 */
export function createMockAdapter(wallNow: () => number, countTexts: CountTexts): ProviderAdapter {
  const counter = () => new TokenCounter(countTexts, tenant);
  return {
    async complete(address, request, attempt) {
      const run = new MockRun(address, attempt, false);
      try {
        const script = await withinLimit(await begin(run, address, request), attempt, countTexts);
        for (const place of misbehaviourPlaces(script)) await misbehave(run, script, place);
        return await toCompletion(script, wallNow(), counter());
      } finally {
        run.end();
      }
    },
    async stream(address, request, attempt) {
      const run = new MockRun(address, attempt, true);
      try {
        const script = await withinLimit(await begin(run, address, request), attempt, countTexts);
        return await peekStream(new MockChunks(run, script, { nowMs: wallNow(), tokens: counter() }));
      } catch (err) {
        run.end();
        throw err;
      }
    },
    async embed(address, request, attempt) {
      const run = new MockRun(address, attempt, false);
      try {
        const messages = request.texts.map((content) => ({ role: "user", content }));
        await begin(run, address, { model: address.model, messages });
        const problem = findEmbeddingProblem(request);
        if (problem !== undefined) throw refused(address, 400, problem);
        return await embedTexts(request, address.model, counter());
      } finally {
        run.end();
      }
    },
  };
}

interface Script {
  readonly address: ProviderAddress;
  readonly request: CompletionRequest;
  readonly directives: MockDirectives;
  readonly words: readonly string[];
}

async function begin(run: MockRun, address: ProviderAddress, request: CompletionRequest): Promise<Script> {
  const parsed = parseDirectives(lastUserText(request));
  if (!parsed.ok) throw refused(address, 400, parsed.problem);
  const { directives, text } = parsed;
  const { delay, status, retry_after: retryAfterSeconds } = directives;
  if (delay !== undefined) await run.pause(delay);
  if (status !== undefined) throw refused(address, status, "as the message asked", retryAfterSeconds);
  run.clock.replied();
  const words = composeAnswer(request, text, directives);
  if (words === undefined) throw refused(address, 400, answerTooLong);
  return { address, request, directives, words };
}

/** Cuts the answer at a budget's limit. */
async function withinLimit(
  script: Script,
  { answerTokensMax: tokensMax }: Attempt,
  countTexts: CountTexts,
): Promise<Script> {
  const { words, directives } = script;
  if (tokensMax === undefined) return script;
  const counts = await countTexts(words, { tenant, tokensMax });
  let tokens = 0;
  const end = counts.findIndex((count) => (tokens += count) > tokensMax);
  return end === -1
    ? script
    : { ...script, words: words.slice(0, end), directives: { ...directives, finish: "length" } };
}

function refused(
  { provider }: ProviderAddress,
  status: number,
  why: string,
  retryAfterSeconds?: number,
): ProviderError {
  return fromErrorReply({ provider, status, retryAfterSeconds, body: JSON.stringify({ message: why }), secrets: [] });
}

/** Places within the answer at which directives act, in order. */
function misbehaviourPlaces({ words, directives }: Script): readonly number[] {
  const { cut, stall, malformed } = directives;
  const places = [cut, stall, malformed].filter((place) => place !== undefined);
  return places.filter((place) => place <= words.length).toSorted((one, other) => one - other);
}

async function misbehave(run: MockRun, { address, directives }: Script, place: number): Promise<void> {
  const { provider } = address;
  if (directives.cut === place) throw new ProviderError("cut", `${provider} ended its stream before it was finished`);
  if (directives.malformed === place) {
    throw new ProviderError("malformed", `${provider} sent a chunk that cannot be read`);
  }
  if (directives.stall === place) await run.stall();
}

async function toCompletion(script: Script, nowMs: number, tokens: TokenCounter): Promise<Completion> {
  const message = { role: "assistant", content: script.words.join("") };
  const choice = { index: 0, message, finish_reason: script.directives.finish ?? "stop" };
  const usage = await usageOf(script, tokens);
  return { ...identity(script, nowMs), object: "chat.completion", choices: [choice], ...(usage && { usage }) };
}

async function usageOf(
  { request, words, directives }: Script,
  tokens: TokenCounter,
): Promise<CompletionUsage | undefined> {
  if (directives.usage === false) return undefined;
  const prompt = await tokens.ofPrompt(request.messages, { mayEstimate: true });
  const completion = await tokens.ofTexts([words.join("")], { mayEstimate: true });
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

type Identity = Pick<Completion, "id" | "model" | "created">;

function identity({ address }: Script, nowMs: number): Identity {
  return { id: `chatcmpl-mock-${randomUUID()}`, model: address.model, created: Math.floor(nowMs / 1_000) };
}

class MockChunks implements ChunkSource {
  readonly #run: MockRun;
  readonly #script: Script;
  readonly #tokens: TokenCounter;
  readonly #frame: Identity & { readonly object: string };
  #place = 0;
  #finished = false;
  #begun = false;

  constructor(
    run: MockRun,
    script: Script,
    { nowMs, tokens }: { readonly nowMs: number; readonly tokens: TokenCounter },
  ) {
    this.#run = run;
    this.#script = script;
    this.#tokens = tokens;
    this.#frame = { ...identity(script, nowMs), object: "chat.completion.chunk" };
  }

  get begun(): boolean {
    return this.#begun;
  }

  async next(): Promise<readonly CompletionChunk[] | undefined> {
    if (this.#finished) return undefined;
    try {
      const { words, directives } = this.#script;
      if (this.#place > 0) await this.#run.pause(directives.pace ?? 0);
      await misbehave(this.#run, this.#script, this.#place);
      const word = words[this.#place];
      const head = this.#place === 0 ? [this.#chunk({ role: "assistant", content: "" }, null)] : [];
      this.#place += 1;
      this.#tellClock();
      return word === undefined
        ? [...head, ...(await this.#finish())]
        : [...head, this.#chunk({ content: word }, null)];
    } catch (err) {
      this.#run.end();
      throw err;
    }
  }

  cancel(): void {
    this.#run.end();
  }

  #tellClock(): void {
    this.#run.clock.outputArrived();
    this.#begun = true;
  }

  async #finish(): Promise<readonly CompletionChunk[]> {
    const { directives } = this.#script;
    this.#finished = true;
    this.#run.end();
    const usage = await usageOf(this.#script, this.#tokens);
    const last = this.#chunk({}, directives.finish ?? "stop");
    return usage === undefined ? [last] : [last, { ...this.#frame, choices: [], usage }];
  }

  #chunk(delta: CompletionDelta, finishReason: string | null): CompletionChunk {
    return { ...this.#frame, choices: [{ index: 0, delta, finish_reason: finishReason }] };
  }
}
