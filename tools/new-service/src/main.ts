import { join } from "node:path";
import process from "node:process";
import { instantiate, placesElsewhere } from "./instantiate.ts";

const [name = ""] = process.argv.slice(2);

try {
  const folder = join(import.meta.dirname, "..", "..", "..", "services", name);
  const files = await instantiate(name, folder);
  console.log(`services/${name}: ${files.length} files\n${files.map((file) => `  ${file}`).join("\n")}

Then:
${placesElsewhere.map(({ file, entry }, index) => `  ${index + 1}. ${file}: ${entry}`).join("\n")}
  ${placesElsewhere.length + 1}. pnpm install && pnpm generate && pnpm format`);
} catch (err) {
  process.stderr.write(`${err instanceof Error ? err.message : "unknown"}\nUsage: pnpm new-service <name>\n`);
  process.exitCode = 1;
}
