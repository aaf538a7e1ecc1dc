import { createSocket } from "node:dgram";
import { parseAddress } from "../src/address.ts";

/** Reply for a name: addresses of either family, a response code, or none ever. */
export type DnsReply = readonly string[] | "servfail" | "silence";

export interface DnsServer extends AsyncDisposable {
  /** In the form that `queryDns` accepts. */
  readonly address: string;
}

/** A DNS server on the loopback: one question, A and AAAA records (RFC 1035, section 4). Unlisted names are unknown. */
export async function startDnsServer(
  replyOf: (name: string, family: 4 | 6) => DnsReply | undefined,
): Promise<DnsServer> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const family = type === 28 ? 6 : 4;
    const reply = replyOf(name, family);
    if (reply === "silence") return;
    const code = reply === undefined ? 3 : reply === "servfail" ? 2 : 0;
    const records = typeof reply === "object" ? reply.map((text) => parseAddress(text) ?? []) : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = records.map((bytes) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(resolve)),
  };
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}
