import { type ReactNode, Suspense } from "react";
import { OperationsContext, useReadOperations } from "../api/use-control-plane.ts";

interface WithOperationsProps {
  /** Until it is known what the person may do; nothing where absent. */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the page that depends on what the person may do. It reads that once, for lists that ask for it in every row. */
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
