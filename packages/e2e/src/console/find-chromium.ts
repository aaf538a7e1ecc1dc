import { existsSync } from "node:fs";

/** Where systems put it. */
const usualPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The program that `CHROMIUM_PATH` names, or one at a usual place; undefined where there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") return named;
  return usualPaths.find((path) => existsSync(path));
}

/** For the name of a skipped suite, so that a run without a browser says so. */
export const noChromium = "SKIPPED: no Chromium found; apt-get install chromium, or set CHROMIUM_PATH";
