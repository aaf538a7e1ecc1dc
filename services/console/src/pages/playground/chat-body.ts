import type { Endpoint, Project } from "../../api/types.ts";
import { promptVariables } from "../../parts/prompt-variables.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: string;
}

interface ChatInput {
  readonly turns: readonly Turn[];
  readonly variables: Readonly<Record<string, string>>;
  /** A uuid; the gateway then remembers the turns before the last. */
  readonly sessionId: string | undefined;
  /** In OpenAI's form; for AI Wrapper projects. */
  readonly tools: readonly unknown[] | undefined;
  /** The place of the one target to ask, from 1; the endpoint's order where undefined. */
  readonly target?: number | undefined;
}

export interface ChatCall {
  readonly path: string;
  /** Beside those of every call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The call that a client of the project would make. */
export function toChatCall({ uuid, project_type }: Project, endpoint: Endpoint, input: ChatInput): ChatCall {
  const { turns, variables, sessionId, tools, target } = input;
  const headers: ChatCall["headers"] = target === undefined ? {} : { "X-Gatehouse-Target": String(target) };
  const stream = endpoint.streaming_enabled === true;
  const common = { stream, ...(Object.keys(variables).length > 0 && { variables }) };
  if (project_type === "ai_wrapper") {
    const body = { model: endpoint.slug, messages: turns, ...common, ...(tools !== undefined && { tools }) };
    return { path: `/api/${uuid}/v1/chat/completions`, headers, body };
  }
  const said =
    sessionId === undefined ? { messages: turns } : { message: turns.at(-1)?.content ?? "", session_id: sessionId };
  return { path: `/api/${uuid}/${endpoint.slug}`, headers, body: { ...said, ...common } };
}

/** The `{{names}}` of an endpoint's prompt, each once. */
export function variablesOf({ system_prompt: prompt }: Endpoint): readonly string[] {
  return typeof prompt === "string" ? promptVariables(prompt) : [];
}
