import type { ReplyHeaders } from "@gatehouse/upstream-http";
import { ProviderError } from "../provider.ts";

/** Asks for replies that are not compressed, which is how they are read: without it any encoding would be acceptable (RFC 9110). */
export const acceptedEncoding = { "accept-encoding": "identity" } as const;

/** Encodings that change the bytes; servers also state `identity`, `none` or a charset. */
const compressing = /\b(?:gzip|deflate|compress|br|zstd)\b/i;

/** The failure of a reply that is compressed nevertheless; undefined for others. */
export function compressedReply(provider: string, headers: ReplyHeaders): ProviderError | undefined {
  const [encoding] = compressing.exec(headers["content-encoding"] ?? "") ?? [];
  if (encoding === undefined) return undefined;
  return new ProviderError("malformed", `${provider} compressed its reply (${encoding}), which was not asked for`);
}
