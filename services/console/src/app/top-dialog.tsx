import { FocusTrap, Stack, Title } from "@mantine/core";
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";

interface TopDialogProps {
  readonly title: string;
  readonly children: ReactNode;
}

/**
 * A dialog above everything else, which the person cannot close. It is the browser's own modal dialog: whatever is beneath, or
 * opens there meanwhile, is inert and cannot take the focus. Rendered only while open; the focus then returns.
 */
export function TopDialog({ title, children }: TopDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} className="console-top-dialog" aria-labelledby={titleId}>
      <FocusTrap active>
        <Stack>
          <Title id={titleId} order={2}>
            {title}
          </Title>
          {children}
        </Stack>
      </FocusTrap>
    </dialog>
  );
}

/**
 * Keeps keys from everything beneath a {@link TopDialog}: Escape and shortcuts are heard at the window, also by inert dialogs. Must
 * be called before dialogs are rendered, since listeners of the window are called in their order.
 */
export function useTopDialogKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (document.querySelector("dialog:modal") === null) return;
      const { key, ctrlKey, metaKey, altKey } = event;
      // The browser would close the dialog.
      if (key === "Escape") event.preventDefault();
      if (key === "Escape" || ctrlKey || metaKey || altKey) event.stopImmediatePropagation();
    };
    globalThis.addEventListener("keydown", onKey, { capture: true });
    return () => globalThis.removeEventListener("keydown", onKey, { capture: true });
  }, []);
}
