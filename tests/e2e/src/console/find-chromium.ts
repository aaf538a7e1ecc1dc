import { existsSync, globSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Downloaded by `npm test`; see scripts/chromium.mjs. */
const fetched = fileURLToPath(new URL("../../../../.toolchain/chromium-*/browser/chromium", import.meta.url));

/** Usual paths of installed browsers. */
const usualPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The program in `CHROMIUM_PATH`, else the downloaded one, else an installed one; undefined: none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") return named;
  return [...globSync(fetched), ...usualPaths].find((path) => existsSync(path));
}

/** Name of a skipped suite, so that a run without a browser reports it. */
export const noChromium = "SKIPPED: no Chromium found; run npm test once, install chromium, or set CHROMIUM_PATH";
