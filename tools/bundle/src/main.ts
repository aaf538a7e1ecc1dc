import { rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";
import { bundleFolders, keepPlaces } from "./keep-places.ts";

const entries = process.argv.slice(2);
const folders = bundleFolders(process.cwd());

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, join(folders.from, `${name}.js`)])),
  platform: "node",
  external: [/\.node$/],
  plugins: [
    {
      name: "keep-places",
      transform: {
        filter: { code: /\bimport\.meta\b/ },
        handler: (code, id) => ({ code: keepPlaces(code, id, folders), map: null }),
      },
    },
  ],
  // A bundle that misses a module or a name would fail at its first use, in production.
  onLog: (level, log) => {
    if (level === "warn") throw new Error(log.message);
  },
});
await rm(folders.to, { recursive: true, force: true });
await bundle.write({ dir: folders.to, format: "esm" });
