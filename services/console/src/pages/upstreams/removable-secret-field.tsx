import { Checkbox, Stack } from "@mantine/core";
import type { FieldProps } from "../../parts/schema-form/field.ts";
import { SchemaField } from "../../parts/schema-form/schema-field.tsx";

/** A secret that is saved: another takes its place, or it is removed, which an empty field does not say. */
export function RemovableSecretField(props: FieldProps) {
  const { name, label, value, onChange } = props;
  return (
    <Stack gap={4}>
      <SchemaField {...props} />
      <Checkbox
        name={`remove_${name}`}
        label={`Remove the saved ${label.toLowerCase()}`}
        checked={value === null}
        onChange={({ currentTarget: { checked } }) => onChange(checked ? null : undefined)}
      />
    </Stack>
  );
}
