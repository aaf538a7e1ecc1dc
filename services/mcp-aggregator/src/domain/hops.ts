import { hash } from "node:crypto";

/** Lists the projects that a request has passed, to detect a project registered as its own upstream. */
export const hopsHeader = "x-gatehouse-mcp-hops";

const hopsMax = 5;
const hopPattern = /^[0-9a-f]{16}$/;

/** Appends this project to the hops. Undefined where the request has passed it already, or too many others. */
export function addHop(header: string | string[] | undefined, projectUuid: string): string | undefined {
  const text = typeof header === "string" ? header : "";
  const hops = text.split(",").filter((hop) => hopPattern.test(hop));
  const own = hopOf(projectUuid);
  if (hops.includes(own) || hops.length >= hopsMax) return undefined;
  return [...hops, own].join(",");
}

/** Pseudonym of a project, which hides its uuid from upstreams. */
export function hopOf(projectUuid: string): string {
  return hash("sha256", projectUuid, "hex").slice(0, 16);
}
