import { Alert, Button, Group, Text } from "@mantine/core";
import { CallError } from "../api/call-error.ts";
import { CopyText } from "./copy-text.tsx";
import { Icon } from "./icon.tsx";

interface ErrorAlertProps {
  readonly error: Error | null;
  readonly onRetry?: () => unknown;
}

/** Shows an error, with the id of its entry in the gateway log. */
export function ErrorAlert({ error, onRetry }: ErrorAlertProps) {
  if (error === null) return null;
  const requestId = error instanceof CallError ? error.requestId : undefined;
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />}>
      <Text size="sm">{error.message}</Text>
      {(requestId !== undefined || onRetry !== undefined) && (
        <Group mt="xs" gap="xs">
          {requestId !== undefined && <CopyText text={requestId} label="Copy the request id" />}
          {onRetry !== undefined && (
            <Button variant="default" onClick={() => void onRetry()}>
              Try again
            </Button>
          )}
        </Group>
      )}
    </Alert>
  );
}
