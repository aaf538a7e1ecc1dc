import { randomUUID } from "node:crypto";
import type { CompletionChunk } from "../forms/completion.ts";

type Identity = Pick<CompletionChunk, "id" | "model"> & { readonly choices: readonly unknown[] };

/**
 * Fills in the `id` and `model` that compatible servers leave out, alike for all chunks of a stream: those of an earlier chunk, else
 * a generated id and the target's model. These replace those of later chunks, except where all chunks before were without a choice,
 * as Azure's filter results, which have no id.
 */
export class ReplyIdentity {
  readonly #id = new IdentityField(() => `chatcmpl-${randomUUID()}`);
  readonly #model: IdentityField;

  /** @param model the target's */
  constructor(model: string) {
    this.#model = new IdentityField(() => model);
  }

  /** The reply itself where nothing changes; an empty text is a missing field. */
  complete<T extends Identity>(reply: T): T {
    const decides = reply.choices.length > 0;
    const id = this.#id.next(reply.id, decides);
    const model = this.#model.next(reply.model, decides);
    return id === reply.id && model === reply.model ? reply : { ...reply, id, model };
  }
}

/** One field of the chunks of a stream. */
class IdentityField {
  readonly #create: () => string;
  #provided: string | undefined;
  #created: string | undefined;
  /** Whether all further chunks get the created value. */
  #isFixed = false;

  constructor(create: () => string) {
    this.#create = create;
  }

  /** @param decides whether a created value replaces later ones */
  next(given: string, decides: boolean): string {
    if (given !== "" && !this.#isFixed) this.#provided = given;
    if (this.#provided !== undefined) return this.#provided;
    this.#isFixed ||= decides;
    return (this.#created ??= this.#create());
  }
}
