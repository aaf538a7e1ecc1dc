import { request } from "node:http";
import type { Readable } from "node:stream";
import type { Site } from "./site.ts";

export interface Sending {
  readonly path: string;
  readonly token: string;
  readonly method?: string;
  readonly body?: string | Buffer | Readable;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

const timeoutMs = 60_000;

/** Sends one request on a separate connection, and drops the reply. Returns the status even where the body is refused midway. */
export async function sendOnce({ product }: Site, sending: Sending): Promise<number> {
  const { path, token, method = "POST", body, headers = {} } = sending;
  const isSized = typeof body === "string" || Buffer.isBuffer(body);
  return await new Promise((resolve) => {
    const outgoing = request(product.url, {
      method,
      path,
      agent: false,
      timeout: timeoutMs,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(isSized ? { "content-length": Buffer.byteLength(body) } : {}),
        ...headers,
      },
    });
    let status = 0;
    outgoing.on("response", (reply) => {
      status = reply.statusCode ?? 0;
      reply.resume().once("close", () => resolve(status));
    });
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve(status));
    if (body === undefined || isSized) outgoing.end(body);
    else body.pipe(outgoing);
  });
}
