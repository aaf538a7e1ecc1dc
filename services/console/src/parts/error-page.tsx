import { Box } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { ErrorAlert } from "./error-alert.tsx";

/** In the place of a page that could not be shown. */
export function ErrorPage({ error, reset }: Pick<ErrorComponentProps, "error" | "reset">) {
  return (
    <Box maw={640} mx="auto" my="xl" px="md">
      <ErrorAlert error={error instanceof Error ? error : new Error("Unexpected error.")} onRetry={reset} />
    </Box>
  );
}
