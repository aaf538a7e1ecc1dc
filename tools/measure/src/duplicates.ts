/** Least number of lines of a copied run. */
const runLines = 8;

/** Lines of runs that occur more than once, without one copy of each. */
export function countDuplicatedLines(files: readonly { readonly lines: readonly string[] }[]): number {
  const runs = new Map<string, number>();
  const texts = files.map(({ lines }) => [...countedLines(lines)]);
  for (const lines of texts) for (const run of runsOf(lines)) runs.set(run, (runs.get(run) ?? 0) + 1);
  const seen = new Set<string>();
  let duplicated = 0;
  for (const lines of texts) {
    const copied = new Set<number>();
    for (const [at, run] of [...runsOf(lines)].entries()) {
      if ((runs.get(run) ?? 0) < 2) continue;
      if (seen.has(run)) for (let offset = 0; offset < runLines; offset += 1) copied.add(at + offset);
      seen.add(run);
    }
    duplicated += copied.size;
  }
  return duplicated;
}

/** Code without blank lines, comments and imports, which are no evidence of copied logic. */
function* countedLines(lines: readonly string[]): Iterable<string> {
  let isImport = false;
  for (const line of lines.map((each) => each.trim())) {
    isImport ||= line.startsWith("import ");
    if (!isImport && !/^(?:$|\/\/|\/?\*)/.test(line)) yield line;
    if (line.endsWith(";")) isImport = false;
  }
}

function* runsOf(lines: readonly string[]): Iterable<string> {
  for (let at = 0; at + runLines <= lines.length; at += 1) yield lines.slice(at, at + runLines).join("\n");
}
