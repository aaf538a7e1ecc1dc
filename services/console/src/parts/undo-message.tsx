import { Button, Group, Text } from "@mantine/core";

interface UndoMessageProps {
  readonly message: string;
  readonly onUndo: () => void;
}

/** Message of a completed change with an undo button. */
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
