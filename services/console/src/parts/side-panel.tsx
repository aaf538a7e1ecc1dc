import { Drawer, type DrawerProps } from "@mantine/core";
import { useFocusBack } from "./use-focus-back.ts";

/** Name of the button that closes a drawer or dialog. To be passed on where one sets properties of that button: they replace the theme's. */
export const closeButton = { "aria-label": "Close" };

/** A drawer that is there only while it is open. */
export function SidePanel(props: Omit<DrawerProps, "opened">) {
  useFocusBack();
  return <Drawer opened {...props} />;
}
