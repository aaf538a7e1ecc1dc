import type { JsonRpcReply } from "./answer.ts";

/** The whole text of a reply; undefined where it has none. A reply is sent in its pieces: only tests join them. */
export function textOf({ body }: JsonRpcReply): string | undefined {
  return typeof body === "string" ? body : body?.map(String).join("");
}
