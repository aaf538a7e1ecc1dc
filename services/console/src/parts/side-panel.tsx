import { Drawer, type DrawerProps } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { isLossAsked, PanelContext, useLossQuestion } from "./leave-guard.tsx";
import { useFocusBack } from "./use-focus-back.ts";

/**
 * Label of the close button of drawers and dialogs. Must be repeated where properties of that button are set, since they replace
 * the theme's.
 */
export const closeButton = { "aria-label": "Close" };

interface SidePanelProps extends Omit<DrawerProps, "opened" | "children"> {
  /** Called when the drawer is to be closed, since a key may come before another render. */
  readonly mayClose?: () => boolean;
  /** A function receives the function that closes the drawer. */
  readonly children: ReactNode | ((close: () => void) => ReactNode);
}

/** A drawer that is rendered only while open. Closing it asks first where a guard in it would lose input. */
export function SidePanel({ onClose, mayClose = () => true, children, ...props }: SidePanelProps) {
  useFocusBack();
  const [panel] = useState({});
  const { ask, question } = useLossQuestion({ title: "Discard the form?", leave: "Discard", panel });
  const close = () => {
    if (!isLossAsked() && mayClose()) ask(onClose);
  };
  return (
    <PanelContext value={panel}>
      <Drawer opened {...props} onClose={close}>
        {typeof children === "function" ? children(close) : children}
        {question}
      </Drawer>
    </PanelContext>
  );
}
