import { RE2JS } from "re2js";

interface LinearPattern {
  test(text: string): boolean;
  /** Instructions of its program: each may have a step for each character. */
  readonly size: number;
  /** The source: Ajv tells patterns apart by it, and would use one pattern for all without. */
  toString(): string;
}

/**
 * The regular expressions of schemas, in linear time whatever the text (RE2 has no backtracking). Its syntax lacks
 * look-around and back-references, so a pattern with those is refused when its schema is compiled.
 */
export function compilePattern(source: string): LinearPattern {
  const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
  return { test: (text) => pattern.matcher(text).find(), size: pattern.programSize(), toString: () => source };
}
