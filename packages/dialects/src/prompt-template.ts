import { invalidArgument } from "@gatehouse/errors";
import mustache from "mustache";
import type { PromptVariables } from "./chat/chat-request.ts";

/** A prompt with its variables filled in, or the first missing name. */
export type RenderedPrompt =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: string };

/** A compiled template; missing variables are refused. */
export interface PromptTemplate {
  (variables: PromptVariables): RenderedPrompt;
  /** Names of the variables, in the order in which the text has them first. */
  readonly names: readonly string[];
}

/** Types of Mustache tags: `{{name}}`, `{{{name}}}` or `{{&name}}`, a comment, and text. */
const nameTags: ReadonlySet<string> = new Set(["name", "&"]);
const otherTags: ReadonlySet<string> = new Set(["text", "!"]);

/**
 * Compiles a system prompt with Mustache's variables and comments, without escaping. Sections, partials and changed delimiters
 * are refused, so that a prompt shows what it sends.
 * @throws GatewayError `invalid_argument` that names `field`, for a prompt that Mustache cannot parse.
 */
export function compilePromptTemplate(source: string, field: string): PromptTemplate {
  if (!source.includes("{{")) return Object.assign((): RenderedPrompt => ({ ok: true, text: source }), { names: [] });
  const tags = parse(source, field);
  const names = [...new Set(tags.flatMap(([type, value]) => (nameTags.has(type) ? [value] : [])))];
  const render = (variables: PromptVariables): RenderedPrompt => {
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
  return Object.assign(render, { names });
}

/** The variables in the order in which a prompt has them, so that they are judged as neighbours there; others come last. */
export function inPromptOrder(variables: PromptVariables, names: readonly string[]): PromptVariables {
  if (names.length < 2) return variables;
  const used = new Set(names.filter((name) => Object.hasOwn(variables, name)));
  const others = Object.keys(variables).filter((name) => !used.has(name));
  return Object.fromEntries([...used, ...others].map((name) => [name, variables[name] ?? ""]));
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
