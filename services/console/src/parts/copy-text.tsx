import { ActionIcon, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { Icon } from "./icon.tsx";

interface CopyTextProps {
  readonly text: string;
  /** Shown in place of the whole text, such as a shortened id. */
  readonly shown?: string;
  readonly label: string;
}

/** A piece of text with a button that copies it. */
export function CopyText({ text, shown = text, label }: CopyTextProps) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Code title={text}>{shown}</Code>
      <CopyIcon text={text} label={label} />
    </Group>
  );
}

/** The button alone. */
export function CopyIcon({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label}>
          <ActionIcon size="sm" onClick={copy} aria-label={copied ? "Copied" : label}>
            <Icon name={copied ? "check" : "copy"} size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
