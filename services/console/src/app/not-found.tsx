import { Link } from "@tanstack/react-router";
import { EmptyState } from "../parts/empty-state.tsx";

/** For addresses that lead nowhere. */
export function NotFound() {
  return (
    <EmptyState title="There is nothing at this address">
      The link may be old, or what it led to was deleted.{" "}
      <Link to="/" className="console-link">
        Go to the overview
      </Link>
    </EmptyState>
  );
}
