import { type Reading, readingText } from "../text/reading.ts";

/** Credentials of known issuers, by the prefixes and lengths they publish. Anchored: tried at the start of a long word. */
const keyFormats: readonly RegExp[] = [
  /^(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])/,
  /^gh[pousr]_[A-Za-z0-9]{36,255}/,
  /^github_pat_[A-Za-z0-9_]{60,255}/,
  /^glpat-[A-Za-z0-9_-]{20,64}/,
  /^sk-(?:proj|svcacct|admin|ant|or|live|test)-[A-Za-z0-9_-]{16,256}/,
  /^sk-[A-Za-z0-9]{20,128}/,
  /^(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,128}/,
  /^whsec_[A-Za-z0-9+/=]{24,64}/,
  /^AIza[A-Za-z0-9_-]{35}/,
  /^ya29\.[A-Za-z0-9_-]{20,512}/,
  /^xox[abeoprs]-[A-Za-z0-9-]{10,250}/,
  /^xapp-\d-[A-Za-z0-9-]{20,250}/,
  /^npm_[A-Za-z0-9]{36}/,
  /^pypi-[A-Za-z0-9_-]{50,512}/,
  /^hf_[A-Za-z0-9]{30,64}/,
  /^(?:gsk|xai|r8|pplx|fw|nvapi|tvly|dop_v1|doo_v1|shpat|shpss|sq0atp|sq0csp|lin_api|ntn|secret|figd|dckr_pat)[_-][A-Za-z0-9_-]{22,256}/,
  /^SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}/,
  /^(?:key|MG)-?[0-9a-f]{32}(?![A-Za-z0-9])/,
  /^(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9])/,
  /^eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/,
  /^gh_[A-Za-z0-9]{32,64}/,
];

/** Words with which a credential begins before its first dash, underscore or dot. */
const prefixes = new Set(
  (
    "ghp gho ghu ghs ghr gh github glpat sk rk pk whsec ya xoxa xoxb xoxe xoxo xoxp xoxr xoxs xapp npm pypi hf gsk xai pplx fw nvapi tvly " +
    "dop doo shpat shpss sq0atp sq0csp lin ntn secret figd dckr SG key r8 ya29"
  ).split(" "),
);
const prefixLengthMax = 7;
const start =
  /^(?:A[KSBC][IC]A|AIza|AC[0-9a-f]|SK[0-9a-f]|MG|key|eyJ|gh|glpat-|sk[-_]|[rp]k_|whsec_|ya29|xox|xapp|npm_|pypi-|hf_|gsk|xai|r8_|pplx|fw_|nvapi|tvly|do[op]_|shp|sq0|lin_|ntn_|secret|figd|dckr|SG\.)[\w.+/=-]*$/;

/** Whether the word `[from, to)` of a reading may be the beginning of a credential. Cheap: most words are too long. */
export function hasKeyPrefix(reading: Reading, from: number, to: number): boolean {
  return to - from <= prefixLengthMax && prefixes.has(readingText(reading, from, to));
}

/** Whether the first sixteen characters look like the beginning of a credential. */
export function canBeApiKey(probe: string): boolean {
  return probe.length >= 16 && start.test(probe);
}

/** Length of the credential at the start of a word of sixteen or more characters, or 0. */
export function apiKeyLength(word: string): number {
  for (const format of keyFormats) {
    const match = format.exec(word);
    if (match !== null && /\d/.test(match[0])) return match[0].length;
  }
  return 0;
}

/** The range of a PEM private key that begins at `start` in `text`, or nothing. An unfinished key runs to the end. */
export function pemKeyEnd(text: string, start: number): number | undefined {
  const head = /^-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(start, start + 100));
  if (head === null) return undefined;
  const tail = text.indexOf("-----END", start + head[0].length);
  if (tail === -1) return text.length;
  const close = text.indexOf("-----", tail + 8);
  return close === -1 ? text.length : close + 5;
}
