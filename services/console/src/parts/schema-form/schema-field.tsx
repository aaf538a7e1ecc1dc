import {
  Checkbox,
  Group as Line,
  MultiSelect,
  NativeSelect,
  NumberInput,
  PasswordInput,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import type { ComponentType } from "react";
import { isNullable, type JsonSchema, typesOf } from "../../api/json-schema.ts";
import { toLabel } from "../format.ts";
import { type FieldKind, fieldKindOf } from "./field-kind.ts";
import { type FieldProps, inputProps, listOrNone } from "./field.ts";
import { GroupField } from "./group-field.tsx";
import { JsonField } from "./json-field.tsx";
import { ListField } from "./list-field.tsx";
import { UnionField } from "./union-field.tsx";
import { WordField } from "./word-field.tsx";

/** One value of a form, entered as its schema asks. */
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

/** An empty text is no text: null where the schema has it, absent where not. */
function fromText(text: string, { schema }: FieldProps): unknown {
  if (text !== "") return text;
  return isNullable(schema) ? null : undefined;
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

/** Secrets are not shown, so an empty field says nothing of the saved one: it is not null, which would take that one away. */
function SecretField(props: FieldProps) {
  return (
    <PasswordInput
      {...inputProps(props)}
      value={toText(props.value)}
      onChange={({ currentTarget: { value } }) => props.onChange(value === "" ? undefined : value)}
      autoComplete="new-password"
    />
  );
}

function NumberField(props: FieldProps) {
  const { minimum, maximum } = props.schema;
  return (
    <NumberInput
      {...inputProps(props)}
      value={typeof props.value === "number" ? props.value : ""}
      onChange={(value) => props.onChange(typeof value === "number" ? value : fromText("", props))}
      placeholder={isNullable(props.schema) ? "none" : ""}
      {...(minimum !== undefined && { min: minimum })}
      {...(maximum !== undefined && { max: maximum })}
      thousandSeparator=" "
      hideControls
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

function ChoiceField(props: FieldProps) {
  const choices = (props.schema.enum ?? []).filter((choice) => choice !== null);
  const needsNone = props.schema.default === undefined && !props.isRequired;
  const none = needsNone ? [{ value: "", label: "as by default" }] : [];
  const initial = props.schema.default ?? (props.isRequired ? choices[0] : "");
  return (
    <NativeSelect
      {...inputProps(props)}
      data={[...none, ...choices.map((value) => ({ value, label: choiceLabel(props.schema, value) }))]}
      value={toText(props.value ?? initial)}
      onChange={(event) => props.onChange(fromText(event.currentTarget.value, props))}
    />
  );
}

function choiceLabel({ choiceLabels = {} }: JsonSchema, value: string): string {
  return choiceLabels[value] ?? (value.includes("_") ? toLabel(value) : value);
}

const boxesMax = 9;

function ChoicesField(props: FieldProps) {
  const known = (props.schema.items?.enum ?? []).filter((choice) => choice !== null);
  // Methods are known in lower case too, and kept in upper case.
  const choices = known.filter((choice) => choice === choice.toUpperCase() || !known.includes(choice.toUpperCase()));
  const value = Array.isArray(props.value) ? (props.value as string[]) : [];
  const change = (next: readonly string[]) => props.onChange(listOrNone(next, props));
  if (choices.length > boxesMax) {
    return <MultiSelect {...inputProps(props)} data={choices} value={value} onChange={change} searchable />;
  }
  return (
    <Checkbox.Group {...inputProps(props)} size="xs" value={value} onChange={change}>
      <Line gap="md" mt={6}>
        {choices.map((choice) => (
          <Checkbox key={choice} size="xs" value={choice} label={choice} />
        ))}
      </Line>
    </Checkbox.Group>
  );
}

function TagsField(props: FieldProps) {
  const value = Array.isArray(props.value) ? props.value.map(String) : [];
  const isOfNumbers = typesOf(props.schema.items ?? {}).includes("integer");
  const toEntry = (text: string) => (isOfNumbers && /^\d+$/.test(text) ? Number(text) : text);
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

/** The browser's own picker, in the viewer's zone; sent as UTC. */
function DateField(props: FieldProps) {
  const iso = toText(props.value);
  const local = iso === "" ? "" : new Date(Date.parse(iso) - zoneMs(iso)).toISOString().slice(0, 16);
  const change = (text: string) => props.onChange(text === "" ? fromText("", props) : new Date(text).toISOString());
  return (
    <TextInput
      {...inputProps(props)}
      type="datetime-local"
      value={local}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function zoneMs(iso: string): number {
  return new Date(iso).getTimezoneOffset() * 60_000;
}
