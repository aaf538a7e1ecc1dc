import type { IncomingMessage } from "node:http";

/** A header's value where it was sent once; undefined where it is absent or a list. */
export function singleHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}
