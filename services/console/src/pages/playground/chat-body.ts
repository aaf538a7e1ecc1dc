import type { Endpoint, Project } from "../../api/types.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: string;
}

interface ChatInput {
  readonly turns: readonly Turn[];
  readonly variables: Readonly<Record<string, string>>;
  /** A uuid; the gateway then adds earlier turns. */
  readonly sessionId: string | undefined;
  /** In OpenAI's format; for AI Wrapper projects. */
  readonly tools: readonly unknown[] | undefined;
  /** Position of the only target to call, from 1; undefined: the endpoint's order. */
  readonly target?: number | undefined;
}

export interface ChatCall {
  readonly path: string;
  /** Headers besides those of every call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The call as a client of the project would make it. */
export function toChatCall({ uuid, project_type }: Project, endpoint: Endpoint, input: ChatInput): ChatCall {
  const { turns, variables, sessionId, tools, target } = input;
  const headers: ChatCall["headers"] = target === undefined ? {} : { "X-Gatehouse-Target": String(target) };
  const stream = endpoint.streaming_enabled === true;
  const common = { stream, ...(Object.keys(variables).length > 0 && { variables }) };
  if (project_type === "ai_wrapper") {
    const body = { model: endpoint.slug, messages: turns, ...common, ...(tools !== undefined && { tools }) };
    return { path: `/api/${uuid}/v1/chat/completions`, headers, body };
  }
  const message = turns.at(-1)?.content ?? "";
  const said =
    sessionId !== undefined ? { message, session_id: sessionId } : isMessage(turns, endpoint) ? { message } : { messages: turns }; // prettier-ignore
  return { path: `/api/${uuid}/${endpoint.slug}`, headers, body: { ...said, ...common } };
}

/** Whether a single turn is sent as `message`, which input schemas usually describe, unless the schema requires `messages`. */
function isMessage(turns: readonly Turn[], { input_schema: schema }: Endpoint): boolean {
  const required = (schema as { readonly required?: unknown } | null | undefined)?.required;
  return turns.length === 1 && !(Array.isArray(required) && required.includes("messages"));
}
