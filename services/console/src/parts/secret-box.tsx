import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { CodeBlock } from "./code-block.tsx";
import { Icon } from "./icon.tsx";
import { LeaveGuard } from "./leave-guard.tsx";

interface SecretBoxProps {
  readonly label: string;
  readonly secret: string;
  readonly onDone: () => void;
}

/** A secret that the gateway shows once. Leaving the page asks first while it is shown. */
export function SecretBox({ label, secret, onDone }: SecretBoxProps) {
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} title={`${label}: shown only once`}>
      <LeaveGuard isAtStake loss={`${label} is shown only once.`} />
      <Stack gap="sm">
        <Text size="sm">Copy it now. The gateway stores no readable copy, so it cannot be shown again.</Text>
        <CodeBlock text={secret} label={label} />
        <Group justify="flex-end">
          <Button onClick={onDone}>I have copied it</Button>
        </Group>
      </Stack>
    </Alert>
  );
}
