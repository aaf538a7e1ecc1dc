import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { CodeBlock } from "./code-block.tsx";
import { Icon } from "./icon.tsx";

export interface SecretBoxProps {
  readonly label: string;
  readonly secret: string;
  readonly onDone: () => void;
}

/** A secret that the gateway shows once. Leaving the page asks first, while it is there. */
export function SecretBox({ label, secret, onDone }: SecretBoxProps) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, []);
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} title={`${label}: shown this once`}>
      <Stack gap="sm">
        <Text size="sm">Copy it now. The gateway keeps no readable copy, so it cannot be shown again.</Text>
        <CodeBlock text={secret} label={label} />
        <Group justify="flex-end">
          <Button onClick={onDone}>I have copied it</Button>
        </Group>
      </Stack>
    </Alert>
  );
}
