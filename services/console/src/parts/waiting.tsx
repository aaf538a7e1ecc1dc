import { Skeleton, Stack } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { useState } from "react";

const appearsAfterMs = 150;

/**
 * Placeholder lines while loading. Invisible at first, so that fast pages do not flicker, but in place, so that nothing below
 * them jumps.
 */
export function Waiting({ lines = 5 }: { readonly lines?: number }) {
  const [isShown, setIsShown] = useState(false);
  useTimeout(() => setIsShown(true), appearsAfterMs, { autoInvoke: true });
  const rows = Array.from({ length: lines }, (_, index) => `line ${index}`);
  return (
    <Stack gap="sm" py="sm" component="output" aria-label="Loading" style={isShown ? {} : { visibility: "hidden" }}>
      {rows.map((row) => (
        <Skeleton key={row} height={20} />
      ))}
    </Stack>
  );
}
