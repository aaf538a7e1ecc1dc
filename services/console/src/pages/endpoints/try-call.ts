import { notReached } from "../../api/session.ts";
import type { Endpoint, Project } from "../../api/types.ts";

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | null;
  readonly text: string;
}

/** An example call for an endpoint of the project's type. */
export function firstCall({ uuid, project_type }: Project, { slug, allowed_methods }: Endpoint): Call {
  if (project_type === "api_gateway") {
    const method = allowed_methods?.includes("GET") === false ? (allowed_methods[0] ?? "GET") : "GET";
    return { method, path: `/api/${uuid}/${slug}`, body: method === "GET" ? undefined : "{}" };
  }
  if (project_type === "ai_wrapper") {
    const body = { model: slug, messages: [{ role: "user", content: "Hello!" }] };
    return { method: "POST", path: `/api/${uuid}/v1/chat/completions`, body: JSON.stringify(body, null, 2) };
  }
  return { method: "POST", path: `/api/${uuid}/${slug}`, body: JSON.stringify({ message: "Hello!" }, null, 2) };
}

/** Sends a call from the page, as any client would. @throws CallError when the gateway does not answer */
export async function sendCall({ method, path, body }: Call, token: string): Promise<Reply> {
  const startedAt = performance.now();
  const reply = await fetch(path, {
    method,
    credentials: "omit",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body }),
  }).catch(notReached);
  const text = await reply.text();
  const durationMs = performance.now() - startedAt;
  return { status: reply.status, durationMs, requestId: reply.headers.get("x-request-id"), text };
}
