/** Tells the projects that a request has come through, so that one registered as its own upstream is found out. */
export const hopsHeader = "x-gatehouse-mcp-hops";

const hopsMax = 5;
const projectPattern = /^[0-9a-f-]{36}$/;

/** The hops to send on: those that came, and this project. Undefined where the request has been here or come too far. */
export function addHop(header: string | string[] | undefined, projectUuid: string): string | undefined {
  const text = typeof header === "string" ? header : "";
  const hops = text.split(",").filter((hop) => projectPattern.test(hop));
  if (hops.includes(projectUuid) || hops.length >= hopsMax) return undefined;
  return [...hops, projectUuid].join(",");
}
