/** Characters that are invisible to people and readable for models: zero-width, directional, tags. */
const invisible = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/u;
/** Words that address a model instead of describing a tool. */
const instruction =
  /<\s*(?:important|system|secret|instructions?)\b|ignore (?:all |any )?(?:previous|prior|earlier)|do not (?:tell|mention|inform)[^.]{0,40}\buser|(?:before|instead of) (?:using|calling) (?:any|this|other) [^.]{0,40}tool/i;

/** Suspicious parts of a tool's description, for review by a person; empty: none. */
export function findSuspicions(text: string): readonly string[] {
  return [
    ...(invisible.test(text) ? ["invisible characters"] : []),
    ...(instruction.test(text) ? ["words that instruct a model"] : []),
  ];
}
