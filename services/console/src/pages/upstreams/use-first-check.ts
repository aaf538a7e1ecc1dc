import { useMutationState, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { Upstream } from "../../api/types.ts";
import { operationKey, useChange, useMay } from "../../api/use-control-plane.ts";

const operation = "svc_refresh_upstream";

/**
 * Asks an upstream without a known state for its tools: the shown one, and each that is given to the returned function. Once each
 * while the page is open, since an upstream may stay unknown.
 */
export function useFirstCheck(shown: Upstream | undefined): (id: number) => void {
  const may = useMay(operation);
  const cache = useQueryClient();
  const { mutate } = useChange(operation);
  const checked = useRef(new Set<number>());
  const check = useCallback(
    (id: number) => {
      if (!may || checked.current.has(id)) return;
      checked.current.add(id);
      // A failure is a state too.
      const onError = () => void cache.invalidateQueries({ queryKey: operationKey("svc_list_upstreams") });
      mutate({ upstream_id: id }, { onError });
    },
    [may, cache, mutate],
  );
  const unknownId = shown?.is_active === true && shown.state.health === "unknown" ? shown.id : undefined;
  useEffect(() => {
    if (unknownId !== undefined) check(unknownId);
  }, [unknownId, check]);
  return check;
}

/** Whether an upstream is being asked for its tools. */
export function useIsChecking(id: number): boolean {
  const asked = useMutationState({
    filters: { mutationKey: operationKey(operation), status: "pending" },
    select: ({ state }) => (state.variables as { readonly upstream_id?: number } | undefined)?.upstream_id,
  });
  return asked.includes(id);
}
