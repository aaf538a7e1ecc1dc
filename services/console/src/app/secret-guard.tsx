import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { OperationName } from "../api/types.ts";
import { LeaveGuard } from "../parts/leave-guard.tsx";

/** Operations whose answer contains a secret that is shown only once. */
const secretOperations: readonly OperationName[] = [
  "svc_apply_config",
  "svc_create_admin_key",
  "svc_create_token",
  "svc_create_webhook",
  "svc_rotate_admin_key",
  "svc_rotate_token",
  "svc_rotate_webhook_secret",
];

/** Asks before the page is left while such an answer is pending: its result would exist but be unusable. */
export function SecretGuard() {
  const cache = useQueryClient();
  // Asks the cache, which knows of a call from the click on, before the next render.
  const isOnItsWay = useCallback(
    () =>
      cache.isMutating({
        predicate: ({ options }) => secretOperations.some((name) => name === options.mutationKey?.[1]),
      }) > 0,
    [cache],
  );
  return <LeaveGuard isAtStake={isOnItsWay} loss="The gateway is sending a secret that is shown only once." />;
}
