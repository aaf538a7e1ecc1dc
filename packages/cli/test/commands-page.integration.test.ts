import { expect, test } from "vitest";
import { toCommandsPage } from "../src/commands-page.ts";
import { commands, commandTopics } from "../src/commands.ts";

test("docs/commands.md lists every command; `pnpm commands-page` renews it", async () => {
  await expect(toCommandsPage(commands, commandTopics)).toMatchFileSnapshot("../../../docs/commands.md");
});
