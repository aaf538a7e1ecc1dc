import { hash } from "node:crypto";

/** Tells the projects that a request has come through, so that one registered as its own upstream is found out. */
export const hopsHeader = "x-gatehouse-mcp-hops";

const hopsMax = 5;
const hopPattern = /^[0-9a-f]{16}$/;

/** The hops to send on: those that came, and this project. Undefined where the request has been here or come too far. */
export function addHop(header: string | string[] | undefined, projectUuid: string): string | undefined {
  const text = typeof header === "string" ? header : "";
  const hops = text.split(",").filter((hop) => hopPattern.test(hop));
  const own = hopOf(projectUuid);
  if (hops.includes(own) || hops.length >= hopsMax) return undefined;
  return [...hops, own].join(",");
}

/** A project as upstreams see it: they need not learn its uuid. */
export function hopOf(projectUuid: string): string {
  return hash("sha256", projectUuid, "hex").slice(0, 16);
}
