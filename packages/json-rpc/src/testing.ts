import type { JsonRpcReply } from "./answer.ts";

/** Whole text of a reply; undefined where it has none. Only tests join the pieces. */
export function textOf({ body }: JsonRpcReply): string | undefined {
  return typeof body === "string" ? body : body?.map(String).join("");
}
