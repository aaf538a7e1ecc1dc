import { Group, Text, TextInput } from "@mantine/core";
import { formatCount } from "./format.ts";

interface FindFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly found: number;
}

/** Filters a loaded list. */
export function FindField({ label, value, onChange, found }: FindFieldProps) {
  return (
    <Group gap="sm">
      <TextInput
        type="search"
        placeholder={`Find in ${label.toLowerCase()}`}
        aria-label={`Find in ${label.toLowerCase()}`}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        w={260}
      />
      <Text size="xs" c="dimmed" aria-live="polite">
        {formatCount(found)} {found === 1 ? "row" : "rows"}
      </Text>
    </Group>
  );
}

/** Whether a text contains every searched word, in any order and case. */
export function matches(sought: string, text: string): boolean {
  const lower = text.toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
