import { Box, VisuallyHidden } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { focusManager, useQueryClient, useQueryErrorResetBoundary } from "@tanstack/react-query";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useState } from "react";
import { isPassing } from "../api/call-error.ts";
import { ErrorAlert } from "./error-alert.tsx";

const triesEveryMs = 5_000;

/**
 * Replacement for a page that failed. If the gateway was unreachable, the page reloads once it is back; until then it stays still
 * for reading and keyboard use.
 */
export function ErrorPage({ error, reset }: Pick<ErrorComponentProps, "error" | "reset">) {
  const cache = useQueryClient();
  const queries = useQueryErrorResetBoundary();
  const [failed] = useState(() =>
    cache
      .getQueryCache()
      .getAll()
      .find(({ state }) => state.error === error),
  );
  const retry = () => {
    queries.reset();
    reset();
  };
  const tryAgain = () => {
    // Waits until a background page is visible.
    if (!isPassing(error) || !focusManager.isFocused()) return;
    const answer = failed?.fetch({ ...failed.options, retry: false }) ?? Promise.resolve();
    answer.then(retry, () => undefined);
  };
  useInterval(tryAgain, triesEveryMs, { autoInvoke: true });
  return (
    <Box maw={640} mx="auto" my="xl" px="md">
      <VisuallyHidden component="h1">The page could not be shown</VisuallyHidden>
      <ErrorAlert error={error instanceof Error ? error : new Error("Unexpected error.")} onRetry={retry} />
    </Box>
  );
}
