import type { ReactNode } from "react";

/**
 * Live region for the result of an action. Rendered before the result, since screen readers announce only changes of an existing
 * region.
 */
export function LiveResult({ children }: { readonly children: ReactNode }) {
  return (
    <div aria-live="polite" className="console-result">
      {children}
    </div>
  );
}
