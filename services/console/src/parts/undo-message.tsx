import { Button, Group, Text } from "@mantine/core";

interface UndoMessageProps {
  readonly message: string;
  readonly onUndo: () => void;
}

/** A finished change, with the button that undoes it. */
export function UndoMessage({ message, onUndo }: UndoMessageProps) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{message}</Text>
      <Button variant="default" onClick={onUndo}>
        Undo
      </Button>
    </Group>
  );
}
