import type { Administrator } from "./administrators.ts";
import { roles } from "./expected-access.ts";

/** The page that shows each operation with the roles that may call it. */
export const page = new URL("../../../../docs/roles.md", import.meta.url);

const head = `# Operations and roles

This page shows the operations that each role may call: **all** for the whole gateway or for named projects (limited to those projects),
**gateway** only for the whole gateway, – for neither. It shows the answers of the running product's \`tools/list\` to each role;
\`pnpm build && pnpm roles-page\` renews it. [administrators.md](administrators.md) explains the roles.

`;

/** The page, from the operations that an administrator of each role and reach is shown. */
export function toPage(shown: ReadonlyMap<Administrator, readonly string[]>): string {
  const operations = [...new Set([...shown.values()].flat())].toSorted();
  const cell = (operation: string, role: string) => {
    const holders = [...shown].filter(([who, names]) => who.role === role && names.includes(operation));
    if (holders.length === 0) return "–";
    return holders.some(([{ projects }]) => projects !== undefined) ? "all" : "gateway";
  };
  const lines = operations.map((operation) =>
    ["", `\`${operation}\``, ...roles.map((role) => cell(operation, role)), ""].join(" | ").trim(),
  );
  return `${head}| operation | ${roles.join(" | ")} |\n|---|---|---|---|\n${lines.join("\n")}\n`;
}
