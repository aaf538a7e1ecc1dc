import { useState } from "react";
import type { Plan } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";

/** Plan and application of a configuration document. */
export function useApply(document: unknown) {
  const mayCompare = useMay("svc_export_backup");
  const present = useChange("svc_export_backup");
  const plan = useChange("svc_apply_config");
  const apply = useChange("svc_apply_config");
  // Kept when a new plan or document replaces the result, since they are shown only once.
  const [secrets, setSecrets] = useState<Plan["secrets"]>([]);
  return {
    plan,
    apply,
    secrets,
    /** The configuration at the time of the plan. */
    before: present.data?.document,
    confirmSecrets: () => setSecrets([]),
    showPlan: () => {
      // A new plan replaces the shown result of the last one, which may have stopped halfway.
      apply.reset();
      if (mayCompare) present.mutate({});
      plan.mutate({ document, dry_run: true });
    },
    applyAll: () => {
      const onSuccess = (made: Plan) => setSecrets((known) => [...known, ...made.secrets]);
      apply.mutate({ document, dry_run: false }, { onSuccess });
    },
    /** For another document. */
    reset: () => {
      plan.reset();
      apply.reset();
    },
  };
}
