import { invalidArgument } from "@gatehouse/errors";
import mustache from "mustache";
import type { PromptVariables } from "./chat/chat-request.ts";

/** A prompt with its variables filled in, or the first missing name. */
export type RenderedPrompt =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: string };

/** A compiled template; missing variables are refused. */
export type PromptTemplate = (variables: PromptVariables) => RenderedPrompt;

/** Types of Mustache tags: `{{name}}`, `{{{name}}}` or `{{&name}}`, a comment, and text. */
const nameTags: ReadonlySet<string> = new Set(["name", "&"]);
const otherTags: ReadonlySet<string> = new Set(["text", "!"]);

/**
 * Compiles a system prompt with Mustache's variables and comments, without escaping. Sections, partials and changed delimiters
 * are refused, so that a prompt shows what it sends.
 * @throws GatewayError `invalid_argument` that names `field`, for a prompt that Mustache cannot parse.
 */
export function compilePromptTemplate(source: string, field: string): PromptTemplate {
  if (!source.includes("{{")) return () => ({ ok: true, text: source });
  const tags = parse(source, field);
  return (variables) => {
    let text = "";
    for (const [type, value] of tags) {
      if (type === "!") continue;
      if (!nameTags.has(type)) {
        text += value;
        continue;
      }
      if (!Object.hasOwn(variables, value)) return { ok: false, missing: value };
      text += String(variables[value]);
    }
    return { ok: true, text };
  };
}

/** Names of a prompt's variables, each once, in its order. @throws GatewayError as {@link compilePromptTemplate} */
export function variablesOfPrompt(source: string, field: string): readonly string[] {
  if (!source.includes("{{")) return [];
  const names = parse(source, field).flatMap(([type, value]) => (nameTags.has(type) ? [value] : []));
  return [...new Set(names)];
}

function parse(source: string, field: string): readonly (readonly [type: string, value: string])[] {
  try {
    // The shared writer keeps each template for as long as the process runs.
    const spans: readonly (readonly unknown[])[] = new mustache.Writer().parse(source);
    return spans.map(([type, value]) => {
      if (!nameTags.has(String(type)) && !otherTags.has(String(type))) {
        throw new Error(`only {{variables}} are allowed, not {{${String(type)}${String(value)}}}`);
      }
      if (nameTags.has(String(type)) && value === "") throw new Error("{{}} names no variable");
      return [String(type), String(value)];
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown reason";
    throw invalidArgument(`${field} is not a usable template: ${reason}`, { cause });
  }
}
