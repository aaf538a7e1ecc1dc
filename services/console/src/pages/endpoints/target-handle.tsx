import { ActionIcon } from "@mantine/core";
import type { KeyboardEvent } from "react";
import { Icon } from "../../parts/icon.tsx";

interface TargetHandleProps {
  /** Number of the target, from 1. */
  readonly number: number;
  /** Moves by a number of positions; negative: earlier. */
  readonly onMove: (steps: number) => void;
  /** Called with the position while dragged. */
  readonly onDrag: (index: number | undefined) => void;
}

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

/** Handle that is dragged by the pointer and moved by the arrow keys. */
export function TargetHandle({ number, onMove, onDrag }: TargetHandleProps) {
  const label = `Move target ${number}: drag it, or use the arrow keys`;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onMove(step);
  };
  return (
    <ActionIcon
      aria-label={label}
      title={label}
      data-handle
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", String(number));
        onDrag(number - 1);
      }}
      onDragEnd={() => onDrag(undefined)}
      onKeyDown={onKeyDown}
      className="console-grip"
    >
      <Icon name="grip" />
    </ActionIcon>
  );
}
