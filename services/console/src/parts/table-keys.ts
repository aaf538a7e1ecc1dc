import type { KeyboardEvent } from "react";

/** Keys that move between rows, with their steps. */
const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/**
 * Key handler of a table's frame: j, k and the arrows move the focus between rows, Enter follows the row's link, Escape leaves
 * the rows.
 */
export function moveByKey(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget: frame } = event;
  const isTyping = target instanceof Element && target.closest("input, select, textarea") !== null;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = target instanceof Element ? target.closest<HTMLElement>("tr[data-row]") : null;
  const step = steps[key];
  if (step !== undefined) {
    event.preventDefault();
    neighbour(frame, row, step)?.focus();
  } else if (key === "Enter" && row !== null && target === row) {
    row.querySelector<HTMLElement>(".console-link")?.click();
  } else if (key === "Escape" && row !== null) frame.focus();
}

function neighbour(frame: HTMLElement, row: HTMLElement | null, step: number): HTMLElement | undefined {
  const rows = [...frame.querySelectorAll<HTMLElement>("tr[data-row]")];
  if (row === null) return step > 0 ? rows[0] : rows.at(-1);
  return rows[rows.indexOf(row) + step];
}
