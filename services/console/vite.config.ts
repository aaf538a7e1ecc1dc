import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const outDir = "dist/app";
/** Smaller files gain nothing. */
const compressedFromBytes = 1_024;
/** Two thirds of the time of the best quality, for 2 % of the size. */
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

/** Writes `.br` and `.gz` beside each asset, so that the router compresses nothing. */
function precompress(): Plugin {
  return {
    name: "precompress",
    apply: "build",
    closeBundle() {
      const folder = fileURLToPath(new URL(`${outDir}/assets`, import.meta.url));
      for (const name of readdirSync(folder)) compress(join(folder, name));
    },
  };
}

function compress(path: string): void {
  if (statSync(path).size < compressedFromBytes) return;
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
