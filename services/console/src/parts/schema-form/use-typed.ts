import { useState } from "react";
import { Unreadable } from "./unreadable.ts";

interface Typed {
  readonly text: string;
  /** Last read or given value. */
  readonly value: unknown;
}

/**
 * A field's text as typed, beside its parsed value: `2.50` stays while 2.5 is sent. A value from elsewhere replaces the text.
 * @param toText formats such a value
 */
export function useTyped(value: unknown, toText: (value: unknown) => string): [string, (typed: Typed) => void] {
  const textOf = (of: unknown) => (of instanceof Unreadable ? of.text : toText(of));
  const [typed, setTyped] = useState<Typed>(() => ({ text: textOf(value), value }));
  const isOther = typed.value !== value && textOf(typed.value) !== textOf(value);
  const now = isOther ? { text: textOf(value), value } : typed;
  if (isOther) setTyped(now);
  return [now.text, setTyped];
}
