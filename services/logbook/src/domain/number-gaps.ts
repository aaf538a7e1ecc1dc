/** Numbers of a service's events that have not come, though a later one has, and that nothing explains. */
export interface NumberGap {
  readonly service: string;
  readonly first: number;
  readonly last: number;
  /** Time since the event behind the gap was stored. */
  readonly ageMs: number;
}

/** Events of a service that are not in the log. */
interface WithheldFault {
  readonly service: string;
  readonly sequence: number;
  readonly kind: "withheld";
  readonly detail: string;
}

/** A question that verification could not answer. */
interface UncheckedFault {
  readonly sequence: 0;
  readonly kind: "unchecked";
  readonly detail: string;
}

/**
 * Longest time for which a gap may be open: longer than the broker waits before it hands a message to another logbook, shorter than a relay
 * waits before it publishes again.
 */
export const gapSettlesMs = 15_000;

const secondMs = 1_000;

/** One that closes later was a delay, and is no fault any more. */
export function toFaults(gaps: readonly NumberGap[]): readonly WithheldFault[] {
  return gaps.map(({ service, first, last, ageMs }) => {
    const events = first === last ? `event ${first} of ${service} is` : `events ${first} to ${last} of ${service} are`;
    const detail = `${events} not in the log, though a later one has been for ${Math.round(ageMs / secondMs)} s`;
    return { service, sequence: first, kind: "withheld", detail };
  });
}

/** Events missing by service, of the gaps that are named. */
export function countMissing(gaps: readonly NumberGap[]): ReadonlyMap<string, number> {
  const missing = new Map<string, number>();
  for (const { service, first, last } of gaps) missing.set(service, (missing.get(service) ?? 0) + last - first + 1);
  return missing;
}

/** The faults of the chains hold nevertheless. */
export function uncheckedFault(cause: Error): UncheckedFault {
  const detail = `missing events could not be searched for; the chains were verified. ${cause.message}`;
  return { sequence: 0, kind: "unchecked", detail };
}
