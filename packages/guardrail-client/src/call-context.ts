import type { CallContext as ContextMessage } from "@gatehouse/proto/guardrail";
import { samplePointOf } from "./sample-point.ts";

/** Facts of a call; the functions are called at most once, when a rule asks or the question leaves the process. */
interface CallFacts {
  /** 0 for calls without a token. */
  readonly tokenId: number;
  readonly surface: "chat" | "wrapper" | "bridge" | "mcp" | "api";
  readonly requestId: string;
  /** Models that may be asked; absent: none. */
  readonly models?: () => readonly string[];
  /** The caller's headers that `contextHeaders` admits; absent: none. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
}

/**
 * Call of the texts, as far as a policy's rules depend on it; the message of the contract. One object for all questions of a call.
 * Most policies have no rules, so members that take time are made when they are read.
 */
export class CallContext implements ContextMessage {
  readonly #facts: CallFacts;
  #models: string[] | undefined;
  #headers: Record<string, string> | undefined;
  #samplePoint: number | undefined;

  constructor(facts: CallFacts) {
    this.#facts = facts;
  }

  get tokenId(): number {
    return this.#facts.tokenId;
  }

  get surface(): string {
    return this.#facts.surface;
  }

  get requestId(): string {
    return this.#facts.requestId;
  }

  get models(): string[] {
    return (this.#models ??= [...(this.#facts.models?.() ?? [])]);
  }

  get headers(): Record<string, string> {
    return (this.#headers ??= { ...this.#facts.headers?.() });
  }

  /** From 0 to 1, the same for all questions of a call. */
  get samplePoint(): number {
    return (this.#samplePoint ??= samplePointOf(this.#facts.requestId));
  }
}
