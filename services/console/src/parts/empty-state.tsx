import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { CommandToPasteProps } from "./command-to-paste.tsx";
import { lazyPart } from "./lazy-part.tsx";

// The commands are made of the operations' schemas; only a list that is empty needs what makes them.
const CommandToPaste = lazyPart(
  async () => await import("./command-to-paste.tsx"),
  (module) => module.CommandToPaste,
);

interface EmptyStateProps {
  readonly title: string;
  /** Why it is empty, and what to do. */
  readonly children: ReactNode;
  /** The operation that would fill it: its command to paste, where the person may call it. */
  readonly command?: CommandToPasteProps;
  readonly action?: ReactNode;
}

/** In the place of a list that has nothing in it. */
export function EmptyState({ title, children, command, action }: EmptyStateProps) {
  return (
    <Stack gap="xs" align="center" py={40} px="md">
      <Title order={2}>{title}</Title>
      <Text c="dimmed" size="sm" ta="center" maw={520}>
        {children}
      </Text>
      {command !== undefined && <CommandToPaste {...command} />}
      {action}
    </Stack>
  );
}
