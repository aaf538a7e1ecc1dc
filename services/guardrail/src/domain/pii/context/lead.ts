import type { PiiEntity } from "../entity.ts";

/** Units that a find may have, and within which what stands behind decides about it. */
export const contextReachMax = 240;

/** The word of a text at which a rule is asked. */
export interface Lead {
  readonly start: number;
  readonly end: number;
}

/** The entity that a rule has found, as a half-open range. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/** A rule that finds personal data by the words before it. */
export interface ContextRule {
  readonly entity: PiiEntity;
  /** First words, in lower case; `endings` are those of longer words that have it at their end. */
  readonly words: readonly string[];
  readonly endings?: readonly string[];
  /** Judges at a word; a bounded amount of work. `floor` is where nothing before may be taken. */
  readonly find: (text: string, lead: Lead, floor: number) => Found | undefined;
}

/** Where a match of a sticky expression at a place ends, or -1. */
export function endAt(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : -1;
}

/** An expression that matches at `lastIndex` alone, by code points, with atomic groups. */
export function sticky(source: string, flags = ""): RegExp {
  return atomicRegExp(source, `uy${flags}`);
}

/**
 * An expression in which `(?>…)` is an atomic group: once it has matched, the search never goes back into it. So a text
 * that fails behind it costs no second reading. JavaScript has none by itself, but never goes back into a look-ahead: the
 * group is matched in one, and then taken by what it matched.
 */
export function atomicRegExp(source: string, flags: string): RegExp {
  const closings: string[] = [];
  let groups = 0;
  const written = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\(\?>|\(|\)/gsu, (sign) => {
    if (sign === ")") return closings.pop() ?? sign;
    if (sign === "(") closings.push(")");
    if (sign !== "(?>") return sign;
    groups += 1;
    closings.push(`))\\k<atom${groups}>)`);
    return `(?:(?=(?<atom${groups}>`;
  });
  return new RegExp(written, flags);
}
