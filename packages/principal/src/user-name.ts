import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "./principal.ts";

/** Names the person behind a call, in the words of the application that calls. It is passed on to no provider and no upstream. */
export const userHeader = "x-gatehouse-user";

/** Characters (UTF-16 code units) of a user's name that are kept; a longer one is cut. */
export const userNameLengthMax = 128;
/** Length of a text that is looked at: what is dropped from it must not make the work unbounded. */
const rawLengthMax = 4 * userNameLengthMax;

/** Control characters, and those that show nothing but change how a text reads. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/**
 * The name by which a caller's user is logged and billed, cleaned and bounded; undefined where there is none. A label that the
 * caller chose: no right may depend on it.
 */
export function toUserName(given: unknown): string | undefined {
  if (typeof given !== "string" || given === "") return undefined;
  const text = given.slice(0, rawLengthMax).toWellFormed().normalize("NFC").replace(unseen, "").trim();
  const name = text.length <= userNameLengthMax ? text : cut(text);
  return name === "" ? undefined : name;
}

/** The name in the header of a request. Requests of administrators have no user: the administrator is known. */
export function userOfRequest(headers: IncomingHttpHeaders, principal: Principal | undefined): string | undefined {
  const value = headers[userHeader];
  if (typeof value !== "string" || principal?.kind !== "token") return undefined;
  return toUserName(decodeHeader(value));
}

/** Never through the middle of a surrogate pair. */
function cut(text: string): string {
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(userNameLengthMax - 1));
  return text.slice(0, isSplit ? userNameLengthMax - 1 : userNameLengthMax).trimEnd();
}

/** Clients write UTF-8, and Node reads every byte as a character. What is no UTF-8 is taken for Latin-1. */
function decodeHeader(value: string): string {
  const isCut = value.length > rawLengthMax;
  const bytes = Buffer.from(value.slice(0, rawLengthMax), "latin1");
  try {
    // In stream mode the decoder leaves out a character that the cut has split.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch (err) {
    if (err instanceof TypeError) return value;
    throw err;
  }
}
