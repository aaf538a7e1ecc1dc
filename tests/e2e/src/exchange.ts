import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";

export type Fields = Readonly<Record<string, unknown>>;

/** A raw reply, with its body parsed if it is JSON. */
export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Fields;
}

export interface ExchangeOptions {
  readonly method?: string;
  /** Bearer token; absent: no `Authorization`. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes unchanged, other values as JSON. */
  readonly body?: unknown;
}

/** Sends one request without a client library that would add, follow or hide anything. */
export async function exchange(url: string, options: ExchangeOptions = {}): Promise<Exchange> {
  const { method = "POST", token, headers = {}, body } = options;
  const payload = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: false,
      headers: {
        ...(payload === undefined
          ? {}
          : { "content-type": "application/json", "content-length": String(Buffer.byteLength(payload)) }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    outgoing.on("error", reject);
    outgoing.on("response", (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("error", reject);
      reply.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text, body: parseFields(text) });
      });
    });
    outgoing.end(payload);
  });
}

function parseFields(text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return {};
  }
}

/** The parsed data of each server-sent event; `[DONE]` unchanged. */
export function eventsOf({ text }: Exchange): readonly (Fields | "[DONE]")[] {
  return text
    .split("\n\n")
    .filter((block) => block.startsWith("data: "))
    .map((block) => block.slice("data: ".length))
    .map((data) => (data === "[DONE]" ? data : (JSON.parse(data) as Fields)));
}
