import type { CompletionRequest } from "../../../domain/completion.ts";
import { asRecord } from "../exchange/json.ts";
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

/** The answer's words with the white space that follows each: joined they are the answer. */
export function composeAnswer(request: CompletionRequest, text: string, directives: MockDirectives): readonly string[] {
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
  return text.match(/\s*\S+\s*/g) ?? (text === "" ? [] : [text]);
}

function repeatTo(words: readonly string[], length: number): readonly string[] {
  const source = words.length === 0 ? ["word"] : words;
  return Array.from({ length }, (_, index) => {
    const word = (source[index % source.length] ?? "").trim();
    return index === length - 1 ? word : `${word} `;
  });
}
