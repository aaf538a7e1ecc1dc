/** The state of a call. */
export interface ChatReply {
  readonly state: "waiting" | "answering" | "done" | "stopped" | "failed";
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly text: string;
  /** As JSON, where the model calls tools. */
  readonly toolCalls: string | undefined;
  readonly error: string | undefined;
  readonly firstWordMs: number | undefined;
  readonly durationMs: number | undefined;
}

export const noReply: ChatReply = {
  state: "waiting",
  status: undefined,
  requestId: undefined,
  text: "",
  toolCalls: undefined,
  error: undefined,
  firstWordMs: undefined,
  durationMs: undefined,
};

interface ToolCallDelta {
  readonly index?: number;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface Message {
  readonly content?: string | null;
  readonly tool_calls?: readonly ToolCallDelta[];
}

interface Body {
  readonly error?: string | { readonly message?: string };
  readonly detail?: string;
  readonly content?: string;
  readonly choices?: readonly { readonly delta?: Message; readonly message?: Message }[];
}

/** A piece of a reply in any format of the chat routes. */
interface ReplyPart {
  readonly text: string;
  readonly toolCalls: readonly ToolCallDelta[];
  readonly error: string | undefined;
}

/** Parses a body, or the data of one event; other text is shown as received. */
export function readPart(json: string): ReplyPart {
  const body = parse(json);
  if (body === undefined) return { text: json, toolCalls: [], error: undefined };
  const { error, detail, content, choices } = body;
  const [choice] = choices ?? [];
  const message = choice?.delta ?? choice?.message;
  const problem =
    typeof error === "string" ? [error, detail].filter((text) => text !== undefined).join(" ") : error?.message;
  return { text: content ?? message?.content ?? "", toolCalls: message?.tool_calls ?? [], error: problem };
}

/** Assembles tool calls, which arrive in pieces: a name first, then parts of the arguments. */
export class ToolCalls {
  readonly #calls = new Map<number, { name: string; arguments: string }>();

  add(deltas: readonly ToolCallDelta[]): void {
    for (const [position, { index = position, function: called }] of deltas.entries()) {
      const known = this.#calls.get(index) ?? { name: "", arguments: "" };
      this.#calls.set(index, {
        name: known.name + (called?.name ?? ""),
        arguments: known.arguments + (called?.arguments ?? ""),
      });
    }
  }

  /** Undefined: no tool calls. */
  get text(): string | undefined {
    return this.#calls.size === 0 ? undefined : JSON.stringify([...this.#calls.values()], null, 2);
  }
}

function parse(json: string): Body | undefined {
  try {
    return JSON.parse(json) as Body;
  } catch {
    return undefined;
  }
}
