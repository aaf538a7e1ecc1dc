import { GatewayError } from "@gatehouse/errors";
import { required } from "../call.ts";
import { textOf } from "../chat-reply.ts";
import type { ChatMessage } from "../completion.ts";
import type { Step } from "../pipeline.ts";
import type { SchemaValidator } from "../schema/compile-schema.ts";

/** The model's text in each of its choices, parsed as JSON, is valid against the endpoint's output schema (502). */
export function createOutputSchemaStep(): Step {
  return {
    name: "output_schema",
    enter(call) {
      const { validateOutput } = required(call.compiled, "the endpoint");
      const reply = required(call.reply, "the reply");
      if (validateOutput === undefined || reply.kind !== "complete") return undefined;
      for (const { message } of reply.completion.choices) {
        const problem = isToolCall(message) ? undefined : findProblem(textOf(message.content), validateOutput);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
  };
}

/** A choice that only calls tools is no output yet. */
function isToolCall({ content, tool_calls: calls }: ChatMessage): boolean {
  return Array.isArray(calls) && calls.length > 0 && textOf(content) === "";
}

function findProblem(text: string, validate: SchemaValidator): GatewayError | undefined {
  const value = parseJson(text);
  if (value === undefined) return failed("output is not valid JSON");
  const violations = validate(value);
  return violations.length === 0 ? undefined : failed(violations.join("; "));
}

/** Undefined, which is no JSON value, for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
}

function failed(reason: string): GatewayError {
  return new GatewayError("output_schema_failed", `Validation failed: ${reason}`);
}
