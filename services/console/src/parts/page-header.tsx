import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useWindowTitle } from "./use-window-title.ts";

interface PageHeaderProps {
  readonly title: string;
  /** Open tab of a page with tabs. */
  readonly part?: string | undefined;
  readonly description?: ReactNode;
  /** Actions of the page, on the right. */
  readonly actions?: ReactNode;
}

/** Title of a page and of the window. */
export function PageHeader({ title, part, description, actions }: PageHeaderProps) {
  useWindowTitle(...(part === undefined ? [] : [part]), title);
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={2} maw="100%">
        <Title order={1} lineClamp={2}>
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" size="sm" component="div">
            {description}
          </Text>
        )}
      </Stack>
      <Group gap="xs">{actions}</Group>
    </Group>
  );
}
