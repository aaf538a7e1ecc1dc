import type { Family, Shape } from "../shapes/index.ts";
import type { Site } from "./site.ts";

/** A shape of one size, as a place takes it. */
export interface Payload {
  readonly text: string;
  /** The text as JSON: a string literal of a text, the value itself of a value. */
  readonly literal: string;
}

/** Sends a payload, waits for the end of the exchange and gives the status; 0 where the connection was broken. */
export type Attack = () => Promise<number>;

/** Somewhere that foreign bytes come in. */
export interface Place {
  readonly name: string;
  readonly families: readonly Family[];
  /** The largest payload that is tried here. */
  readonly bytesMax: number;
  /** Makes everything that the attack needs, so that only the attack is measured. */
  readonly arm: (site: Site, payload: Payload) => Promise<Attack>;
  /** Shapes that this place is not tried with, and why. */
  readonly except?: Readonly<Record<string, string>>;
}

/** A shape of a size, ready for a place. */
export function payloadOf({ build, family, toLiteral }: Shape, bytes: number): Payload {
  const text = build(bytes);
  if (family !== "text") return { text, literal: text };
  return { text, literal: (toLiteral ?? JSON.stringify)(text) };
}

export function accepts({ families, except = {} }: Place, { family, name }: Shape): boolean {
  return families.includes(family) && !Object.hasOwn(except, name);
}

const mebibyte = 1024 * 1024;
/** A little under the bound of bodies, so that what stands around the payload fits too. */
export const requestBytesMax = 4 * mebibyte - 4_096;
/** Replies may be larger than requests; this is the bound of MCP replies. */
export const replyBytesMax = 8 * mebibyte;
/** Bytes that fit into the head of a request beside its other headers. */
export const headBytesMax = 12 * 1024;
