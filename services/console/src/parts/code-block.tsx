import { Box } from "@mantine/core";
import { CopyIcon } from "./copy-text.tsx";

/** Code with a copy button. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Box pos="relative">
      {/* Scrolls by keyboard too, so it takes the focus (WCAG 2.1.1). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className="console-code" tabIndex={0} aria-label={label}>
        {text}
      </section>
      <Box pos="absolute" top={6} right={6}>
        <CopyIcon text={text} label={`Copy: ${label}`} />
      </Box>
    </Box>
  );
}
