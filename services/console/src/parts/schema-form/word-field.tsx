import { NativeSelect, Stack } from "@mantine/core";
import type { ComponentType } from "react";
import type { JsonSchema } from "../../api/json-schema.ts";
import { toLabel } from "../format.ts";
import { type FieldProps, inputProps } from "./field.ts";
import { ownRefusal } from "./refusal.ts";

/** Choice for the record; words of schemas contain no spaces. */
const recordChoice = "a record";

/** A choice between one word and a record with fields. */
export function WordField({ Group, ...props }: FieldProps & { readonly Group: ComponentType<FieldProps> }) {
  const { schema, value, onChange } = props;
  // The choice shows the description.
  const { description: _said, ...record } = schema;
  const word = wordOf(schema);
  const isRecord = typeof value === "object" && value !== null;
  const members = Object.keys(schema.properties ?? {});
  const names = Object.entries(schema.properties ?? {}).map(([name, { title }]) => title ?? toLabel(name));
  const own = ownRefusal(props, isRecord ? members : []);
  const none = value === undefined ? [{ value: "", label: "default" }] : [];
  return (
    <Stack gap="xs">
      <NativeSelect
        {...inputProps({ ...props, error: own, errorPath: [] })}
        data={[
          ...none,
          { value: word, label: schema.choiceLabels?.[word] ?? toLabel(word) },
          { value: recordChoice, label: names.join(", ") },
        ]}
        value={isRecord ? recordChoice : typeof value === "string" ? value : ""}
        onChange={({ currentTarget: { value: next } }) => onChange(next === recordChoice ? {} : next)}
      />
      {isRecord && (
        <Group {...props} schema={{ ...record, type: "object" }} error={own === undefined ? props.error : undefined} />
      )}
    </Stack>
  );
}

/** The word of a schema for one word or a record; empty for other schemas. */
export function wordOf({ pattern = "", properties }: JsonSchema): string {
  return properties === undefined ? "" : (/^\^([a-z_]+)\$$/.exec(pattern)?.[1] ?? "");
}
