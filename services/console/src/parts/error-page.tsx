import { Box } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { isPassing } from "../api/call-error.ts";
import { ErrorAlert } from "./error-alert.tsx";

const triesEveryMs = 5_000;

/** In the place of a page that could not be shown. Where the gateway was away, the page comes by itself once it is back. */
export function ErrorPage({ error, reset }: Pick<ErrorComponentProps, "error" | "reset">) {
  const queries = useQueryErrorResetBoundary();
  const retry = () => {
    queries.reset();
    reset();
  };
  const tryAgain = () => {
    if (isPassing(error)) retry();
  };
  useInterval(tryAgain, triesEveryMs, { autoInvoke: true });
  return (
    <Box maw={640} mx="auto" my="xl" px="md">
      <ErrorAlert error={error instanceof Error ? error : new Error("Unexpected error.")} onRetry={retry} />
    </Box>
  );
}
