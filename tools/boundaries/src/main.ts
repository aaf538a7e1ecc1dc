import { checkRepository, reportOf } from "./check.ts";
import { readRepositoryFiles } from "./read-repository.ts";
import { buildRepository } from "./repository.ts";

const { lines, exitCode } = reportOf(checkRepository(buildRepository(readRepositoryFiles(process.cwd()))));
for (const line of lines) console.log(line);
process.exitCode = exitCode;
