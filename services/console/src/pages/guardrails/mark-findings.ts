import type { Finding } from "../../api/types.ts";

/** A part of a text, with all findings that it lies in. */
interface MarkedPart {
  readonly start: number;
  readonly part: string;
  /** The longest first; empty between findings. */
  readonly findings: readonly Finding[];
}

/** Splits a text at the ends of its findings. Positions count UTF-16 units. */
export function markFindings(text: string, findings: readonly Finding[]): readonly MarkedPart[] {
  const ends = findings.flatMap(({ start, end }) => [start, end]).filter((at) => at > 0 && at < text.length);
  const cuts = [...new Set([0, ...ends])].toSorted((a, b) => a - b);
  const longestFirst = findings.toSorted((a, b) => b.end - b.start - (a.end - a.start));
  return cuts.flatMap((start, index) => {
    const part = text.slice(start, cuts[index + 1]);
    const around = longestFirst.filter((finding) => finding.start <= start && start < finding.end);
    return part === "" ? [] : [{ start, part, findings: around }];
  });
}
