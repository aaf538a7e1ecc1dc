/**
 * The slug in a chat route's path `/api/{uuid}/{slug}`, or undefined on the dispatcher route, whose body names it. A slug
 * that is not valid percent-encoding is taken as it stands: no endpoint has such a name.
 */
export function parseChatPath(url: string): { readonly slug: string | undefined } {
  const [path = ""] = url.split("?", 1);
  const [, , , first = "", second] = path.split("/");
  if (first === "chat" && second === "completions") return { slug: undefined };
  return { slug: decode(first) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (err) {
    if (err instanceof URIError) return segment;
    throw err;
  }
}
