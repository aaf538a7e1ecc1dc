import type { IncomingMessage } from "node:http";

/** A header's value where it came once; undefined where it is absent or comes as a list. */
export function singleHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}
