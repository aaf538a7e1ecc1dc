import type { TextFile } from "./tree.ts";

interface OddHeading {
  readonly readme: string;
  readonly problem: string;
}

/** Sections of every service's README, in order; others may stand between them. */
const sections = [
  "What it owns",
  "Invariants",
  "Surface",
  "Events",
  "When something is down",
  "Run and test it alone",
] as const;

/** Without the console, which runs in a browser and has no events or gRPC. */
const serviceReadme = /^(?:services\/(?!console\/)[^/]+|tools\/new-service\/template)\/README\.md$/;
const packageReadme = /^packages\/([^/]+)\/README\.md$/;

/** READMEs of services with missing or reordered sections, and those of packages with another title. */
export function findOddHeadings(tree: readonly TextFile[]): readonly OddHeading[] {
  return tree.flatMap(({ path, text }) => {
    if (serviceReadme.test(path)) return judgeSections(text).map((problem) => ({ readme: path, problem }));
    const name = packageReadme.exec(path)?.[1];
    const title = `# @gatehouse/${name}`;
    if (name === undefined || text.startsWith(`${title}\n`)) return [];
    return [{ readme: path, problem: `has not the title \`${title}\`` }];
  });
}

function judgeSections(text: string): readonly string[] {
  const found = Array.from(text.matchAll(/^## (.+)$/gm), ([, heading = ""]) => heading);
  const places = sections.map((section) => found.indexOf(section));
  const missing = sections.filter((section) => !found.includes(section));
  if (missing.length > 0) return missing.map((section) => `has no section \`${section}\``);
  const isInOrder = places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
  return isInOrder ? [] : [`has its sections in another order than ${sections.join(", ")}`];
}
