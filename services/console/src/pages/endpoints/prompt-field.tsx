import { Badge, Group, Stack, Text, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { formatCount } from "../../parts/format.ts";
import { promptVariables } from "../../parts/prompt-variables.ts";
import { type FieldProps, inputProps } from "../../parts/schema-form/field.ts";

/** Pause in typing before tokens are counted. */
const settledMs = 400;

interface PromptFieldProps extends FieldProps {
  readonly project: string;
}

/** A prompt, with the variables that calls must send, and its number of tokens. */
export function PromptField({ project, ...props }: PromptFieldProps) {
  const text = typeof props.value === "string" ? props.value : "";
  const variables = promptVariables(text);
  return (
    <Stack gap={4}>
      <Textarea
        {...inputProps(props)}
        value={text}
        onChange={(event) => props.onChange(event.currentTarget.value === "" ? null : event.currentTarget.value)}
        placeholder="You answer questions about {{product}}."
        autosize
        minRows={3}
        maxRows={16}
      />
      <Group gap="xs" justify="space-between">
        <Group gap={4}>
          <Text size="xs" c="dimmed">
            {variables.length === 0 ? "No variables. Write {{name}} to add one." : "Variables:"}
          </Text>
          {variables.map((name) => (
            <Badge key={name} color="gray">
              {name}
            </Badge>
          ))}
        </Group>
        <TokenCount project={project} text={text} />
      </Group>
    </Stack>
  );
}

/** Number of tokens of a prompt, counted by the gateway. */
export function TokenCount({ project, text }: { readonly project: string; readonly text: string }) {
  const [settled] = useDebouncedValue(text, settledMs);
  const mayCount = useMay("svc_count_tokens");
  const { data } = useRead("svc_count_tokens", { project, text: settled }, { enabled: mayCount && settled !== "" });
  if (!mayCount || text === "") return null;
  return (
    <Text size="xs" c="dimmed" aria-live="polite">
      {data === undefined ? "counting tokens" : `${formatCount(data.tokens)} tokens`}
    </Text>
  );
}
