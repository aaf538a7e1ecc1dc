import { Group } from "@mantine/core";
import type { JsonSchema } from "../../api/json-schema.ts";
import type { Target } from "../../api/types.ts";
import { toLabel } from "../../parts/format.ts";
import { NumberField } from "../../parts/schema-form/number-field.tsx";
import { type FieldRefusal, refusalWithin } from "../../parts/schema-form/refusal.ts";

/** Numeric members of a target. */
export const numberNames = ["input_price_per_million", "output_price_per_million", "retries"] as const;

/** Props of one target's fields. `onChange` gets the whole target, in which a cleared number is absent. */
export interface TargetNumbersProps {
  readonly target: Target;
  /** Schema of a target. */
  readonly schema: JsonSchema;
  readonly refusal: FieldRefusal;
  readonly onChange: (target: Target) => void;
}

/** Whether a target has a price or a number of retries. */
export function hasNumbers(target: Target): boolean {
  return numberNames.some((name) => target[name] !== undefined && target[name] !== null);
}

/** Whether a refusal concerns a target's prices or retries. */
export function isAboutNumbers(refusal: FieldRefusal): boolean {
  return numberNames.some((name) => refusalWithin(refusal, name).error !== undefined);
}

/** Fields of a target's prices and retries. */
export function TargetNumbers({ target, schema, refusal, onChange }: TargetNumbersProps) {
  const change = (name: string, value: unknown) => {
    const { [name]: _before, ...rest } = target as Readonly<Record<string, unknown>>;
    onChange((value === undefined ? rest : { ...rest, [name]: value }) as unknown as Target);
  };
  return (
    <Group gap="xs" grow mt="xs" align="flex-start">
      {numberNames.map((name) => (
        <NumberField
          key={name}
          name={name}
          label={schema.properties?.[name]?.title ?? toLabel(name)}
          schema={schema.properties?.[name] ?? {}}
          isRequired={false}
          value={target[name]}
          onChange={(value) => change(name, value)}
          {...refusalWithin(refusal, name)}
        />
      ))}
    </Group>
  );
}
