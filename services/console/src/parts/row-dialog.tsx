import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useFocusBack } from "./use-focus-back.ts";

interface RowDialogProps {
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** A dialog that a button in a row of a table opens. It is there only while it is open: a list has one for each row in view. */
export function RowDialog(props: RowDialogProps) {
  useFocusBack();
  return <Modal opened {...props} />;
}
