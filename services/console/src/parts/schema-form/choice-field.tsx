import { Checkbox, Group, MultiSelect, NativeSelect } from "@mantine/core";
import type { JsonSchema } from "../../api/json-schema.ts";
import { toLabel } from "../format.ts";
import { type FieldProps, inputProps, listOrNone, noneOf } from "./field.ts";

/** Selects one value of `enum`. */
export function ChoiceField(props: FieldProps) {
  const { schema, isRequired, value, onChange } = props;
  const choices = choicesOf(schema);
  const needsNone = schema.default === undefined && !isRequired;
  const none = needsNone ? [{ value: "", label: "default" }] : [];
  const initial = schema.default ?? (isRequired ? choices[0] : undefined);
  const shown = value ?? initial;
  return (
    <NativeSelect
      {...inputProps(props)}
      data={[...none, ...choices.map((choice) => ({ value: keyOf(choice), label: labelOf(schema, choice) }))]}
      value={shown === undefined ? "" : keyOf(shown)}
      onChange={({ currentTarget: { value: key } }) => onChange(choiceWith(choices, key) ?? noneOf(schema))}
    />
  );
}

const boxesMax = 9;

/** Selects several values of the items' `enum`. */
export function ChoicesField(props: FieldProps) {
  const known = choicesOf(props.schema.items ?? {});
  // Methods are accepted in lower case, and stored in upper case.
  const choices = known.filter((choice) => {
    const upper = typeof choice === "string" ? choice.toUpperCase() : choice;
    return choice === upper || !known.includes(upper);
  });
  const value = Array.isArray(props.value) ? props.value.map(keyOf) : [];
  const change = (keys: readonly string[]) => {
    const chosen = keys.map((key) => choiceWith(known, key) ?? key);
    props.onChange(listOrNone(chosen, props));
  };
  const data = choices.map((choice) => ({ value: keyOf(choice), label: textOf(choice, choices) }));
  if (data.length > boxesMax) {
    return <MultiSelect {...inputProps(props)} data={data} value={value} onChange={change} searchable />;
  }
  return (
    <Checkbox.Group {...inputProps(props)} size="xs" value={value} onChange={change}>
      <Group gap="md" mt={6}>
        {data.map((choice) => (
          <Checkbox key={choice.value} size="xs" {...choice} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

/** Another server's schema may list values of any type. */
function choicesOf(schema: JsonSchema): readonly unknown[] {
  return (schema.enum ?? []).filter((choice) => choice !== null);
}

/** Key of a choice for native fields, which hold texts only; distinguishes the number 1 from the text "1". */
function keyOf(choice: unknown): string {
  return typeof choice === "string" ? choice : `json:${JSON.stringify(choice)}`;
}

function choiceWith(choices: readonly unknown[], key: string): unknown {
  return choices.find((choice) => keyOf(choice) === key);
}

/** A text is shown as it is, unless another choice looks the same: `"1"` beside 1. */
function textOf(choice: unknown, choices: readonly unknown[]): string {
  if (typeof choice !== "string") return JSON.stringify(choice);
  const isAmbiguous = choices.some((other) => typeof other !== "string" && JSON.stringify(other) === choice);
  return isAmbiguous ? JSON.stringify(choice) : choice;
}

function labelOf(schema: JsonSchema, choice: unknown): string {
  const { choiceLabels = {} } = schema;
  const text = textOf(choice, choicesOf(schema));
  return choiceLabels[text] ?? (text.includes("_") ? toLabel(text) : text);
}
