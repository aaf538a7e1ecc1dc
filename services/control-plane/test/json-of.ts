/** Fuzzed bytes as JSON; undefined where they are none, which is for the fuzz targets of JSON to judge. */
export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
