/**
 * Upstream for large bodies. `GET /<n>` answers with n bytes, `POST` reads the body and returns its size. Prints `listening
 * <port>`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const block = Buffer.alloc(64 * 1024, "x");
const server = createServer((req, res) => (req.method === "POST" ? swallow(req, res) : pour(req, res)));
server.listen(0, "127.0.0.1", () => console.log(`listening ${(server.address() as AddressInfo).port}`));
process.stdin.on("end", () => process.exit(0)).resume();

function pour(req: IncomingMessage, res: ServerResponse): void {
  const [, size = "0"] = /\/(\d+)$/.exec(req.url ?? "") ?? [];
  let left = Number(size);
  res.writeHead(200, { "content-length": left, "content-type": "application/octet-stream" });
  const write = (): void => {
    while (left > 0) {
      const part = left >= block.length ? block : block.subarray(0, left);
      left -= part.length;
      if (!res.write(part)) return void res.once("drain", write);
    }
    res.end();
  };
  write();
}

function swallow(req: IncomingMessage, res: ServerResponse): void {
  let size = 0;
  req.on("data", (chunk: Buffer) => (size += chunk.length));
  req.on("end", () => res.end(String(size)));
}
