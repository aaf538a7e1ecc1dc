import type { ReactNode } from "react";

/**
 * The place of a result that comes after an action. It is there before the result: screen readers tell what changes in a live region,
 * and not of one that comes with its content.
 */
export function LiveResult({ children }: { readonly children: ReactNode }) {
  return (
    <div aria-live="polite" className="console-result">
      {children}
    </div>
  );
}
