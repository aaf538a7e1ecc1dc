import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { UpstreamFailure } from "../domain/upstream-failure.ts";

/**
 * Decoder of a body; undefined for an unencoded one. Refuses double encodings and encodings that were not requested.
 * @throws UpstreamFailure
 */
export function readContentEncoding(header: string | undefined): Transform | undefined {
  switch ((header ?? "identity").trim().toLowerCase()) {
    case "":
    case "identity":
      return undefined;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new UpstreamFailure("malformed", { detail: "a body in an encoding that was not asked for" });
  }
}
