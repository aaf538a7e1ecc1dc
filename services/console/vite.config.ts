import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const outDir = "dist/app";
/** Smaller files gain nothing by compression. */
const compressedFromBytes = 1_024;
/** Two thirds of the time of the best quality, for 2 % more size. */
const brotliQuality = 10;

export default defineConfig({
  base: "/console/",
  plugins: [react(), precompress()],
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no data: addresses for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/control": "http://localhost:8080", "/api": "http://localhost:8080" } },
});

/** Writes `.br` and `.gz` beside each asset, so that the router need not compress. */
function precompress(): Plugin {
  return {
    name: "precompress",
    apply: "build",
    closeBundle() {
      const folder = fileURLToPath(new URL(`${outDir}/assets`, import.meta.url));
      for (const name of readdirSync(folder)) compress(join(folder, name));
      checkFirstLoad(folder);
    },
  };
}

/** Compressed size of everything that the page loads before its first route. */
const firstLoadBytesMax = 250 * 1_024;

/** @throws Error where the page exceeds its bound */
function checkFirstLoad(folder: string): void {
  const page = readFileSync(join(folder, "..", "index.html"), "utf8");
  const names = [...page.matchAll(/(?:src|href)="\/console\/assets\/([^"]+)"/g)].map(([, name = ""]) => name);
  const bytes = names.reduce((sum, name) => sum + statSync(compressedOf(join(folder, name))).size, 0);
  const text = `first load: ${names.length} files, ${(bytes / 1_024).toFixed(1)} KiB of ${firstLoadBytesMax / 1_024} KiB`;
  if (bytes > firstLoadBytesMax) throw new Error(`The console is too large. ${text}`);
  process.stdout.write(`${text}\n`);
}

function compressedOf(path: string): string {
  return existsSync(`${path}.br`) ? `${path}.br` : path;
}

function compress(path: string): void {
  if (statSync(path).size < compressedFromBytes) return;
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
