import { Drawer } from "@mantine/core";
import { type ComponentType, lazy, Suspense } from "react";
import type { Arguments } from "../api/control-plane.ts";
import { useChange, useSchema } from "../api/use-control-plane.ts";
import type { FieldProps } from "./schema-form/field.ts";
import { Waiting } from "./waiting.tsx";

// A tenth of the first page's bytes, which no list needs before its form is opened.
const SchemaForm = lazy(async () => ({ default: (await import("./schema-form/schema-form.tsx")).SchemaForm }));

export interface OperationDrawerProps<Result> {
  readonly title: string;
  readonly operation: string;
  /** Arguments that are set already, such as the project's uuid. */
  readonly fixed?: Arguments;
  /** All others of the schema where absent. */
  readonly names?: readonly string[];
  /** Of something that exists; see `SchemaForm`. */
  readonly initial?: Arguments;
  readonly prefilled?: Arguments;
  readonly submitLabel: string;
  readonly fields?: Readonly<Record<string, ComponentType<FieldProps>>>;
  readonly onDone: (result: Result) => void;
  readonly onClose: () => void;
}

/** An operation's arguments as a form at the side, over the list that it changes. Render it only while it is open. */
export function OperationDrawer<Result>({ fixed = {}, onDone, onClose, ...props }: OperationDrawerProps<Result>) {
  const { title, operation, initial, prefilled, submitLabel, fields } = props;
  const schema = useSchema(operation);
  const { mutate, isPending, error } = useChange<Result>(operation);
  const names = props.names ?? Object.keys(schema.properties ?? {}).filter((name) => !(name in fixed));
  return (
    <Drawer opened onClose={onClose} title={title}>
      <Suspense fallback={<Waiting />}>
        <SchemaForm
          schema={schema}
          names={names.filter((name) => schema.properties?.[name] !== undefined)}
          {...(initial && { initial })}
          {...(prefilled && { prefilled })}
          {...(fields && { fields })}
          submitLabel={submitLabel}
          onSubmit={(changed) => mutate({ ...changed, ...fixed }, { onSuccess: onDone })}
          onCancel={onClose}
          isBusy={isPending}
          error={error}
        />
      </Suspense>
    </Drawer>
  );
}
