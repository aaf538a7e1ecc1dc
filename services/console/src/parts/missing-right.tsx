import { Text } from "@mantine/core";
import { useSignedIn } from "../api/use-control-plane.ts";

interface MissingRightProps {
  /** In words, after "may not". */
  readonly deed: string;
  /** The operation that the role lacks. */
  readonly operation: string;
}

/** In the place of a form that a person has opened by its address, or had open, and may not send. */
export function MissingRight({ deed, operation }: MissingRightProps) {
  const { role } = useSignedIn().session;
  return (
    <Text size="sm">
      Your role, {role}, may not {deed}: it lacks {operation}.
    </Text>
  );
}
