const placeholder =
  /^(?:[<{$%*]|x{3,}|your|my[_-]|example|changeme|change[_-]me|placeholder|redacted|secret$|password|passwd|null$|none$|true$|false$|undefined$|string$|required$|process\.|os\.|env\.|config\.|settings\.|req\.|self\.|this\.|params\.|import\b)/i;
const entropyMin = 3.2;

/** Whether a value stands for one that is filled in elsewhere, or is code that reads it. */
export function isPlaceholder(value: string): boolean {
  return (
    placeholder.test(value) ||
    /^(.)\1*$/u.test(value) ||
    /\.\.\.|\*{3}|[(){}<>[\]]|\$\{|#\{|%[sd]\b|\?\.|\\/u.test(value)
  );
}

/** Whether a value is chosen as passwords are: letters with a digit, a sign or a capital inside; not a word, nor a path of names. */
export function isPasswordLike(value: string): boolean {
  if (value.length < 6 || value.length > 128 || isPlaceholder(value)) return false;
  if (/^[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)+$/u.test(value)) return false;
  const isMixed = /[a-z].*[A-Z]/u.test(value) || /[A-Z].*[A-Z].*[a-z]/u.test(value);
  const signs = value.replaceAll(/[A-Za-z\d\s_.-]/gu, "").length;
  if (/\d/u.test(value) || signs > 0) return /[A-Za-z]/u.test(value) || signs > 0;
  return isMixed && !/^(?:[A-Z]?[a-z]+|[a-z]+(?:[A-Z][a-z]+)+|[A-Z][a-z]+(?:[A-Z][a-z]+)+)$/u.test(value);
}

/** Whether a value is as random as keys are: a long piece that mixes letters and digits, and no words with dashes. */
export function isRandom(value: string): boolean {
  if (isPlaceholder(value) || !/\d/u.test(value)) return false;
  const longest = value.split(/[-_.:/+=~]/u).reduce((best, piece) => (piece.length > best.length ? piece : best), "");
  if (longest.length < 10) return false;
  let changes = 0;
  for (let index = 1; index < longest.length; index += 1) {
    if (kindOf(longest.charCodeAt(index)) !== kindOf(longest.charCodeAt(index - 1))) changes += 1;
  }
  return changes >= longest.length / 6 && entropyOf(value) >= entropyMin;
}

/** Whether a credential of a known issuer is more than words behind its beginning. */
export function isIssued(written: string, prefixLength: number): boolean {
  const rest = written.slice(prefixLength);
  return /\d/u.test(rest) || /[a-z][A-Z]|[A-Z]{2}[a-z]/u.test(rest) || rest === rest.toUpperCase();
}

/** Shannon entropy in bits a character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return 0;
  return (code & 0x20) === 0 ? 1 : 2;
}
