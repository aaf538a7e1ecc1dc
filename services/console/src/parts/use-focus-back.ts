import { useEffect, useState } from "react";

/**
 * Gives the focus back when the part is gone (WCAG 2.4.3). Mantine does so only for a dialog that stays and is closed, not for one
 * that is drawn only while it is open.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // An element that has taken the focus meanwhile keeps it.
      if (document.activeElement === document.body && before instanceof HTMLElement)
        before.focus({ preventScroll: true });
    },
    [before],
  );
}
