import { Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { ErrorAlert } from "./error-alert.tsx";
import { notifyDone } from "./notify.ts";
import { RowButton } from "./row-button.tsx";
import { RowDialog } from "./row-dialog.tsx";
import { isTypedName, visibleName } from "./visible-name.ts";

interface ConfirmButtonProps {
  readonly label: string;
  /** Consequence shown before the confirmation. */
  readonly consequence: ReactNode;
  /** Said when it is done, to screen readers too: the dialog is gone, and often what it was about. */
  readonly done: string;
  /** To be typed before what cannot be undone. */
  readonly name?: string;
  /** Resolves when it is done; the dialog shows why it was not. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isDanger?: boolean;
}

/** A button that asks before it acts. */
export function ConfirmButton({ label, consequence, done, name, onConfirm, isDanger = true }: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <RowButton isDanger={isDanger} onClick={open}>
        {label}
      </RowButton>
      {opened && (
        <RowDialog onClose={close} title={`${label}?`}>
          <Confirmation {...{ label, consequence, done, onConfirm, isDanger }} name={name} onDone={close} />
        </RowDialog>
      )}
    </>
  );
}

interface ConfirmationProps extends Omit<ConfirmButtonProps, "name"> {
  readonly name: string | undefined;
  readonly onDone: () => void;
}

function Confirmation(props: ConfirmationProps) {
  const { label, consequence, done, name, onConfirm, isDanger = true, onDone } = props;
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async () => {
    setIsBusy(true);
    try {
      await onConfirm();
      onDone();
      notifyDone(done);
    } catch (err) {
      setError(err instanceof Error ? err : new Error(String(err)));
      setIsBusy(false);
    }
  };
  return (
    <Stack>
      <Text size="sm" component="div">
        {consequence}
      </Text>
      {name !== undefined && (
        <TextInput
          label={
            <>
              Type <Code className="console-name">{visibleName(name)}</Code> to confirm
            </>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      <ErrorAlert error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Keep it
        </Button>
        <Button
          {...(isDanger && { color: "red.8" })}
          loading={isBusy}
          disabled={name !== undefined && !isTypedName(typed, name)}
          onClick={() => void confirm()}
        >
          {label}
        </Button>
      </Group>
    </Stack>
  );
}
