import { dirname, join } from "node:path/posix";
import type { TextFile } from "./tree.ts";

interface LostPath {
  readonly document: string;
  /** From 1. */
  readonly line: number;
  readonly path: string;
}

/** Root folders, which mark a path in code marks as relative to the root. */
const rootFolders = /^(?:packages|services|deploy|docs|proto|scripts|tests|tools)\/[\w.*/-]+$/;
/** Folders of a service or package, which mark a path in its README as relative to it. */
const ownFolders = /^(?:src|test|prisma|native|template)\/[\w.*/-]+$/;
const readme = /^((?:packages|services|tools|tests)\/[\w-]+)\/(?:[\w/-]+\/)?README\.md$/;
/** Methods of MCP, an example, and build output. */
const otherThings = /^tools\/(?:list|call)$|^services\/price-book$|\/dist(?:\/|$)|^x(?:\.test)?\.ts$/;
/** A source file by the end of its path, such as `domain/brim.ts`. */
const sourceFile = /^[\w-]+(?:\/[\w-]+)*(?:\.[\w-]+)*\.(?:tsx?|mjs)$/;
/** A README of a template. */
const templates = /\/template\//;
/** Replaces the folders above a file that is named by the end of its path. */
const anyFolder = "**/";
const codeMarks = /`([^`\s]+)`/g;
const links = /\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g;
const elsewhere = /^[a-z]+:/;

/**
 * Paths in code marks and targets of links that no file or folder has. A `*` matches any part of a name, and a name's extension
 * may be omitted. A source file may be named by the end of its path.
 */
export function findLostPaths(document: TextFile, files: readonly string[]): readonly LostPath[] {
  const { path, text } = document;
  if (templates.test(path)) return [];
  return text.split("\n").flatMap((line, index) =>
    pathsOf(line, path)
      .filter(([, target]) => !exists(target, files))
      .map(([written]) => ({ document: path, line: index + 1, path: written })),
  );
}

function pathsOf(line: string, document: string): readonly (readonly [written: string, target: string])[] {
  const owner = readme.exec(document)?.[1];
  const marked = [...line.matchAll(codeMarks)].flatMap(([, written = ""]) => {
    if (otherThings.test(written)) return [];
    if (rootFolders.test(written)) return [[written, written] as const];
    if (owner !== undefined && ownFolders.test(written)) return [[written, join(owner, written)] as const];
    return sourceFile.test(written) ? [[written, anyFolder + written] as const] : [];
  });
  const linked = [...line.matchAll(links)].flatMap(([, written = ""]) =>
    elsewhere.test(written) ? [] : [[written, join(dirname(document), written)] as const],
  );
  return [...marked, ...linked];
}

function exists(target: string, files: readonly string[]): boolean {
  if (target.startsWith(anyFolder))
    return files.some((file) => `/${file}`.endsWith(target.slice(anyFolder.length - 1)));
  const path = target.replace(/\/$/, "");
  const pattern = new RegExp(`^${path.replaceAll(/[.+?^$()|[\]\\{}]/g, "\\$&").replaceAll("*", "[^/]*")}(?:[/.]|$)`);
  return files.some((file) => pattern.test(file));
}

/** Folders of packages and services that a page does not name: a package by its path, a service by its name. */
export function findUnlisted(page: string, files: readonly string[]): readonly string[] {
  const isNamed = (folder: string) =>
    page.includes(`\`${folder.startsWith("services/") ? folder.slice("services/".length) : folder}\``);
  return foldersOf(files).filter((folder) => !isNamed(folder));
}

/** Folders of packages and services without a README. */
export function findUndescribed(files: readonly string[]): readonly string[] {
  return foldersOf(files).filter((folder) => !files.includes(`${folder}/README.md`));
}

function foldersOf(files: readonly string[]): readonly string[] {
  return [...new Set(files.flatMap((file) => /^(?:packages|services)\/[^/]+(?=\/)/.exec(file)?.[0] ?? []))];
}
