import { notReached } from "../../api/session.ts";
import type { Endpoint, Project } from "../../api/types.ts";
import { variablesOf } from "../../parts/prompt-variables.ts";

/** Call of the data plane from the page. `path` is absolute within the gateway's origin; `body` is sent as JSON. */
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
export function firstCall({ uuid, project_type }: Project, endpoint: Endpoint): Call {
  const { slug } = endpoint;
  if (project_type === "api_gateway") {
    const methods = methodsOf(endpoint);
    const method = methods.includes("GET") ? "GET" : (methods[0] ?? "GET");
    return { method, path: `/api/${uuid}/${slug}`, body: takesBody(method) ? "{}" : undefined };
  }
  const names = variablesOf(endpoint);
  const variables = names.length > 0 && { variables: Object.fromEntries(names.map((name) => [name, ""])) };
  if (project_type === "ai_wrapper") {
    const body = { model: slug, messages: [{ role: "user", content: "Hello!" }], ...variables };
    return { method: "POST", path: `/api/${uuid}/v1/chat/completions`, body: JSON.stringify(body, null, 2) };
  }
  const body = { message: "Hello!", ...variables };
  return { method: "POST", path: `/api/${uuid}/${slug}`, body: JSON.stringify(body, null, 2) };
}

/** Allowed methods of an API endpoint, in upper case. */
export function methodsOf({ allowed_methods: methods }: Endpoint): readonly string[] {
  return (methods ?? []).map((method) => method.toUpperCase());
}

/** Whether the browser can send a body with the method. */
export function takesBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** An endpoint's path with a further path, a query or both. */
export function pathWith(path: string, added: string): string {
  const trimmed = added.trim();
  return trimmed === "" || /^[/?]/.test(trimmed) ? path + trimmed : `${path}/${trimmed}`;
}

/** Sends a call from the page, as any client would. @throws CallError when the gateway does not answer */
export async function sendCall({ method, path, body }: Call, token: string): Promise<Reply> {
  const startedAt = performance.now();
  const reply = await fetch(path, {
    method,
    credentials: "omit",
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body }),
  }).catch(notReached);
  const text = await reply.text();
  const durationMs = performance.now() - startedAt;
  return { status: reply.status, durationMs, requestId: reply.headers.get("x-request-id"), text };
}
