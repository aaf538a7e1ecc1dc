import { Textarea, type TextareaProps } from "@mantine/core";
import { LeaveGuard } from "./leave-guard.tsx";

interface FreeTextProps extends Omit<TextareaProps, "value" | "onChange"> {
  readonly value: string;
  readonly onText: (text: string) => void;
  /** Suggested or already used texts, which leaving does not lose. */
  readonly spent?: readonly (string | undefined)[];
  /** Whether it is code or JSON rather than prose. */
  readonly isCode?: boolean;
  readonly loss?: string;
}

/** A free text field outside of forms, such as for a message. Leaving asks first while it contains unused text. */
export function FreeText({
  value,
  onText,
  spent = [],
  isCode = false,
  loss = "The text that you typed is not saved.",
  ...props
}: FreeTextProps) {
  return (
    <>
      <LeaveGuard isAtStake={value !== "" && !spent.includes(value)} loss={loss} outlivesEndpoint />
      <Textarea
        value={value}
        onChange={(event) => onText(event.currentTarget.value)}
        autosize
        {...(isCode && {
          styles: { input: { fontFamily: "var(--mantine-font-family-monospace)" } },
          spellCheck: false,
        })}
        {...props}
      />
    </>
  );
}
