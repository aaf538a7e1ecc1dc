import { afterEach } from "vitest";
import { describeOpenPages } from "../../src/console/open-pages.ts";

// Records the page now, since it is closed when the report is read.
afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  process.stderr.write(`\nPages at the failure of "${task.name}":\n${await describeOpenPages()}\n`);
});
