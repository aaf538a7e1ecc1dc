import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export interface EmptyStateProps {
  readonly title: string;
  /** Why it is empty, and what to do. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** In the place of a list that has nothing in it. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <Stack gap="xs" align="center" py={40} px="md">
      <Title order={2}>{title}</Title>
      {children !== undefined && (
        <Text c="dimmed" size="sm" ta="center" maw={520}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
