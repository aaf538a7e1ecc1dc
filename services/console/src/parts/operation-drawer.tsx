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

// A tenth of the first page's bytes, which no list needs before its form is opened.
const SchemaForm = lazyPart(
  async () => await import("./schema-form/schema-form.tsx"),
  (module) => module.SchemaForm,
);

export interface OperationDrawerProps<Name extends OperationName> {
  readonly title: string;
  readonly operation: Name;
  /** Arguments that are set already, such as the project's uuid. */
  readonly fixed?: Arguments;
  /** All others of the schema where absent. */
  readonly names?: readonly string[];
  /** Values of something that exists; see `SchemaForm`. */
  readonly initial?: Newest["initial"];
  /** Reads the values again; a change is kept back where another person has changed the same value. */
  readonly readNow?: Newest["readNow"];
  readonly prefilled?: Arguments;
  readonly submitLabel: string;
  readonly fields?: Readonly<Record<string, ComponentType<FieldProps>>>;
  readonly onDone: (result: ResultOf<Name>) => void;
  readonly onClose: () => void;
}

/** An operation's arguments as a form at the side, over the list that it changes. Render it only while it is open. */
export function OperationDrawer<Name extends OperationName>(given: OperationDrawerProps<Name>) {
  const { fixed = {}, onDone, onClose, ...props } = given;
  const { title, operation, initial, readNow, prefilled, submitLabel, fields } = props;
  const schema = useSchema(operation);
  const check = useConflictCheck();
  const { mutate, isPending, error } = useChange(operation, async (changed) => {
    if (initial !== undefined && readNow !== undefined) check({ changed, known: initial, now: await readNow() });
    return changed;
  });
  // Read when the drawer is closed: the key may come before another drawing.
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
      // The answer may hold a secret that is shown once: it is lost where the drawer is gone when it comes.
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

/** Says at a form that is opened once more that what was sent by it before may have been saved. */
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
