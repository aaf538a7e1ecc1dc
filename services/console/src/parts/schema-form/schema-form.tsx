import { Button, Group, Stack } from "@mantine/core";
import { type ComponentType, type FormEvent, useEffect, useState } from "react";
import type { Arguments } from "../../api/control-plane.ts";
import type { JsonSchema } from "../../api/json-schema.ts";
import { ErrorAlert } from "../error-alert.tsx";
import { LeaveGuard } from "../leave-guard.tsx";
import { toLabel } from "../format.ts";
import { argumentOf, changedArguments, type Problems, problemsOf } from "./arguments.ts";
import type { FieldProps } from "./field.ts";
import { SchemaField } from "./schema-field.tsx";

export interface SchemaFormProps {
  readonly schema: JsonSchema;
  /** Arguments that the person enters, in this order. */
  readonly names: readonly string[];
  /** Values before the change; only differences are sent. */
  readonly initial?: Arguments;
  /** Proposals, which are sent as they stand. */
  readonly prefilled?: Arguments;
  readonly submitLabel: string;
  readonly onSubmit: (changed: Arguments) => void;
  readonly onCancel?: () => void;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** Called with whether closing the form would lose something typed. */
  readonly onUnsaved?: (isUnsaved: boolean) => void;
  /** Fields that need more than their schema says. */
  readonly fields?: Readonly<Record<string, ComponentType<FieldProps>>>;
}

const nothing: Arguments = {};

/** A form for the arguments of an operation. Refusals stand beside the argument they name. */
export function SchemaForm({ initial = nothing, prefilled = nothing, fields = {}, ...props }: SchemaFormProps) {
  const { schema, names, submitLabel, onSubmit, onCancel, isBusy, error, onUnsaved } = props;
  // As the person found the form: what others change meanwhile makes nothing unsaved.
  const [start] = useState<Arguments>(() => ({ ...choicesOf(schema, names), ...prefilled, ...initial }));
  const [values, setValues] = useState(start);
  const [sent, setSent] = useState<Arguments>();
  const [problems, setProblems] = useState<Problems>({});
  const refused = error === null ? undefined : argumentOf(error.message, names);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = problemsOf({ schema, initial, values }, names);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    setSent(values);
    onSubmit(changedArguments({ schema, initial, values }));
  };
  // Values that were sent and not refused are the gateway's.
  const saved = error === null && sent !== undefined ? sent : start;
  const isUnsaved = Object.keys(changedArguments({ schema, initial: saved, values })).length > 0;
  useEffect(() => {
    onUnsaved?.(isUnsaved);
  }, [onUnsaved, isUnsaved]);
  const change = (name: string, value: unknown) => setValues((before) => ({ ...before, [name]: value }));
  const errorOf = (name: string) => problems[name] ?? (refused === name ? error?.message : undefined);
  return (
    <form onSubmit={submit} noValidate>
      <LeaveGuard isAtStake={isUnsaved} loss="What you typed is not saved." />
      <Stack gap="sm">
        {names.map((name) => {
          const Field = fields[name] ?? SchemaField;
          return (
            <Field
              key={name}
              name={name}
              label={toLabel(name)}
              schema={schema.properties?.[name] ?? {}}
              isRequired={schema.required?.includes(name) ?? false}
              value={values[name]}
              onChange={(value) => change(name, value)}
              error={errorOf(name)}
            />
          );
        })}
        <ErrorAlert error={refused === undefined ? error : null} />
        <Group justify="flex-end">
          {onCancel !== undefined && (
            <Button variant="default" disabled={isBusy} onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={isBusy}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A required choice shows its first entry, so that is what it holds. */
function choicesOf({ properties = {}, required = [] }: JsonSchema, names: readonly string[]): Arguments {
  const chosen = names.flatMap((name) => {
    const [first] = properties[name]?.enum ?? [];
    return required.includes(name) && typeof first === "string" ? [[name, first] as const] : [];
  });
  return Object.fromEntries(chosen);
}
