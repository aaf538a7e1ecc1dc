import { Group, Select, Text } from "@mantine/core";
import { type SyntheticEvent, useMemo } from "react";
import type { FindOption } from "./find-options.ts";
import { shorten } from "./format.ts";

interface FindSelectProps {
  readonly label: string;
  /** One list from drawing to drawing, where it is long. Of options with one value, the last is offered. */
  readonly options: readonly FindOption[];
  /** One that no option has is shown shortened: it may be deleted, or not read yet. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Chooses one of what may be thousands, by typing a part of its name. */
export function FindSelect({ label, options, value, onChange }: FindSelectProps) {
  const data = useMemo(() => {
    // The component throws where a value comes twice, as in a list that was changed while its pages were read.
    const byValue = new Map(options.map((option) => [option.value, option]));
    return byValue.has(value) ? [...byValue.values()] : [{ value, label: shorten(value) }, ...byValue.values()];
  }, [options, value]);
  const chosen = data.find((option) => option.value === value)?.label;
  // A letter that is typed replaces the name that stands there.
  const select = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => {
    if (currentTarget.value === chosen) currentTarget.select();
  };
  return (
    <Select
      label={label}
      data={data}
      value={value}
      onChange={(next) => next !== null && onChange(next)}
      onClick={select}
      onFocus={select}
      openOnFocus={false}
      allowDeselect={false}
      selectFirstOptionOnChange
      nothingFoundMessage="Nothing found"
      renderOption={renderOption}
      searchable
      w={220}
    />
  );
}

function renderOption({ option }: { readonly option: FindOption }) {
  const { label, hint } = option;
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap" flex={1}>
      <span>{label}</span>
      {hint !== undefined && (
        <Text span size="xs" c="dimmed" ff="monospace">
          {hint}
        </Text>
      )}
    </Group>
  );
}
