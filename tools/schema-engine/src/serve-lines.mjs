import { createInterface } from "node:readline";
import { toPrismaCode } from "./error-code.mjs";

/** The id of our only notification, far from the ids that the Prisma CLI counts up from. */
const PRINT_ID = 1_000_000;
/** JSON-RPC code with which the native engine reports its own errors. */
const ENGINE_ERROR = 4466;

/**
 * Answers JSON-RPC requests from stdin, one a line and in sequence, until stdin ends and all are answered.
 * @param {(method: string, params: any) => Promise<unknown>} call
 */
export async function serveLines(call) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (method !== undefined) {
      await answer(id, () => call(method, params), method);
    }
  }
}

async function answer(id, run, method) {
  try {
    const result = await run();
    if (method === "diff" && typeof result?.stdout === "string") {
      // The CLI prints a diff from this message and not from the result.
      send({ id: PRINT_ID, method: "print", params: { content: result.stdout } });
    }
    send({ id, result });
  } catch (error) {
    const data = { is_panic: false, message: error.message, error_code: toPrismaCode(error), meta: error.meta };
    send({ id, error: { code: ENGINE_ERROR, message: "engine error", data } });
  }
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
