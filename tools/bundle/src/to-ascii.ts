import { parseSync, Visitor } from "rolldown/utils";

interface Span {
  readonly start: number;
  readonly end: number;
}

const wide = /[^\0-\x7f]/g;

/**
 * An equivalent program in ASCII alone. Engines keep a program's text while it runs, and one letter outside of Latin-1 doubles
 * its size.
 * @throws Error where a template's tag other than `String.raw` would see the difference, where a template escapes such a letter,
 * and where the code cannot be read.
 */
export function toAscii(code: string): string {
  if (code.search(wide) === -1) return code;
  const templates = findTemplates(code);
  let next = 0;
  return code.replace(wide, (unit, at: number) => {
    while ((templates[next]?.end ?? Infinity) <= at) next++;
    const span = templates[next];
    const escaped = `u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    if (span === undefined || at < span.start) {
      // Such a letter already has its backslash.
      return isEscaped(code, at) ? escaped : `\\${escaped}`;
    }
    if (isEscaped(code, at)) throw new Error("A template escapes a letter that is not in ASCII.");
    return `\${"\\${escaped}"}`;
  });
}

function findTemplates(code: string): readonly Span[] {
  const { program, errors } = parseSync("chunk.js", code);
  const [error] = errors;
  if (error !== undefined) throw new Error(error.message);
  const found: Span[] = [];
  new Visitor({
    TaggedTemplateExpression({ tag, quasi }) {
      if (code.slice(tag.start, tag.end) === "String.raw") return;
      if (quasi.quasis.some(({ value }) => value.raw.search(wide) !== -1)) {
        throw new Error(`A template of ${code.slice(tag.start, tag.end)} has letters that are not in ASCII.`);
      }
    },
    TemplateElement({ start, end }) {
      found.push({ start, end });
    },
  }).visit(program);
  return found.toSorted((one, other) => one.start - other.start);
}

/** Whether an odd number of backslashes precedes an index. */
function isEscaped(code: string, at: number): boolean {
  let from = at;
  while (code[from - 1] === "\\") from--;
  return (at - from) % 2 === 1;
}
