import { Textarea } from "@mantine/core";
import { useState } from "react";
import { isNullable } from "../../api/json-schema.ts";
import { type FieldProps, inputProps } from "./field.ts";
import { placedRefusal } from "./refusal.ts";

/** A value as JSON. What does not parse is kept as it was typed, and the form is not sent. */
export function JsonField(props: FieldProps) {
  const [text, setText] = useState(() => toText(props.value));
  const [known, setKnown] = useState(props.value);
  // Changed by others, not by what is typed here.
  if (known !== props.value && toText(known) !== toText(props.value)) {
    setKnown(props.value);
    setText(toText(props.value));
  }
  const parsed = parse(text);
  const change = (next: string) => {
    setText(next);
    const result = parse(next);
    const none = isNullable(props.schema) ? null : undefined;
    const value = result.problem === undefined ? (result.value ?? none) : unparsed;
    setKnown(value);
    props.onChange(value);
  };
  return (
    <Textarea
      {...inputProps(props)}
      error={parsed.problem ?? placedRefusal(props)}
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

function toText(value: unknown): string {
  return value === undefined || value === null ? "" : (JSON.stringify(value, null, 2) ?? "");
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
