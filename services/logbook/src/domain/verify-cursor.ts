import { invalidArgument } from "@gatehouse/errors";
import type { ChainPlace } from "./chain-check.ts";

/** Where one part of a verification has stopped, and the next one goes on. */
export interface VerifyPlace extends ChainPlace {
  readonly chain: string;
}

/** Place at which the next part of a verification begins. An altered one deceives its sender alone. */
export function encodeVerifyPlace({ sequence, hash, isFaulty, chain }: VerifyPlace): string {
  return Buffer.from(`${sequence}.${hash}.${isFaulty ? 1 : 0}.${chain}`).toString("base64url");
}

/** The chain of the whole gateway has no name, a project's has its uuid. */
const form = /^(\d{1,15})\.([0-9a-f]{64})\.([01])\.((?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)$/;

/** @throws GatewayError `invalid_argument` for what {@link encodeVerifyPlace} has not made. */
export function decodeVerifyPlace(cursor: string): VerifyPlace {
  const [, sequence, hash, faulty, chain] = form.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (sequence === undefined || hash === undefined || chain === undefined) {
    throw invalidArgument("cursor must be the next_cursor of an earlier part");
  }
  return { sequence: Number(sequence), hash, isFaulty: faulty === "1", chain };
}
