/** Directives of a message to the mock provider. Times are milliseconds, places are counted in words of the answer. */
export interface MockDirectives {
  /** Before the answer begins. */
  readonly delay?: number;
  /** Fail with this HTTP status instead of answering. */
  readonly status?: number;
  /** Seconds that a failure asks its caller to wait. */
  readonly retry_after?: number;
  /** Between two words of a stream. */
  readonly pace?: number;
  /** Break off after so many words. */
  readonly cut?: number;
  /** Fall silent after so many words. */
  readonly stall?: number;
  /** Send something unreadable after so many words. */
  readonly malformed?: number;
  /** Answer this instead of the echo. */
  readonly say?: string;
  /** Answer with exactly so many words, by repeating or cutting the text. */
  readonly length?: number;
  /** Answer `{"echo": …}`. */
  readonly json?: boolean;
  readonly finish?: string;
  /** Whether token counts are reported. */
  readonly usage?: boolean;
}

/** A message without its directives, or the reason why a directive is refused. */
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

const blockStart = /\[\[mock(?=[\s\]])/g;
/** Sticky and bounded, so that no message costs more than one reading. */
const blockRest = /((?:"[^"]*"|'[^']*'|[^\]"']){0,4000})\]\]/y;
const directiveForm = /([^\s=]+)(?:=(?:"([^"]*)"|'([^']*)'|(\S*)))?/g;

/**
 * Takes every `[[mock name=value …]]` out of a message. A name alone means `on`; a value with spaces stands in quotes; of
 * a name that stands twice the last counts. An unknown name, a bad value and a block without its end are problems.
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
