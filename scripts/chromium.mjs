// Fetches the Chromium for the console's tests from npm, with the libraries and a font that a minimal system lacks.
import { execFile } from "node:child_process";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";
import { ensurePackage } from "./toolchain.mjs";

const VERSION = "153.0.0";
/** The only platform of the package. */
const PLATFORM = "linux-x64";
const START_TIMEOUT_MS = 20_000;
/** Archives with `lib/`, `fonts/` and the software renderer. */
const ARCHIVES = ["al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"];

/** Sets the paths of its libraries and font, so that callers set no variables. */
const LAUNCHER = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/lib" FONTCONFIG_FILE="$here/fonts.conf" XDG_CACHE_HOME="$here/cache"
exec "$here/chrome" "$@"
`;
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`;

/**
 * The environment for tests: `env` with `CHROMIUM_PATH`, unless already set. Where no browser can be fetched or started (another
 * platform, no network), prints a warning and returns `env` unchanged: the console's tests then look for an installed browser, or
 * are skipped.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function withChromium(env) {
  if (env.CHROMIUM_PATH) return env;
  try {
    return { ...env, CHROMIUM_PATH: await ensureChromium() };
  } catch (error) {
    process.stderr.write(
      `\n!!! No Chromium from npm (${error.message}). Without an installed one, the console's tests are SKIPPED.\n\n`,
    );
    return env;
  }
}

/** @returns {Promise<string>} path of the program, which has been started once */
async function ensureChromium() {
  const platform = `${process.platform}-${process.arch}`;
  if (platform !== PLATFORM) throw new Error(`there is one for ${PLATFORM} only, and this is ${platform}`);
  const folder = await ensurePackage("chromium", `@sparticuz/chromium@${VERSION}`, "Chromium");
  const unpacked = join(folder, "browser");
  if (!existsSync(unpacked)) await unpack(join(folder, "node_modules/@sparticuz/chromium/bin"), unpacked);
  const program = join(unpacked, "chromium");
  // Written each time, so that a change reaches an already unpacked browser.
  await writeFile(join(unpacked, "fonts.conf"), FONTS);
  await writeFile(program, LAUNCHER, { mode: 0o755 });
  await promisify(execFile)(program, ["--version"], { timeout: START_TIMEOUT_MS });
  return program;
}

/** The folder is renamed when it is complete. */
async function unpack(from, to) {
  const incomplete = `${to}.${process.pid}.incomplete`;
  await mkdir(incomplete, { recursive: true });
  try {
    const chrome = createWriteStream(join(incomplete, "chrome"), { mode: 0o755 });
    await pipeline(createReadStream(join(from, "chromium.br")), createBrotliDecompress(), chrome);
    for (const archive of ARCHIVES) await unpackArchive(join(from, archive), incomplete);
    await rename(incomplete, to);
  } finally {
    await rm(incomplete, { recursive: true, force: true });
  }
}

/** Through a file: `tar` stops reading at the archive's end mark, which would break a pipe. */
async function unpackArchive(path, folder) {
  const archive = join(folder, basename(path, ".br"));
  await pipeline(createReadStream(path), createBrotliDecompress(), createWriteStream(archive));
  await promisify(execFile)("tar", ["-x", "--no-same-owner", "-f", archive, "-C", folder]);
  await rm(archive);
}
