import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";

/** The `error` member of a response. */
export interface AnswerError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Answer =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly error: AnswerError };

/** A request of the upstream's own, `ping` among them. */
export interface ServerRequest {
  readonly id: unknown;
  readonly method: string;
}

/** What an upstream has said in reply to one request, put together from all its messages. */
export class AnswerReader {
  readonly #id: number | undefined;
  readonly #onServerRequest: (request: ServerRequest) => void;
  answer: Answer | undefined;
  /** An error that names another request or none: of the transport, not of the method. */
  stray: AnswerError | undefined;

  /** @param id of the request; undefined for a notification, which has no answer. */
  constructor(id: number | undefined, onServerRequest: (request: ServerRequest) => void) {
    this.#id = id;
    this.#onServerRequest = onServerRequest;
  }

  /** Takes a message, or an array of them (revision 2025-03-26 allows batches). */
  read(value: unknown): void {
    if (Array.isArray(value)) for (const member of value) this.#readOne(member);
    else this.#readOne(value);
  }

  #readOne(value: unknown): void {
    if (!isJsonObject(value) || this.answer !== undefined) return;
    if (typeof value.method === "string") {
      if (value.id !== undefined && value.id !== null) this.#onServerRequest({ id: value.id, method: value.method });
      return;
    }
    // Some servers give ids back as strings.
    const isOurs = this.#id !== undefined && (value.id === this.#id || value.id === String(this.#id));
    const error = readError(value);
    if (error !== undefined) {
      if (isOurs) this.answer = { kind: "error", error };
      else this.stray ??= error;
    } else if (isOurs && Object.hasOwn(value, "result")) this.answer = { kind: "result", result: value.result };
  }
}

function readError({ error }: JsonObject): AnswerError | undefined {
  if (!isJsonObject(error) || typeof error.code !== "number") return undefined;
  const message = typeof error.message === "string" ? error.message : "";
  return error.data === undefined ? { code: error.code, message } : { code: error.code, message, data: error.data };
}
