import { Group, Select, Text } from "@mantine/core";
import { type SyntheticEvent, useMemo } from "react";
import type { FindOption } from "./find-options.ts";
import { shorten } from "./format.ts";

interface FindSelectProps {
  readonly label: string;
  /** Memoise long lists. Of options with the same value, the last is offered. */
  readonly options: readonly FindOption[];
  /** Unknown values are shown shortened: deleted, or not loaded yet. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Selects one of possibly thousands, by typing a part of its name. */
export function FindSelect({ label, options, value, onChange }: FindSelectProps) {
  const data = useMemo(() => {
    // Mantine throws on duplicate values, which occur if a list changes while its pages are read.
    const byValue = new Map(options.map((option) => [option.value, option]));
    return byValue.has(value) ? [...byValue.values()] : [{ value, label: shorten(value) }, ...byValue.values()];
  }, [options, value]);
  const chosen = data.find((option) => option.value === value)?.label;
  // Selects the present text, so that typing replaces it.
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
