import { ActionIcon, Fieldset, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Icon, type IconName } from "../icon.tsx";

interface EntryRowProps {
  /** Such as `Pattern 2`. */
  readonly title: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** Number of entries in the list. */
  readonly count: number;
  readonly index: number;
  /** A refusal is always visible. */
  readonly isRefused: boolean;
  readonly isOpenAtFirst: boolean;
  /** Moves by a number of positions; negative: earlier. */
  readonly onMove: (steps: number) => void;
  readonly onRemove: () => void;
  /** Fields of the entry. */
  readonly children: ReactNode;
}

/** One entry of a list: a summary, its position, and its fields while open. */
export function EntryRow({ title, entry, count, index, onMove, onRemove, children, ...state }: EntryRowProps) {
  const [isOpened, setIsOpened] = useState(state.isOpenAtFirst);
  const isOpen = isOpened || state.isRefused;
  const named = title.toLowerCase();
  return (
    <Fieldset legend={title} p="xs">
      <Stack gap="xs">
        <Group gap={4} wrap="nowrap" justify="space-between">
          <Text size="sm" truncate miw={0} c="dimmed">
            {isOpen ? "" : summaryOf(entry)}
          </Text>
          <Group gap={4} wrap="nowrap">
            <RowButton icon="up" label={`Move ${named} up`} isDisabled={index === 0} onClick={() => onMove(-1)} />
            <RowButton
              icon="down"
              label={`Move ${named} down`}
              isDisabled={index === count - 1}
              onClick={() => onMove(1)}
            />
            <RowButton
              icon="more"
              label={isOpen ? `Hide the fields of ${named}` : `Show the fields of ${named}`}
              isDisabled={state.isRefused}
              isExpanded={isOpen}
              onClick={() => setIsOpened(!isOpen)}
            />
            <RowButton icon="trash" label={`Remove ${named}`} isDisabled={false} onClick={onRemove} />
          </Group>
        </Group>
        {isOpen && children}
      </Stack>
    </Fieldset>
  );
}

interface RowButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isDisabled: boolean;
  readonly isExpanded?: boolean;
  readonly onClick: () => void;
}

function RowButton({ icon, label, isDisabled, isExpanded, onClick }: RowButtonProps) {
  return (
    <ActionIcon aria-label={label} title={label} aria-expanded={isExpanded} disabled={isDisabled} onClick={onClick}>
      <Icon name={icon} />
    </ActionIcon>
  );
}

/** Entered values, in the order of the form. */
function summaryOf(entry: Readonly<Record<string, unknown>>): string {
  const words = Object.values(entry).filter((value) => ["string", "number"].includes(typeof value));
  return words.length === 0 ? "nothing yet" : words.join(" · ");
}
