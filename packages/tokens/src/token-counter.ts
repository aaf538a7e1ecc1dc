interface CountedMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** Owner and bounds of one {@link CountTexts} call. */
export interface CountScope {
  /** Owner of the texts; see {@link CountTexts}. */
  readonly tenant: string;
  /** Total above which an estimate suffices. */
  readonly tokensMax?: number;
  readonly signal?: AbortSignal;
  /** Whether the bytes are counted instead of refusing where too much work waits, for billing. */
  readonly mayEstimate?: boolean;
}

/**
 * Tokens of each text. Short texts are counted synchronously and long ones on a worker thread, where tenants take turns; slow
 * counts are estimated, upwards.
 * @throws GatewayError `unavailable` when too much work waits, unless it may be estimated; `cancelled` by the signal.
 */
export type CountTexts = (texts: readonly string[], scope: CountScope) => Promise<readonly number[]>;

type CallScope = Omit<CountScope, "tenant">;

/** Tokens that OpenAI adds for each message and for the start of the answer (cookbook, "How to count tokens"). */
const tokensPerMessage = 3;
const tokensPerReply = 3;

/** Counts for one call, and no message twice: messages are never changed, only replaced. */
export class TokenCounter {
  readonly #count: CountTexts;
  readonly #tenant: string;
  readonly #ofMessage = new WeakMap<CountedMessage, number>();

  constructor(count: CountTexts, tenant: string) {
    this.#count = count;
    this.#tenant = tenant;
  }

  async ofTexts(texts: readonly string[], scope: CallScope = {}): Promise<number> {
    return sum(await this.#count(texts, { ...scope, tenant: this.#tenant }));
  }

  /** Tokens of a whole prompt: roles, texts and the frame of each message. Images and files are not counted. */
  async ofPrompt(messages: readonly CountedMessage[], scope: CallScope = {}): Promise<number> {
    return tokensPerReply + sum(await this.ofMessages(messages, scope));
  }

  /** Tokens of each message with its frame. */
  async ofMessages(messages: readonly CountedMessage[], scope: CallScope = {}): Promise<readonly number[]> {
    const unknown = messages.filter((message) => !this.#ofMessage.has(message));
    if (unknown.length > 0) {
      const texts = unknown.flatMap(({ role, content }) => [role, textOf(content)]);
      const counts = await this.#count(texts, { ...scope, tenant: this.#tenant });
      unknown.forEach((message, index) => {
        const tokens = (counts[2 * index] ?? 0) + (counts[2 * index + 1] ?? 0);
        this.#ofMessage.set(message, tokensPerMessage + tokens);
      });
    }
    return messages.map((message) => this.#ofMessage.get(message) ?? 0);
  }
}

/** Total of the counts; 0 for none. */
export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Text of a message's content: a string, or the text parts of a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).join("");
}
