import { PasswordInput, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import type { ComponentType } from "react";
import { typesOf } from "../../api/json-schema.ts";
import { ChoiceField, ChoicesField } from "./choice-field.tsx";
import { DateField } from "./date-field.tsx";
import { type FieldKind, fieldKindOf } from "./field-kind.ts";
import { type FieldProps, inputProps, listOrNone, noneOf } from "./field.ts";
import { GroupField } from "./group-field.tsx";
import { JsonField } from "./json-field.tsx";
import { ListField } from "./list-field.tsx";
import { NumberField } from "./number-field.tsx";
import { UnionField } from "./union-field.tsx";
import { WordField } from "./word-field.tsx";

/** Field for one value, selected by its schema. */
export function SchemaField(props: FieldProps) {
  const Field = fields[fieldKindOf(props.name, props.schema)];
  return <Field {...props} />;
}

function Group(props: FieldProps) {
  return <GroupField {...props} Field={SchemaField} />;
}

const fields: Readonly<Record<FieldKind, ComponentType<FieldProps>>> = {
  choice: ChoiceField,
  choices: ChoicesField,
  date: DateField,
  group: Group,
  json: JsonField,
  list: (props) => <ListField {...props} Field={SchemaField} />,
  "long-text": LongTextField,
  number: NumberField,
  secret: SecretField,
  switch: SwitchField,
  tags: TagsField,
  text: TextField,
  union: (props) => <UnionField {...props} Group={Group} />,
  word: (props) => <WordField {...props} Group={Group} />,
};

/** Empty text counts as unset. */
function fromText(text: string, { schema }: FieldProps): unknown {
  return text === "" ? noneOf(schema) : text;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function TextField(props: FieldProps) {
  return (
    <TextInput
      {...inputProps(props)}
      value={toText(props.value)}
      onChange={(event) => props.onChange(fromText(event.currentTarget.value, props))}
      autoComplete="off"
    />
  );
}

function LongTextField(props: FieldProps) {
  return (
    <Textarea
      {...inputProps(props)}
      value={toText(props.value)}
      onChange={(event) => props.onChange(fromText(event.currentTarget.value, props))}
      autosize
      minRows={2}
      maxRows={14}
    />
  );
}

/** An empty field keeps the stored secret, which is not shown; null would remove it. */
function SecretField(props: FieldProps) {
  return (
    <PasswordInput
      {...inputProps(props)}
      value={toText(props.value)}
      onChange={({ currentTarget: { value } }) => props.onChange(value === "" ? undefined : value)}
      autoComplete="new-password"
      // Distinct labels, since Mantine gives all such buttons of a form one name.
      visibilityToggleButtonProps={{ "aria-label": `Show or hide ${props.label}` }}
    />
  );
}

function SwitchField(props: FieldProps) {
  const { label, name, description } = inputProps(props);
  const isOn = props.value ?? props.schema.default ?? false;
  return (
    <Switch
      {...{ label, name, description }}
      checked={isOn === true}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}

function TagsField(props: FieldProps) {
  const value = Array.isArray(props.value) ? props.value.map(String) : [];
  const isOfNumbers = typesOf(props.schema.items ?? {}).includes("integer");
  // Text that does not round-trip as a number stays text, which the gateway refuses.
  const toEntry = (text: string) => (isOfNumbers && String(Number(text)) === text ? Number(text) : text);
  return (
    <TagsInput
      {...inputProps(props)}
      value={value}
      onChange={(next) => props.onChange(listOrNone(next.map(toEntry), props))}
      placeholder="Enter adds one"
      splitChars={[","]}
    />
  );
}
