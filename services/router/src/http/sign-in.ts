import type { IncomingMessage } from "node:http";
import { GatewayError } from "@gatehouse/errors";
import { parseJsonBody, readBody } from "@gatehouse/http";
import { hashToken } from "@gatehouse/principal";

/** Bounds of the request that opens a console session. */
const signInBounds = { sizeBytesMax: 4_096, timeoutMs: 10_000 };
const keyLengthMax = 1_024;

/** Admin keys of sign-ins: read before authentication, and used again when the session opens. */
export class SignIns {
  readonly #hashes = new WeakMap<IncomingMessage, Buffer>();

  /**
   * Reads the key from a body `{"key": "svc_admin_…"}`, and returns it as an equivalent header.
   * @throws GatewayError `malformed_body`, `body_too_large`, `request_timeout`
   */
  async read(req: IncomingMessage): Promise<readonly string[]> {
    const { value: body } = await parseJsonBody(await readBody(req, signInBounds));
    const key = typeof body === "object" && body !== null && "key" in body ? body.key : undefined;
    if (typeof key !== "string" || key === "" || key.length > keyLengthMax) {
      throw new GatewayError("malformed_body", 'Send a JSON object with an admin key: {"key": "svc_admin_…"}.');
    }
    this.#hashes.set(req, hashToken(key));
    return ["authorization", `Bearer ${key}`];
  }

  keyHashOf(req: IncomingMessage): Buffer | undefined {
    return this.#hashes.get(req);
  }
}
