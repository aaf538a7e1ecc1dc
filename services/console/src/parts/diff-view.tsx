import { diffLines } from "./diff-lines.ts";

const signs = { same: " ", added: "+", removed: "−" } as const;

interface DiffViewProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Changes of a text by line, marked by sign and colour. */
export function DiffView({ label, before, after }: DiffViewProps) {
  return (
    // Scrolls by keyboard too, so it takes the focus (WCAG 2.1.1).
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="console-code console-diff" aria-label={label} tabIndex={0}>
      {diffLines(before, after).map(({ kind, text }, index) => (
        // Lines have no identity but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} data-kind={kind}>
          {signs[kind]} {text}
        </div>
      ))}
    </section>
  );
}
