import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runMigrateCommand } from "./migrate-command.ts";

test("a folder from an earlier version, mounted in part, is refused with the command to run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-migrate-"));
  try {
    // As mounted in a container.
    mkdirSync(join(folder, "migration"));
    const lines: string[] = [];
    const note = (line: string) => void lines.push(line);
    const code = await runMigrateCommand(["--folder", folder, "chat"], { out: note, err: note });
    expect({ code, text: lines.join("\n") }).toEqual({
      code: 1,
      text: expect.stringMatching(/^chat: .*migration\/chat is absent.*gatehouse keys init.*migration-url/),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
