import { Code } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { Icon } from "./icon.tsx";

interface CopyTextProps {
  readonly text: string;
  /** Displayed instead of the whole text, such as a shortened id. */
  readonly shown?: string;
  readonly label: string;
}

/** Text with a copy button. */
export function CopyText({ text, shown = text, label }: CopyTextProps) {
  return (
    <span className="console-copy">
      <Code title={text}>{shown}</Code>
      <CopyIcon text={text} label={label} />
    </span>
  );
}

/** Copy button without the text. `label` is its accessible name and tooltip until the text is copied. */
export function CopyIcon({ text, label }: { readonly text: string; readonly label: string }) {
  const { copy, copied } = useClipboard();
  const shown = copied ? "Copied" : label;
  return (
    // Native tooltip: lists have such a button in each row.
    <button
      type="button"
      className="console-icon-button mantine-active mantine-focus-auto"
      onClick={() => copy(text)}
      aria-label={shown}
      title={shown}
    >
      <Icon name={copied ? "check" : "copy"} size={14} />
    </button>
  );
}
