/** Oldest Node that the product runs on, as in `devEngines` of the repository's `package.json`. */
export const oldestNode = "22.19";

/** Ends a process with an older Node: exit code 1, and a message that names the needed version. */
export function requireNode(process: NodeJS.Process): void {
  const { node } = process.versions;
  if (isAtLeast(node, oldestNode)) return;
  process.stderr.write(`Gatehouse needs Node ${oldestNode} or newer, and this is Node ${node}.\n`);
  process.exit(1);
}

/** Compares versions by the parts that `oldest` has: `24.0.1` is at least `22.19`. */
function isAtLeast(version: string, oldest: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, wanted] of oldest.split(".").map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
