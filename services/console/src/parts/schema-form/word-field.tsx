import { NativeSelect, Stack } from "@mantine/core";
import type { ComponentType } from "react";
import type { JsonSchema } from "../../api/json-schema.ts";
import { toLabel } from "../format.ts";
import { type FieldProps, inputProps } from "./field.ts";
import { ownRefusal } from "./refusal.ts";

/** Stands for the record among the choices; no word of a schema has spaces. */
const recordChoice = "a record";

/** One word, or a record with fields, as a choice between the two. */
export function WordField({ Group, ...props }: FieldProps & { readonly Group: ComponentType<FieldProps> }) {
  const { schema, value, onChange } = props;
  // It is said at the choice.
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

/** The word of a schema that is one word or a record; empty where it is no such schema. */
export function wordOf({ pattern = "", properties }: JsonSchema): string {
  return properties === undefined ? "" : (/^\^([a-z_]+)\$$/.exec(pattern)?.[1] ?? "");
}
