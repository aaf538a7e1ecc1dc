import { randomUUID } from "node:crypto";
import type { CompletionChunk } from "../forms/completion.ts";

type Identity = Pick<CompletionChunk, "id" | "model">;

/**
 * Fills in the `id` and `model` that compatible servers leave out, alike for all chunks of a stream: those of an earlier chunk, else
 * a generated id and the target's model.
 */
export class ReplyIdentity {
  #id = "";
  #model: string;

  /** @param model the target's */
  constructor(model: string) {
    this.#model = model;
  }

  /** The reply itself where nothing is missing; an empty text is a missing field. */
  complete<T extends Identity>(reply: T): T {
    const { id, model } = reply;
    if (id !== "") this.#id = id;
    if (model !== "") this.#model = model;
    if (id !== "" && model !== "") return reply;
    if (this.#id === "") this.#id = `chatcmpl-${randomUUID()}`;
    return { ...reply, id: this.#id, model: this.#model };
  }
}
