import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { createTestCertificates, type TestCertificates } from "@gatehouse/certificates/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { killPrograms, runProgram } from "./program.ts";

const certificates = createTestCertificates();
let folder: string;
let server: Server | undefined;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "gatehouse-database-tls-"))));
afterEach(() => {
  killPrograms();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** A Postgres up to the end of its TLS handshake, or one without TLS (its protocol, SSLRequest). @returns its port */
async function startServer(issued?: ReturnType<TestCertificates["issue"]>): Promise<number> {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(issued === undefined ? "N" : "S");
      if (issued === undefined) return;
      const secured = new TLSSocket(socket, { isServer: true, cert: issued.certificate, key: issued.key });
      secured.on("error", () => {});
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function refusalOf(port: number, parameters: string): Promise<string> {
  const { exit, output } = runProgram("./stored-program.ts", {
    DATABASE_URL: `postgresql://user:hunter2@127.0.0.1:${port}/gatehouse?${parameters}`,
    SPILL_FOLDER: join(folder, "spill"),
  });
  expect(await exit()).toBe(2);
  expect(output.stderr).not.toContain("hunter2");
  return output.stderr;
}

test("a certificate of Postgres that is refused ends the start with 2, the setting and advice", async () => {
  const authority = join(folder, "ca.pem");
  writeFileSync(authority, certificates.authority.certificate);
  const trusting = `sslmode=verify-full&sslrootcert=${authority}`;
  const stranger = createTestCertificates().issue("chat");
  const cases = [
    [certificates.issue("chat", -1_000), trusting, /certificate has expired.*ssl_cert_file/],
    [stranger, trusting, /unable to verify the first certificate.*sslrootcert/],
    [certificates.issue("chat"), trusting, /does not match.*sslrootcert/],
  ] as const;
  for (const [issued, parameters, problem] of cases) {
    const text = await refusalOf(await startServer(issued), parameters);
    expect(text).toContain("DATABASE_URL leads to a Postgres whose certificate is refused (");
    expect(text).toMatch(problem);
    server?.close();
  }
}, 90_000);

test("a Postgres without TLS, where the URL asks for it, ends the start with 2 and names the setting", async () => {
  expect(await refusalOf(await startServer(), "sslmode=verify-full")).toContain(
    "DATABASE_URL asks for TLS (sslmode), which the Postgres at its address does not offer",
  );
}, 60_000);
