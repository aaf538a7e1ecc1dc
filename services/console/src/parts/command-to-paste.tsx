import { usageLinesOf } from "@gatehouse/cli/usage-line";
import { Box } from "@mantine/core";
import { useOperations } from "../api/use-control-plane.ts";
import { CodeBlock } from "./code-block.tsx";

export interface CommandToPasteProps {
  readonly operation: string;
  /** Known arguments; others appear as placeholders. */
  readonly args?: Readonly<Record<string, string | number>>;
  /** Required arguments that the schema marks as optional. */
  readonly also?: readonly string[];
}

/** An operation as a command of the CLI, from its schema as `gatehouse --help`. Nothing where the role lacks it. */
export function CommandToPaste({ operation, args, also }: CommandToPasteProps) {
  const found = useOperations().get(operation);
  const [line] = found === undefined ? [] : usageLinesOf(found, args, also);
  if (line === undefined) return null;
  return (
    <Box maw="100%">
      <CodeBlock text={`npx gatehouse ${line}`} label="The same on the command line" />
    </Box>
  );
}
