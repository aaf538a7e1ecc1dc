import type { JsonPart, OutlineSpec } from "@gatehouse/json";
import { JsonText } from "@gatehouse/json-rpc";

/** The `error` member of a response. */
export interface AnswerError {
  /** An integer. */
  readonly code: number;
  readonly message: string;
  /** JSON text, passed on unchanged. */
  readonly data?: JsonText;
}

/** An upstream's answer as the received JSON text. */
export type Answer =
  | { readonly kind: "result"; readonly result: JsonPart }
  | { readonly kind: "error"; readonly error: AnswerError };

const serverCodes = { first: -32_099, last: -32_000 };

/** Whether the code is one of those that JSON-RPC leaves to servers; such an error belongs to the caller. */
export function isServerDefined({ code }: AnswerError): boolean {
  return code >= serverCodes.first && code <= serverCodes.last;
}

/** A request from the upstream, such as `ping`. */
export interface ServerRequest {
  /** JSON text. */
  readonly id: string;
  readonly method: string;
}

const resultSpec: OutlineSpec = { members: { tools: { items: {} }, _meta: { members: {} } } };
const responseSpec: OutlineSpec = { members: { result: resultSpec, error: { members: {} } } };
/** Members read of an upstream's message, or of a batch (revision 2025-03-26). */
export const messageSpec: OutlineSpec = { ...responseSpec, items: responseSpec };

/** Longest id that is read and forwarded. */
const idBytesMax = 256;
const methodBytesMax = 256;
const messageBytesMax = 1024 * 1024;

/** A caller's id that can be forwarded: permitted by MCP (not null), and short enough to be found in an answer. */
export function forwardable(callerId: string | undefined): string | undefined {
  return callerId === undefined || callerId === "null" || Buffer.byteLength(callerId) > idBytesMax
    ? undefined
    : callerId;
}

/** Collects an upstream's reply to one request from all its messages. */
export class AnswerReader {
  readonly #id: string | undefined;
  readonly #onServerRequest: (request: ServerRequest) => void;
  answer: Answer | undefined;
  /** An error with another id or none: of the transport, not of the method. */
  stray: AnswerError | undefined;

  /** @param id of the request as JSON text; undefined for a notification, which has no answer */
  constructor(id: string | undefined, onServerRequest: (request: ServerRequest) => void) {
    this.#id = id;
    this.#onServerRequest = onServerRequest;
  }

  /** Takes a message that {@link messageSpec} outlines. */
  read(message: JsonPart): void {
    if (message.kind !== "array") this.#readOne(message);
    for (const member of message.items ?? []) this.#readOne(member);
  }

  #readOne({ members }: JsonPart): void {
    if (members === undefined || this.answer !== undefined) return;
    const id = members.get("id");
    const method = members.get("method");
    if (method?.kind === "string") {
      if (id !== undefined && !id.isNull && id.size <= idBytesMax) {
        this.#onServerRequest({ id: id.text, method: method.asString(methodBytesMax) ?? "" });
      }
      return;
    }
    const isOurs = this.#isOurs(id);
    const error = readError(members.get("error"));
    const result = members.get("result");
    if (error !== undefined) {
      if (isOurs) this.answer = { kind: "error", error };
      else this.stray ??= error;
    } else if (isOurs && result !== undefined) this.answer = { kind: "result", result };
  }

  /** Some servers return ids as strings. */
  #isOurs(id: JsonPart | undefined): boolean {
    if (this.#id === undefined || id === undefined) return false;
    if (id.text === this.#id) return true;
    const sent: unknown = JSON.parse(this.#id);
    return id.kind === "string" ? id.asString(idBytesMax) === String(sent) : id.asNumber() === sent;
  }
}

function readError(part: JsonPart | undefined): AnswerError | undefined {
  const code = part?.members?.get("code")?.asNumber();
  if (code === undefined || !Number.isInteger(code)) return undefined;
  const message = part?.members?.get("message")?.asString(messageBytesMax) ?? "";
  const data = part?.members?.get("data");
  return data === undefined ? { code, message } : { code, message, data: new JsonText(data.bytes) };
}
