import { Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useFocusBack } from "./use-focus-back.ts";

interface RowDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** A dialog that a button in a row of a table opens. It is mounted when it is first opened: a list has one for each row in view. */
export function RowDialog({ opened, children, ...props }: RowDialogProps) {
  const [wasOpened, setWasOpened] = useState(opened);
  if (opened && !wasOpened) setWasOpened(true);
  if (!wasOpened) return null;
  return (
    <Modal opened={opened} {...props}>
      {opened && <FocusBack>{children}</FocusBack>}
    </Modal>
  );
}

/** Mantine gives the focus back only where the dialog was mounted before it was opened. */
function FocusBack({ children }: { readonly children: ReactNode }) {
  useFocusBack();
  return children;
}
