import { Drawer, type DrawerProps } from "@mantine/core";
import { useFocusBack } from "./use-focus-back.ts";

/** A drawer that is there only while it is open. */
export function SidePanel(props: Omit<DrawerProps, "opened">) {
  useFocusBack();
  return <Drawer opened {...props} />;
}
