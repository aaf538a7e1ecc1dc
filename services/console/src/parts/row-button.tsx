import type { ComponentProps, ReactNode } from "react";

interface RowButtonProps extends Omit<ComponentProps<"button">, "type" | "className"> {
  readonly isDanger?: boolean;
}

/**
 * A button in a row of a table, with the look of Mantine's. Of that one a list would mount hundreds as it scrolls, each with two more
 * elements, the timers of a spinner, and a blurred layer that is prepared for every frame.
 */
export function RowButton({ isDanger = false, ...props }: RowButtonProps) {
  const look = "console-button mantine-active mantine-focus-auto";
  return <button type="button" className={isDanger ? `${look} console-danger` : look} {...props} />;
}

/** Buttons of a row, at its end. */
export function RowButtons({ children }: { readonly children: ReactNode }) {
  return <div className="console-row-buttons">{children}</div>;
}
