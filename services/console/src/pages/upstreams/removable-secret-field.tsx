import { Checkbox, Stack } from "@mantine/core";
import type { FieldProps } from "../../parts/schema-form/field.ts";
import { SchemaField } from "../../parts/schema-form/schema-field.tsx";

/** Field for a stored secret, which can be replaced or removed; an empty field keeps it. */
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
