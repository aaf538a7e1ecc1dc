import { Textarea } from "@mantine/core";
import { type FieldProps, inputProps, noneOf } from "./field.ts";
import { readJson } from "./read-json.ts";
import { Unreadable } from "./unreadable.ts";
import { useTyped } from "./use-typed.ts";

/** A value as JSON. Invalid text is kept as typed, and blocks sending. */
export function JsonField(props: FieldProps) {
  const { schema, value, onChange } = props;
  const [text, setTyped] = useTyped(value, toText);
  const change = (next: string) => {
    const parsed = readJson(next);
    // A typed null differs from an empty field.
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
