import { Link } from "@tanstack/react-router";
import { PageHeader } from "../parts/page-header.tsx";

/** For addresses that lead nowhere. */
export function NotFound() {
  return (
    <PageHeader
      title="Page not found"
      description={
        <>
          The link may be outdated, or the item was deleted.{" "}
          <Link to="/" className="console-link">
            Go to the overview
          </Link>
        </>
      }
    />
  );
}
