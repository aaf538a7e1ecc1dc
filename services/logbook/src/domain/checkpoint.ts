import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "@gatehouse/vault";
import type { ChainHead } from "./audit-record.ts";

/** The head of a chain at a moment, signed, so that write access to the database does not suffice to rewrite it. */
export interface Checkpoint extends ChainHead {
  readonly chain: string;
  /** ISO 8601. */
  readonly at: string;
}

/** One line of the checkpoint file. */
export function encodeCheckpoint(checkpoint: Checkpoint, key: Secret): string {
  const { chain, sequence, hash, at } = checkpoint;
  return JSON.stringify({ chain, sequence, hash, at, signature: sign(checkpoint, key) });
}

/** A line of the file; undefined for one that is not whole, or whose signature does not hold. */
export function decodeCheckpoint(line: string, key: Secret): Checkpoint | undefined {
  const read = parse(line);
  if (read === undefined) return undefined;
  const { signature, ...checkpoint } = read;
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(checkpoint, key))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? checkpoint : undefined;
}

function parse(line: string): (Checkpoint & { readonly signature: string }) | undefined {
  try {
    const { chain, sequence, hash, at, signature } = JSON.parse(line) as Partial<Checkpoint & { signature: string }>;
    const isWhole = typeof chain === "string" && typeof hash === "string" && typeof at === "string";
    if (!isWhole || !Number.isSafeInteger(sequence) || typeof signature !== "string") return undefined;
    return { chain, sequence: Number(sequence), hash, at, signature };
  } catch (err) {
    if (err instanceof SyntaxError || err instanceof TypeError) return undefined;
    throw err;
  }
}

/** HMAC-SHA256, in hex, of the JSON array of the fields. */
function sign({ chain, sequence, hash, at }: Checkpoint, key: Secret): string {
  return createHmac("sha256", key.reveal())
    .update(JSON.stringify([chain, sequence, hash, at]))
    .digest("hex");
}
