import { Alert, Button, Group, Stack } from "@mantine/core";
import {
  type ComponentType,
  type FormEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { ConflictError } from "../../api/conflict.ts";
import type { Arguments } from "../../api/control-plane.ts";
import type { JsonSchema } from "../../api/json-schema.ts";
import { ErrorAlert } from "../error-alert.tsx";
import { toLabel } from "../format.ts";
import { Icon } from "../icon.tsx";
import { LeaveGuard } from "../leave-guard.tsx";
import { argumentsToSend, problemsOf } from "./arguments.ts";
import { chosenIn } from "./chosen-in.ts";
import {
  contestedNames,
  type Draft,
  edited,
  type Edits,
  isSameInput,
  sent,
  settled,
  unsavedNames,
  valueOf,
} from "./edits.ts";
import type { FieldProps } from "./field.ts";
import { type FieldRefusal, refusalOf, refusalWithin } from "./refusal.ts";
import { SchemaField } from "./schema-field.tsx";
import { wordedSchema } from "./worded-schema.ts";

interface SchemaFormProps {
  readonly schema: JsonSchema;
  /** Whether the schema is another server's, whose texts are not adapted. */
  readonly isForeign?: boolean;
  /** Arguments to enter, in this order. */
  readonly names: readonly string[];
  /** Present values of the gateway; only changes are sent. Absent for a new item. */
  readonly initial?: Arguments;
  /** Suggested values, which are sent unless edited. */
  readonly prefilled?: Arguments;
  readonly submitLabel: string;
  readonly onSubmit: (changed: Arguments) => void;
  /**
   * Whether values may be removed although their schema has no null: they are submitted as null. Otherwise emptying them is a
   * problem.
   */
  readonly isClearable?: boolean;
  readonly onCancel?: () => void;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** Called with whether closing the form would lose input. */
  readonly onUnsaved?: (isUnsaved: boolean) => void;
  /** Whether the first field gets the focus if it is a text field; other fields open a list on focus. */
  readonly takesFocus?: boolean;
  /** Custom fields. */
  readonly fields?: Readonly<Record<string, ComponentType<FieldProps>>>;
}

const nothing: Arguments = {};
const noRefusal: FieldRefusal = { error: undefined };
const invalidInput = '[aria-invalid="true"]';

/** A form for the arguments of an operation. Refusals are shown beside their argument. */
export function SchemaForm({ prefilled = nothing, fields = {}, ...props }: SchemaFormProps) {
  const schema = props.isForeign === true ? props.schema : wordedSchema(props.schema);
  const { names, initial, submitLabel, onSubmit, onCancel, isBusy, error, onUnsaved } = props;
  const base = { ...chosenIn(schema, names), ...prefilled, ...initial };
  const [draft, setEdits] = useDraft(base, { isBusy, isRefused: error !== null && !isBusy });
  const form = useRef<HTMLFormElement>(null);
  const [isKeptHere, setIsKeptHere] = useKeptHere(form);
  const problems = isKeptHere ? problemsOf({ ...props, schema }, draft) : {};
  const refusal = refusalAmong(names, error);
  const [tried, setTried] = useState(draft);
  // A refusal concerns the value that was sent.
  const isRefused = (name: string) => isSameInput(valueOf(tried, name), valueOf(draft, name));
  const contested = contestedNames(draft);
  const isKeptBack = error instanceof ConflictError && contested.length > 0;
  const sendOnce = useSendOnce(isBusy, error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (hasHalfInput(form.current) || Object.keys(problemsOf({ ...props, schema }, draft)).length > 0) {
      setIsKeptHere(true);
      return;
    }
    setIsKeptHere(false);
    sendOnce(() => {
      setTried(draft);
      setEdits(sent(draft));
      onSubmit(argumentsToSend(draft, initial));
    });
  };
  useFirstFocus(form, props.takesFocus === true);
  const isUnsaved = unsavedNames(draft).length > 0;
  const isOver = error instanceof ConflictError && !isUnsaved;
  useEffect(() => {
    onUnsaved?.(isUnsaved);
  }, [onUnsaved, isUnsaved]);
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <LeaveGuard isAtStake={isUnsaved} loss="What you typed is not saved." />
      <Stack gap="sm">
        {names.map((name) => {
          const Field = fields[name] ?? SchemaField;
          return (
            <div key={name} className="console-field" data-problem={name in problems ? "" : undefined}>
              <Field
                name={name}
                label={labelOf(schema, name)}
                schema={schema.properties?.[name] ?? {}}
                isRequired={schema.required?.includes(name) ?? false}
                value={valueOf(draft, name)}
                onChange={(value) => setEdits((before) => edited({ ...draft, edits: before }, name, value))}
                {...(problems[name] ?? (isRefused(name) ? refusalWithin(refusal, name) : noRefusal))}
              />
            </div>
          );
        })}
        <ErrorAlert error={refusal.error === undefined && !isKeptBack && !isOver ? error : null} />
        <Contested labels={contested.map((name) => labelOf(schema, name))} conflict={isKeptBack ? error : undefined} />
        <Ends {...{ submitLabel, onCancel, isBusy }} />
      </Stack>
    </form>
  );
}

interface EndsProps extends Pick<SchemaFormProps, "submitLabel" | "isBusy"> {
  readonly onCancel: SchemaFormProps["onCancel"];
}

/** Buttons at the end of the form. */
function Ends({ submitLabel, onCancel, isBusy }: EndsProps) {
  return (
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
  );
}

function labelOf({ properties }: JsonSchema, name: string): string {
  return properties?.[name]?.title ?? toLabel(name);
}

/**
 * Whether a native field is incomplete, such as a date without its time. Each such field gets an `invalid` event, and reports a
 * problem to the form.
 */
function hasHalfInput(form: HTMLFormElement | null): boolean {
  const inputs = [...(form?.elements ?? [])].filter((element) => element instanceof HTMLInputElement);
  return inputs.filter(({ validity }) => validity.badInput).filter((input) => !input.checkValidity()).length > 0;
}

/** Whether invalid input blocked sending. Focuses the first field with a problem, which may be out of view. */
function useKeptHere(form: RefObject<HTMLFormElement | null>): [boolean, (isKeptHere: boolean) => void] {
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (tries > 0) firstProblem(form.current)?.focus();
  }, [form, tries]);
  return [tries > 0, (isKeptHere) => setTries((before) => (isKeptHere ? before + 1 : 0))];
}

/** The refused input of the first field with a problem; of a field without one, such as an empty list, its first control. */
function firstProblem(form: HTMLFormElement | null): HTMLElement | null | undefined {
  const first = form?.querySelector<HTMLElement>(`[data-problem], ${invalidInput}`);
  if (first?.matches("[data-problem]") !== true) return first;
  return first.querySelector<HTMLElement>(invalidInput) ?? first.querySelector<HTMLElement>("input, textarea, button");
}

/** Focuses the first field. The attribute keeps an opening drawer from focusing its close button. */
function useFirstFocus(form: RefObject<HTMLFormElement | null>, takesFocus: boolean): void {
  useEffect(() => {
    const first = form.current?.querySelector<HTMLElement>("input, textarea, select, button");
    if (!takesFocus || first?.matches("textarea, input:is([type=text], :not([type])):not([role])") !== true) return;
    first.dataset["autofocus"] = "";
    first.focus({ preventScroll: true });
  }, [form, takesFocus]);
}

/** The gateway's refusal, if it concerns one of the form's arguments. */
function refusalAmong(names: readonly string[], error: Error | null): FieldRefusal {
  const refusal = error === null ? undefined : refusalOf(error);
  const isShown = names.includes(refusal?.path[0] ?? "");
  return isShown ? { error: refusal?.words, errorPath: refusal?.path } : { error: undefined };
}

/** The person's changes until they are saved and read back. */
function useDraft(base: Arguments, state: Pick<Draft, "isBusy" | "isRefused">) {
  const [edits, setEdits] = useState<Edits>({});
  const draft: Draft = { base, edits, ...state };
  const open = settled(draft);
  if (open !== edits) setEdits(open);
  return [draft, setEdits] as const;
}

/** Blocks a second Enter before the form renders as busy, which would count the first one's values as saved. */
function useSendOnce(isBusy: boolean, error: Error | null): (send: () => void) => void {
  const isUnderWay = useRef(false);
  useEffect(() => {
    // A send that fails at once never renders as busy, only its error does.
    isUnderWay.current = isBusy && error === null;
  }, [isBusy, error]);
  return (send) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    send();
  };
}

interface ContestedProps {
  readonly labels: readonly string[];
  /** Present where the conflict was found only when sending. */
  readonly conflict: ConflictError | undefined;
}

/** Two people edit one value: the later one is informed, not blocked. */
function Contested({ labels, conflict }: ContestedProps) {
  const box = useRef<HTMLDivElement>(null);
  const focusedFor = useRef<ConflictError>(undefined);
  // Blurs the button, so that Enter, held or pressed twice, does not answer an unread notice. Once per conflict, since the person
  // may type on.
  useLayoutEffect(() => {
    if (conflict === undefined || conflict === focusedFor.current) return;
    focusedFor.current = conflict;
    box.current?.focus();
  }, [conflict]);
  if (labels.length === 0) return null;
  return (
    <Alert ref={box} tabIndex={-1} color="yellow" icon={<Icon name="warning" />}>
      {conflict !== undefined && "Not saved yet. "}
      Changed by another administrator in the meantime: {labels.join(", ")}. Saving overwrites it.
    </Alert>
  );
}
