import { asRecord } from "../exchange/json.ts";
import type { CompletionRequest } from "../forms/completion.ts";
import type { MockDirectives } from "./parse-directives.ts";

/** The text of the request's last user message; empty where there is none. */
export function lastUserText({ messages }: CompletionRequest): string {
  const content = messages.findLast(({ role }) => role === "user")?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => asRecord(part)?.text)
    .filter((text) => typeof text === "string")
    .join("");
}

/** Most parts of a streamed answer; the last part holds the rest of a longer one. */
const wordsMax = 100_000;
/** Most characters of an answer that repeats its words; an echo is as long as its message. */
const repeatedCharsMax = 1_048_576;

/** Message of the mock's refusal where {@link composeAnswer} returns undefined. */
export const answerTooLong = `the answer would be longer than ${repeatedCharsMax} characters; ask for a smaller length`;

/**
 * The answer's words, each with the white space after it, so that joining them gives the answer. Undefined where a repetition
 * would be too long.
 */
export function composeAnswer(
  request: CompletionRequest,
  text: string,
  directives: MockDirectives,
): readonly string[] | undefined {
  const isJson = directives.json ?? wantsJson(request);
  const echo = isJson ? JSON.stringify({ echo: text }) : `Echo: ${text}`;
  const words = splitWords(directives.say ?? echo);
  return directives.length === undefined ? words : repeatTo(words, directives.length);
}

function wantsJson({ response_format: format }: CompletionRequest): boolean {
  const type = asRecord(format)?.type;
  return type === "json_object" || type === "json_schema";
}

function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  const word = /\s*\S+\s*/y;
  let end = 0;
  while (words.length < wordsMax - 1 && word.test(text)) {
    words.push(text.slice(end, word.lastIndex));
    end = word.lastIndex;
  }
  return end === text.length ? words : [...words, text.slice(end)];
}

function repeatTo(words: readonly string[], length: number): readonly string[] | undefined {
  const source = words.length === 0 ? ["word"] : words;
  const sourceChars = source.reduce((sum, word) => sum + word.length, 0);
  // The repeated words may each be as long as the message.
  if (Math.ceil(length / source.length) * sourceChars > repeatedCharsMax) return undefined;
  return Array.from({ length }, (_, index) => {
    const word = (source[index % source.length] ?? "").trim();
    return index === length - 1 ? word : `${word} `;
  });
}
