/** Directives of a message to the mock provider. Times are milliseconds, places are counted in words of the answer. */
export interface MockDirectives {
  /** Milliseconds before the answer begins. */
  readonly delay?: number;
  /** HTTP status of a failure instead of the answer. */
  readonly status?: number;
  /** `Retry-After` of a failure, seconds. */
  readonly retry_after?: number;
  /** Milliseconds between two words of a stream. */
  readonly pace?: number;
  /** Words after which the stream breaks off. */
  readonly cut?: number;
  /** Words after which the stream falls silent. */
  readonly stall?: number;
  /** Words after which the stream sends something unreadable. */
  readonly malformed?: number;
  /** Answer instead of the echo. */
  readonly say?: string;
  /** Exact number of words, by repeating or cutting the text. */
  readonly length?: number;
  /** Whether the answer is `{"echo": …}`. */
  readonly json?: boolean;
  readonly finish?: string;
  /** Whether token counts are reported. */
  readonly usage?: boolean;
}

/** A message without its directives, or the problem of a directive. */
export type ParsedMessage =
  | { readonly ok: true; readonly text: string; readonly directives: MockDirectives }
  | { readonly ok: false; readonly problem: string };

type ParsedValue = { readonly value: number | string | boolean } | { readonly mustBe: string };
type ValueParser = (value: string) => ParsedValue;

const timeMsMax = 600_000;
const wordsMax = 100_000;
const finishReasons = ["stop", "length", "content_filter"];

const parsers: Readonly<Record<keyof MockDirectives, ValueParser>> = {
  delay: wholeNumber(0, timeMsMax),
  status: wholeNumber(400, 599),
  retry_after: wholeNumber(1, 3_600),
  pace: wholeNumber(0, timeMsMax),
  cut: wholeNumber(0, wordsMax),
  stall: wholeNumber(0, wordsMax),
  malformed: wholeNumber(0, wordsMax),
  say: (value) => ({ value }),
  length: wholeNumber(0, wordsMax),
  json: onOrOff,
  finish: (value) => (finishReasons.includes(value) ? { value } : { mustBe: `one of ${finishReasons.join(", ")}` }),
  usage: onOrOff,
};

const blockStart = /\[\[mock(?=[\s\]]|$)/g;
/** Sticky and bounded, so that each message is read once. */
const blockRest = /((?:"[^"]*"|'[^']*'|[^\]"']){0,4000})\]\]/y;
const directiveForm = /([^\s=]+)(?:=(?:"([^"]*)"|'([^']*)'|(\S*)))?/g;

/**
 * Removes every `[[mock name=value …]]` from a message. A name alone means `on`; a value with spaces is quoted; the last value of
 * a repeated name counts. An unknown name, a bad value and an unterminated block are problems.
 */
export function parseDirectives(message: string): ParsedMessage {
  const directives: Record<string, number | string | boolean> = {};
  let text = "";
  let end = 0;
  for (const start of message.matchAll(blockStart)) {
    if (start.index < end) continue;
    blockRest.lastIndex = start.index + start[0].length;
    const block = blockRest.exec(message);
    if (block === null) return { ok: false, problem: "a [[mock block without its end" };
    text += message.slice(end, start.index);
    end = start.index + start[0].length + block[0].length;
    const problem = readBlock(block[1] ?? "", directives);
    if (problem !== undefined) return { ok: false, problem };
  }
  return { ok: true, text: (text + message.slice(end)).trim(), directives };
}

function readBlock(block: string, directives: Record<string, number | string | boolean>): string | undefined {
  for (const [, name = "", doubleQuoted, singleQuoted, bare] of block.matchAll(directiveForm)) {
    if (!isDirective(name)) return `unknown directive '${name.slice(0, 40)}'`;
    const parsed = parsers[name](doubleQuoted ?? singleQuoted ?? bare ?? "on");
    if ("mustBe" in parsed) return `directive '${name}' must be ${parsed.mustBe}`;
    directives[name] = parsed.value;
  }
  return undefined;
}

function isDirective(name: string): name is keyof MockDirectives {
  return Object.hasOwn(parsers, name);
}

function wholeNumber(min: number, max: number): ValueParser {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? { value: number } : { mustBe: `a whole number from ${min} to ${max}` };
  };
}

function onOrOff(value: string): ParsedValue {
  return value === "on" || value === "off" ? { value: value === "on" } : { mustBe: "on or off" };
}
