import { useDocumentTitle } from "@mantine/hooks";

/** Sets the window's title, most specific first, since browsers truncate a tab's title at its end. */
export function useWindowTitle(...places: readonly string[]): void {
  useDocumentTitle([...places, "Console"].join(" · "));
}
