import { Button, Group } from "@mantine/core";

interface PagerProps {
  readonly next: string | null;
  /** Undefined on the first page. */
  readonly cursor: string | undefined;
  readonly onMove: (cursor: string | undefined) => void;
}

/** Links to older rows, and to the newest. */
export function Pager({ next, cursor, onMove }: PagerProps) {
  if (next === null && cursor === undefined) return null;
  return (
    <Group justify="flex-end" mt="sm">
      <Button variant="default" disabled={cursor === undefined} onClick={() => onMove(undefined)}>
        First page
      </Button>
      <Button variant="default" disabled={next === null} onClick={() => onMove(next ?? undefined)}>
        Next page
      </Button>
    </Group>
  );
}
