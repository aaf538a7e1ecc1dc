import { useState } from "react";
import { Unreadable } from "./unreadable.ts";

interface Typed {
  readonly text: string;
  /** As it was read, or as it was given. */
  readonly value: unknown;
}

/**
 * A field's text exactly as it is typed, beside the value that is read from it: `2.50` stays while 2.5 is sent. A value that comes from
 * elsewhere takes its place. @param toText how such a value is typed
 */
export function useTyped(value: unknown, toText: (value: unknown) => string): [string, (typed: Typed) => void] {
  const textOf = (of: unknown) => (of instanceof Unreadable ? of.text : toText(of));
  const [typed, setTyped] = useState<Typed>(() => ({ text: textOf(value), value }));
  const isOther = typed.value !== value && textOf(typed.value) !== textOf(value);
  const now = isOther ? { text: textOf(value), value } : typed;
  if (isOther) setTyped(now);
  return [now.text, setTyped];
}
