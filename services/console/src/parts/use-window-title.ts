import { useDocumentTitle } from "@mantine/hooks";

/** Names the window by what it shows, the nearest first: browsers cut a tab's title at its end. */
export function useWindowTitle(...places: readonly string[]): void {
  useDocumentTitle([...places, "Console"].join(" · "));
}
