/** The parts of a message that are counted. */
interface CountedMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** Owner and bounds of one count. */
export interface CountScope {
  /** Owner of the texts; see {@link CountTexts}. */
  readonly tenant: string;
  /** The total from which on an estimate will do. */
  readonly tokensMax?: number;
  readonly signal?: AbortSignal;
  /** A count by bytes instead of a refusal where too much work waits, for what has to be billed. */
  readonly mayEstimate?: boolean;
}

/**
 * Tokens of each text. Short texts are counted at once and long ones on another thread, where tenants take turns; what takes
 * too long is estimated, upwards.
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

  /** Tokens of texts together. */
  async ofTexts(texts: readonly string[], scope: CallScope = {}): Promise<number> {
    return sum(await this.#count(texts, { ...scope, tenant: this.#tenant }));
  }

  /** Tokens of a whole prompt: roles, texts and the frame around each message. Pictures and files are not counted. */
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

/** Counts together. */
export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** The text of a message's content: a string, or the text parts of a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).join("");
}
