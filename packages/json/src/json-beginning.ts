const blanks = String.raw`[ \n\r\t]*`;
/** With a byte order mark before the text. */
const begun = new RegExp(String.raw`^[ \n\r\t\ufeff]*(?:\{|\[${blanks}["{])`, "u");
const containerBegun = /^\s*[[{]/u;
const valueBegun = /^\s*["[{]/u;
const closings: Readonly<Record<string, string>> = { "{": "}", "[": "]", '"': '"' };

/**
 * Whether a text that may be prose is read as JSON: it begins with an object, or with a list of objects or strings, since prose
 * begins with numbers and lists in brackets, too. `readJsonPiece` reads texts by the same rule.
 */
export function beginsAsJson(text: string): boolean {
  return begun.test(text);
}

/**
 * Whether a text may be a JSON object or list, by its first character, so that others need not be parsed. Allows leading white
 * space as most parsers do, a byte order mark included.
 */
export function mayBeContainer(text: string): boolean {
  return containerBegun.test(text);
}

/** Whether a text may be a JSON object, list or string, by its first and last character: a failed parse costs more. */
export function mayBeJson(text: string): boolean {
  const beginning = valueBegun.exec(text)?.[0].at(-1);
  return beginning !== undefined && text.trimEnd().at(-1) === closings[beginning];
}
