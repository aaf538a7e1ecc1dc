import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { CommandToPasteProps } from "./command-to-paste.tsx";
import { lazyPart } from "./lazy-part.tsx";

// Lazy: only empty lists need the code that builds commands from schemas.
const CommandToPaste = lazyPart(
  async () => await import("./command-to-paste.tsx"),
  (module) => module.CommandToPaste,
);

interface EmptyStateProps {
  readonly title: string;
  /** Why it is empty, and what to do. */
  readonly children: ReactNode;
  /** Operation that would fill the list; its command is shown if the person may call it. */
  readonly command?: CommandToPasteProps;
  readonly action?: ReactNode;
}

/** Replacement for an empty list. */
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
