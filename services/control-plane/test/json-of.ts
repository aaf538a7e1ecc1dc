/** Parses fuzzed bytes; undefined where they are not JSON, since other fuzz targets test the parser. */
export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
