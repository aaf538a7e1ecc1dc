import { TextInput } from "@mantine/core";
import { useState } from "react";
import { isNullable, typesOf } from "../../api/json-schema.ts";
import { type FieldProps, inputProps, noneOf } from "./field.ts";
import { readNumber } from "./read-number.ts";
import { Unreadable } from "./unreadable.ts";
import { useTyped } from "./use-typed.ts";

/**
 * A number, kept as typed: native number fields, and those that format during typing, change what they do not understand.
 * Problems are shown once the field is left.
 */
export function NumberField(props: FieldProps) {
  const { schema, value, onChange } = props;
  const [text, setTyped] = useTyped(value, toText);
  const [isLeft, setIsLeft] = useState(false);
  const change = (next: string) => {
    const read = readNumber(next, schema) ?? noneOf(schema);
    setTyped({ text: next, value: read });
    onChange(read);
  };
  const { error, ...input } = inputProps(props);
  return (
    <TextInput
      {...input}
      error={isLeft && value instanceof Unreadable ? value.problem : error}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => setIsLeft(true)}
      placeholder={isNullable(schema) ? (schema.emptyWord ?? "none") : ""}
      inputMode={inputModeOf(props)}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

function toText(value: unknown): string {
  return typeof value === "number" ? String(value) : "";
}

/** Keyboard of a phone; numeric ones have no minus. */
function inputModeOf({ schema }: FieldProps): "numeric" | "decimal" | "text" {
  const { minimum, exclusiveMinimum } = schema;
  if ((minimum ?? exclusiveMinimum ?? -1) < 0) return "text";
  return typesOf(schema).includes("number") ? "decimal" : "numeric";
}
