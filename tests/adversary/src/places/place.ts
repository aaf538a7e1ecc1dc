import type { Family, Shape } from "../shapes/index.ts";
import type { Site } from "./site.ts";

/** A shape of one size, in the form for a place. */
export interface Payload {
  readonly text: string;
  /** As JSON: a string literal for text, the value itself for a value. */
  readonly literal: string;
}

/** Sends a payload, waits for the end of the exchange and returns the status; 0 for a broken connection. */
export type Attack = () => Promise<number>;

/** A place that accepts foreign bytes. */
export interface Place {
  readonly name: string;
  readonly families: readonly Family[];
  /** Largest payload tried here. */
  readonly bytesMax: number;
  /** Prepares everything that the attack needs, so that only the attack is measured. */
  readonly arm: (site: Site, payload: Payload) => Promise<Attack>;
  /** Shapes that are skipped here, with reasons. */
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
/** Slightly under the bound of bodies, so that the envelope fits too. */
export const requestBytesMax = 4 * mebibyte - 4_096;
/** Bound of MCP replies, which may be larger than requests. */
export const replyBytesMax = 8 * mebibyte;
/** Bytes that fit into a request head beside its other headers. */
export const headBytesMax = 12 * 1024;
