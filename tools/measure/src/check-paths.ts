import { readFileSync } from "node:fs";
import { findUnnamedServices } from "./bound-services.ts";
import { findLostPaths, findUndescribed, findUnlisted } from "./doc-paths.ts";
import { listFiles, readTree } from "./tree.ts";

/** Names every package and service. */
const listOfPackages = "docs/architecture.md";

const files = listFiles();
const tree = readTree(undefined);
const problems = tree.filter(({ path }) => path.endsWith(".md")).flatMap((document) => findLostPaths(document, files));
for (const { document, line, path } of problems) console.log(`${document}:${line}  ${path} is no file or folder.`);
const unlisted = findUnlisted(readFileSync(listOfPackages, "utf8"), files);
for (const folder of unlisted) console.log(`${listOfPackages}: \`${folder}\` is not listed.`);
const undescribed = findUndescribed(files);
for (const folder of undescribed) console.log(`${folder} has no README.md.`);
const unnamed = findUnnamedServices(tree);
for (const { readme, service } of unnamed) console.log(`${readme}: \`${service}\` is bound and not named.`);
process.exitCode = problems.length + unlisted.length + undescribed.length + unnamed.length === 0 ? 0 : 1;
