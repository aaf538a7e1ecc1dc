/** Fuzzed bytes as JSON; undefined where they are not JSON: other fuzz targets test the parser. */
export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
