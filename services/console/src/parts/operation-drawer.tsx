import { Alert } from "@mantine/core";
import { type ComponentType, useRef, useState } from "react";
import { type Newest, useConflictCheck } from "../api/conflict.ts";
import type { Arguments } from "../api/control-plane.ts";
import type { OperationName, ResultOf } from "../api/types.ts";
import { useChange, useSchema, useSignedIn } from "../api/use-control-plane.ts";
import { Icon } from "./icon.tsx";
import { lazyPart } from "./lazy-part.tsx";
import { notifyWarningOf } from "./notify.ts";
import type { FieldProps } from "./schema-form/field.ts";
import { closeButton, SidePanel } from "./side-panel.tsx";

// Lazy: a tenth of the first page's bytes, which lists do not need.
const SchemaForm = lazyPart(
  async () => await import("./schema-form/schema-form.tsx"),
  (module) => module.SchemaForm,
);

export interface OperationDrawerProps<Name extends OperationName> {
  readonly title: string;
  readonly operation: Name;
  /** Preset arguments, such as the project's uuid. */
  readonly fixed?: Arguments;
  /** Absent: all other arguments of the schema. */
  readonly names?: readonly string[];
  /** Values of an existing item; see `SchemaForm`. */
  readonly initial?: Newest["initial"];
  /** Rereads the values, to refuse a change of a value that another person has changed. */
  readonly readNow?: Newest["readNow"];
  readonly prefilled?: Arguments;
  readonly submitLabel: string;
  readonly fields?: Readonly<Record<string, ComponentType<FieldProps>>>;
  readonly onDone: (result: ResultOf<Name>) => void;
  readonly onClose: () => void;
}

/** An operation's arguments as a form beside its list. Render only while open. */
export function OperationDrawer<Name extends OperationName>(given: OperationDrawerProps<Name>) {
  const { fixed = {}, onDone, onClose, ...props } = given;
  const { title, operation, initial, readNow, prefilled, submitLabel, fields } = props;
  const schema = useSchema(operation);
  const check = useConflictCheck();
  const { mutate, isPending, error } = useChange(operation, async (changed) => {
    if (initial !== undefined && readNow !== undefined) check({ changed, known: initial, now: await readNow() });
    return changed;
  });
  // A ref: the key to close may come before another render.
  const isSending = useRef(false);
  const submit = (changed: Arguments) => {
    isSending.current = true;
    const onSettled = () => {
      isSending.current = false;
    };
    const onSuccess = (result: ResultOf<Name>) => {
      onDone(result);
      notifyWarningOf(result);
    };
    mutate({ ...changed, ...fixed }, { onSuccess, onSettled });
  };
  const names = props.names ?? Object.keys(schema.properties ?? {}).filter((name) => !(name in fixed));
  return (
    <SidePanel
      onClose={onClose}
      // Stays open during the call, since the answer may contain a secret that is shown only once.
      mayClose={() => !isSending.current}
      closeButtonProps={{ ...closeButton, disabled: isPending }}
      title={title}
    >
      {(close) => (
        <>
          <EarlierTry operation={operation} fixed={fixed} />
          <SchemaForm
            schema={schema}
            names={names.filter((name) => schema.properties?.[name] !== undefined)}
            {...(initial && { initial })}
            {...(prefilled && { prefilled })}
            {...(fields && { fields })}
            takesFocus={initial === undefined}
            submitLabel={submitLabel}
            onSubmit={submit}
            onCancel={close}
            isBusy={isPending}
            error={error}
          />
        </>
      )}
    </SidePanel>
  );
}

interface EarlierTryProps {
  readonly operation: OperationName;
  readonly fixed: Arguments;
}

/** Tells in a reopened form that its last change may have been saved. */
function EarlierTry({ operation, fixed }: EarlierTryProps) {
  const { unanswered } = useSignedIn();
  const [wasLost] = useState(() => unanswered.has(operation, fixed));
  if (!wasLost) return null;
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} mb="sm">
      An earlier try got no answer and may have been saved. The same values sent again are saved once; other values make
      another entry.
    </Alert>
  );
}
