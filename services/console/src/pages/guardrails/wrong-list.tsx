import { Button, Group, Text } from "@mantine/core";
import type { Verdict } from "../../api/types.ts";
import { saveFile } from "../../parts/save-file.ts";

/** A text that a person has judged otherwise than the policy did. */
export interface WrongVerdict {
  readonly text: string;
  readonly blocked: boolean;
  readonly findings: Verdict["findings"];
}

/** Texts that the policy got wrong, to save for those who tune it; kept on this page only. */
export function WrongList({ verdicts }: { readonly verdicts: readonly WrongVerdict[] }) {
  if (verdicts.length === 0) return null;
  const save = () => {
    const lines = verdicts.map((verdict) => `${JSON.stringify(verdict)}\n`);
    saveFile("guardrail-verdicts.jsonl", lines.join(""), "application/jsonl");
  };
  return (
    <Group justify="space-between">
      <Text size="sm">
        {verdicts.length === 1 ? "1 text" : `${verdicts.length} texts`} noted as judged wrongly, on this page only.
      </Text>
      <Button variant="default" onClick={save}>
        Save as JSON lines
      </Button>
    </Group>
  );
}
