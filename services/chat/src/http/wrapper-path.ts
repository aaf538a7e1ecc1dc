/** Resource of a Wrapper path, or undefined for a path of the chat routes. The router lets no other path through. */
export type WrapperResource = "chat" | "completions" | "embeddings" | "models" | "model";

const resources: ReadonlyMap<string, WrapperResource> = new Map([
  ["chat/completions", "chat"],
  ["completions", "completions"],
  ["embeddings", "embeddings"],
  ["models", "models"],
]);

/** Reads `/api/{uuid}/v1/…`. `v1` is never an endpoint's slug. */
export function parseWrapperPath(url: string): WrapperResource | undefined {
  const [path = ""] = url.split("?", 1);
  const [, , , version, ...rest] = path.split("/");
  if (version !== "v1") return undefined;
  return rest.length === 2 && rest[0] === "models" ? "model" : resources.get(rest.join("/"));
}

/** The last segment of a path, decoded; as it stands where it cannot be. */
export function itemOf(url: string): string {
  const [path = ""] = url.split("?", 1);
  const item = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(item);
  } catch {
    return item;
  }
}
