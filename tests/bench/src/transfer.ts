import { connect } from "node:net";
import { readUsage, spentNs, type ProcessGroup } from "./process-usage.ts";

/** One transferred large body. */
export interface Transfer {
  readonly seconds: number;
  /** CPU of the system, milliseconds; undefined where it cannot be read. */
  readonly cpuMs: number | undefined;
}

export interface TransferPlan {
  readonly port: number;
  readonly group: ProcessGroup;
  /** The request's head, including the empty line. */
  readonly head: string;
  /** Bytes to send after it; 0 for a download. */
  readonly uploadBytes: number;
  /** Least number of bytes in the reply's body. */
  readonly downloadBytes: number;
}

const block = Buffer.alloc(256 * 1024, "x");

/** Sends a request on a new connection and reads the whole reply. @throws Error for a status other than 200 */
export async function transfer({ port, group, head, uploadBytes, downloadBytes }: TransferPlan): Promise<Transfer> {
  const before = readUsage(group);
  const startedAt = performance.now();
  const received = await exchange(port, head, uploadBytes);
  const seconds = (performance.now() - startedAt) / 1_000;
  if (received < downloadBytes) throw new Error(`Of ${downloadBytes} bytes only ${received} came.`);
  const after = readUsage(group);
  const cpuMs = before && after && spentNs(before.productCpuNs, after.productCpuNs) / 1e6;
  return { seconds, cpuMs };
}

function exchange(port: number, head: string, uploadBytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let [received, left, first] = [0, uploadBytes, ""];
    const write = (): void => {
      while (left > 0) {
        const part = left >= block.length ? block : block.subarray(0, left);
        left -= part.length;
        if (!socket.write(part)) return;
      }
    };
    socket.on("data", (chunk: Buffer) => {
      if (received === 0) first = chunk.toString("latin1", 0, 100);
      received += chunk.length;
    });
    socket.on("drain", write).on("error", reject);
    socket.on("close", () => {
      if (first.startsWith("HTTP/1.1 200 ")) resolve(received);
      else reject(new Error(`Answered ${JSON.stringify(first)}`));
    });
    socket.write(head);
    write();
  });
}
