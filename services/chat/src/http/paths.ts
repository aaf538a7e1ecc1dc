/** Resource of a Wrapper path, or undefined for a path of the chat routes. The router lets no other path through. */
type WrapperResource = "chat" | "completions" | "embeddings" | "models" | "model";

const resources: ReadonlyMap<string, WrapperResource> = new Map([
  ["chat/completions", "chat"],
  ["completions", "completions"],
  ["embeddings", "embeddings"],
  ["models", "models"],
]);

/** Reads `/api/{uuid}/v1/…`. `v1` is never an endpoint's slug. */
export function parseWrapperPath(url: string): WrapperResource | undefined {
  // Most paths are of the chat routes, which have no such part.
  if (!url.includes("/v1/")) return undefined;
  const [version, ...rest] = segmentsOf(url);
  if (version !== "v1") return undefined;
  return rest.length === 2 && rest[0] === "models" ? "model" : resources.get(rest.join("/"));
}

/** The slug in a chat route's path `/api/{uuid}/{slug}`, or undefined on the dispatcher route, whose body names it. */
export function slugOfChatPath(url: string): string | undefined {
  const [first = "", second] = segmentsOf(url);
  return first === "chat" && second === "completions" ? undefined : decode(first);
}

/** The last segment of a path. */
export function itemOf(url: string): string {
  return decode(segmentsOf(url).at(-1) ?? "");
}

/** Segments behind `/api/{uuid}`. */
function segmentsOf(url: string): readonly string[] {
  const query = url.indexOf("?");
  return (query < 0 ? url : url.slice(0, query)).split("/").slice(3);
}

/** A segment that is not valid percent-encoding is taken as it stands: no endpoint has such a name. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (err) {
    if (err instanceof URIError) return segment;
    throw err;
  }
}
