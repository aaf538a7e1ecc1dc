import { Link } from "@tanstack/react-router";
import { EmptyState } from "./empty-state.tsx";

const lists = {
  endpoint: { to: "/projects/$project/endpoints", name: "Endpoints" },
  token: { to: "/projects/$project/tokens", name: "Tokens" },
} as const;

interface NotInProjectProps {
  readonly kind: keyof typeof lists;
  readonly project: string;
}

/** Page for a missing item, with a link to the project's items. */
export function NotInProject({ kind, project }: NotInProjectProps) {
  const { to, name } = lists[kind];
  return (
    <EmptyState title={`No such ${kind}`}>
      It was deleted or belongs to another project. The others are under{" "}
      <Link to={to} params={{ project }} className="console-link">
        {name}
      </Link>
      .
    </EmptyState>
  );
}
