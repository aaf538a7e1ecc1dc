import { type ReactNode, Suspense } from "react";
import { OperationsContext, useReadOperations } from "../api/use-control-plane.ts";

interface WithOperationsProps {
  /** Shown until the person's rights are known; absent: nothing. */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

/** Part of the page that depends on the person's rights, read once for all rows of a list. */
export function WithOperations({ fallback, children }: WithOperationsProps) {
  return (
    <Suspense fallback={fallback}>
      <Reading>{children}</Reading>
    </Suspense>
  );
}

function Reading({ children }: Pick<WithOperationsProps, "children">) {
  return <OperationsContext value={useReadOperations()}>{children}</OperationsContext>;
}
