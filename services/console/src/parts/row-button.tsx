import type { ComponentProps, ReactNode } from "react";

interface RowButtonProps extends Omit<ComponentProps<"button">, "type" | "className"> {
  readonly isDanger?: boolean;
}

/**
 * A light button for table rows, styled like Mantine's: of that, a scrolling list would mount hundreds, each with two more
 * elements, the timers of a spinner, and a blurred layer.
 */
export function RowButton({ isDanger = false, ...props }: RowButtonProps) {
  const look = "console-button mantine-active mantine-focus-auto";
  return <button type="button" className={isDanger ? `${look} console-danger` : look} {...props} />;
}

/** Buttons at the end of a row. */
export function RowButtons({ children }: { readonly children: ReactNode }) {
  return <div className="console-row-buttons">{children}</div>;
}
