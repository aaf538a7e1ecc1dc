import { Textarea } from "@mantine/core";
import { type FieldProps, inputProps, noneOf } from "./field.ts";
import { readJson } from "./read-json.ts";
import { Unreadable } from "./unreadable.ts";
import { useTyped } from "./use-typed.ts";

/** A value as JSON. What cannot be read is kept as it was typed, and the form is not sent. */
export function JsonField(props: FieldProps) {
  const { schema, value, onChange } = props;
  const [text, setTyped] = useTyped(value, toText);
  const change = (next: string) => {
    const parsed = readJson(next);
    // A null that is typed is not nothing.
    const read = parsed === undefined ? noneOf(schema) : parsed;
    setTyped({ text: next, value: read });
    onChange(read);
  };
  const { error, ...input } = inputProps(props);
  return (
    <Textarea
      {...input}
      error={value instanceof Unreadable ? value.problem : error}
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

function toText(value: unknown): string {
  return value === undefined || value === null ? "" : (JSON.stringify(value, null, 2) ?? "");
}
