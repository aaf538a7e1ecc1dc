import { Autocomplete, MultiSelect, TagsInput } from "@mantine/core";
import { type FieldProps, inputProps, listOrNone } from "./field.ts";

/** A text with suggestions; others can be typed. */
export function KnownTextField({ known, ...props }: FieldProps & { readonly known: readonly string[] }) {
  return (
    <Autocomplete
      {...inputProps(props)}
      data={known}
      value={typeof props.value === "string" ? props.value : ""}
      onChange={(text) => props.onChange(text === "" ? undefined : text)}
      autoComplete="off"
    />
  );
}

/** Several texts with suggestions. */
export function KnownTagsField({ known, ...props }: FieldProps & { readonly known: readonly string[] }) {
  return (
    <TagsInput
      {...inputProps(props)}
      data={known}
      value={listOf(props.value)}
      onChange={(next) => props.onChange(listOrNone(next, props))}
      placeholder={listOf(props.value).length === 0 ? "all" : ""}
      splitChars={[","]}
    />
  );
}

interface KnownThing {
  readonly value: string;
  readonly label: string;
}

/** Selects several items by name instead of id. */
export function KnownChoicesField({ known, ...props }: FieldProps & { readonly known: readonly KnownThing[] }) {
  return (
    <MultiSelect
      {...inputProps(props)}
      data={known}
      value={[...listOf(props.value)]}
      onChange={(next) => props.onChange(listOrNone(next, props))}
      placeholder={listOf(props.value).length === 0 ? "all" : ""}
      searchable
    />
  );
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? (value as string[]) : [];
}
