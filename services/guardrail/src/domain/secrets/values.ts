const placeholder =
  /^(?:[<{$%*]|x{3,}|your|my[_-]|example|changeme|change[_-]me|placeholder|redacted|secret$|password|passwd|null$|none$|true$|false$|undefined$|string$|required$|process\.|os\.|env\.|config\.|settings\.|req\.|self\.|this\.|params\.|import\b)/i;
const entropyMin = 3.2;

/** Whether a value stands for one that is filled in elsewhere. */
export function isPlaceholder(value: string): boolean {
  return (
    placeholder.test(value) ||
    /^(.)\1*$/u.test(value) ||
    /^(?:\(.*\)|\[.*\])$/u.test(value) ||
    /\.\.\.|\*{3}|\$\{|#\{|\{\{|\{[A-Za-z_]+\d*\}|%[sd]\b|%\(/u.test(value)
  );
}

/** A name or path of names, alone or called, indexed or given types. */
const path = /^([A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)*)(?:[!?]?$|[([{<])/u;
/** Digits inside words that names in code have. */
const usualDigits = /e2e|i18n|l10n|k8s|a11y|(?<=[a-z])[24](?=[a-z])|(?:b|base)(?:16|32|64)/gu;

/** Whether a value without quotes is code that reads one. */
function isCode(value: string): boolean {
  if (/^[([]|\?\./u.test(value)) return true;
  const [whole = "", names = ""] = path.exec(value) ?? [];
  const parts = names.split(/\??\.|->|::/u);
  const isUsed = /[([{<]$/u.test(whole);
  return (
    names !== "" && (isUsed || parts.length > 1) && (/pass|pwd/iu.test(parts.at(-1) ?? "") || parts.every(isOrdinary))
  );
}

/** Whether a name has digits only at the ends of its words, as in `oauth2Client`. */
function isOrdinary(name: string): boolean {
  return !/[A-Za-z]\d+(?:[a-z]|[A-Z](?![a-z]{2}))|.\$/u.test(name.replaceAll(usualDigits, ""));
}

/** A path of names in lower case or camel case, as keys of translations are. */
const keyPath = /^[A-Za-z_$][\w$-]*(?:(?:\.|->|::)[A-Za-z_$][\w$-]*)+$/u;

/**
 * Whether a value is chosen as passwords are: letters with a digit, a sign or a capital inside; not a word, nor a path of names.
 * Without quotes, it must not be code.
 */
export function isPasswordLike(value: string, { isQuoted }: { readonly isQuoted: boolean }): boolean {
  if (value.length < 6 || value.length > 128 || isPlaceholder(value) || versionRange.test(value)) return false;
  if (isQuoted ? keyPath.test(value) && (!/\d/u.test(value) || /pass|pwd/iu.test(value)) : isCode(value)) return false;
  // Letters of scripts without blanks are words beside a value, or about it.
  const own = value.replaceAll(unspacedLetters, "");
  if (own.length < 6) return false;
  const isMixed = /\p{Ll}.*\p{Lu}/u.test(own) || /\p{Lu}.*\p{Lu}.*\p{Ll}/u.test(own);
  const signs = own.replaceAll(/[\p{L}\p{M}\p{Nd}\s_.-]/gu, "").length;
  if (/\p{Nd}/u.test(own) || signs > 0) return /\p{L}/u.test(own) || signs > 0;
  return isMixed && !/^(?:\p{Lu}?\p{Ll}+|\p{Ll}+(?:\p{Lu}\p{Ll}+)+|\p{Lu}\p{Ll}+(?:\p{Lu}\p{Ll}+)+)$/u.test(own);
}

/** A version of a package, which may be named for passwords, as manifests write it (node-semver, section "Ranges"). */
const versionRange = /^(?:[~^]|[<>]=?|=)?v?\d{1,4}(?:\.(?:\d{1,8}|[x*])){1,3}(?:-[a-z]{1,8}(?:[.-]?\d{1,8}){0,2})?$/iu;

const unspacedLetters = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Hang}]/gu;

/** Whether a value is as random as keys are: a long piece that mixes letters and digits, and no words with dashes. */
export function isRandom(value: string): boolean {
  if (isPlaceholder(value) || !/\d/u.test(value) || /[(){}<>[\]\\]|\?\./u.test(value)) return false;
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
