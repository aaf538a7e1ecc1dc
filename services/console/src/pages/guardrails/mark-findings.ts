import type { Finding } from "../../api/types.ts";

/** A part of a text: a finding, or the text between two findings. */
interface MarkedPart {
  readonly start: number;
  readonly part: string;
  readonly finding: Finding | undefined;
}

/** Splits a text at its findings. Positions count UTF-16 units; of overlapping findings the first one counts. */
export function markFindings(text: string, findings: readonly Finding[]): readonly MarkedPart[] {
  const parts: MarkedPart[] = [];
  let at = 0;
  for (const finding of findings.toSorted((a, b) => a.start - b.start)) {
    const [start, end] = [Math.max(finding.start, at), Math.min(finding.end, text.length)];
    if (start >= end) continue;
    if (start > at) parts.push({ start: at, part: text.slice(at, start), finding: undefined });
    parts.push({ start, part: text.slice(start, end), finding });
    at = end;
  }
  if (at < text.length) parts.push({ start: at, part: text.slice(at), finding: undefined });
  return parts;
}
