import { Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface MeterProps {
  readonly label: string;
  /** Share of the whole; above 1 shown as 1. */
  readonly share: number;
  /** The numbers in words. */
  readonly text: string;
  readonly status?: ReactNode;
}

/** Share from which a meter warns. */
export const nearlyFull = 0.8;

/** Used share of a limit. */
export function Meter({ label, share, text, status }: MeterProps) {
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Group gap="xs">
          {status}
          <Text size="sm">{text}</Text>
        </Group>
      </Group>
      <MeterBar label={`${label}: ${text}`} share={share} />
    </Stack>
  );
}

/** The bar alone, for table rows. */
export function MeterBar({ label, share }: Pick<MeterProps, "label" | "share">) {
  const level = share >= 1 ? "full" : share >= nearlyFull ? "nearly" : undefined;
  return <progress className="console-meter" aria-label={label} value={Math.min(1, share)} data-level={level} />;
}
