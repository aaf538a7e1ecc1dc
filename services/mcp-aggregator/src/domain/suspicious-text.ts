/** Characters that a person does not see and a model reads: zero-width ones, directions, tags. */
const invisible = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/u;
/** Words that speak to a model instead of describing a tool. */
const instruction =
  /<\s*(?:important|system|secret|instructions?)\b|ignore (?:all |any )?(?:previous|prior|earlier)|do not (?:tell|mention|inform)[^.]{0,40}\buser|(?:before|instead of) (?:using|calling) (?:any|this|other) [^.]{0,40}tool/i;

/** Suspicious parts of a tool's description, for people to look at; empty where nothing is. */
export function findSuspicions(text: string): readonly string[] {
  return [
    ...(invisible.test(text) ? ["invisible characters"] : []),
    ...(instruction.test(text) ? ["words that instruct a model"] : []),
  ];
}
