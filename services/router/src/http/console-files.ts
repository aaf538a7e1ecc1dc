import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

/** One file of the console, with the encodings that the build has written beside it. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly encoded: Readonly<Partial<Record<ConsoleEncoding, Buffer>>>;
}

/** Content codings in the order of preference, and the endings of their files. */
export const consoleEncodings = { br: ".br", gzip: ".gz" } as const;
/** A content coding of {@link consoleEncodings}. */
export type ConsoleEncoding = keyof typeof consoleEncodings;

/** The built console, in memory. */
export interface ConsoleFiles {
  /** The page, with placeholders for what differs from reply to reply. */
  readonly page: string;
  /** By path below the console's address, such as `assets/index-1a2b.js`. The page is not among them. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const pageName = "index.html";

/**
 * Reads the whole console into memory: it is small, and a closed list of names needs no check of paths from outside.
 * Undefined when the folder has no page, as before a build.
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
