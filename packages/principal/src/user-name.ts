import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "./principal.ts";
import { unseenCharacters } from "./unseen-characters.ts";

/** Header with the application's name for the user of a call. Not forwarded to providers and upstreams. */
export const userHeader = "x-gatehouse-user";

/** Longest user name that is kept, UTF-16 code units; longer ones are cut. */
export const userNameLengthMax = 128;
/** Longest text that is processed, which bounds the work on characters that are removed. */
const rawLengthMax = 4 * userNameLengthMax;

const unseen = new RegExp(`[${unseenCharacters}]+`, "gu");

/**
 * The user's name for log and billing, cleaned and bounded; undefined where there is none. The caller chooses it, so no right may
 * depend on it.
 */
export function toUserName(given: unknown): string | undefined {
  if (typeof given !== "string" || given === "") return undefined;
  const text = given.slice(0, rawLengthMax).toWellFormed().normalize("NFC").replace(unseen, "").trim();
  const name = text.length <= userNameLengthMax ? text : cut(text);
  return name === "" ? undefined : name;
}

/** User name in a request's header. Requests of administrators have none. */
export function userOfRequest(headers: IncomingHttpHeaders, principal: Principal | undefined): string | undefined {
  const value = headers[userHeader];
  if (typeof value !== "string" || principal?.kind !== "token") return undefined;
  return toUserName(decodeHeader(value));
}

/** Cuts without splitting a surrogate pair. */
function cut(text: string): string {
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(userNameLengthMax - 1));
  return text.slice(0, isSplit ? userNameLengthMax - 1 : userNameLengthMax).trimEnd();
}

/** Decodes a header: clients write UTF-8, and Node reads every byte as a character. Invalid UTF-8 is taken for Latin-1. */
function decodeHeader(value: string): string {
  const isCut = value.length > rawLengthMax;
  const bytes = Buffer.from(value.slice(0, rawLengthMax), "latin1");
  try {
    // In stream mode the decoder omits a character that the cut has split.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch (err) {
    if (err instanceof TypeError) return value;
    throw err;
  }
}
