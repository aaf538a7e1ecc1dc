import { randomUUID } from "node:crypto";
import type { StreamMessage } from "@gatehouse/events";
import type { LogMembers } from "./log-columns.ts";

/** A message with a constant id over all publications, and the number of its entries; also one line of a spill file. */
export interface SealedBatch extends StreamMessage {
  readonly entries: number;
}

/**
 * Batch of this process: a message of the stream `gateway_log` whose body is encoded when it is first read, since a consumer in the
 * same process takes the entries as they are ({@link membersOf}). Keeps one of both forms.
 */
export class LogBatch implements SealedBatch {
  readonly id = randomUUID();
  readonly entries: number;
  #content: readonly LogMembers[] | string;

  constructor(members: readonly LogMembers[]) {
    this.entries = members.length;
    this.#content = members;
  }

  /** JSON array of the entries. */
  get body(): string {
    if (typeof this.#content !== "string") this.#content = JSON.stringify(this.#content);
    return this.#content;
  }

  /** Undefined once the body was read. */
  get members(): readonly LogMembers[] | undefined {
    return typeof this.#content === "string" ? undefined : this.#content;
  }

  /** For a spill file, and for the channel from a worker to the primary process. */
  toJSON(): SealedBatch {
    return { id: this.id, body: this.body, entries: this.entries };
  }
}

/** Entries of a message that was published in this process and not encoded; undefined for others, whose body has them. */
export function membersOf(message: StreamMessage): readonly LogMembers[] | undefined {
  return message instanceof LogBatch ? message.members : undefined;
}
