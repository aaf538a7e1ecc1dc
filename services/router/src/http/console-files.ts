import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

/** A file of the console, with the encodings that the build has written. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly encoded: Readonly<Partial<Record<ConsoleEncoding, Buffer>>>;
}

/** Content codings by preference, with their file extensions. */
export const consoleEncodings = { br: ".br", gzip: ".gz" } as const;
/** Content coding in which the build writes compressed copies of files. */
export type ConsoleEncoding = keyof typeof consoleEncodings;

/** Built console, read once at the start and kept in memory. */
export interface ConsoleFiles {
  /** The page, with placeholders for values that differ per reply. */
  readonly page: string;
  /** By path below the console's address, such as `assets/index-1a2b.js`; without the page. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const pageName = "index.html";

/**
 * Reads the console into memory: it is small, and a fixed set of names needs no validation of paths. Undefined where the folder
 * has no page, as before a build.
 */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  if (!existsSync(join(folder, pageName))) return undefined;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const read = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : undefined);
  const assets = names.flatMap((name): [string, ConsoleFile][] => {
    const contentType = contentTypes[extname(name)];
    const plain = contentType === undefined ? undefined : read(name);
    if (contentType === undefined || plain === undefined) return [];
    const [br, gzip] = [read(name + consoleEncodings.br), read(name + consoleEncodings.gzip)];
    const encoded = { ...(br && { br }), ...(gzip && { gzip }) };
    return [[name.split(sep).join("/"), { contentType, plain, encoded }]];
  });
  return { page: readFileSync(join(folder, pageName), "utf8"), assets: new Map(assets) };
}
