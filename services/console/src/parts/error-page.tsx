import { Box, VisuallyHidden } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { focusManager, useQueryClient, useQueryErrorResetBoundary } from "@tanstack/react-query";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useState } from "react";
import { isPassing } from "../api/call-error.ts";
import { ErrorAlert } from "./error-alert.tsx";

const triesEveryMs = 5_000;

/**
 * In the place of a page that could not be shown. Where the gateway was away, the page comes by itself once it is back; until then
 * this stands still, for who reads it or has the focus in it.
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
    // A page in the background waits until it is visible.
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
