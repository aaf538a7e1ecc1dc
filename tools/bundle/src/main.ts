import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";
import { extractProgram } from "./embedded-program.ts";
import { bundleFolders, keepPlaces } from "./keep-places.ts";
import { toAscii } from "./to-ascii.ts";

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
    {
      name: "extract-programs",
      transform: {
        filter: { id: /\.wasm-base64\.mjs$/ },
        handler(code, id) {
          const fileName = basename(id, "-base64.mjs");
          const program = extractProgram(code, fileName);
          this.emitFile({ type: "asset", fileName, source: program.bytes });
          return { code: program.code, map: null };
        },
      },
    },
  ],
  // A bundle without a needed module or name would fail at its first use, in production.
  onLog: (level, log) => {
    if (level === "warn") throw new Error(log.message);
  },
});
const { output } = await bundle.generate({ format: "esm" });
await rm(folders.to, { recursive: true, force: true });
await mkdir(folders.to);
for (const file of output) {
  // After the bundler, which converts escapes back to letters.
  const content = file.type === "chunk" ? toAscii(file.code) : file.source;
  await writeFile(join(folders.to, file.fileName), content);
}
