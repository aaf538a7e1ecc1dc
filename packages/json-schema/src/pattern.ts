import { RE2JS } from "re2js";

interface LinearPattern {
  test(text: string): boolean;
  /** Instructions of its program: each may take a step for each character. */
  readonly size: number;
  /** Source of the pattern, by which Ajv distinguishes patterns. */
  toString(): string;
}

/**
 * Regular expressions of schemas, matched in linear time (RE2 does not backtrack). Look-around and back-references are refused at
 * compilation.
 */
export function compilePattern(source: string): LinearPattern {
  const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
  return { test: (text) => pattern.matcher(text).find(), size: pattern.programSize(), toString: () => source };
}
