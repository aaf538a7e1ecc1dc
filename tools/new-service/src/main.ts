import { join } from "node:path";
import process from "node:process";
import { instantiate } from "./instantiate.ts";

const [name = ""] = process.argv.slice(2);

try {
  const folder = join(import.meta.dirname, "..", "..", "..", "services", name);
  const files = await instantiate(name, folder);
  console.log(`services/${name}: ${files.length} files\n${files.map((file) => `  ${file}`).join("\n")}

Then:
  1. choose its ports in src/config.ts, and add the service to deploy/services/src/places.ts
  2. add it to the owners in services/control-plane/src/config.ts, so that its operations are tools
  3. pnpm install && pnpm generate && pnpm format`);
} catch (err) {
  process.stderr.write(`${err instanceof Error ? err.message : "unknown"}\nUsage: pnpm new-service <name>\n`);
  process.exitCode = 1;
}
