import type { IncomingMessage } from "node:http";
import { GatewayError } from "@gatehouse/errors";
import { parseJsonBody, readBody } from "@gatehouse/http";
import { hashToken } from "@gatehouse/principal";

/** Bounds of the request that opens a console session. */
const signInBounds = { sizeBytesMax: 4_096, timeoutMs: 10_000 };
const keyLengthMax = 1_024;

/** The admin keys that sign-ins show: read before it is known who is calling, and looked at again as the session is opened. */
export class SignIns {
  readonly #hashes = new WeakMap<IncomingMessage, Buffer>();

  /**
   * Reads the key of a body, `{"key": "svc_admin_…"}`, as the headers that would have carried it.
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

  /** SHA-256 of the key that a request has shown. */
  keyHashOf(req: IncomingMessage): Buffer | undefined {
    return this.#hashes.get(req);
  }
}
