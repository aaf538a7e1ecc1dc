import {
  Checkbox,
  Fieldset,
  Group,
  Input,
  MultiSelect,
  NativeSelect,
  NumberInput,
  PasswordInput,
  SimpleGrid,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type ComponentType, useId } from "react";
import { isNullable, type JsonSchema } from "../../api/json-schema.ts";
import { toLabel } from "../format.ts";
import { type FieldKind, fieldKindOf } from "./field-kind.ts";
import { describe, type FieldProps, inputProps } from "./field.ts";
import { JsonField } from "./json-field.tsx";
import { UnionField } from "./union-field.tsx";
import { WordField } from "./word-field.tsx";

/** One value of a form, entered as its schema asks. */
export function SchemaField(props: FieldProps) {
  const Field = fields[fieldKindOf(props.name, props.schema)];
  return <Field {...props} />;
}

const fields: Readonly<Record<FieldKind, ComponentType<FieldProps>>> = {
  choice: ChoiceField,
  choices: ChoicesField,
  date: DateField,
  group: GroupField,
  json: JsonField,
  "long-text": LongTextField,
  number: NumberField,
  secret: SecretField,
  switch: SwitchField,
  tags: TagsField,
  text: TextField,
  union: (props) => <UnionField {...props} Group={GroupField} />,
  word: (props) => <WordField {...props} Group={GroupField} />,
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
      data={[...none, ...choices.map((value) => ({ value, label: value.includes("_") ? toLabel(value) : value }))]}
      value={toText(props.value ?? initial)}
      onChange={(event) => props.onChange(fromText(event.currentTarget.value, props))}
    />
  );
}

const boxesMax = 9;

function ChoicesField(props: FieldProps) {
  const choices = (props.schema.items?.enum ?? []).filter((choice) => choice !== null);
  const value = Array.isArray(props.value) ? (props.value as string[]) : [];
  if (choices.length > boxesMax) {
    return <MultiSelect {...inputProps(props)} data={choices} value={value} onChange={props.onChange} searchable />;
  }
  return (
    <Checkbox.Group {...inputProps(props)} size="xs" value={value} onChange={props.onChange}>
      <Group gap="md" mt={6}>
        {choices.map((choice) => (
          <Checkbox key={choice} size="xs" value={choice} label={choice} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

function TagsField(props: FieldProps) {
  const value = Array.isArray(props.value) ? (props.value as string[]) : [];
  return (
    <TagsInput
      {...inputProps(props)}
      value={value}
      onChange={(next) => props.onChange(next.length === 0 && isNullable(props.schema) ? null : next)}
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

/** Groups with more fields stand in two columns. */
const columnsFrom = 4;

function GroupField({ label, schema, value, onChange, error }: FieldProps) {
  const values = (value ?? {}) as Readonly<Record<string, unknown>>;
  const inner = Object.entries(schema.properties ?? {}).filter(([, property]) => property.const === undefined);
  const cols = inner.length > columnsFrom ? { base: 1, sm: 2 } : 1;
  const shared = sharedDescription(inner.map(([, property]) => property));
  const sharedId = useId();
  return (
    <Fieldset legend={label} p="sm" aria-describedby={shared === undefined ? undefined : sharedId}>
      {shared !== undefined && (
        <Input.Description id={sharedId} mb="xs">
          {shared}
        </Input.Description>
      )}
      <SimpleGrid cols={cols} spacing="sm" verticalSpacing="xs">
        {inner.map(([name, property]) => (
          <SchemaField
            key={name}
            name={name}
            label={toLabel(name)}
            schema={shared === undefined ? property : withoutDescription(property)}
            isRequired={schema.required?.includes(name) ?? false}
            value={values[name]}
            onChange={(next) => onChange({ ...values, [name]: next })}
            error={error}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

/** Words that are the same at each of several fields: they are said once. */
function sharedDescription(schemas: readonly JsonSchema[]): string | undefined {
  const [first, ...others] = schemas.map(describe);
  return others.length > 0 && others.every((text) => text === first) ? first : undefined;
}

function withoutDescription({ description: _said, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
