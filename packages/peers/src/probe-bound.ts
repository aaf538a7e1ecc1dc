import { afterReading } from "./after-reading.ts";
import { peerBounds } from "./bounds.ts";

/** The bound of one probe, as its signal, and whether it is what has fired. @param stopped fires where the answer is of no use */
export function boundProbe(stopped: AbortSignal) {
  const late = new AbortController();
  const end = afterReading(() => late.abort(), peerBounds.probeTimeoutMs);
  return { signal: AbortSignal.any([stopped, late.signal]), isLate: () => late.signal.aborted, end };
}
