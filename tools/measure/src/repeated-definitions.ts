import type { TextFile } from "./tree.ts";

/** A function at the top level of a file, with its parameters and its body. */
const topFunction = /^(?:export )?(?:async )?function\*? \w+((?:<[^(]*>)?\([\s\S]*?\n\})/gm;
/** A constant of one line that is a function, a pattern, a set or a list. */
const topConstant =
  /^(?:export )?const \w+(?:: [^=]+)? = ((?:async )?\(.*=>.*|\/.+\/[a-z]*|new Set\(.+\)|\[.+\](?: as const)?);$/gm;
/** Shorter texts are alike by chance. */
const textLengthMin = 30;

/** Top-level functions and constants with the same text under any name, without one of each: a fact or rule in two places. */
export function countRepeatedDefinitions(files: readonly Pick<TextFile, "text">[]): number {
  const counts = new Map<string, number>();
  for (const { text } of files) {
    for (const pattern of [topFunction, topConstant]) {
      for (const [, definition = ""] of text.matchAll(pattern)) {
        const plain = definition.replaceAll(/\s+/g, " ");
        if (plain.length >= textLengthMin) counts.set(plain, (counts.get(plain) ?? 0) + 1);
      }
    }
  }
  return [...counts.values()].reduce((sum, count) => sum + count - 1, 0);
}
