import { type ReactNode, useCallback, useRef, useState } from "react";
import { LossDialog } from "./leave-guard.tsx";

interface DiscardQuestion {
  /** Closes the drawer, after the question where something typed would be lost. */
  readonly close: () => void;
  /** For a form's `onUnsaved`. */
  readonly setUnsaved: (isUnsaved: boolean) => void;
  /** Escape is the question's while it is asked. */
  readonly isAsked: boolean;
  /** To be drawn in the drawer. */
  readonly dialog: ReactNode;
}

/** The question of a drawer with a form before it is closed. */
export function useDiscardQuestion(onClose: () => void): DiscardQuestion {
  // Read when the drawer is closed: the key may come before another drawing.
  const isUnsaved = useRef(false);
  const setUnsaved = useCallback((next: boolean) => {
    isUnsaved.current = next;
  }, []);
  const [isAsked, setIsAsked] = useState(false);
  const close = () => {
    if (isUnsaved.current) setIsAsked(true);
    else onClose();
  };
  const dialog = isAsked && (
    <LossDialog
      title="Discard the form?"
      loss="What you typed is not saved."
      leave="Discard"
      onStay={() => setIsAsked(false)}
      onLeave={onClose}
    />
  );
  return { close, setUnsaved, isAsked, dialog };
}
