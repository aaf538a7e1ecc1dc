import { useEffect, useState } from "react";

/** Restores the focus when the component unmounts (WCAG 2.4.3). Mantine does so only for dialogs that stay mounted when closed. */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Not if another element has taken the focus meanwhile.
      if (document.activeElement === document.body && before instanceof HTMLElement)
        before.focus({ preventScroll: true });
    },
    [before],
  );
}
