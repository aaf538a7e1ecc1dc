import { cp, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const template = fileURLToPath(new URL("../template", import.meta.url));

/** Other files that name a service, with the entry that each needs. */
export const placesElsewhere = [
  {
    file: "packages/trust/src/service-names.ts",
    entry:
      "its place in the order of starts, its port, and its places among the services with an outbox and among the owners, so that its operations are tools",
  },
  { file: "deploy/serve/src/programs.ts", entry: "its program, and the dependency in the manifest beside it" },
] as const;

/** Name of a folder, a package and a process; two characters or more. */
const namePattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const nameLengthMax = 40;

/**
 * Writes a service from the template into a new folder.
 * @param name kebab-case, such as `price-book`: the package `@gatehouse/price-book`, the schema `price_book`.
 * @returns the files' paths inside the folder, sorted.
 * @throws Error for an invalid name, and where the folder exists.
 */
export async function instantiate(name: string, folder: string): Promise<readonly string[]> {
  if (!namePattern.test(name) || name.length > nameLengthMax) {
    throw new Error(
      `"${name}" is not a name of a service: use kebab-case, such as price-book, of at most ${nameLengthMax}.`,
    );
  }
  await cp(template, folder, {
    recursive: true,
    errorOnExist: true,
    force: false,
    filter: (path) => !/[\\/](?:generated|dist|node_modules)$/.test(path),
  });
  const written: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const target = join(entry.parentPath, entry.name.replace("template", name));
    await writeFile(path, rewrite(await readFile(path, "utf8"), name));
    if (target !== path) await rename(path, target);
    written.push(target.slice(folder.length + 1));
  }
  return written.sort();
}

function rewrite(text: string, name: string): string {
  const schema = name.replaceAll("-", "_");
  const pascal = name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  return text
    .replaceAll('schema: "template"', `schema: "${schema}"`)
    .replaceAll("schema `template`", `schema \`${schema}\``)
    .replaceAll("templateProgram", `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}Program`)
    .replaceAll("Template service", `${pascal} service`)
    .replaceAll("Template", pascal)
    .replaceAll("template", name);
}
