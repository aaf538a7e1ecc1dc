import type { Random } from "../random.ts";

/**
 * Slots by name; options are separated by `|` and may name other slots in braces. `¦` stands for a bar in the text, doubled
 * braces for single ones, `~` for a line end.
 */
export type Grammar = Readonly<Record<string, string>>;

const depthMax = 12;
const slotPattern = /\{([a-z]\w*)\}/giu;
const optionsOf = new Map<string, readonly string[]>();

/** Fills the slots of a template until none is left. Unknown names in braces stay, so that code can have braces. */
export function fill(template: string, grammar: Grammar, random: Random): string {
  let text = template;
  for (let depth = 0; depth < depthMax && text.includes("{"); depth += 1) {
    const before = text;
    text = text.replaceAll(slotPattern, (whole, slot: string) => {
      const options = grammar[slot];
      return options === undefined ? whole : pickOption(options, random);
    });
    if (text === before) break;
  }
  return text.replaceAll("¦", "|").replaceAll("{{", "{").replaceAll("}}", "}").replaceAll("~", "\n");
}

/** One of the options of a list separated by `|`, trimmed. */
export function pickOption(list: string, random: Random): string {
  let options = optionsOf.get(list);
  if (options === undefined) {
    options = list.split("|").map((option) => option.replaceAll(/\s*\n\s*/gu, " ").trim());
    optionsOf.set(list, options);
  }
  return options[random.below(options.length)] ?? "";
}

/** The texts of a template, each once, up to `count`; fewer where the grammar has no more. */
export function draw(
  template: string,
  grammar: Grammar,
  { count, random }: { count: number; random: Random },
): string[] {
  const texts = new Set<string>();
  for (let tries = 0; texts.size < count && tries < count * 4; tries += 1)
    texts.add(vary(fill(template, grammar, random), random));
  return [...texts];
}

/** Varies case and punctuation, as people write: sometimes without capitals or the final stop, or in capitals. */
function vary(text: string, random: Random): string {
  const chance = random.next();
  if (chance < 0.12) return text.toLowerCase();
  if (chance < 0.2) return text.replace(/[.!]$/u, "");
  if (chance < 0.22) return text.toUpperCase();
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
