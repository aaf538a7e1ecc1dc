import { type Reading, readingText } from "../text/reading.ts";
import type { PiiMatch } from "./entity.ts";

/** Words for the dot, between blanks: a text without one has no address that is said. */
const dotWords = [" dot ", " punkt ", " punto ", " point "] as const;
const domains =
  "com|net|org|edu|gov|io|info|biz|app|dev|ai|eu|uk|ie|de|at|ch|fr|be|nl|es|it|pt|pl|cz|se|no|fi|dk|us|ca|br|in|jp|au";
const spoken = new RegExp(
  `(?<![\\p{L}\\d_.@-])([\\p{L}\\d][\\p{L}\\d_.+-]{0,63}(?: (?:dot|punkt|punto|point) [\\p{L}\\d_-]{1,32})?) (?:at|arroba|chez) [\\p{L}\\d][\\p{L}\\d_-]{0,62}(?: (?:dot|punkt|punto|point) [\\p{L}\\d_-]{1,62}){0,2} (?:dot|punkt|punto|point) (?:${domains})(?![\\w-])`,
  "giu",
);
/** Words before "at" that say where something is; a place on the web follows, and no address. */
const noName =
  /^(?:look(?:s|ed|ing)?|meet|arriv\w+|work(?:s|ed|ing)?|based|visit|host(?:s|ed)?|available|found|find|see|read|us|me|you|it|is|are|be|was|were|site|website|page|here|there|online|stay|shop|live|docs?|documentation|more)$/iu;

/** Addresses as people say them: `jane at example dot com`. Bounded work at each word. */
export function spokenEmails(reading: Reading): PiiMatch[] {
  const { text } = reading;
  if (text !== undefined && !dotWords.some((word) => text.includes(word))) return [];
  return Array.from(readingText(reading).matchAll(spoken))
    .filter(([, name = ""]) => !noName.test(name))
    .map((match) => ({ entity: "email", start: match.index, end: match.index + match[0].length }));
}
