import { Link } from "@tanstack/react-router";
import { PageHeader } from "../parts/page-header.tsx";

/** For addresses that lead nowhere. */
export function NotFound() {
  return (
    <PageHeader
      title="There is nothing at this address"
      description={
        <>
          The link may be old, or what it led to was deleted.{" "}
          <Link to="/" className="console-link">
            Go to the overview
          </Link>
        </>
      }
    />
  );
}
