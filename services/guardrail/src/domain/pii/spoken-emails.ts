import { type Reading, readingText, type Span } from "../text/reading.ts";
import type { PiiMatch } from "./entity.ts";

/** Top-level domains that are no English words: "the dot in the middle" names no host. */
const domains = "com|net|org|edu|gov|io|info|biz|app|dev|ai|eu|uk|ie|ch|fr|nl|es|pl|cz|dk|fi|ca|br|jp|au";
/** Top-level domains that are words in some language. Behind "dot" they count only where the name itself looks like one of an address. */
const wordDomains = "de|us";
const usualDomain = new RegExp(`^(?:${domains})$`, "iu");

/** Whether a word is a usual top-level domain, and no word of a sentence. */
export function isUsualDomain(word: string): boolean {
  return usualDomain.test(word);
}

const wordDomain = new RegExp(` (?:${wordDomains})$`, "iu");
/** Words for the at sign mean nothing else in such a sentence, so that more domains are safe behind them. */
const signDomains = `${domains}|${wordDomains}|it|at|be|pt`;

/** Words for the dot, in all languages. */
const dots = "dot|punkt|punto|point";
/** Words that can only be the at sign. */
const signs = "arroba|arr?obase";

/** The host behind the word for the at sign, with `dot` between its parts. */
function hostOf(dot: string, ends: string): string {
  return `[\\p{L}\\d][\\p{L}\\d_-]{0,62}(?: ${dot} [\\p{L}\\d_-]{1,62}){0,2} ${dot} (?:${ends})(?![\\w-])`;
}

/** Each word for the at sign has its own language's words for the dot: "at some point in the …" is everyday English. */
const spoken = new RegExp(
  `(?<![\\p{L}\\d_.@-])(?<name>[\\p{L}\\d][\\p{L}\\d_.+-]{0,63}(?: (?:${dots}) [\\p{L}\\d_-]{1,32})?) ` +
    `(?:(?<english>at) ${hostOf("dot", `${domains}|${wordDomains}`)}|(?:at|ät) ${hostOf("punkt", `${domains}|de|at`)}|` +
    `(?<sign>arroba ${hostOf("punto", signDomains)}|arr?obase ${hostOf("point", signDomains)}))`,
  "giu",
);
/**
 * End of every address that is said. A cheap look for it spares a text the search but around such ends: " point " is a common word,
 * and the search costs ten times as much.
 */
const ending = new RegExp(
  ` (?:dot (?:${domains}|${wordDomains})|punkt (?:${domains}|de|at)|(?:punto|point) (?:${signDomains}))(?![\\w-])`,
  "giu",
);
const spokenSign = new RegExp(`^(?:at|ät|${signs}|${dots})$`, "iu");

/** Whether a word stands for a sign of an address: the words on both sides may be parts of one. */
export function isSpokenSign(word: string): boolean {
  return spokenSign.test(word);
}

/** UTF-16 units of an address before its end: a name of two parts, the word for the at sign, three parts of a host; letters may be pairs. */
const beforeEndingMax = 640;
/** UTF-16 units of an ending, such as " punkt info". */
const endingMax = 16;
/** UTF-16 units behind an end in which the host may go on: two more parts. */
const behindEndingMax = 300;
/** Words before "at" that say where something is; a place on the web follows, and no address. */
const noName =
  /^(?:look(?:s|ed|ing)?|meet|arriv\w+|work(?:s|ed|ing)?|based|visit|host(?:s|ed)?|available|found|find|see|read|us|me|you|them|him|her|it|is|are|be|was|were|site|website|server|page|here|there|online|stay|stop|shop(?:s|ped|ping)?|shoes|bought|order(?:s|ed)?|store|up|in|on|back|now|today|log(?:ged|in)?|sign(?:ed)?|register(?:ed)?|live|docs?|documentation|more)$/iu;
/** A name that people are not called by in prose: a mark inside it, a word for the dot, or a digit that is no year or hour. */
const addressName = new RegExp(
  String.raw`[_.](?=[\p{L}\d])|\p{L}[+-]?\d|\d\p{L}{3}|[\p{L}\d] (?:${dots}) [\p{L}\d]`,
  "iu",
);
const addressWord =
  /(?<![\p{L}\d])(?:(?:e-?)?mail(?:s|ed|adresse)?|reach|write|contact|address|adresse|kontakt|schreib\p{L}{0,3}|courriel|correo)(?![\p{L}\d])/iu;
const wordReach = 40;

/** Addresses as people say them: `jane at example dot com`. Bounded work at each word. */
export function spokenEmails(reading: Reading): PiiMatch[] {
  const whole = readingText(reading);
  const stretches = aroundEndings(whole);
  if (stretches.length === 0) return [];
  return stretches.flatMap(({ start, end }) =>
    Array.from(whole.slice(start, end).matchAll(spoken))
      .map((match) => ({ match, at: start + match.index }))
      .filter(({ match, at }) => isAddress(match, whole.slice(Math.max(0, at - wordReach), at)))
      .map(({ match, at }): PiiMatch => {
        const before = sentence.exec(match.groups?.["name"] ?? "")?.[0].length ?? 0;
        return { entity: "email", start: at + before, end: at + match[0].length };
      }),
  );
}

/** The sentence in a script without blanks that goes up to a Latin name. */
const sentence = /^.*(?!\p{sc=Latin})\p{L}(?=\p{sc=Latin})/u;

/** The stretches of a text in which whole addresses lie, ascending and apart. */
function aroundEndings(whole: string): readonly Span[] {
  const stretches: { start: number; end: number }[] = [];
  ending.lastIndex = 0;
  while (ending.test(whole)) {
    const start = Math.max(0, ending.lastIndex - endingMax - beforeEndingMax);
    const end = ending.lastIndex + behindEndingMax;
    const last = stretches.at(-1);
    if (last !== undefined && start <= last.end) last.end = end;
    else stretches.push({ start, end });
  }
  return stretches;
}

/**
 * Whether a place that reads like an address is one. A word such as "arroba" says so; "at" is a word for places, too, and needs a
 * sign of an address in the name or in the words `before` it.
 */
function isAddress({ 0: written, groups }: RegExpExecArray, before: string): boolean {
  const { name = "", english, sign } = groups ?? {};
  if (noName.test(name)) return false;
  if (sign !== undefined) return true;
  if (name.endsWith(".")) return false;
  if (addressName.test(name)) return true;
  if (english !== undefined && wordDomain.test(written)) return false;
  return addressWord.test(before);
}
