import { Textarea } from "@mantine/core";
import { useState } from "react";
import { isNullable } from "../../api/json-schema.ts";
import { type FieldProps, inputProps } from "./field.ts";

/** A value as JSON. What does not parse is kept as it was typed, and the form is not sent. */
export function JsonField(props: FieldProps) {
  const [text, setText] = useState(() => (hasValue(props.value) ? JSON.stringify(props.value, null, 2) : ""));
  const parsed = parse(text);
  const change = (next: string) => {
    setText(next);
    const result = parse(next);
    if (result.problem !== undefined) props.onChange(unparsed);
    else props.onChange(result.value ?? (isNullable(props.schema) ? null : undefined));
  };
  return (
    <Textarea
      {...inputProps(props)}
      error={parsed.problem ?? props.error}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      placeholder="JSON"
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
    />
  );
}

/** Stands in a form's values for JSON that does not parse. */
export const unparsed = Symbol("unparsed JSON");

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null;
}

interface Parsed {
  readonly value?: unknown;
  readonly problem?: string;
}

function parse(text: string): Parsed {
  if (text.trim() === "") return {};
  try {
    return { value: JSON.parse(text) };
  } catch (err) {
    return { problem: `Not JSON: ${err instanceof Error ? err.message : "unknown"}` };
  }
}
