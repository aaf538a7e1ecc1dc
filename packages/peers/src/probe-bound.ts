import { afterReading } from "./after-reading.ts";
import { peerBounds } from "./bounds.ts";

/** Signal of one probe, which fires at its time bound (`isLate`) or with `stopped`. */
export function boundProbe(stopped: AbortSignal) {
  const late = new AbortController();
  const end = afterReading(() => late.abort(), peerBounds.probeTimeoutMs);
  return { signal: AbortSignal.any([stopped, late.signal]), isLate: () => late.signal.aborted, end };
}
