/** What a Wrapper path asks for, or undefined for a path of the chat routes. The router lets no other path through. */
export type WrapperResource = "chat" | "embeddings" | "models";

const resources: ReadonlyMap<string, WrapperResource> = new Map([
  ["chat/completions", "chat"],
  ["embeddings", "embeddings"],
  ["models", "models"],
]);

/** Reads `/api/{uuid}/v1/…`. `v1` is never an endpoint's slug. */
export function parseWrapperPath(url: string): WrapperResource | undefined {
  const [path = ""] = url.split("?", 1);
  const [, , , version, ...rest] = path.split("/");
  return version === "v1" ? resources.get(rest.join("/")) : undefined;
}
