import type { Product } from "./product.ts";

export interface ChatReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ChatRequestOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** Sends a body to a path of the gateway and reads the JSON reply. */
export async function send(
  { url }: Pick<Product, "url">,
  path: string,
  { body, token, headers = {}, method = "POST" }: ChatRequestOptions & { readonly body?: unknown },
): Promise<ChatReply> {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" || body instanceof Uint8Array ? (body as string) : JSON.stringify(body) }),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    headers: reply.headers,
    body: (text === "" ? {} : JSON.parse(text)) as ChatReply["body"],
  };
}

export interface StreamedReply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed data of each event; `[DONE]` unchanged. */
  readonly events: readonly (Readonly<Record<string, unknown>> | "[DONE]")[];
  /** JSON body of an error before the first byte, instead of a stream. */
  readonly refusal?: Readonly<Record<string, unknown>>;
}

interface StreamingOptions {
  readonly body: object;
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a chat request and reads the event stream to its end. */
export async function sendStreaming(
  { url }: Pick<Product, "url">,
  path: string,
  { body, token, headers = {} }: StreamingOptions,
): Promise<StreamedReply> {
  const reply = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  const isStream = reply.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const refusal = isStream ? {} : { refusal: JSON.parse(text) as Readonly<Record<string, unknown>> };
  const lines = text.split("\n\n").filter((line) => line.startsWith("data: "));
  const events = lines.map((line) => line.slice("data: ".length));
  return {
    status: reply.status,
    headers: reply.headers,
    events: events.map((data) => (data === "[DONE]" ? data : (JSON.parse(data) as Readonly<Record<string, unknown>>))),
    ...refusal,
  };
}

/** The text of a stream's content deltas. */
export function streamedText({ events }: StreamedReply): string {
  return events.map((item) => (item === "[DONE]" ? "" : (contentOf(item) ?? ""))).join("");
}

function contentOf(event: Readonly<Record<string, unknown>>): string | undefined {
  const [choice] = (event["choices"] ?? []) as readonly { readonly delta?: { readonly content?: string } }[];
  return choice?.delta?.content;
}
