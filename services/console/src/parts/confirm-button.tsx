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
  /** Message after completion, also for screen readers: the dialog, and often its subject, are gone. */
  readonly done: string;
  /** Name to type before an irreversible action. */
  readonly name?: string;
  /** Resolves on completion; the dialog shows errors. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isDanger?: boolean;
}

/** A button with a confirmation. */
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
