import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useFocusBack } from "./use-focus-back.ts";

interface RowDialogProps {
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** A dialog of a button in a table row. Rendered only while open, since lists have one in each row. */
export function RowDialog(props: RowDialogProps) {
  useFocusBack();
  return <Modal opened {...props} />;
}
