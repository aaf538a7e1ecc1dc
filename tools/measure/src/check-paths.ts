import { readFileSync } from "node:fs";
import { findUnnamedServices } from "./bound-services.ts";
import { findOddHeadings } from "./doc-headings.ts";
import { findUnknownNames, readKnownNames } from "./doc-names.ts";
import { findLostPaths, findUndescribed, findUnlisted } from "./doc-paths.ts";
import { listFiles, readTree } from "./tree.ts";

/** Page that names every package and service. */
const listOfPackages = "docs/architecture.md";

const files = listFiles();
const tree = readTree(undefined);
const documents = tree.filter(({ path }) => path.endsWith(".md"));
const problems = documents.flatMap((document) => findLostPaths(document, files));
for (const { document, line, path } of problems) console.log(`${document}:${line}  ${path} is no file or folder.`);
const unlisted = findUnlisted(readFileSync(listOfPackages, "utf8"), files);
for (const folder of unlisted) console.log(`${listOfPackages}: \`${folder}\` is not listed.`);
const undescribed = findUndescribed(files);
for (const folder of undescribed) console.log(`${folder} has no README.md.`);
const unnamed = findUnnamedServices(tree);
for (const { readme, service } of unnamed) console.log(`${readme}: \`${service}\` is bound and not named.`);
const odd = findOddHeadings(documents);
for (const { readme, problem } of odd) console.log(`${readme} ${problem}.`);
const known = readKnownNames(tree, "packages/cli/src/operations.json");
const unknown = documents.flatMap((document) => findUnknownNames(document, known));
for (const { document, name } of unknown) console.log(`${document}: \`${name}\` does not exist.`);
const found = [problems, unlisted, undescribed, unnamed, odd, unknown].flat();
process.exitCode = found.length === 0 ? 0 : 1;
