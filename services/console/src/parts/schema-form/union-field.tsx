import { NativeSelect, Stack } from "@mantine/core";
import type { ComponentType } from "react";
import type { JsonSchema } from "../../api/json-schema.ts";
import { describe, type FieldProps } from "./field.ts";
import { ownRefusal } from "./refusal.ts";

/** One of several record types, selected by `type`. */
export function UnionField({ Group, ...props }: FieldProps & { readonly Group: ComponentType<FieldProps> }) {
  const { label, name, schema, value, onChange } = props;
  const forms = schema.oneOf ?? [];
  const chosen = typeOf(value);
  const form = forms.find((candidate) => constOf(candidate) === chosen);
  const data = forms.map((candidate) => constOf(candidate));
  const members = Object.keys(form?.properties ?? {});
  const own = ownRefusal(props, members);
  return (
    <Stack gap="xs">
      <NativeSelect
        label={label}
        name={name}
        description={describe(schema)}
        data={chosen === "" ? ["", ...data] : data}
        value={chosen}
        onChange={(event) => onChange({ type: event.currentTarget.value })}
        error={own}
      />
      {form !== undefined && members.length > 1 && (
        <Group
          {...props}
          label={`${label}: ${chosen}`}
          schema={form}
          error={own === undefined ? props.error : undefined}
        />
      )}
    </Stack>
  );
}

function typeOf(value: unknown): string {
  return typeof value === "object" && value !== null && "type" in value ? String(value.type) : "";
}

function constOf({ properties }: JsonSchema): string {
  const type = properties?.type?.const;
  return typeof type === "string" ? type : "";
}
