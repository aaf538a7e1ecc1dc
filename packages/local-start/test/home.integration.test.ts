import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { openHome, StartError } from "../src/index.ts";

test.runIf(existsSync("/proc/self"))("a data folder where the system creates nothing ends the start", async () => {
  const refused = openHome("/proc/gatehouse", false);
  await expect(refused).rejects.toThrow(StartError);
  await expect(refused).rejects.toThrow(
    "/proc/gatehouse cannot be written (ENOENT). Make it writable, or set GATEHOUSE_HOME",
  );
});
