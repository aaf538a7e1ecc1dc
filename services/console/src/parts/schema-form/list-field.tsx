import { Button, Group, Input, Stack, VisuallyHidden } from "@mantine/core";
import { type ComponentType, useRef, useState } from "react";
import { Icon } from "../icon.tsx";
import { EntryRow } from "./entry-row.tsx";
import { type FieldProps, inputProps, listOrNone } from "./field.ts";
import { GroupMembers } from "./group-field.tsx";
import { JsonField } from "./json-field.tsx";
import { ownRefusal, refusalWithin } from "./refusal.ts";
import { unreadableIn } from "./unreadable.ts";
import { type Entry, useEntries } from "./use-entries.ts";

type ListProps = FieldProps & {
  /** The component for a member's field. */
  readonly Field: ComponentType<FieldProps>;
};

/** A list of records: fields for each entry, in changeable order; or the whole list as JSON. */
export function ListField(props: ListProps) {
  const { label, value, isRequired } = props;
  const [isJson, setIsJson] = useState(false);
  const entries = entriesOf(value);
  const { description } = inputProps(props);
  if (isJson || entries === undefined) {
    return (
      <Stack gap={4}>
        <JsonField {...props} />
        <Button
          variant="subtle"
          size="compact-xs"
          mr="auto"
          disabled={entries === undefined}
          onClick={() => setIsJson(false)}
        >
          {label}: edit row by row
        </Button>
      </Stack>
    );
  }
  const own = ownRefusal(props, Object.keys(entries));
  return (
    <Input.Wrapper {...{ label, description, required: isRequired }} error={own} labelElement="div">
      <Entries {...props} entries={entries} />
      <Button
        variant="subtle"
        size="compact-xs"
        mt={4}
        // Unreadable input in a row has no JSON.
        disabled={unreadableIn(entries) !== undefined}
        onClick={() => setIsJson(true)}
      >
        {label}: edit as JSON
      </Button>
    </Input.Wrapper>
  );
}

/** Entries of a list of records; undefined for other values, such as invalid JSON. */
function entriesOf(value: unknown): readonly Entry[] | undefined {
  if (value === undefined || value === null) return [];
  const isRecord = (entry: unknown) => typeof entry === "object" && entry !== null && !Array.isArray(entry);
  return Array.isArray(value) && value.every(isRecord) ? (value as readonly Entry[]) : undefined;
}

/** Longest list whose rows are initially open. */
const openRowsMax = 3;

function Entries({ entries, Field, ...props }: ListProps & { readonly entries: readonly Entry[] }) {
  const [areOpen] = useState(entries.length <= openRowsMax);
  const list = useRef<HTMLDivElement>(null);
  const noun = singularOf(props.label);
  const { keys, news, add, replace, remove, move } = useEntries(entries, noun, (next) =>
    props.onChange(listOrNone(next, props)),
  );
  const removeRow = (index: number) => {
    remove(index);
    // Otherwise the focus is lost with the pressed button.
    list.current?.querySelector<HTMLElement>("[data-add]")?.focus();
  };
  return (
    <Stack gap="xs" mt={6} ref={list}>
      {entries.map((entry, index) => {
        const title = `${noun} ${index + 1}`;
        const refusal = refusalWithin(props, String(index));
        return (
          <EntryRow
            key={keys[index]}
            {...{ title, entry, index, count: entries.length }}
            isRefused={refusal.error !== undefined}
            isOpenAtFirst={areOpen || Object.keys(entry).length === 0}
            onMove={(steps) => move(index, index + steps)}
            onRemove={() => removeRow(index)}
          >
            <GroupMembers
              {...{ name: String(index), label: title, value: entry, isRequired: true, Field, ...refusal }}
              schema={props.schema.items ?? {}}
              onChange={(next) => replace(index, next as Entry)}
            />
          </EntryRow>
        );
      })}
      <VisuallyHidden aria-live="polite">{news}</VisuallyHidden>
      <Group>
        <Button
          variant="default"
          data-add
          disabled={entries.length >= (props.schema.maxItems ?? Number.POSITIVE_INFINITY)}
          leftSection={<Icon name="plus" />}
          onClick={add}
        >
          Add {noun.toLowerCase()}
        </Button>
      </Group>
    </Stack>
  );
}

/** Singular of a label: "Patterns" gives "Pattern". */
function singularOf(label: string): string {
  return label.replace(/ies$/, "y").replace(/(?<!s)s$/, "");
}
