import { Text } from "@mantine/core";
import { useSignedIn } from "../api/use-control-plane.ts";

interface MissingRightProps {
  /** Words to follow "may not". */
  readonly deed: string;
  /** The operation that the role lacks. */
  readonly operation: string;
}

/** Replacement for a form whose operation the person may not, or no longer, call. */
export function MissingRight({ deed, operation }: MissingRightProps) {
  const { role } = useSignedIn().session;
  return (
    <Text size="sm">
      Your role, {role}, may not {deed}: it lacks {operation}.
    </Text>
  );
}
