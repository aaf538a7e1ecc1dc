import { Button, Group, Text } from "@mantine/core";
import type { Arguments } from "../../api/control-plane.ts";
import { useReadAll } from "../../api/use-control-plane.ts";
import { formatCount } from "../../parts/format.ts";
import { saveFile } from "../../parts/save-file.ts";

/** Texts with verdicts reported as wrong, for download by those who tune the policy. */
export function FeedbackList({ subject }: { readonly subject: Arguments }) {
  const { data } = useReadAll("svc_list_guardrail_feedback", subject);
  const given = data?.feedback ?? [];
  if (given.length === 0) return null;
  const save = () => {
    const lines = given.map((each) => `${JSON.stringify(each)}\n`);
    saveFile("guardrail-feedback.jsonl", lines.join(""), "application/jsonl");
  };
  return (
    <Group justify="space-between">
      <Text size="sm">
        {given.length === 1 ? "1 verdict was" : `${formatCount(given.length)} verdicts were`} reported as wrong.
      </Text>
      <Button variant="default" onClick={save}>
        Save as JSON lines
      </Button>
    </Group>
  );
}
