import { describeTree } from "./figures.ts";
import { readTree } from "./tree.ts";

const [commit] = process.argv.slice(2);
for (const line of describeTree(readTree(commit))) console.log(line);
