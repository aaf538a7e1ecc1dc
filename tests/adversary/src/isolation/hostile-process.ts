import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setPriority } from "node:os";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { HostileJob } from "./hostile-clients.ts";

// Attacks with connections of one project until its parent stops it.

const job = JSON.parse(process.argv[2] ?? "") as HostileJob;
const { hostname, port } = new URL(job.url);
// Lowest priority: real attackers use other machines, so their work must not take cores from the product.
setPriority(19);

const pauseMs = 20;
const dripMs = 50;
const chatPath = (slug: string) => `/api/${job.chat.project}/${slug}`;

function repeatText(piece: string, bytes: number): Buffer {
  return Buffer.from(JSON.stringify({ message: piece.repeat(Math.floor(bytes / piece.length)) }));
}

function items(make: (index: number) => string, count: number): string {
  return Array.from({ length: count }, (_, index) => make(index)).join(",");
}

const megabyte = 1_000_000;
const bodies = {
  letters: repeatText("a", 3 * megabyte),
  letter: repeatText("a@example.com ", 2 * megabyte),
  messages: Buffer.from(
    `{"messages":[${items(() => '{"role":"user","content":"a@b.co 4111 1111 1111 1111"}', 9_000)}]}`,
  ),
  objects: Buffer.from(`{"message":"Hello","list":[${items((at) => `{"a":${at}}`, 100_000)}]}`),
  deep: Buffer.from(`{"message":"Hello","deep":${"[".repeat(500_000)}${"]".repeat(500_000)}}`),
  lists: Buffer.from(`[${items((id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`, 100)}]`),
};

/** Whole sequential requests on a keep-alive connection. */
function requests(
  path: string,
  { body, token = job.chat.token }: { body: Buffer; token?: string },
): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": body.length,
  };
  return async () =>
    await new Promise((resolve) => {
      const outgoing = request({ hostname, port, path, method: "POST", agent, headers }, (reply) => {
        reply.resume().once("close", resolve);
      });
      outgoing.once("error", () => resolve());
      outgoing.end(body);
    });
}

function head(path: string, bytes: number, token = job.chat.token): string {
  return `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`;
}

/** A body sent a byte at a time, until the gateway ends the request. */
async function slowBody(): Promise<void> {
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(head(chatPath("plain"), 4 * megabyte));
  socket.resume();
  while (!socket.destroyed) {
    socket.write("[");
    await delay(dripMs);
  }
}

/** A large or endless reply that is never read. */
async function unread(path: string, body: Buffer, token?: string): Promise<void> {
  const socket = connect(Number(port), hostname);
  socket.pause();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {});
  socket.write(head(path, body.length, token));
  socket.write(body);
  await closed;
}

const stream = Buffer.from('{"message":"Hello","stream":true}');
const mcpPath = `/api/${job.mcp.project}/mcp`;

/** Connections per kind of attack: 64 in total. */
const crew: readonly (readonly [kind: string, count: number, attack: () => () => Promise<void>])[] = [
  ["slow bodies", 10, () => slowBody],
  ["unread replies", 8, () => async () => await unread(mcpPath, bodies.lists, job.mcp.token)],
  ["unread streams", 8, () => async () => await unread(chatPath("endless"), stream)],
  ["open streams", 8, () => requests(chatPath("endless"), { body: stream })],
  ["token caps", 5, () => requests(chatPath("capped"), { body: bodies.letters })],
  ["one text under guardrails", 5, () => requests(chatPath("guarded"), { body: bodies.letter })],
  ["many texts under guardrails", 5, () => requests(chatPath("guarded"), { body: bodies.messages })],
  ["schemas", 5, () => requests(chatPath("shaped"), { body: bodies.objects })],
  ["deep bodies", 5, () => requests(chatPath("plain"), { body: bodies.deep })],
  ["batches", 5, () => requests(mcpPath, { body: bodies.lists, token: job.mcp.token })],
];
const { ADVERSARY_CREW: only } = process.env;

async function forever(attack: () => Promise<void>): Promise<void> {
  for (;;) {
    await attack();
    await delay(pauseMs);
  }
}

process.on("disconnect", () => process.exit(0));
for (const [kind, count, make] of crew) {
  if (only !== undefined && only !== kind) continue;
  for (let at = 0; at < count; at += 1) void forever(make());
}
process.send?.("attacking");
