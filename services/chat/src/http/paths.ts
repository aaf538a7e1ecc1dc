/** Resource of a Wrapper path; undefined: a path of the chat routes. The router admits no other paths. */
type WrapperResource = "chat" | "completions" | "embeddings" | "models" | "model";

const resources: ReadonlyMap<string, WrapperResource> = new Map([
  ["chat/completions", "chat"],
  ["completions", "completions"],
  ["embeddings", "embeddings"],
  ["models", "models"],
]);

/** Parses `/api/{uuid}/v1/…`; `v1` is a reserved slug. */
export function parseWrapperPath(url: string): WrapperResource | undefined {
  // Shortcut for paths of the chat routes.
  if (!url.includes("/v1/")) return undefined;
  const [version, ...rest] = segmentsOf(url);
  if (version !== "v1") return undefined;
  return rest.length === 2 && rest[0] === "models" ? "model" : resources.get(rest.join("/"));
}

/** The slug in `/api/{uuid}/{slug}`; undefined on the dispatcher route, whose body names the endpoint. */
export function slugOfChatPath(url: string): string | undefined {
  const [first = "", second] = segmentsOf(url);
  return first === "chat" && second === "completions" ? undefined : decode(first);
}

/** Last segment of a path, percent-decoded, without the query: the id in `/v1/models/{id}`. Empty after a final slash. */
export function itemOf(url: string): string {
  return decode(segmentsOf(url).at(-1) ?? "");
}

/** Segments after `/api/{uuid}`. */
function segmentsOf(url: string): readonly string[] {
  const query = url.indexOf("?");
  return (query < 0 ? url : url.slice(0, query)).split("/").slice(3);
}

/** Decodes a segment; invalid percent-encoding stays as it is, since no endpoint has such a name. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (err) {
    if (err instanceof URIError) return segment;
    throw err;
  }
}
