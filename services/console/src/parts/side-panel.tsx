import { Drawer, type DrawerProps } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { isLossAsked, PanelContext, useLossQuestion } from "./leave-guard.tsx";
import { useFocusBack } from "./use-focus-back.ts";

/** Name of the button that closes a drawer or dialog. To be passed on where one sets properties of that button: they replace the theme's. */
export const closeButton = { "aria-label": "Close" };

interface SidePanelProps extends Omit<DrawerProps, "opened" | "children"> {
  /** Asked when the drawer is to be closed: a key may come before another drawing. */
  readonly mayClose?: () => boolean;
  /** A function gets what closes the drawer. */
  readonly children: ReactNode | ((close: () => void) => ReactNode);
}

/** A drawer that is there only while it is open. Closing it asks first where a guard in it has something at stake. */
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
