import { useState } from "react";
import { type Landing, landingOf } from "./landing.ts";

interface Dragging {
  /** Called with the position while dragged. */
  readonly onDrag: (index: number | undefined) => void;
  /** Called with the position above which the pointer is. */
  readonly onOver: (index: number | undefined) => void;
  readonly onDrop: (index: number) => void;
  readonly landingAt: (index: number) => Landing | undefined;
}

/** Entries of a list that are dragged onto each other. */
export function useDragging(move: (from: number, to: number) => void): Dragging {
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  return {
    onDrag(index) {
      setDragged(index);
      setOver(undefined);
    },
    onOver: setOver,
    onDrop(index) {
      setOver(undefined);
      if (dragged !== undefined) move(dragged, index);
    },
    landingAt: (index) => (index === over ? landingOf(dragged, index) : undefined),
  };
}
