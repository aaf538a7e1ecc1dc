import { expect, test } from "vitest";
import { oldestNode, requireNode } from "./index.ts";

/** Output and exit code of a process with that Node. */
function require(node: string) {
  const ended: { printed: string; exitCode?: number } = { printed: "" };
  requireNode({
    versions: { node },
    stderr: { write: (text: string) => (ended.printed += text) },
    exit: (code: number) => (ended.exitCode = code),
  } as unknown as NodeJS.Process);
  return ended;
}

test.each(["18.20.8", "20.20.2", "22.18.0", "22.9.0", "9.99.99"])("Node %s is refused by name", (node) => {
  expect(require(node)).toEqual({
    printed: `Gatehouse needs Node ${oldestNode} or newer, and this is Node ${node}.\n`,
    exitCode: 1,
  });
});

test.each(["22.19.0", "22.20.1", "24.0.0", "100.1.0"])("Node %s is taken", (node) => {
  expect(require(node)).toEqual({ printed: "" });
});
